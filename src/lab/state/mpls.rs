//! Segment routing and MPLS: label blocks, prefix-SIDs, label entries, MPLS on interfaces.

use std::net::Ipv4Addr;

use super::{Next, Table};

/// Segment routing of the device.
#[derive(Debug, Clone, PartialEq)]
pub struct SrState {
    pub enabled: bool,
    pub srgb: SrgbState,
    /// Prefix-SID of Loopback0.
    pub prefix_sid: Option<PrefixSidState>,
    /// Local block for adjacency-SIDs, inclusive.
    pub srlb: (u32, u32),
}

/// Global block: what is configured and what the label manager gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SrgbState {
    /// Inclusive bounds.
    pub configured: (u32, u32),
    /// `None` while the allocation is pending.
    pub allocated: Option<(u32, u32)>,
}

/// A configured prefix-SID.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PrefixSidState {
    pub index: u32,
    /// Base + index, if it lies inside the block.
    pub label: Option<u32>,
    /// Another prefix claims the same index and won.
    pub conflict: bool,
}

/// MPLS forwarding of the device.
#[derive(Debug, Clone, PartialEq)]
pub struct MplsState {
    pub enabled: bool,
    pub ttl_propagation: bool,
    pub interfaces: Vec<MplsInterfaceState>,
    /// Incoming labels and what is done with them.
    pub entries: Table<LabelEntry>,
}

/// MPLS on one interface.
#[derive(Debug, Clone, PartialEq)]
pub struct MplsInterfaceState {
    pub name: String,
    pub enabled: bool,
}

/// What happens to a labelled packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabelOperation {
    /// Swap to this label.
    Swap(u32),
    /// Penultimate hop: pop.
    Pop,
    /// No label to the next hop: the stack breaks here.
    Unlabelled,
    /// Look up in a VRF (aggregate label).
    Vrf,
}

/// One row of the label forwarding table.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelEntry {
    pub label: u32,
    /// Prefix the label stands for; for VRF labels 0.0.0.0/0.
    pub prefix: Ipv4Addr,
    pub operation: LabelOperation,
    pub next: Next,
    /// VRF of an aggregate label.
    pub vrf: Option<String>,
}
