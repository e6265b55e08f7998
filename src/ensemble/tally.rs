//! The count: which choice has enough of the strength that was cast, if enough voters came.

use serde::{Deserialize, Serialize};

use super::Ballot;

/// When a choice wins.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Rule {
    /// Ballots that must be cast.
    pub quorum: usize,
    /// The part of the cast strength that a choice must exceed, 0.5..1.
    pub majority: f64,
}

impl Rule {
    /// More than half of `voters` must come, and more than half of the strength must agree.
    pub fn simple(voters: usize) -> Self {
        Self {
            quorum: voters / 2 + 1,
            majority: 0.5,
        }
    }
}

/// A choice that won.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Consensus<C> {
    /// What won.
    pub choice: C,
    /// Its part of the cast strength, 0..1.
    pub share: f64,
    /// How far it is ahead of the next choice, 0..1; 1 when nobody objected.
    pub margin: f64,
    /// How sure its voters are on average, weighted, 0..1.
    pub confidence: f64,
}

/// What a count comes to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "outcome")]
pub enum Outcome<C> {
    /// One choice has the majority.
    Decided(Consensus<C>),
    /// None has; the strongest share there is.
    Split {
        /// Share of the strongest choice.
        share: f64,
    },
    /// Too few voted, or nobody with any strength.
    NoQuorum {
        /// Ballots that count.
        cast: usize,
        /// Ballots that were needed.
        needed: usize,
    },
}

/// Counts ballots. A ballot without strength is an abstention: it is not cast.
pub fn tally<C: Clone + PartialEq>(ballots: &[Ballot<C>], rule: Rule) -> Outcome<C> {
    let cast: Vec<&Ballot<C>> = ballots.iter().filter(|b| b.strength() > 0.0).collect();
    if cast.is_empty() || cast.len() < rule.quorum {
        return Outcome::NoQuorum {
            cast: cast.len(),
            needed: rule.quorum.max(1),
        };
    }
    let total: f64 = cast.iter().map(|b| b.strength()).sum();
    let mut choices: Vec<(&C, f64)> = Vec::new();
    for ballot in &cast {
        match choices.iter_mut().find(|(choice, _)| **choice == ballot.choice) {
            Some((_, strength)) => *strength += ballot.strength(),
            None => choices.push((&ballot.choice, ballot.strength())),
        }
    }
    choices.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    let Some((choice, strength)) = choices.first() else {
        return Outcome::Split { share: 0.0 };
    };
    let share = (strength / total).min(1.0);
    if share <= rule.majority.clamp(0.5, 1.0) && choices.len() > 1 {
        return Outcome::Split { share };
    }
    let next = choices.get(1).map_or(0.0, |(_, strength)| strength / total);
    let theirs = cast.iter().filter(|b| b.choice == **choice);
    let weight: f64 = theirs.map(|b| b.weight).sum();
    Outcome::Decided(Consensus {
        choice: (*choice).clone(),
        share,
        margin: (share - next).clamp(0.0, 1.0),
        confidence: (strength / weight).clamp(0.0, 1.0),
    })
}
