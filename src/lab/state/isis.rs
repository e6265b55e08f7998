//! IS-IS and the IPv4 table of the default VRF.
//!
//! Like on a router an adjacency that is not up is absent from `adjacencies`.

use std::net::Ipv4Addr;
use std::sync::Arc;

use crate::lab::config::Level;

/// The IS-IS process.
#[derive(Debug, Clone, PartialEq)]
pub struct IsisState {
    /// Process name.
    pub instance: String,
    /// Network entity title, e.g. `49.0001.1001.0010.0101.00`.
    pub net: String,
    /// System id part of the NET.
    pub system_id: String,
    /// Area part of the NET.
    pub area: String,
    pub level: Level,
    /// Hello and LSP authentication is configured for the process (the key is never shown).
    pub authenticated: bool,
    /// Overload bit set by configuration.
    pub overload: bool,
    pub sr_enabled: bool,
    pub interfaces: Vec<IsisInterfaceState>,
    pub adjacencies: Vec<IsisAdjacency>,
    /// Link-state database, one LSP a system id.
    pub lsps: Arc<Vec<LspState>>,
    /// SPF runs since boot.
    pub spf_runs: u64,
}

/// One interface in the IS-IS process.
#[derive(Debug, Clone, PartialEq)]
pub struct IsisInterfaceState {
    pub name: String,
    pub enabled: bool,
    pub passive: bool,
    /// Circuit type in force: process level narrowed by the interface's.
    pub level: Level,
    pub metric: u32,
    /// Hellos are padded to the MTU.
    pub hello_padding: bool,
    pub authenticated: bool,
    /// Prefix advertised through this interface.
    pub prefix: Option<(Ipv4Addr, u8)>,
    /// Hellos that came in and failed authentication.
    pub auth_failures: u64,
    /// Hellos sent and received.
    pub hellos_sent: u64,
    pub hellos_received: u64,
    /// Hellos rejected for a level, area or system id that does not fit.
    pub hellos_rejected: u64,
}

/// An adjacency that is up.
#[derive(Debug, Clone, PartialEq)]
pub struct IsisAdjacency {
    pub interface: String,
    /// Host name the neighbour advertises.
    pub neighbor: String,
    pub neighbor_system_id: String,
    pub neighbor_address: Ipv4Addr,
    pub level: Level,
    /// Unix ms.
    pub up_since_ms: i64,
    /// Times the adjacency came up since boot.
    pub transitions: u64,
}

/// Summary of one LSP as this device holds it.
#[derive(Debug, Clone, PartialEq)]
pub struct LspState {
    pub system_id: String,
    pub hostname: String,
    pub overload: bool,
    /// Neighbours advertised: system id and metric.
    pub neighbors: Vec<(String, u32)>,
    /// Prefixes advertised.
    pub prefixes: Vec<(Ipv4Addr, u8, u32)>,
    /// SRGB advertised: base and size.
    pub srgb: Option<(u32, u32)>,
    /// Prefix-SID index advertised with Loopback0.
    pub prefix_sid: Option<u32>,
}

/// Where a route comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RouteSource {
    Connected,
    Isis,
    Bgp,
}

/// One IPv4 route of the default VRF.
#[derive(Debug, Clone, PartialEq)]
pub struct RouteState {
    pub prefix: Ipv4Addr,
    pub length: u8,
    pub source: RouteSource,
    pub metric: u32,
    pub next: Vec<Next>,
}

/// A next hop.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Next {
    /// `None` for connected routes.
    pub address: Option<Ipv4Addr>,
    /// `None` for routes resolved through another (BGP).
    pub interface: Option<String>,
}
