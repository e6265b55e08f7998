//! A breakage: one thing that is wrong, the faults that make it so, and what a perfect verdict says of it.
//!
//! The truth follows from the operation by the rules of `docs/lab.md`, "Scenario files"; nothing here computes state.

use super::dice::Dice;
use crate::lab::config::{DeviceConfig, InterfaceKind};
use crate::lab::fault::Fault;
use crate::lab::network::{End, Network, Role};
use crate::lab::scenario::Cause;

/// What people notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Topic {
    Link,
    Routing,
    Labels,
    Sessions,
    Customer,
    Router,
}

/// Where people notice it.
#[derive(Debug, Clone)]
pub(super) struct Scene {
    pub topic: Topic,
    /// Devices it sits on.
    pub near: Vec<String>,
    /// Devices that suffer from it.
    pub far: Vec<String>,
    pub vrf: Option<String>,
}

/// One thing that is wrong.
#[derive(Debug, Clone)]
pub(super) struct Breakage {
    pub faults: Vec<Fault>,
    pub causes: Vec<Cause>,
    /// Predicates that hold because of it.
    pub evidence: Vec<String>,
    pub scene: Scene,
    /// Seconds before the start at which it began, when it is over by then.
    pub over: Option<i64>,
}

impl Breakage {
    /// A breakage of one fault and one cause.
    pub(super) fn one(kind: &str, resource: String, fault: Fault, evidence: String, scene: Scene) -> Self {
        Self {
            faults: vec![fault],
            causes: vec![cause(kind, resource)],
            evidence: vec![evidence],
            scene,
            over: None,
        }
    }

    /// With one more fault.
    pub(super) fn and(mut self, fault: Fault) -> Self {
        self.faults.push(fault);
        self
    }

    /// With one more cause and what shows it.
    pub(super) fn also(mut self, kind: &str, resource: String, fault: Fault, evidence: String) -> Self {
        self.causes.push(cause(kind, resource));
        self.evidence.push(evidence);
        self.and(fault)
    }

    /// Over again: it began that many seconds before the start.
    pub(super) fn over(mut self, began_s: i64) -> Self {
        self.over = Some(began_s);
        self
    }

    /// Mended: its one fault began so many seconds before the start and lasted so long; the log alone still says so.
    pub(super) fn mended(mut self, (began_s, lasts_s): (i64, i64), logged: &str) -> Self {
        for fault in &mut self.faults {
            fault.at_s = -began_s;
            fault.for_s = Some(lasts_s);
        }
        let device = self.faults.first().map_or("", |f| f.device.as_str());
        self.evidence = vec![format!("{device} log contains {logged}")];
        self.over(began_s)
    }
}

pub(super) fn cause(kind: &str, resource: String) -> Cause {
    Cause {
        resource,
        fault_type: kind.to_owned(),
    }
}

pub(super) fn node(name: &str) -> String {
    format!("node/{name}")
}

pub(super) fn interface(device: &str, name: &str) -> String {
    format!("interface/{device}/{name}")
}

pub(super) fn session(device: &str, address: &str) -> String {
    format!("session/{device}--{address}")
}

pub(super) fn vrf(device: &str, name: &str) -> String {
    format!("vrf/{device}/{name}")
}

/// An operation on a device.
pub(super) fn op(name: &str, device: &str, at_s: i64) -> Fault {
    Fault {
        at_s,
        op: name.to_owned(),
        device: device.to_owned(),
        ..Fault::default()
    }
}

/// An operation that sets a leaf.
pub(super) fn set(name: &str, device: &str, at_s: i64, value: impl Into<toml::Value>) -> Fault {
    Fault {
        value: Some(value.into()),
        ..op(name, device, at_s)
    }
}

impl Fault {
    pub(super) fn on(self, interface: &str) -> Self {
        Self {
            interface: Some(interface.to_owned()),
            ..self
        }
    }

    pub(super) fn of(self, vrf: &str) -> Self {
        Self {
            vrf: Some(vrf.to_owned()),
            ..self
        }
    }

    pub(super) fn for_s(self, seconds: i64) -> Self {
        Self {
            for_s: Some(seconds),
            ..self
        }
    }
}

/// One end of a link of ours, and the other.
#[derive(Debug, Clone)]
pub(super) struct Span {
    pub device: String,
    pub port: String,
    pub far_device: String,
    pub far_port: String,
}

impl Span {
    /// The link.
    pub(super) fn link(&self) -> String {
        let a = format!("{}:{}", self.device, self.port);
        let b = format!("{}:{}", self.far_device, self.far_port);
        if a < b {
            format!("link/{a}--{b}")
        } else {
            format!("link/{b}--{a}")
        }
    }

    /// Where it is noticed.
    pub(super) fn scene(&self, topic: Topic) -> Scene {
        Scene {
            topic,
            near: vec![self.device.clone(), self.far_device.clone()],
            far: Vec::new(),
            vrf: None,
        }
    }
}

/// One end of a session.
#[derive(Debug, Clone)]
pub(super) struct SessionEnd {
    pub device: String,
    pub address: String,
    pub vrf: Option<String>,
    /// The other end, when it is one of ours.
    pub peer: Option<String>,
}

impl SessionEnd {
    /// Subject of predicates about it.
    pub(super) fn subject(&self) -> String {
        match &self.vrf {
            Some(vrf) => format!("{} vrf {vrf} neighbor {}", self.device, self.address),
            None => format!("{} bgp neighbor {}", self.device, self.address),
        }
    }

    pub(super) fn resource(&self) -> String {
        session(&self.device, &self.address)
    }

    pub(super) fn scene(&self) -> Scene {
        Scene {
            topic: if self.vrf.is_some() {
                Topic::Customer
            } else {
                Topic::Sessions
            },
            near: vec![self.device.clone()],
            far: self.peer.iter().cloned().collect(),
            vrf: self.vrf.clone(),
        }
    }

    /// The fault at this end.
    pub(super) fn at(&self, fault: Fault) -> Fault {
        Fault {
            neighbor: Some(self.address.clone()),
            vrf: self.vrf.clone(),
            ..fault
        }
    }
}

/// What is drawn from: a network and dice.
pub(super) struct Draw<'a> {
    pub network: &'a Network,
    pub dice: Dice,
}

impl Draw<'_> {
    /// Seconds before the start at which something that still lasts began: past every timer.
    pub(super) fn began(&mut self) -> i64 {
        match self.dice.below(5) {
            0 => -self.dice.between(330, 900),
            1 | 2 => -self.dice.between(900, 3_500),
            3 => -self.dice.between(3_600, 20_000),
            _ => -self.dice.between(60_000, 180_000),
        }
    }

    /// When something that was mended before the start began, and how long it lasted: longer than every timer.
    /// Seldom: most things last.
    pub(super) fn mended(&mut self) -> Option<(i64, i64)> {
        if !self.dice.chance(12) {
            return None;
        }
        let lasts = self.dice.between(260, 600);
        Some((self.dice.between(lasts + 200, 6_800), lasts))
    }

    /// A device of one of these roles; of any when none is named.
    pub(super) fn device(&mut self, roles: &[Role]) -> Option<String> {
        let fitting: Vec<String> = self
            .network
            .devices
            .iter()
            .filter(|d| roles.is_empty() || roles.contains(&d.role))
            .map(|d| d.name.clone())
            .collect();
        self.dice.pick(&fitting)
    }

    /// Configuration of a device as built.
    pub(super) fn config(&self, device: &str) -> Option<&DeviceConfig> {
        let id = self.network.id(device)?;
        Some(self.network.devices[id].config.as_ref())
    }

    fn span(&mut self, a: &End, b: &End) -> Span {
        let (near, far) = if self.dice.chance(50) { (a, b) } else { (b, a) };
        let name = |end: &End| self.network.devices[end.device].name.clone();
        Span {
            device: name(near),
            port: near.interface.clone(),
            far_device: name(far),
            far_port: far.interface.clone(),
        }
    }

    /// A link of the core; a bundle counts as one.
    pub(super) fn link(&mut self) -> Option<Span> {
        let links: Vec<(End, End)> = self
            .network
            .links
            .iter()
            .map(|l| (l.a.clone(), l.b.clone()))
            .collect();
        let (a, b) = self.dice.pick(&links)?;
        Some(self.span(&a, &b))
    }

    /// A cable whose ports are, or are not, members of a bundle.
    pub(super) fn cable(&mut self, member: bool) -> Option<Span> {
        let is_member = |end: &End| {
            let config = &self.network.devices[end.device].config;
            config
                .interface(&end.interface)
                .is_some_and(|i| i.member_of.is_some())
        };
        let fitting: Vec<(End, End)> = self
            .network
            .cables
            .iter()
            .filter(|c| is_member(&c.a) == member)
            .map(|c| (c.a.clone(), c.b.clone()))
            .collect();
        let (a, b) = self.dice.pick(&fitting)?;
        Some(self.span(&a, &b))
    }

    /// The bundle a port is a member of.
    pub(super) fn bundle(&self, device: &str, port: &str) -> Option<String> {
        self.config(device)?.interface(port)?.member_of.clone()
    }

    /// A session with one of ours, seen from one end.
    pub(super) fn internal(&mut self, roles: &[Role], peers: &[Role]) -> Option<SessionEnd> {
        let mut fitting = Vec::new();
        for device in self.network.devices.iter().filter(|d| roles.contains(&d.role)) {
            for address in device.config.bgp.iter().flat_map(|b| b.neighbors.keys()) {
                let Some(peer) = self.network.by_loopback(*address) else {
                    continue;
                };
                if peers.contains(&self.network.devices[peer].role) {
                    fitting.push(SessionEnd {
                        device: device.name.clone(),
                        address: address.to_string(),
                        vrf: None,
                        peer: Some(self.network.devices[peer].name.clone()),
                    });
                }
            }
        }
        self.dice.pick(&fitting)
    }

    /// A session with a customer, or with a transit peer.
    pub(super) fn external(&mut self, transit: bool) -> Option<SessionEnd> {
        let fitting: Vec<SessionEnd> = self
            .network
            .edges
            .iter()
            .filter(|e| e.vrf.is_none() == transit)
            .map(|e| SessionEnd {
                device: self.network.devices[e.end.device].name.clone(),
                address: e.address.to_string(),
                vrf: e.vrf.clone(),
                peer: None,
            })
            .collect();
        self.dice.pick(&fitting)
    }

    /// The far end of an internal session.
    pub(super) fn other_end(&self, end: &SessionEnd) -> Option<SessionEnd> {
        let peer = end.peer.clone()?;
        Some(SessionEnd {
            device: peer,
            address: self.config(&end.device)?.loopback.to_string(),
            vrf: None,
            peer: Some(end.device.clone()),
        })
    }

    /// A port to somebody outside: device, port, VRF.
    pub(super) fn edge_port(&mut self, transit: bool) -> Option<(String, String, Option<String>)> {
        let fitting: Vec<(String, String, Option<String>)> = self
            .network
            .edges
            .iter()
            .filter(|e| e.vrf.is_none() == transit)
            .map(|e| {
                let device = self.network.devices[e.end.device].name.clone();
                (device, e.end.interface.clone(), e.vrf.clone())
            })
            .collect();
        self.dice.pick(&fitting)
    }

    /// A site of a customer: PE, VRF, and the other PEs of the VRF.
    pub(super) fn site(&mut self) -> Option<(String, String, Vec<String>)> {
        let mut all = Vec::new();
        for device in &self.network.devices {
            for name in device.config.vrfs.keys() {
                let others = self
                    .network
                    .devices
                    .iter()
                    .filter(|d| d.name != device.name && d.config.vrfs.contains_key(name));
                let others: Vec<String> = others.map(|d| d.name.clone()).collect();
                if !others.is_empty() {
                    all.push((device.name.clone(), name.clone(), others));
                }
            }
        }
        self.dice.pick(&all)
    }

    /// A port of the device that nothing is plugged into.
    pub(super) fn spare(&self, device: &str) -> Option<String> {
        let config = self.config(device)?;
        let spare = |i: &&crate::lab::config::InterfaceConfig| {
            i.kind == InterfaceKind::Ethernet && i.address.is_none() && i.member_of.is_none() && !i.enabled
        };
        config.interfaces.iter().find(spare).map(|i| i.name.clone())
    }
}
