//! Identifiers. Numbers are handed out in order by the machine, so a replay gives the same ones.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! numbered {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl std::str::FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                let digits = text.trim().trim_start_matches(|c: char| c.eq_ignore_ascii_case(&$prefix.chars().next().unwrap_or(' ')));
                digits.parse().map($name).map_err(|_| format!("\"{text}\" is not an id like {}1", $prefix))
            }
        }
    };
}

numbered!(
    /// A tool result, a human's paste or a recalled fact that claims may cite: `E7`.
    EvidenceId, "E");
numbered!(
    /// One tool call: `C3`.
    CallId, "C");
numbered!(
    /// Something a detector saw: `F2`.
    FindingId, "F");
numbered!(
    /// A possible cause under test: `H1`.
    HypothesisId, "H");
numbered!(
    /// A question to the human: `Q1`.
    QuestionId, "Q");
numbered!(
    /// A plan step; stable across plan versions: `S4`.
    StepId, "S");
numbered!(
    /// A line of execution: one a target device, or the one for the network as a whole: `L0`.
    LaneId, "L");

/// The name of a device as the inventory has it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DeviceName(pub String);

impl DeviceName {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for DeviceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl From<&str> for DeviceName {
    fn from(name: &str) -> Self {
        Self(name.to_owned())
    }
}

impl From<String> for DeviceName {
    fn from(name: String) -> Self {
        Self(name)
    }
}

/// The name of a session in the journal; sorts by the time it was opened.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SessionId(pub String);

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}
