//! What a fault comes to: intervals of time in which a configuration or a condition holds.

use std::net::Ipv4Addr;

use super::{Fault, Trouble};
use crate::lab::config::DeviceConfig;
use crate::lab::network::{DeviceId, End};

/// Edits a configuration; given the fault for its target and value. It was checked when the fault was compiled.
pub type Edit = fn(&mut DeviceConfig, &Fault) -> Result<(), super::FaultError>;

/// A change that holds for a while.
#[derive(Debug, Clone)]
pub struct Interval {
    /// Unix ms.
    pub from_ms: i64,
    /// Unix ms; `None`: for good.
    pub until_ms: Option<i64>,
    pub device: DeviceId,
    pub change: Change,
}

impl Interval {
    /// Whether it holds at `now_ms`.
    pub fn holds(&self, now_ms: i64) -> bool {
        self.from_ms <= now_ms && self.until_ms.is_none_or(|until| now_ms < until)
    }

    /// Milliseconds of it that lie before `now_ms`.
    pub fn elapsed_ms(&self, now_ms: i64) -> i64 {
        (self.until_ms.map_or(now_ms, |until| until.min(now_ms)) - self.from_ms).max(0)
    }
}

/// Configuration or condition.
#[derive(Debug, Clone)]
pub enum Change {
    Edit { edit: Edit, fault: Box<Fault> },
    Condition(Condition),
}

/// Something that is so, whatever the configuration says.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// No light at this end; `both`: at the far end neither.
    CarrierLoss {
        end: End,
        both: bool,
    },
    /// Frames with bad checksums arrive at this end, per second.
    BitErrors {
        end: End,
        rate: f64,
    },
    /// The output queue of this end drops packets, per second.
    Congestion {
        end: End,
        rate: f64,
    },
    /// The session's hold timer has run out and it may not come back yet.
    SessionDrop {
        neighbor: Ipv4Addr,
        vrf: Option<String>,
    },
    /// The device is dark; when it ends it boots, for that reason.
    NodeDown {
        reason: String,
    },
    /// The management address does not answer.
    ManagementDown,
    /// A process eats so many percent of the CPU.
    ProcessHog {
        process: String,
        percent: f64,
    },
    /// The clock is off by so many milliseconds.
    ClockSkew {
        ms: i64,
    },
    /// The label manager could not give the configured SRGB.
    SrgbPending,
    /// The running configuration and the commit database disagree.
    ConfigInconsistency,
    /// The customer router's BGP is silent.
    EdgeDown {
        neighbor: Ipv4Addr,
        vrf: Option<String>,
    },
    /// The customer router announces so many more prefixes.
    EdgePrefixes {
        neighbor: Ipv4Addr,
        vrf: Option<String>,
        count: u32,
    },
    /// The device wrote this line.
    Log {
        mnemonic: String,
        text: String,
    },
    Tool(Trouble),
}
