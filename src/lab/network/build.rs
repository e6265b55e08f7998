//! Expands a [`NetworkFile`] into a [`Network`]: ports, addresses, IS-IS, SR, MPLS, BGP, VRFs, customers.
//!
//! The result is a network without fault: every session both ends of which are configured comes up.

use std::collections::{BTreeMap, HashMap};
use std::net::Ipv4Addr;
use std::sync::Arc;

use super::file::{LinkPlan, LinkSpec, NetworkError, NetworkFile, Role};
use super::{Cable, CustomerEdge, Device, DeviceId, End, Link, Network, address};
use crate::lab::config::{
    Afi, AfiConfig, BgpConfig, DeviceConfig, InterfaceConfig, InterfaceKind, IsisConfig, IsisInterfaceConfig,
    Level, MplsConfig, NeighborConfig, SrConfig, VrfConfig,
};

/// Layer-2 MTU of core ports.
const CORE_MTU: u32 = 9_014;
/// Layer-2 MTU of customer ports (IOS-XR default).
const EDGE_MTU: u32 = 1_514;
/// Default BGP hold time of IOS-XR, seconds.
const HOLD_S: u32 = 180;
/// First customer AS.
const FIRST_CE_AS: u32 = 65_001;

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
        let (at_a, at_b, length) = match self.file.link_plan {
            LinkPlan::Wide => {
                let (x, y) = address::wide(a, b);
                (x, y, 24)
            }
            LinkPlan::Narrow => {
                let (x, y) = address::narrow(n);
                (x, y, 31)
            }
        };
        let (if_a, if_b) = match spec.bundle {
            None => {
                let (pa, pb) = (self.port(a), self.port(b));
                self.cable(a, &pa, b, &pb);
                for (device, port, peer, peer_port, address) in
                    [(a, &pa, b, &pb, at_a), (b, &pb, a, &pa, at_b)]
                {
                    let text = format!("to {} {peer_port}", self.file.devices[peer].name);
                    self.ethernet(device, port, &text, CORE_MTU).address = Some((address, length));
                }
                (pa, pb)
            }
            Some(bundle) => {
                let name = format!("Bundle-Ether{}", bundle.id);
                for _ in 0..bundle.members {
                    let (pa, pb) = (self.port(a), self.port(b));
                    self.cable(a, &pa, b, &pb);
                    for (device, port, peer, peer_port) in [(a, &pa, b, &pb), (b, &pb, a, &pa)] {
                        let text = format!("{name} member to {} {peer_port}", self.file.devices[peer].name);
                        self.ethernet(device, port, &text, CORE_MTU).member_of = Some(name.clone());
                    }
                }
                for (device, peer, address) in [(a, b, at_a), (b, a, at_b)] {
                    let text = format!("to {} {name}", self.file.devices[peer].name);
                    let made = self.interface(device, &name, InterfaceKind::Bundle, &text, CORE_MTU);
                    made.address = Some((address, length));
                    made.min_links = bundle.min_links;
                }
                (name.clone(), name)
            }
        };
        for (device, interface) in [(a, &if_a), (b, &if_b)] {
            let config = &mut self.configs[device];
            config.mpls.interfaces.insert(interface.clone(), true);
            if let Some(isis) = &mut config.isis {
                isis.interfaces
                    .insert(interface.clone(), isis_interface(spec.metric, false));
            }
        }
        self.links.push(Link {
            a: End {
                device: a,
                interface: if_a,
            },
            b: End {
                device: b,
                interface: if_b,
            },
        });
        Ok(())
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

    fn customers(&mut self) -> Result<(), NetworkError> {
        let asn = self.file.asn;
        for vrf in &self.file.vrfs {
            for site in &vrf.sites {
                let pe = self.id(site, "[[vrf]] sites")?;
                let (pe_address, ce_address) = address::site(vrf.index, pe);
                let letter = vrf.name.rsplit('-').next().unwrap_or("x").to_ascii_lowercase();
                let name = format!("ce-{letter}-{}", pe + 1);
                let ce_as = FIRST_CE_AS + vrf.index - 1;
                let port = self.port(pe);
                let made = self.ethernet(
                    pe,
                    &port,
                    &format!("{} customer port, {name}", vrf.name),
                    EDGE_MTU,
                );
                made.address = Some((pe_address, 30));
                made.vrf = Some(vrf.name.clone());
                let target = format!("{asn}:{}", vrf.index);
                let config = &mut self.configs[pe];
                let entry = config.vrfs.entry(vrf.name.clone()).or_insert_with(|| VrfConfig {
                    rd: format!("{}:{}", config.loopback, vrf.index),
                    import_targets: vec![target.clone()],
                    export_targets: vec![target],
                    redistribute_connected: true,
                    neighbors: BTreeMap::new(),
                });
                entry
                    .neighbors
                    .insert(ce_address, ebgp(ce_as, &name, "CUST-IN", "CUST-OUT", 100));
                self.edges.push(CustomerEdge {
                    name,
                    asn: ce_as,
                    end: End {
                        device: pe,
                        interface: port,
                    },
                    vrf: Some(vrf.name.clone()),
                    address: ce_address,
                    pe_address,
                    prefixes: vec![
                        (address::site_lan(vrf.index, pe), 24),
                        (address::shared_lan(vrf.index), 24),
                    ],
                });
            }
        }
        Ok(())
    }

    fn transits(&mut self) -> Result<(), NetworkError> {
        for (n, transit) in self.file.transits.iter().enumerate() {
            let pe = self.id(&transit.pe, "[[transit]] pe")?;
            let (pe_address, address) = address::transit(n);
            let port = self.port(pe);
            self.ethernet(
                pe,
                &port,
                &format!("{} (AS {})", transit.name, transit.asn),
                EDGE_MTU,
            )
            .address = Some((pe_address, 31));
            if let Some(bgp) = &mut self.configs[pe].bgp {
                bgp.neighbors.insert(
                    address,
                    ebgp(transit.asn, &transit.name, "TRANSIT-IN", "TRANSIT-OUT", 1_000),
                );
            }
            self.edges.push(CustomerEdge {
                name: transit.name.clone(),
                asn: transit.asn,
                end: End {
                    device: pe,
                    interface: port,
                },
                vrf: None,
                address,
                pe_address,
                prefixes: address::transit_prefixes(n),
            });
        }
        Ok(())
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

fn base_config(file: &NetworkFile, i: usize, role: Role) -> DeviceConfig {
    let loopback = address::loopback(i);
    let mut lo = interface("Loopback0", InterfaceKind::Loopback, "router id", 1_500);
    lo.address = Some((loopback, 32));
    let mut mgmt = interface(
        "MgmtEth0/RP0/CPU0/0",
        InterfaceKind::Management,
        "out-of-band management",
        EDGE_MTU,
    );
    mgmt.address = Some((address::management(i), 18));
    mgmt.vrf = Some("MGMT".into());
    let index = u32::try_from(i).unwrap_or(0);
    DeviceConfig {
        hostname: file.devices[i].name.clone(),
        loopback,
        interfaces: vec![lo, mgmt],
        isis: Some(IsisConfig {
            instance: "CORE".into(),
            net: address::net(loopback),
            level: Level::L2,
            key: Some("core-hello-key".into()),
            overload: false,
            interfaces: BTreeMap::from([("Loopback0".to_string(), isis_interface(1, true))]),
        }),
        sr: SrConfig {
            enabled: true,
            srgb: file.srgb,
            prefix_sid: Some(index + 1),
        },
        mpls: MplsConfig {
            interfaces: BTreeMap::new(),
        },
        bgp: (role != Role::P).then(|| BgpConfig {
            asn: file.asn,
            router_id: loopback,
            groups: BTreeMap::new(),
            neighbors: BTreeMap::new(),
            networks: if role == Role::Pe {
                vec![internet_block(i)]
            } else {
                Vec::new()
            },
        }),
        vrfs: BTreeMap::new(),
        policies: policies(role),
        ntp_servers: file.ntp.clone(),
        login_banner: "Authorised access only.".into(),
    }
}

/// Block of the internet customers of a PE, in shared address space (RFC 6598).
fn internet_block(i: usize) -> (Ipv4Addr, u8) {
    let n = i + 1;
    let octet = |x: usize| u8::try_from(x % 256).unwrap_or(0);
    (Ipv4Addr::new(100, octet(64 + n / 256), octet(n), 0), 24)
}

fn policies(role: Role) -> BTreeMap<String, bool> {
    let names: &[&str] = match role {
        Role::Pe => &[
            "CUST-IN",
            "CUST-OUT",
            "RR-IN",
            "RR-OUT",
            "TRANSIT-IN",
            "TRANSIT-OUT",
        ],
        Role::P => &[],
        Role::Rr => &["PASS"],
    };
    let mut all: BTreeMap<String, bool> = names.iter().map(|n| ((*n).to_string(), true)).collect();
    if role != Role::P {
        all.insert("DROP-ALL".into(), false);
    }
    all
}

fn interface(name: &str, kind: InterfaceKind, description: &str, mtu: u32) -> InterfaceConfig {
    InterfaceConfig {
        name: name.to_string(),
        kind,
        description: description.to_string(),
        enabled: true,
        mtu,
        address: None,
        vrf: None,
        member_of: None,
        min_links: 1,
    }
}

fn isis_interface(metric: u32, passive: bool) -> IsisInterfaceConfig {
    IsisInterfaceConfig {
        passive,
        metric,
        level: None,
        key: None,
        hello_padding: true,
    }
}

fn ebgp(remote_as: u32, name: &str, import: &str, export: &str, max_prefixes: u32) -> NeighborConfig {
    let afi = AfiConfig {
        rr_client: false,
        next_hop_self: false,
        import_policy: Some(import.to_string()),
        export_policy: Some(export.to_string()),
        max_prefixes: Some(max_prefixes),
    };
    NeighborConfig {
        remote_as,
        group: None,
        description: name.to_string(),
        password: None,
        shutdown: false,
        hold_s: HOLD_S,
        afis: BTreeMap::from([(Afi::Ipv4Unicast, afi)]),
    }
}
