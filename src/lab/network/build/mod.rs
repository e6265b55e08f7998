//! Expands a [`NetworkFile`] into a [`Network`]: ports, addresses, links, iBGP; `router` is what every device starts
//! with, `edges` what lies beyond.
//!
//! The result is a network without fault: every session both ends of which are configured comes up.

mod edges;
mod router;

use std::collections::HashMap;
use std::sync::Arc;

use super::file::{BundleSpec, LinkPlan, LinkSpec, NetworkError, NetworkFile, Role};
use super::{Cable, CustomerEdge, Device, DeviceId, End, Link, Network, address};
use crate::lab::config::{Afi, AfiConfig, DeviceConfig, InterfaceConfig, InterfaceKind, NeighborConfig};
use router::{HOLD_S, base_config, interface, isis_interface};

/// Layer-2 MTU of core ports.
const CORE_MTU: u32 = 9_014;
/// Layer-2 MTU of customer ports (IOS-XR default).
const EDGE_MTU: u32 = 1_514;

struct Builder<'a> {
    file: &'a NetworkFile,
    index: HashMap<String, DeviceId>,
    configs: Vec<DeviceConfig>,
    ports: Vec<u32>,
    cables: Vec<Cable>,
    links: Vec<Link>,
    edges: Vec<CustomerEdge>,
}

/// Builds the network a file describes.
///
/// # Errors
/// [`NetworkError`] when a name is unknown or given twice, or a link plan can't hold the network.
pub fn build(file: &NetworkFile) -> Result<Network, NetworkError> {
    let mut builder = Builder::new(file)?;
    for (n, link) in file.links.iter().enumerate() {
        builder.link(n, link)?;
    }
    builder.reflectors()?;
    builder.customers()?;
    builder.transits()?;
    builder.spares();
    Ok(builder.finish())
}

impl<'a> Builder<'a> {
    fn new(file: &'a NetworkFile) -> Result<Self, NetworkError> {
        let invalid = |what: String, hint: &str| NetworkError::Invalid {
            network: file.name.clone(),
            what,
            hint: hint.into(),
        };
        if file.link_plan == LinkPlan::Wide && file.devices.len() > 99 {
            return Err(invalid(
                "the /24 link plan holds 99 devices at most".into(),
                "use link_plan = \"/31\"",
            ));
        }
        let mut index = HashMap::new();
        let mut configs = Vec::with_capacity(file.devices.len());
        for (i, spec) in file.devices.iter().enumerate() {
            if index.insert(spec.name.clone(), i).is_some() {
                return Err(invalid(
                    format!("device \"{}\" is listed twice", spec.name),
                    "give each device its own name",
                ));
            }
            configs.push(base_config(file, i, spec.role));
        }
        let ports = vec![0; configs.len()];
        Ok(Self {
            file,
            index,
            configs,
            ports,
            cables: Vec::new(),
            links: Vec::new(),
            edges: Vec::new(),
        })
    }

    fn id(&self, name: &str, what: &str) -> Result<DeviceId, NetworkError> {
        self.index
            .get(name)
            .copied()
            .ok_or_else(|| NetworkError::UnknownDevice {
                network: self.file.name.clone(),
                what: what.to_string(),
                name: name.to_string(),
            })
    }

    fn port(&mut self, device: DeviceId) -> String {
        let n = self.ports[device];
        self.ports[device] += 1;
        format!("GigabitEthernet0/0/{}/{}", n / 40, n % 40)
    }

    fn link(&mut self, n: usize, spec: &LinkSpec) -> Result<(), NetworkError> {
        let a = self.id(&spec.a, "[[link]]")?;
        let b = self.id(&spec.b, "[[link]]")?;
        let ((at_a, at_b), length) = match self.file.link_plan {
            LinkPlan::Wide => (address::wide(a, b), 24),
            LinkPlan::Narrow => (address::narrow(n), 31),
        };
        let ends = match spec.bundle {
            None => self.pair(a, b, None),
            Some(bundle) => self.bundle(a, b, bundle),
        };
        for ((device, interface), address) in [(a, &ends.0), (b, &ends.1)].into_iter().zip([at_a, at_b]) {
            let config = &mut self.configs[device];
            if let Some(made) = config.interfaces.iter_mut().find(|i| i.name == *interface) {
                made.address = Some((address, length));
            }
            config.mpls.interfaces.insert(interface.clone(), true);
            if let Some(isis) = &mut config.isis {
                let settings = isis_interface(spec.metric, false);
                isis.interfaces.insert(interface.clone(), settings);
            }
        }
        let end = |device, interface| End { device, interface };
        self.links.push(Link {
            a: end(a, ends.0),
            b: end(b, ends.1),
        });
        Ok(())
    }

    /// Two ports and their cable; `bundle`: the one they are members of.
    fn pair(&mut self, a: DeviceId, b: DeviceId, bundle: Option<&str>) -> (String, String) {
        let (pa, pb) = (self.port(a), self.port(b));
        self.cable(a, &pa, b, &pb);
        for (device, port, peer, peer_port) in [(a, &pa, b, &pb), (b, &pb, a, &pa)] {
            let role = bundle.map(|name| format!("{name} member ")).unwrap_or_default();
            let text = format!("{role}to {} {peer_port}", self.file.devices[peer].name);
            self.ethernet(device, port, &text, CORE_MTU).member_of = bundle.map(str::to_string);
        }
        (pa, pb)
    }

    /// A bundle with its members on both sides.
    fn bundle(&mut self, a: DeviceId, b: DeviceId, bundle: BundleSpec) -> (String, String) {
        let name = format!("Bundle-Ether{}", bundle.id);
        for _ in 0..bundle.members {
            self.pair(a, b, Some(&name));
        }
        for (device, peer) in [(a, b), (b, a)] {
            let text = format!("to {} {name}", self.file.devices[peer].name);
            let made = self.interface(device, &name, InterfaceKind::Bundle, &text, CORE_MTU);
            made.min_links = bundle.min_links;
        }
        (name.clone(), name)
    }

    fn cable(&mut self, a: DeviceId, pa: &str, b: DeviceId, pb: &str) {
        let end = |device, interface: &str| End {
            device,
            interface: interface.to_string(),
        };
        self.cables.push(Cable {
            a: end(a, pa),
            b: end(b, pb),
        });
    }

    fn ethernet(
        &mut self,
        device: DeviceId,
        name: &str,
        description: &str,
        mtu: u32,
    ) -> &mut InterfaceConfig {
        self.interface(device, name, InterfaceKind::Ethernet, description, mtu)
    }

    fn interface(
        &mut self,
        device: DeviceId,
        name: &str,
        kind: InterfaceKind,
        description: &str,
        mtu: u32,
    ) -> &mut InterfaceConfig {
        let list = &mut self.configs[device].interfaces;
        list.push(interface(name, kind, description, mtu));
        let last = list.len() - 1;
        &mut list[last]
    }

    /// iBGP: every PE to its reflectors, reflectors among themselves.
    fn reflectors(&mut self) -> Result<(), NetworkError> {
        let all: Vec<DeviceId> = (0..self.configs.len())
            .filter(|i| self.file.devices[*i].role == Role::Rr)
            .collect();
        for (n, &a) in all.iter().enumerate() {
            for &b in &all[n + 1..] {
                self.ibgp(a, b, "RR-MESH", "RR-MESH", false);
            }
        }
        for pe in 0..self.configs.len() {
            for name in &self.file.devices[pe].reflectors {
                let rr = self.id(name, "[[device]] reflectors")?;
                self.ibgp(pe, rr, "RR", "CLIENTS", true);
            }
        }
        Ok(())
    }

    /// One iBGP session; `reflected`: `b` reflects for `a`.
    fn ibgp(&mut self, a: DeviceId, b: DeviceId, group_a: &str, group_b: &str, reflected: bool) {
        for (me, peer, group, client) in [(a, b, group_a, false), (b, a, group_b, reflected)] {
            let pe = self.file.devices[me].role == Role::Pe;
            let afi = AfiConfig {
                rr_client: client,
                next_hop_self: pe,
                import_policy: pe.then(|| "RR-IN".to_string()),
                export_policy: pe.then(|| "RR-OUT".to_string()),
                max_prefixes: None,
            };
            let neighbor = NeighborConfig {
                remote_as: self.file.asn,
                group: Some(group.to_string()),
                description: self.file.devices[peer].name.clone(),
                password: Some("core-session-key".into()),
                shutdown: false,
                hold_s: HOLD_S,
                afis: Afi::ALL.iter().map(|x| (*x, afi.clone())).collect(),
            };
            let address = address::loopback(peer);
            if let Some(bgp) = &mut self.configs[me].bgp {
                bgp.groups.insert(group.to_string(), self.file.asn);
                bgp.neighbors.insert(address, neighbor);
            }
        }
    }

    /// A spare port on every PE and P router: nothing plugged in, shut.
    fn spares(&mut self) {
        for device in 0..self.configs.len() {
            if self.file.devices[device].role != Role::Rr {
                let port = self.port(device);
                self.ethernet(device, &port, "spare", EDGE_MTU).enabled = false;
            }
        }
    }

    fn finish(self) -> Network {
        let by_loopback = self
            .configs
            .iter()
            .enumerate()
            .map(|(i, c)| (c.loopback, i))
            .collect();
        let devices = self
            .configs
            .into_iter()
            .enumerate()
            .map(|(i, mut config)| {
                config.interfaces.sort_by_key(|x| listing_order(x.kind));
                let spec = &self.file.devices[i];
                Device {
                    name: spec.name.clone(),
                    role: spec.role,
                    config: Arc::new(config),
                    management: address::management(i),
                }
            })
            .collect();
        Network {
            name: self.file.name.clone(),
            size: self.file.size.clone(),
            asn: self.file.asn,
            devices,
            cables: self.cables,
            links: self.links,
            edges: self.edges,
            index: self.index,
            by_loopback,
        }
    }
}

/// IOS-XR lists bundles, then loopbacks, the management port, and ports last.
fn listing_order(kind: InterfaceKind) -> u8 {
    match kind {
        InterfaceKind::Bundle => 0,
        InterfaceKind::Loopback => 1,
        InterfaceKind::Management => 2,
        InterfaceKind::Ethernet => 3,
    }
}
