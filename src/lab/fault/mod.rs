//! What goes wrong: one [`Fault`] is one operation on one device at one time.
//!
//! `ops` is the table of all operations, `edits` changes configuration, `events` makes physical and other
//! conditions. What follows from them is computed elsewhere.

mod condition;
mod edits;
mod error;
mod events;
mod ops;
mod trouble;

#[cfg(test)]
mod tests;

pub use condition::{Change, Condition, Interval};
pub use error::FaultError;
pub use ops::{OPS, Op, OpKind};
pub use trouble::{Trouble, TroubleKind};

use serde::{Deserialize, Serialize};

/// One operation, as a `[[fault]]` table of a scenario spells it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// Seconds relative to the start of the lab; negative: before it.
    #[serde(default)]
    pub at_s: i64,
    /// Seconds it lasts; absent: for good.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub for_s: Option<i64>,
    /// Dotted operation, e.g. `bgp.neighbor.remote_as`.
    pub op: String,
    pub device: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interface: Option<String>,
    /// Address of a BGP neighbour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub neighbor: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vrf: Option<String>,
    /// `ipv4` or `vpnv4`; absent: every family of the neighbour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub afi: Option<String>,
    /// New value of the leaf.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<toml::Value>,
    /// How many times (flaps).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// Per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// Seconds over which `count` is spread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_s: Option<i64>,
    /// Free text: a reason, a log message, an error code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Tool trouble: the first call it hits, 1-based.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_call: Option<u32>,
    /// Tool trouble: how many calls it hits; absent: all that follow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls: Option<u32>,
}
