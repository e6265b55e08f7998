//! What a router of the lab would show: configuration and state of one device at one instant.
//!
//! Plain data, no behaviour beyond lookups. Whoever renders it (OpenConfig trees, command output) reads these
//! structs and nothing else; how the values come about is in `lab::compute`.

mod bgp;
mod interface;
mod isis;
mod log;
mod mpls;
mod system;
mod table;
mod vpn;

pub use bgp::{
    AfiSize, AfiState, BgpState, NeighborState, Notification, NotificationDirection, PathState, PolicyState,
    SessionHistory, SessionState, Timers,
};
pub use interface::{BundleState, Counters, Hardware, InterfaceState, MemberState};
pub use isis::{IsisAdjacency, IsisInterfaceState, IsisState, LspState, Next, RouteSource, RouteState};
pub use log::LogLine;
pub use mpls::{
    LabelEntry, LabelOperation, MplsInterfaceState, MplsState, PrefixSidState, SrState, SrgbState,
};
pub use system::{Alarm, ManagementState, NtpServerState, NtpState, ProcessState, SystemState};
pub use table::Table;
pub use vpn::{VrfInterfaceState, VrfRoute, VrfState};

use std::net::Ipv4Addr;

use super::network::Role;

/// Everything one device shows at `now_ms`.
#[derive(Debug, Clone, PartialEq)]
pub struct DeviceState {
    /// Host name, also the inventory name.
    pub name: String,
    /// Role in the design; a router does not expose it, inventories may.
    pub role: Role,
    /// Router id and address of Loopback0.
    pub loopback: Ipv4Addr,
    /// Instant of the snapshot, unix ms (true time; the device's own clock is `system.clock_ms`).
    pub now_ms: i64,
    pub system: SystemState,
    /// How the device may be managed, and what goes wrong with tools that try.
    pub management: ManagementState,
    /// All interfaces in the order the router lists them.
    pub interfaces: Vec<InterfaceState>,
    pub isis: Option<IsisState>,
    pub sr: SrState,
    pub mpls: MplsState,
    /// BGP of the default VRF (and the process as such); P routers have none.
    pub bgp: Option<BgpState>,
    /// Customer VRFs (the management VRF is not listed).
    pub vrfs: Vec<VrfState>,
    /// Routing policies configured.
    pub policies: Vec<PolicyState>,
    /// IPv4 routes of the default VRF: connected, IS-IS, BGP.
    pub routes: Table<RouteState>,
}

impl DeviceState {
    /// The interface of that exact name.
    pub fn interface(&self, name: &str) -> Option<&InterfaceState> {
        self.interfaces.iter().find(|i| i.name == name)
    }

    /// The VRF of that exact name.
    pub fn vrf(&self, name: &str) -> Option<&VrfState> {
        self.vrfs.iter().find(|v| v.name == name)
    }

    /// The BGP neighbour of the default VRF with that address.
    pub fn neighbor(&self, address: Ipv4Addr) -> Option<&NeighborState> {
        self.bgp.as_ref()?.neighbors.iter().find(|n| n.address == address)
    }
}
