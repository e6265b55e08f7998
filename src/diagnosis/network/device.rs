//! Everything known of one device.

use std::collections::{BTreeMap, BTreeSet};
use std::net::Ipv4Addr;

use super::{Bgp, Interface, InterfaceKind, Isis, Labels, LogLine, System, Vrf};
use crate::agent::model::{Aspect, Role};
use crate::diagnosis::cited::Cited;

/// Whether a device answered a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// It did.
    Answered,
    /// It could not be reached at all: no connection, no answer in time.
    Silent(String),
    /// It, or the tool, answered with an error.
    Refused(String),
}

/// Facts of one device.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DeviceFacts {
    /// Name in the inventory.
    pub name: String,
    /// Role a profile stated.
    pub role: Option<Cited<Role>>,
    /// Answers and failures, oldest first.
    pub reach: Vec<Cited<Reach>>,
    /// The box.
    pub system: System,
    /// Interfaces by full name.
    pub interfaces: BTreeMap<String, Interface>,
    /// IS-IS.
    pub isis: Isis,
    /// MPLS and segment routing.
    pub labels: Labels,
    /// BGP, PE-CE sessions included.
    pub bgp: Bgp,
    /// VRFs by name.
    pub vrfs: BTreeMap<String, Vrf>,
    /// Routing policies: true when some statement accepts routes.
    pub policies: BTreeMap<String, Cited<bool>>,
    /// Log lines, oldest first, each once.
    pub logs: Vec<Cited<LogLine>>,
    /// Parts that were read.
    pub seen: BTreeSet<Aspect>,
}

impl DeviceFacts {
    /// A device nothing is known of yet.
    pub fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            ..Self::default()
        }
    }

    /// Address of the loopback that is the router id.
    pub fn loopback(&self) -> Option<Ipv4Addr> {
        let loopback = self
            .interfaces
            .values()
            .find(|i| i.kind == InterfaceKind::Loopback && i.vrf.is_none());
        let own = loopback.and_then(|i| i.addresses.first()).map(|a| a.value.ip);
        own.or_else(|| self.bgp.router_id.as_ref().map(|r| r.value))
    }

    /// The last word on whether it answers.
    pub fn last_reach(&self) -> Option<&Cited<Reach>> {
        self.reach.last()
    }

    /// True when calls found it silent and none was answered after that.
    pub fn is_silent(&self) -> bool {
        matches!(self.last_reach().map(|r| &r.value), Some(Reach::Silent(_)))
    }

    /// An interface, made when it is new.
    pub(in crate::diagnosis) fn interface_mut(&mut self, name: &str) -> &mut Interface {
        self.interfaces
            .entry(name.to_owned())
            .or_insert_with(|| Interface::named(name))
    }

    /// A VRF, made when it is new.
    pub(in crate::diagnosis) fn vrf_mut(&mut self, name: &str) -> &mut Vrf {
        self.vrfs.entry(name.to_owned()).or_default()
    }

    /// True when a neighbour of this device is configured as its client: it reflects routes.
    pub fn reflects(&self) -> bool {
        let clients = || self.bgp.neighbors.values().flat_map(|n| n.afis.values());
        clients().any(|afi| afi.rr_client.as_ref().is_some_and(|c| c.value))
    }

    /// The role: as stated, or as its configuration says.
    pub fn role(&self) -> Option<Role> {
        if let Some(role) = &self.role {
            return Some(role.value);
        }
        if self.reflects() {
            Some(Role::Rr)
        } else if !self.vrfs.is_empty() {
            Some(Role::Pe)
        } else if self.seen.contains(&Aspect::Bgp) && self.bgp.neighbors.is_empty() {
            Some(Role::P)
        } else {
            None
        }
    }
}
