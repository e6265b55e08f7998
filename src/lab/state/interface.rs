//! Interfaces as a router shows them: configuration, status, history and counters.

use std::net::Ipv4Addr;

use crate::lab::config::InterfaceKind;

/// One interface.
#[derive(Debug, Clone, PartialEq)]
pub struct InterfaceState {
    /// Full name, e.g. `GigabitEthernet0/0/0/1`.
    pub name: String,
    pub kind: InterfaceKind,
    pub hardware: Hardware,
    pub description: String,
    /// Configured `no shutdown`.
    pub enabled: bool,
    /// Line protocol.
    pub oper_up: bool,
    /// Layer-2 MTU in bytes.
    pub mtu: u32,
    /// Address and prefix length.
    pub address: Option<(Ipv4Addr, u8)>,
    /// VRF the interface is in; `None` is the default VRF.
    pub vrf: Option<String>,
    /// Unix ms of the last change of the line protocol.
    pub last_change_ms: i64,
    /// Carrier transitions since boot.
    pub carrier_transitions: u64,
    pub counters: Counters,
    /// The bundle this port is a member of.
    pub member_of: Option<String>,
    /// Set on Bundle-Ether interfaces.
    pub bundle: Option<BundleState>,
}

/// What the port is, whatever is configured on it.
#[derive(Debug, Clone, PartialEq)]
pub struct Hardware {
    /// 1-based SNMP-like index, stable per device.
    pub ifindex: u32,
    /// Bits per second; of a bundle: the sum of its active members.
    pub speed_bps: u64,
    pub mac: String,
}

/// Aggregation state of a Bundle-Ether interface.
#[derive(Debug, Clone, PartialEq)]
pub struct BundleState {
    pub min_links: u32,
    pub members: Vec<MemberState>,
}

impl BundleState {
    /// Members that carry traffic.
    pub fn active(&self) -> usize {
        self.members.iter().filter(|m| m.active).count()
    }
}

/// One port of a bundle.
#[derive(Debug, Clone, PartialEq)]
pub struct MemberState {
    pub interface: String,
    /// In the bundle and distributing.
    pub active: bool,
}

/// Monotonic counters since boot.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    pub in_octets: u64,
    pub out_octets: u64,
    pub in_pkts: u64,
    pub out_pkts: u64,
    /// All input errors, `in_fcs_errors` and `in_giants` included.
    pub in_errors: u64,
    pub in_fcs_errors: u64,
    /// Frames longer than the MTU, dropped on receipt.
    pub in_giants: u64,
    pub in_discards: u64,
    pub out_errors: u64,
    pub out_discards: u64,
    /// Unix ms; counters were last cleared then (boot, unless cleared).
    pub last_clear_ms: i64,
}
