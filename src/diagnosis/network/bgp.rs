//! BGP: the process, sessions and their address families.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;

use crate::agent::model::{Citation, Timestamp};
use crate::diagnosis::cited::Cited;

/// VRF (empty: default) and address of a neighbour.
pub type NeighborKey = (String, String);

/// One address family of a session.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Afi {
    /// Configured and enabled here.
    pub enabled: Option<Cited<bool>>,
    /// Negotiated.
    pub active: Option<Cited<bool>>,
    /// The neighbour is our route-reflector client.
    pub rr_client: Option<Cited<bool>>,
    /// We put ourselves as next hop.
    pub next_hop_self: Option<Cited<bool>>,
    /// Import policy.
    pub import_policy: Option<Cited<String>>,
    /// Prefixes before policy.
    pub received: Option<Cited<u64>>,
    /// Prefixes after policy.
    pub accepted: Option<Cited<u64>>,
    /// Prefixes in use.
    pub installed: Option<Cited<u64>>,
    /// Prefixes sent.
    pub sent: Option<Cited<u64>>,
    /// Limit.
    pub max_prefixes: Option<Cited<u64>>,
}

/// One neighbour.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Neighbor {
    /// State, upper case: `ESTABLISHED`, `IDLE`, …
    pub state: Option<Cited<String>>,
    /// Remote AS as configured.
    pub remote_as: Option<Cited<u64>>,
    /// Local AS of the session.
    pub local_as: Option<Cited<u64>>,
    /// Not shut by configuration.
    pub enabled: Option<Cited<bool>>,
    /// A password is configured.
    pub authenticated: Option<Cited<bool>>,
    /// Group.
    pub group: Option<Cited<String>>,
    /// Description.
    pub description: Option<Cited<String>>,
    /// Times it was established since boot.
    pub transitions: Option<Cited<u64>>,
    /// When it was last established.
    pub last_established: Option<Cited<Timestamp>>,
    /// Last notification or reset reason, each as the device words it.
    pub reasons: Vec<Cited<String>>,
    /// Address families by lower-case name, e.g. `l3vpn_ipv4_unicast`.
    pub afis: BTreeMap<String, Afi>,
    /// The place that lists the families.
    pub families: Option<Citation>,
}

impl Neighbor {
    /// True when it is known to be established.
    pub fn is_up(&self) -> bool {
        self.state.as_ref().is_some_and(|s| s.value == "ESTABLISHED")
    }

    /// True when it is known not to be.
    pub fn is_down(&self) -> bool {
        self.state.as_ref().is_some_and(|s| s.value != "ESTABLISHED")
    }

    /// True when it is shut by configuration.
    pub fn is_shut(&self) -> bool {
        self.enabled.as_ref().is_some_and(|e| !e.value)
    }
}

/// A path whose next hop the device can't resolve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostPath {
    /// Prefix.
    pub prefix: String,
    /// Next hop.
    pub next_hop: String,
    /// Neighbour it came from.
    pub from: Option<String>,
}

/// The BGP process.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bgp {
    /// Set once BGP was read: the place that shows it.
    pub read: Option<Citation>,
    /// Own AS.
    pub asn: Option<Cited<u64>>,
    /// Router id.
    pub router_id: Option<Cited<Ipv4Addr>>,
    /// Neighbours.
    pub neighbors: BTreeMap<NeighborKey, Neighbor>,
    /// Paths without a usable next hop.
    pub lost: Vec<Cited<LostPath>>,
}

impl Bgp {
    /// The neighbour at an address in the default VRF.
    pub fn neighbor(&self, address: &str) -> Option<&Neighbor> {
        self.neighbors.get(&(String::new(), address.to_owned()))
    }

    /// A neighbour, made when it is new.
    pub(in crate::diagnosis) fn neighbor_mut(&mut self, vrf: &str, address: &str) -> &mut Neighbor {
        self.neighbors
            .entry((vrf.to_owned(), address.to_owned()))
            .or_default()
    }
}
