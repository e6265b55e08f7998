//! The traffic matrix: how much the sites of the network send each other, and which links carry it.
//!
//! A customer's site talks to the sites of its VPN in equal shares where both ends have routes to each other; transit
//! talks to every PE. Flows take the IS-IS shortest paths and split evenly over equal costs at every hop. Bursts,
//! queues and broken label paths are not in it: it says what is offered, not what is lost.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::graph::{FAR, Graph};
use super::moment::{Base, Moment};
use super::noise::unit;
use super::routes::{passes, runs};
use super::session::settings;
use super::wiring::SessionKind;
use crate::lab::config::{Afi, DeviceConfig, InterfaceKind};
use crate::lab::network::{CustomerEdge, DeviceId, Role};

/// What one customer site sends, bits per second: least and most.
const SITE_BPS: (f64, f64) = (10.0e6, 90.0e6);
/// What the internet customers of one PE fetch through transit, bits per second: least and most.
const TRANSIT_BPS: (f64, f64) = (8.0e6, 40.0e6);
/// Share of that they send.
const UPLOAD: f64 = 0.3;
/// Share of its rate the busiest core link of a healthy network is filled to at most: room for one failure.
const BUSIEST: f64 = 0.4;

/// Who has whose routes, as far as traffic cares: sites and address families, not prefixes.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Reach {
    /// By edge: the PE holds the customer's routes.
    open: Vec<bool>,
    /// By device: a reflector takes its routes, in the order of [`Afi::ALL`].
    told: Vec<[bool; 2]>,
    /// By device: it takes routes of a reflector.
    heard: Vec<[bool; 2]>,
}

impl Reach {
    pub(super) fn of(base: &Base, moment: &Moment) -> Self {
        let devices = base.network.devices.len();
        let mut reach = Self {
            open: vec![false; base.network.edges.len()],
            told: vec![[false; 2]; devices],
            heard: vec![[false; 2]; devices],
        };
        for (index, kind) in base.wiring.sessions.iter().enumerate() {
            for (n, afi) in Afi::ALL.into_iter().enumerate() {
                if runs(moment, index, afi) {
                    reach.note(base, moment, *kind, (n, afi));
                }
            }
        }
        reach
    }

    /// Takes in a session that runs a family.
    fn note(&mut self, base: &Base, moment: &Moment, kind: SessionKind, (n, afi): (usize, Afi)) {
        let policies = |device: DeviceId, side: usize| {
            let config = &moment.situation.configs[device];
            let family = settings(base, moment, kind, side).and_then(|s| s.afis.get(&afi));
            family.map_or((false, false), |f| {
                (
                    passes(config, f.import_policy.as_ref()),
                    passes(config, f.export_policy.as_ref()),
                )
            })
        };
        match kind {
            SessionKind::External(edge) => {
                self.open[edge] = policies(base.network.edges[edge].end.device, 0).0;
            }
            SessionKind::Internal(a, b) => {
                for (side, device) in [a, b].into_iter().enumerate() {
                    let (import, export) = policies(device, side);
                    self.heard[device][n] |= import;
                    self.told[device][n] |= export;
                }
            }
        }
    }

    /// The device exchanges routes of a family with a reflector.
    fn exchanges(&self, device: DeviceId, n: usize) -> bool {
        self.told[device][n] && self.heard[device][n]
    }
}

/// Traffic from one device to another, and the customer ports it enters and leaves by.
struct Flow {
    from: DeviceId,
    enters: Option<usize>,
    leaves: Option<usize>,
    bps: f64,
}

/// Bits per second everywhere.
#[derive(Debug)]
pub(super) struct Loads {
    /// By link and side: what that side sends.
    pub links: Vec<[f64; 2]>,
    /// By edge: toward the customer, and from it.
    pub edges: Vec<[f64; 2]>,
}

impl Loads {
    /// Loads of the matrix as the customers would have it, whatever the links hold.
    pub(super) fn new(base: &Base, graph: &Graph, reach: &Reach, configs: &[Arc<DeviceConfig>]) -> Self {
        let mut loads = Self {
            links: vec![[0.0; 2]; base.wiring.links.len()],
            edges: vec![[0.0; 2]; base.network.edges.len()],
        };
        let mut flows: Vec<Vec<Flow>> = base.network.devices.iter().map(|_| Vec::new()).collect();
        customers(base, reach, configs, &mut flows);
        transits(base, reach, &mut flows);
        for (target, flows) in flows.iter().enumerate() {
            if flows.is_empty() || !graph.advertised[target] {
                continue;
            }
            let distance = graph.toward(target);
            let mut waiting = vec![0.0; base.network.devices.len()];
            for flow in flows.iter().filter(|f| distance[f.from] != FAR) {
                waiting[flow.from] += flow.bps;
                if let Some(edge) = flow.leaves {
                    loads.edges[edge][0] += flow.bps;
                }
                if let Some(edge) = flow.enters {
                    loads.edges[edge][1] += flow.bps;
                }
            }
            graph.drain(target, &distance, waiting, &mut loads.links);
        }
        loads
    }

    /// Factor that keeps the busiest link at [`BUSIEST`] of its rate; 1 where it is below.
    pub(super) fn fit(&self, base: &Base, port_bps: f64) -> f64 {
        let filled = self.links.iter().enumerate().map(|(link, sides)| {
            let members = f64::from(members(base, link));
            sides[0].max(sides[1]) / (members * port_bps)
        });
        let busiest = filled.fold(0.0, f64::max);
        if busiest > BUSIEST { BUSIEST / busiest } else { 1.0 }
    }

    pub(super) fn scaled(mut self, factor: f64) -> Self {
        for bps in self.links.iter_mut().chain(&mut self.edges).flatten() {
            *bps *= factor;
        }
        self
    }
}

/// Ports a link was built of.
fn members(base: &Base, link: usize) -> u32 {
    let (device, port) = base.wiring.links[link][0];
    let built = &base.network.devices[device].config.interfaces;
    if built[port].kind != InterfaceKind::Bundle {
        return 1;
    }
    let inside = built
        .iter()
        .filter(|i| i.member_of.as_ref() == Some(&built[port].name));
    u32::try_from(inside.count()).unwrap_or(1).max(1)
}

/// Flows between the sites of each VPN, by the device they go to.
fn customers(base: &Base, reach: &Reach, configs: &[Arc<DeviceConfig>], flows: &mut [Vec<Flow>]) {
    const VPN: usize = 1;
    let edges = &base.network.edges;
    let mut sites: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (n, edge) in edges.iter().enumerate() {
        if let Some(vrf) = edge
            .vrf
            .as_deref()
            .filter(|_| reach.open[n] && reach.exchanges(edge.end.device, VPN))
        {
            sites.entry(vrf).or_default().push(n);
        }
    }
    for (vrf, members) in &sites {
        for &here in members {
            let partner = |there: &&usize| {
                let (a, b) = (&edges[here], &edges[**there]);
                a.end.device != b.end.device && imports(configs, a, b, vrf) && imports(configs, b, a, vrf)
            };
            let partners: Vec<&usize> = members.iter().filter(partner).collect();
            let count = f64::from(u32::try_from(partners.len()).unwrap_or(u32::MAX));
            let bps = between(base, [43, here as u64], SITE_BPS) / count;
            for &there in partners {
                flows[edges[there].end.device].push(Flow {
                    from: edges[here].end.device,
                    enters: Some(here),
                    leaves: Some(there),
                    bps,
                });
            }
        }
    }
}

/// The VRF at `a` imports what it exports at `b`.
fn imports(configs: &[Arc<DeviceConfig>], a: &CustomerEdge, b: &CustomerEdge, vrf: &str) -> bool {
    let settings = |edge: &CustomerEdge| configs[edge.end.device].vrfs.get(vrf);
    let (Some(mine), Some(theirs)) = (settings(a), settings(b)) else {
        return false;
    };
    let wanted = |target| mine.import_targets.contains(target);
    theirs.export_targets.iter().any(wanted)
}

/// Flows between transit and every PE, by the device they go to.
fn transits(base: &Base, reach: &Reach, flows: &mut [Vec<Flow>]) {
    const INTERNET: usize = 0;
    let edges = base.network.edges.iter().enumerate();
    let open: Vec<(usize, DeviceId)> = edges
        .filter(|(n, e)| e.vrf.is_none() && reach.open[*n] && reach.exchanges(e.end.device, INTERNET))
        .map(|(n, e)| (n, e.end.device))
        .collect();
    let count = f64::from(u32::try_from(open.len()).unwrap_or(u32::MAX));
    for (pe, device) in base.network.devices.iter().enumerate() {
        if device.role != Role::Pe || !reach.exchanges(pe, INTERNET) {
            continue;
        }
        let bps = between(base, [44, pe as u64], TRANSIT_BPS) / count;
        for &(edge, gateway) in open.iter().filter(|(_, gateway)| *gateway != pe) {
            flows[pe].push(Flow {
                from: gateway,
                enters: Some(edge),
                leaves: None,
                bps,
            });
            flows[gateway].push(Flow {
                from: pe,
                enters: None,
                leaves: Some(edge),
                bps: bps * UPLOAD,
            });
        }
    }
}

fn between(base: &Base, keys: [u64; 2], (low, high): (f64, f64)) -> f64 {
    low + (high - low) * unit(base.seed, &keys)
}
