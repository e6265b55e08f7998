//! L3VPN: VRFs with their interfaces, route targets, PE-CE sessions and tables.

use std::net::Ipv4Addr;

use super::{NeighborState, Table};

/// One VRF.
#[derive(Debug, Clone, PartialEq)]
pub struct VrfState {
    pub name: String,
    pub rd: String,
    pub import_targets: Vec<String>,
    pub export_targets: Vec<String>,
    pub redistribute_connected: bool,
    pub interfaces: Vec<VrfInterfaceState>,
    /// PE-CE sessions.
    pub neighbors: Vec<NeighborState>,
    /// Prefixes of its BGP table: connected ones only where they are redistributed.
    pub prefixes: u64,
    pub routes: Table<VrfRoute>,
    /// Per-VRF (aggregate) label this device advertises.
    pub label: u32,
}

/// An interface that belongs to a VRF.
#[derive(Debug, Clone, PartialEq)]
pub struct VrfInterfaceState {
    pub name: String,
    pub address: Option<(Ipv4Addr, u8)>,
    pub oper_up: bool,
}

/// One route of a VRF table.
#[derive(Debug, Clone, PartialEq)]
pub struct VrfRoute {
    pub prefix: Ipv4Addr,
    pub length: u8,
    /// `connected`, `bgp` (from the CE) or `bgp-vpn` (imported).
    pub source: &'static str,
    /// CE address, or loopback of the far PE; `None` for connected.
    pub next_hop: Option<Ipv4Addr>,
    /// Outgoing interface of local routes.
    pub interface: Option<String>,
    /// RD the route was imported from.
    pub rd: Option<String>,
    /// VPN label to push.
    pub label: Option<u32>,
    /// Route targets of an imported route.
    pub route_targets: Vec<String>,
    /// A transport label path to the next hop exists (true for local routes).
    pub labelled: bool,
}
