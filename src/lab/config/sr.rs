//! Segment routing and MPLS configuration.

use std::collections::BTreeMap;

/// Segment routing.
#[derive(Debug, Clone, PartialEq)]
pub struct SrConfig {
    pub enabled: bool,
    /// Global block, inclusive.
    pub srgb: (u32, u32),
    /// Index of Loopback0's prefix-SID.
    pub prefix_sid: Option<u32>,
}

/// MPLS.
#[derive(Debug, Clone, PartialEq)]
pub struct MplsConfig {
    /// Interface -> MPLS forwarding enabled.
    pub interfaces: BTreeMap<String, bool>,
}
