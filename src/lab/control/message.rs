//! What is said over the control port.

use crate::lab::fault::Fault;
use serde::{Deserialize, Serialize};

/// A line that asks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Question {
    pub(super) token: String,
    #[serde(flatten)]
    pub(super) order: Order,
}

/// A fault travels as the TOML it is written in: its value may be of any type, and a number inside a tagged JSON object
/// does not keep its own when another part of the program has `serde_json` keep numbers as text.
mod as_toml {
    use super::Fault;
    use serde::de::Error as _;
    use serde::ser::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(fault: &Fault, serializer: S) -> Result<S::Ok, S::Error> {
        let text = toml::to_string(fault).map_err(S::Error::custom)?;
        serializer.serialize_str(&text)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Box<Fault>, D::Error> {
        let text = String::deserialize(deserializer)?;
        toml::from_str(&text).map_err(D::Error::custom)
    }
}

/// What a running lab can be told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Order {
    /// Say how you are.
    Status,
    /// Let something go wrong, `at_s` seconds from now.
    Inject {
        #[serde(with = "as_toml")]
        fault: Box<Fault>,
    },
    /// Undo every fault, those of the scenario included.
    Heal,
    /// Show what a path leads to on a device.
    Show { device: String, path: String },
}

/// A line that answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum Answer {
    Status(Status),
    Done,
    Shown { found: Vec<Shown> },
    Refused(Refusal),
}

/// How a lab is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    pub devices: usize,
    /// Faults in force or to come, as `op device …`.
    pub faults: Vec<String>,
    /// Attempts to write to a device, all refused.
    pub sets: u64,
}

/// One node a path led to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Shown {
    pub path: String,
    pub value: serde_json::Value,
}

/// Why an order was not followed, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    pub what: String,
    pub next: String,
}
