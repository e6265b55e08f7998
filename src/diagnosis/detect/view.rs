//! What detectors look through: the network, the links in it, the focus, and what is held for normal.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;

use crate::agent::model::{Citation, Role, Timestamp};
use crate::diagnosis::expect::{Expect, expected, says};
use crate::diagnosis::focus::Focus;
use crate::diagnosis::network::{DeviceFacts, End, Interface, InterfaceKind, LinkMap, Neighbor, Network};
use crate::diagnosis::ontology::Resource;

/// Both ends of a session, as far as they are known.
pub struct Pair<'a> {
    /// This end's device.
    pub near: &'a DeviceFacts,
    /// VRF of this end, empty for the default one.
    pub vrf: &'a str,
    /// Address of the other end.
    pub address: &'a str,
    /// This end.
    pub neighbor: &'a Neighbor,
    /// The other end's device, when it is one of ours.
    pub far: Option<&'a DeviceFacts>,
    /// The other end's view of this session, with the address it has for us.
    pub back: Option<(&'a str, &'a Neighbor)>,
}

impl Pair<'_> {
    /// The session as this end names it.
    pub fn resource(&self) -> Resource {
        Resource::Session(self.near.name.clone(), self.address.to_owned())
    }
}

/// The view.
pub struct View<'a> {
    /// Facts.
    pub network: &'a Network,
    /// Focus.
    pub focus: &'a Focus,
    /// Links.
    pub links: LinkMap,
    /// What is normal.
    pub expect: &'static Expect,
    skew: BTreeMap<String, i64>,
    owners: BTreeMap<Ipv4Addr, &'a DeviceFacts>,
    pairs: Vec<Pair<'a>>,
}

impl<'a> View<'a> {
    /// Looks at a network with a focus.
    pub fn new(network: &'a Network, focus: &'a Focus) -> Self {
        let mut view = Self {
            network,
            focus,
            links: network.links(),
            expect: expected(),
            skew: BTreeMap::new(),
            owners: owners(network),
            pairs: Vec::new(),
        };
        view.skew = network
            .devices()
            .filter_map(|d| Some((d.name.clone(), offset(d)?)))
            .collect();
        view.pairs = view.pairs();
        view
    }

    /// Milliseconds a device's clock is ahead of ours, as far as it matters.
    pub fn skew_ms(&self, device: &str) -> i64 {
        let skew = self.skew.get(device).copied().unwrap_or(0);
        if skew.abs() > self.expect.thresholds.system.clock_skew_s * 1000 {
            skew
        } else {
            0
        }
    }

    /// A device's time in ours.
    pub fn ours(&self, device: &str, at: Timestamp) -> Timestamp {
        Timestamp(at.0 - self.skew_ms(device))
    }

    /// Role of a device, from the inventory or from facts.
    pub fn role(&self, device: &DeviceFacts) -> Option<Role> {
        self.focus.role(&device.name).or_else(|| device.role())
    }

    /// An interface at an end.
    pub fn interface(&self, end: &End) -> Option<&'a Interface> {
        self.network.device(&end.0)?.interfaces.get(&end.1)
    }

    /// The text announces work, does not say that it is over, and does not tell its reader what to report.
    pub fn is_planned(&self, text: &str) -> bool {
        let words = &self.expect.words;
        says(text, &words.maintenance) && !says(text, &words.ended) && !says(text, &words.instructions)
    }

    /// The text that says a device is worked on as planned, if any. What stands at a spare port or at a customer's
    /// is about that port alone.
    pub fn maintenance(&self, device: &'a DeviceFacts) -> Option<(&'a str, Citation)> {
        let of_core = |i: &&Interface| {
            i.kind == InterfaceKind::Loopback
                || i.member_of.is_some()
                || device.isis.interfaces.contains_key(&i.name)
        };
        let descriptions = device
            .interfaces
            .values()
            .filter(of_core)
            .filter_map(|i| i.description.as_ref());
        let banner = device.system.banner.as_ref();
        let internal = device.bgp.neighbors.iter().filter(|((vrf, _), _)| vrf.is_empty());
        let sessions = internal.filter_map(|(_, n)| n.description.as_ref());
        if let Some(text) = descriptions
            .chain(banner)
            .chain(sessions)
            .find(|d| self.is_planned(&d.value))
        {
            return Some((&text.value, text.cite()));
        }
        let words = &self.expect.words;
        let about = |text: &str| says(text, &words.maintenance);
        let line = device.logs.iter().rev().find(|l| about(&l.value.text))?;
        self.is_planned(&line.value.text)
            .then(|| (line.value.text.as_str(), line.cite()))
    }

    /// Every session from every end that was read.
    pub fn sessions(&self) -> &[Pair<'a>] {
        &self.pairs
    }

    /// True when the interface faces the device: its description says so, or, where tools give none, every
    /// other router was read and only that one is silent.
    pub fn faces(&self, end: &End, device: &str) -> bool {
        let Some(interface) = self.interface(end) else {
            return false;
        };
        if !interface.text().is_empty() {
            return names(interface.text(), device);
        }
        let core = self
            .network
            .device(&end.0)
            .is_some_and(|d| d.isis.interfaces.contains_key(&end.1));
        let mut silent = self.network.devices().filter(|d| d.is_silent());
        let only = silent.next().is_some_and(|d| d.name == device) && silent.next().is_none();
        core && only && self.links.far(&end.0, &end.1).is_none()
    }

    /// The device that owns an address outside VRFs.
    pub fn owner(&self, address: &str) -> Option<&'a DeviceFacts> {
        self.owners.get(&address.parse().ok()?).copied()
    }

    fn pairs(&self) -> Vec<Pair<'a>> {
        let mut pairs = Vec::new();
        for near in self.network.devices() {
            for ((vrf, address), neighbor) in &near.bgp.neighbors {
                let outside = vrf.is_empty().then(|| self.owner(address)).flatten();
                let far = outside.filter(|far| far.name != near.name);
                let back = far.and_then(|far| {
                    let ours = |a: &str| self.owner(a).is_some_and(|d| d.name == near.name);
                    let mut all = far.bgp.neighbors.iter();
                    all.find(|((v, a), _)| v.is_empty() && ours(a))
                        .map(|((_, a), n)| (a.as_str(), n))
                });
                pairs.push(Pair {
                    near,
                    vrf,
                    address,
                    neighbor,
                    far,
                    back,
                });
            }
        }
        pairs
    }

    /// The most common value, when more than half of those asked have it.
    pub fn norm<T: Ord + Clone>(values: impl IntoIterator<Item = T>) -> Option<T> {
        let mut votes: BTreeMap<T, usize> = BTreeMap::new();
        let mut all = 0;
        for value in values {
            *votes.entry(value).or_default() += 1;
            all += 1;
        }
        votes
            .into_iter()
            .max_by_key(|(_, n)| *n)
            .filter(|(_, n)| n * 2 > all && *n > 1)
            .map(|(value, _)| value)
    }

    /// Of two ends, the one to name when nothing else decides: a device asked about, else the first.
    pub fn prefer<'e>(&self, a: &'e End, b: &'e End) -> &'e End {
        let asked = |end: &End| !self.focus.targets.is_empty() && self.focus.targets(&end.0);
        match (asked(a), asked(b)) {
            (true, false) => a,
            (false, true) => b,
            _ if a <= b => a,
            _ => b,
        }
    }
}

fn offset(device: &DeviceFacts) -> Option<i64> {
    let clock = device.system.clock.as_ref()?;
    Some(clock.value.since_ms(clock.at))
}

/// Addresses outside VRFs by owner; a loopback goes before a link address.
fn owners(network: &Network) -> BTreeMap<Ipv4Addr, &DeviceFacts> {
    let mut owners = BTreeMap::new();
    for device in network.devices() {
        for interface in device.interfaces.values().filter(|i| i.vrf.is_none()) {
            for address in &interface.addresses {
                owners.entry(address.value.ip).or_insert(device);
            }
        }
    }
    for device in network.devices() {
        if let Some(loopback) = device.loopback() {
            owners.insert(loopback, device);
        }
    }
    owners
}

/// The text names the device as a word of its own.
pub fn names(text: &str, device: &str) -> bool {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')))
        .any(|w| w == device)
}
