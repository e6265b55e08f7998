//! Interfaces: state, addresses, membership and counters over time.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;

use crate::agent::model::{Citation, Timestamp};
use crate::diagnosis::cited::Cited;

/// What sort of interface a name stands for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum InterfaceKind {
    /// A port.
    #[default]
    Physical,
    /// An aggregate of ports.
    Bundle,
    /// A loopback.
    Loopback,
    /// A management port.
    Management,
    /// Tunnels, null and the like: never diagnosed.
    Virtual,
}

impl InterfaceKind {
    /// From a full name, as network operating systems name interfaces.
    pub fn of(name: &str) -> Self {
        let lower = name.to_ascii_lowercase();
        let starts = |prefixes: &[&str]| prefixes.iter().any(|p| lower.starts_with(p));
        if starts(&["loopback", "lo"]) {
            InterfaceKind::Loopback
        } else if starts(&["mgmt", "management", "fxp", "em0"]) {
            InterfaceKind::Management
        } else if starts(&["bundle", "port-channel", "ae"]) {
            InterfaceKind::Bundle
        } else if starts(&["null", "tunnel", "bvi", "nve", "ptp", "srte", "vlan"]) {
            InterfaceKind::Virtual
        } else {
            InterfaceKind::Physical
        }
    }
}

/// An address with its prefix length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Address {
    /// Address.
    pub ip: Ipv4Addr,
    /// Prefix length, 0-32.
    pub length: u8,
}

impl Address {
    /// The network part, for comparison of two ends.
    pub fn network(self) -> (u32, u8) {
        let mask = u32::MAX
            .checked_shl(32 - u32::from(self.length.min(32)))
            .unwrap_or(0);
        (u32::from(self.ip) & mask, self.length)
    }

    /// True when `other` lies in the same subnet.
    pub fn reaches(self, other: Ipv4Addr) -> bool {
        Address {
            ip: other,
            length: self.length,
        }
        .network()
            == self.network()
    }
}

/// Counters that tell of trouble.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Counter {
    /// Damaged frames received.
    Fcs,
    /// All input errors.
    InErrors,
    /// Output drops.
    OutDiscards,
    /// Input drops.
    InDiscards,
    /// Frames longer than the MTU.
    Oversize,
    /// Packets received.
    InPackets,
    /// Packets sent.
    OutPackets,
    /// Times the carrier went or came.
    Transitions,
}

/// One counter over the session.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CounterFacts {
    /// First reading.
    pub first: Option<Cited<u64>>,
    /// Last reading.
    pub last: Option<Cited<u64>>,
    /// Increase over a sampled interval, with the interval in seconds.
    pub sampled: Option<(Cited<u64>, f64)>,
}

impl CounterFacts {
    /// Adds a reading.
    pub fn read(&mut self, value: Cited<u64>) {
        if self.first.is_none() {
            self.first = Some(value.clone());
        }
        self.last = Some(value);
    }

    /// Increase per second and the citations that show it; `None` when it was looked at once only.
    pub fn rate(&self) -> Option<(f64, Vec<Citation>)> {
        if let Some((delta, seconds)) = &self.sampled {
            return Some((delta.value as f64 / seconds.max(0.001), vec![delta.cite()]));
        }
        let (first, last) = (self.first.as_ref()?, self.last.as_ref()?);
        let millis = last.at.since_ms(first.at);
        if first.citation.evidence == last.citation.evidence || millis < 200 {
            return None;
        }
        let delta = last.value.saturating_sub(first.value);
        Some((
            delta as f64 * 1000.0 / millis as f64,
            vec![first.cite(), last.cite()],
        ))
    }
}

/// One interface.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Interface {
    /// Full name.
    pub name: String,
    /// Kind.
    pub kind: InterfaceKind,
    /// Administratively up.
    pub enabled: Option<Cited<bool>>,
    /// Operationally up.
    pub up: Option<Cited<bool>>,
    /// Description.
    pub description: Option<Cited<String>>,
    /// MTU in bytes, as the device states it.
    pub mtu: Option<Cited<u64>>,
    /// IPv4 addresses.
    pub addresses: Vec<Cited<Address>>,
    /// VRF it is bound to; `None` for the default one, or when that was not read.
    pub vrf: Option<Cited<String>>,
    /// The place that lists it outside every VRF, where that was read.
    pub in_no_vrf: Option<Citation>,
    /// The bundle it is a member of.
    pub member_of: Option<Cited<String>>,
    /// Of a bundle: each member, and whether it carries traffic.
    pub members: BTreeMap<String, Cited<bool>>,
    /// Last change of the line protocol.
    pub last_change: Option<Cited<Timestamp>>,
    /// Counters.
    pub counters: BTreeMap<Counter, CounterFacts>,
}

impl Interface {
    /// An interface nothing is known of yet.
    pub fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            kind: InterfaceKind::of(name),
            ..Self::default()
        }
    }

    /// True when it is known to be up.
    pub fn is_up(&self) -> bool {
        self.up.as_ref().is_some_and(|u| u.value)
    }

    /// True when it is known to be down.
    pub fn is_down(&self) -> bool {
        self.up.as_ref().is_some_and(|u| !u.value)
    }

    /// True when it is known to be shut by configuration.
    pub fn is_shut(&self) -> bool {
        self.enabled.as_ref().is_some_and(|e| !e.value)
    }

    /// Description text, empty when there is none.
    pub fn text(&self) -> &str {
        self.description.as_ref().map_or("", |d| d.value.as_str())
    }
}
