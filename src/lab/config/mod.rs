//! The configuration of a lab device: what an engineer would have typed, fully expanded.
//!
//! `lab::network` builds it, `lab::fault` edits it, `lab::compute` derives state from it. No state here.

mod bgp;
mod interface;
mod isis;
mod sr;

pub use bgp::{Afi, AfiConfig, BgpConfig, NeighborConfig, VrfConfig};
pub use interface::{InterfaceConfig, InterfaceKind};
pub use isis::{IsisConfig, IsisInterfaceConfig, Level};
pub use sr::{MplsConfig, SrConfig};

use std::collections::BTreeMap;
use std::net::Ipv4Addr;

/// Configuration of one device.
#[derive(Debug, Clone, PartialEq)]
pub struct DeviceConfig {
    pub hostname: String,
    /// Address of Loopback0 and router id.
    pub loopback: Ipv4Addr,
    /// In the order the router lists them.
    pub interfaces: Vec<InterfaceConfig>,
    pub isis: Option<IsisConfig>,
    pub sr: SrConfig,
    pub mpls: MplsConfig,
    pub bgp: Option<BgpConfig>,
    pub vrfs: BTreeMap<String, VrfConfig>,
    /// Policy name -> it accepts routes (false: drops all).
    pub policies: BTreeMap<String, bool>,
    pub ntp_servers: Vec<String>,
    pub login_banner: String,
}

impl DeviceConfig {
    /// The interface of that exact name.
    pub fn interface(&self, name: &str) -> Option<&InterfaceConfig> {
        self.interfaces.iter().find(|i| i.name == name)
    }

    /// The interface of that exact name, to edit.
    pub fn interface_mut(&mut self, name: &str) -> Option<&mut InterfaceConfig> {
        self.interfaces.iter_mut().find(|i| i.name == name)
    }

    /// The neighbour with that address in a VRF (`None`: the default VRF).
    pub fn neighbor(&self, vrf: Option<&str>, address: Ipv4Addr) -> Option<&NeighborConfig> {
        match vrf {
            Some(name) => self.vrfs.get(name)?.neighbors.get(&address),
            None => self.bgp.as_ref()?.neighbors.get(&address),
        }
    }

    /// The neighbour with that address in a VRF (`None`: the default VRF), to edit.
    pub fn neighbor_mut(&mut self, vrf: Option<&str>, address: Ipv4Addr) -> Option<&mut NeighborConfig> {
        match vrf {
            Some(name) => self.vrfs.get_mut(name)?.neighbors.get_mut(&address),
            None => self.bgp.as_mut()?.neighbors.get_mut(&address),
        }
    }
}
