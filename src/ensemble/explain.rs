//! The outcome of a count in one line: who voted for what, how sure, and what it came to.

use std::fmt::{Display, Write as _};

use super::{Ballot, Outcome};

impl<C: Display> Outcome<C> {
    /// `critic pass 0.90, safety fail 0.60: pass with 60 % of the votes`.
    pub fn explain(&self, ballots: &[Ballot<C>]) -> String {
        let mut line = String::new();
        for (n, ballot) in ballots.iter().enumerate() {
            let comma = if n > 0 { ", " } else { "" };
            let _ = write!(
                line,
                "{comma}{} {} {:.2}",
                ballot.voter, ballot.choice, ballot.confidence
            );
            if (ballot.weight - 1.0).abs() > f64::EPSILON {
                let _ = write!(line, " (weight {:.1})", ballot.weight);
            }
        }
        if line.is_empty() {
            line.push_str("nobody voted");
        }
        let _ = match self {
            Self::Decided(c) => write!(line, ": {} with {:.0} % of the votes", c.choice, c.share * 100.0),
            Self::Split { share } => write!(line, ": undecided, the most has {:.0} %", share * 100.0),
            Self::NoQuorum { cast, needed } => write!(line, ": {cast} of {needed} votes, too few"),
        };
        line
    }
}
