//! The observed network: typed facts, each with its citation, as the evidence brought them.
//!
//! It holds what was said, not what it means: detectors read it, nothing here judges. Learning is a fold
//! over evidence, so the same evidence always gives the same network.

mod bgp;
mod device;
mod interface;
mod isis;
mod labels;
mod links;
mod log;
mod system;
mod vrf;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use bgp::{Afi, Bgp, LostPath, Neighbor, NeighborKey};
pub use device::{DeviceFacts, Reach};
pub use interface::{Address, Counter, CounterFacts, Interface, InterfaceKind};
pub use isis::{Adjacency, Isis, IsisInterface, Level, Lsp};
pub use labels::{Block, Labels, PrefixSid};
pub use links::{End, Link, LinkMap};
pub use log::LogLine;
pub use system::{Alarm, Process, System};
pub use vrf::Vrf;

/// What is known of the network.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Network {
    devices: BTreeMap<String, Arc<DeviceFacts>>,
    /// Links a topology tool stated, whether or not both ends were read.
    stated: Vec<Link>,
}

impl Network {
    /// Every device something is known of, by name.
    pub fn devices(&self) -> impl Iterator<Item = &DeviceFacts> {
        self.devices.values().map(AsRef::as_ref)
    }

    /// A device by name.
    pub fn device(&self, name: &str) -> Option<&DeviceFacts> {
        self.devices.get(name).map(AsRef::as_ref)
    }

    /// A device to add facts to; made when it is new.
    pub(super) fn device_mut(&mut self, name: &str) -> &mut DeviceFacts {
        let entry = self
            .devices
            .entry(name.to_owned())
            .or_insert_with(|| Arc::new(DeviceFacts::named(name)));
        Arc::make_mut(entry)
    }

    /// Keeps a link that a tool stated.
    pub(super) fn state_link(&mut self, link: Link) {
        if !self.stated.contains(&link) {
            self.stated.push(link);
        }
    }

    /// The links as they follow from addresses, descriptions and what tools stated.
    pub fn links(&self) -> LinkMap {
        LinkMap::of(self.devices(), &self.stated)
    }
}
