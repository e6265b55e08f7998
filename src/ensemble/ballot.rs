//! One opinion: who holds it, how much the voter counts and how sure the voter is.

use serde::{Deserialize, Serialize};

/// One voter's opinion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ballot<C> {
    /// Who votes.
    pub voter: String,
    /// For what.
    pub choice: C,
    /// How much this voter counts against the others; 1 is usual.
    pub weight: f64,
    /// How sure the voter is, 0..1.
    pub confidence: f64,
}

impl<C> Ballot<C> {
    /// What the ballot counts: weight times confidence. What is no sensible number counts nothing, and
    /// nobody is surer than 1.
    pub fn strength(&self) -> f64 {
        let weight = if self.weight.is_finite() {
            self.weight.max(0.0)
        } else {
            0.0
        };
        let confidence = if self.confidence.is_nan() {
            0.0
        } else {
            self.confidence.clamp(0.0, 1.0)
        };
        weight * confidence
    }
}
