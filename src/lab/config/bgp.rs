//! BGP and VRF configuration.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;

/// Address family of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Afi {
    Ipv4Unicast,
    Vpnv4Unicast,
}

impl Afi {
    /// Both, in table order.
    pub const ALL: [Self; 2] = [Self::Ipv4Unicast, Self::Vpnv4Unicast];

    /// Identity as OpenConfig writes it (`openconfig-bgp-types`).
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ipv4Unicast => "IPV4_UNICAST",
            Self::Vpnv4Unicast => "L3VPN_IPV4_UNICAST",
        }
    }
}

/// The BGP process.
#[derive(Debug, Clone, PartialEq)]
pub struct BgpConfig {
    pub asn: u32,
    pub router_id: Ipv4Addr,
    /// Neighbour group -> remote AS.
    pub groups: BTreeMap<String, u32>,
    /// Neighbours of the default VRF.
    pub neighbors: BTreeMap<Ipv4Addr, NeighborConfig>,
    /// Prefixes originated into IPv4 unicast.
    pub networks: Vec<(Ipv4Addr, u8)>,
}

/// One neighbour.
#[derive(Debug, Clone, PartialEq)]
pub struct NeighborConfig {
    pub remote_as: u32,
    pub group: Option<String>,
    pub description: String,
    /// TCP MD5 password.
    pub password: Option<String>,
    pub shutdown: bool,
    pub hold_s: u32,
    pub afis: BTreeMap<Afi, AfiConfig>,
}

/// One address family of a neighbour.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AfiConfig {
    pub rr_client: bool,
    pub next_hop_self: bool,
    pub import_policy: Option<String>,
    pub export_policy: Option<String>,
    pub max_prefixes: Option<u32>,
}

/// One VRF.
#[derive(Debug, Clone, PartialEq)]
pub struct VrfConfig {
    pub rd: String,
    pub import_targets: Vec<String>,
    pub export_targets: Vec<String>,
    pub redistribute_connected: bool,
    /// PE-CE sessions.
    pub neighbors: BTreeMap<Ipv4Addr, NeighborConfig>,
}
