//! OpenConfig trees of a lab device: what a router would answer, leaf by leaf.
//!
//! One module a model, each a function from [`DeviceState`] into a [`tree::Writer`]; only what a path asks
//! for is rendered. Names, the split into `config` and `state` and the values follow the published models;
//! what OpenConfig has no leaf for is augmented under `noctui-lab:`. Nothing here serves or encodes gRPC.

mod aft;
mod bgp;
mod bgp_neighbor;
mod bgp_rib;
pub mod encode;
mod ethernet;
mod instance;
mod interfaces;
mod isis;
mod isis_database;
mod isis_interface;
mod models;
mod mpls;
mod platform;
mod policy;
#[cfg(test)]
pub(crate) mod sample;
mod system;
#[cfg(test)]
mod tests;
pub mod tree;
mod vrf;

pub use models::{MODELS, Model};

use crate::lab::state::DeviceState;
use crate::proto::gnmi::PathElem;
use tree::{DataKind, Found, Writer};

/// How a device is reached; a router shows this in its own tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exposure {
    /// TCP port of the gNMI server.
    pub port: u16,
    /// The gNMI server speaks TLS.
    pub transport_security: bool,
    /// The user that may log in.
    pub username: String,
}

/// A device and how it is reached, as the models read them.
#[derive(Clone, Copy)]
pub struct Device<'a> {
    pub state: &'a DeviceState,
    pub exposure: &'a Exposure,
}

/// Renders what a path leads to; empty when nothing is there.
pub fn render(device: Device<'_>, query: &[PathElem], kind: DataKind) -> Vec<Found> {
    Writer::new(query, kind).write(|w| {
        system::write(w, device);
        interfaces::write(w, device.state);
        ethernet::write_lacp(w, device.state);
        instance::write(w, device.state);
        policy::write(w, device.state);
        platform::write(w, device.state);
    })
}

/// Nanoseconds since the epoch, as OpenConfig's times are, from milliseconds.
fn ns(ms: i64) -> u64 {
    u64::try_from(ms).unwrap_or(0).saturating_mul(1_000_000)
}

/// `10.0.0.0/24`.
fn prefix(address: std::net::Ipv4Addr, length: u8) -> String {
    format!("{address}/{length}")
}

/// Secrets are never shown; that there is one is.
const HIDDEN: &str = "***";
