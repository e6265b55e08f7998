//! A value with the place it was read from, so that every statement made of it can be checked.
//!
//! The claim a fact is born with says exactly what the evidence says; others are derived from its pointer.

use serde_json::Value;

use crate::agent::model::{Citation, Claim, Timestamp};

/// A value read from evidence.
#[derive(Debug, Clone, PartialEq)]
pub struct Cited<T> {
    /// The value, normalised.
    pub value: T,
    /// Where it stands, and what literally stands there.
    pub citation: Citation,
    /// When it was read.
    pub at: Timestamp,
}

impl<T> Cited<T> {
    /// The citation, to keep with a finding.
    pub fn cite(&self) -> Citation {
        self.citation.clone()
    }

    /// The same place with another claim.
    pub fn claim(&self, claim: Claim) -> Citation {
        Citation {
            claim,
            ..self.citation.clone()
        }
    }

    /// The place, claimed to hold something else than `value`.
    pub fn differs(&self, value: impl Into<Value>) -> Citation {
        self.claim(Claim::Differs(value.into()))
    }

    /// The place, claimed to hold at least `bound`.
    pub fn at_least(&self, bound: f64) -> Citation {
        self.claim(Claim::AtLeast(bound))
    }

    /// Another value of the same place.
    pub fn with<U>(&self, value: U) -> Cited<U> {
        Cited {
            value,
            citation: self.citation.clone(),
            at: self.at,
        }
    }
}

/// The value of an optional fact.
pub trait Known<T> {
    /// The value, if it was read.
    fn known(&self) -> Option<&T>;
    /// True when it was read and equals `value`.
    fn is(&self, value: &T) -> bool;
}

impl<T: PartialEq> Known<T> for Option<Cited<T>> {
    fn known(&self) -> Option<&T> {
        self.as_ref().map(|c| &c.value)
    }

    fn is(&self, value: &T) -> bool {
        self.known() == Some(value)
    }
}
