//! Labels: segment routing blocks and prefix SIDs, MPLS on interfaces.

use std::collections::BTreeMap;

use crate::agent::model::Citation;
use crate::diagnosis::cited::Cited;

/// A label block, both bounds included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Block {
    /// First label.
    pub lower: u64,
    /// Last label.
    pub upper: u64,
}

impl Block {
    /// Labels in it.
    pub fn size(self) -> u64 {
        self.upper.saturating_sub(self.lower).saturating_add(1)
    }
}

/// A prefix SID of the device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrefixSid {
    /// Prefix it stands for, as text.
    pub prefix: String,
    /// Index into the SRGB.
    pub index: u64,
}

/// Label state of a device.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Labels {
    /// Segment routing is on.
    pub segment_routing: Option<Cited<bool>>,
    /// SRGB as configured, with both bounds' citations.
    pub srgb: Option<(Cited<Block>, Vec<Citation>)>,
    /// SRGB as allocated: false while the device still waits for it.
    pub allocated: Option<Cited<bool>>,
    /// Prefix SID of the loopback.
    pub prefix_sid: Option<Cited<PrefixSid>>,
    /// The place where prefix SIDs stand, once it was read and holds none.
    pub no_prefix_sid: Option<Citation>,
    /// MPLS by interface.
    pub interfaces: BTreeMap<String, Cited<bool>>,
    /// The place that lists MPLS interfaces, once it was read.
    pub listed: Option<Citation>,
}
