//! The network a lab simulates: devices with their built configuration, cables, links and customer edges.
//!
//! A [`NetworkFile`] (TOML, or generated) is expanded by `build` into a [`Network`]. No state, no faults.

mod address;
mod build;
mod file;
mod generate;

#[cfg(test)]
mod tests;

pub use build::build;
pub use file::{
    BundleSpec, DeviceSpec, LinkPlan, LinkSpec, NetworkError, NetworkFile, Role, TransitSpec, VrfSpec,
    builtin, builtin_names,
};
pub use generate::{SMALLEST, generate};

use std::collections::HashMap;
use std::net::Ipv4Addr;
use std::sync::Arc;

use super::config::DeviceConfig;

/// Index of a device in [`Network::devices`].
pub type DeviceId = usize;

/// One device as built, before any fault.
#[derive(Debug, Clone, PartialEq)]
pub struct Device {
    pub name: String,
    pub role: Role,
    pub config: Arc<DeviceConfig>,
    /// Management address an inventory would list.
    pub management: Ipv4Addr,
}

/// One end of a cable or link.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct End {
    pub device: DeviceId,
    pub interface: String,
}

/// A physical connection of two Ethernet ports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cable {
    pub a: End,
    pub b: End,
}

/// An IP link of two interfaces (ports or bundles).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    pub a: End,
    pub b: End,
}

/// A neighbour outside our administration: a customer router in a VRF, or a transit peer in the default VRF.
/// It speaks eBGP and is not managed.
#[derive(Debug, Clone, PartialEq)]
pub struct CustomerEdge {
    pub name: String,
    pub asn: u32,
    /// PE and port it is connected to.
    pub end: End,
    /// VRF it was sold; `None`: transit in the default VRF.
    pub vrf: Option<String>,
    pub address: Ipv4Addr,
    pub pe_address: Ipv4Addr,
    /// Prefixes it announces.
    pub prefixes: Vec<(Ipv4Addr, u8)>,
}

/// A whole network.
#[derive(Debug, Clone)]
pub struct Network {
    pub name: String,
    /// `S`, `M`, `L`, or the number of devices.
    pub size: String,
    pub asn: u32,
    pub devices: Vec<Device>,
    pub cables: Vec<Cable>,
    pub links: Vec<Link>,
    pub edges: Vec<CustomerEdge>,
    index: HashMap<String, DeviceId>,
    by_loopback: HashMap<Ipv4Addr, DeviceId>,
}

impl Network {
    /// The device of that exact name.
    pub fn id(&self, name: &str) -> Option<DeviceId> {
        self.index.get(name).copied()
    }

    /// The device that owns a loopback address.
    pub fn by_loopback(&self, address: Ipv4Addr) -> Option<DeviceId> {
        self.by_loopback.get(&address).copied()
    }

    /// Device names in inventory order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.devices.iter().map(|d| d.name.as_str())
    }
}
