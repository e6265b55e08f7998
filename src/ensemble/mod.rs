//! Several opinions made into one: weighted ballots, a quorum, a consensus, and why.
//!
//! Pure and without a word about who votes or on what. It counts; whether the outcome is obeyed is the
//! caller's matter. `ballot` is one opinion, `tally` the count, `explain` the outcome in words.

mod ballot;
mod explain;
mod tally;
#[cfg(test)]
mod tests;

pub use ballot::Ballot;
pub use tally::{Consensus, Outcome, Rule, tally};
