//! BGP routes: who originates what, what a reflector passes on (RFC 4456), what a device ends up with.

use std::collections::HashMap;
use std::net::Ipv4Addr;
use std::sync::Arc;

use super::graph::FAR;
use super::moment::{Base, Moment};
use super::session::settings;
use super::wiring::SessionKind;
use crate::lab::config::{Afi, DeviceConfig};
use crate::lab::network::{DeviceId, Role};

/// First per-VRF label; label = this + position of the VRF.
const FIRST_VRF_LABEL: u32 = 24_000;

/// A route as its origin brings it into iBGP.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Route {
    pub afi: Afi,
    pub rd: Option<Arc<str>>,
    pub prefix: Ipv4Addr,
    pub length: u8,
    pub as_path: Vec<u32>,
    pub targets: Arc<[String]>,
    pub label: Option<u32>,
    pub origin: DeviceId,
    /// VRF at the origin.
    pub vrf: Option<Arc<str>>,
    /// External next hop it was learnt from.
    pub external: Option<Ipv4Addr>,
    /// Next hop toward iBGP peers.
    pub next_hop: Ipv4Addr,
}

/// A route in somebody's table.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Path {
    pub route: Arc<Route>,
    /// Session it came over; `None`: own.
    pub session: Option<usize>,
    pub valid: bool,
    pub best: bool,
}

/// What decides between paths to one prefix, least first: learnt, length of the AS path, metric to the next hop,
/// originator, session.
type Rank = (bool, usize, u32, Ipv4Addr, Option<usize>);

/// Key of best-path selection.
pub(super) type Nlri = (Afi, Option<Arc<str>>, Ipv4Addr, u8);

impl Route {
    pub(super) fn nlri(&self) -> Nlri {
        (self.afi, self.rd.clone(), self.prefix, self.length)
    }
}

/// Label a PE advertises for a VRF.
pub(super) fn vrf_label(config: &DeviceConfig, vrf: &str) -> u32 {
    let position = config.vrfs.keys().position(|name| name == vrf).unwrap_or(0);
    FIRST_VRF_LABEL + u32::try_from(position).unwrap_or(0)
}

/// A policy by name lets routes pass; no policy does, a missing one does not.
pub(super) fn passes(config: &DeviceConfig, policy: Option<&String>) -> bool {
    policy.is_none_or(|name| config.policies.get(name).copied().unwrap_or(false))
}

/// The session runs this family now.
pub(super) fn runs(moment: &Moment, session: usize, afi: Afi) -> bool {
    moment.sessions[session]
        .up
        .as_ref()
        .is_some_and(|all| all.contains(&afi))
}

/// Prefixes beyond an eBGP session, extra ones included.
pub(super) fn edge_prefixes(base: &Base, moment: &Moment, edge: usize) -> Vec<(Ipv4Addr, u8)> {
    let customer = &base.network.edges[edge];
    let extra = moment
        .situation
        .edge_surge(customer.end.device, customer.address, customer.vrf.as_deref());
    let mut all = customer.prefixes.clone();
    all.extend((0..extra).map(|n| {
        (
            Ipv4Addr::from(u32::from(Ipv4Addr::new(172, 24, 0, 0)) + n * 16),
            28,
        )
    }));
    all
}

/// Prefixes `side` of a session is or would be offered.
pub(super) fn offered(base: &Base, moment: &Moment, session: usize, side: usize, afi: Afi) -> u64 {
    let count = match base.wiring.sessions[session] {
        SessionKind::External(edge) => edge_prefixes(base, moment, edge).len(),
        SessionKind::Internal(..) => {
            let shared = Shared::new(base, moment);
            Fabric {
                base,
                moment,
                shared: &shared,
            }
            .sent(session, 1 - side, afi)
            .len()
        }
    };
    count as u64
}

/// Routes a device brings into iBGP over one session's family settings (before export policy).
fn originated(base: &Base, moment: &Moment, device: DeviceId) -> Vec<Route> {
    let config = &moment.situation.configs[device];
    let Some(bgp) = &config.bgp else { return Vec::new() };
    let mut all: Vec<Route> = bgp
        .networks
        .iter()
        .map(|(prefix, length)| plain(device, config.loopback, *prefix, *length, Vec::new(), None))
        .collect();
    for (vrf, settings) in &config.vrfs {
        let rd: Arc<str> = settings.rd.as_str().into();
        let targets: Arc<[String]> = settings.export_targets.clone().into();
        let (label, name): (u32, Arc<str>) = (vrf_label(config, vrf), vrf.as_str().into());
        for (prefix, length, as_path) in vrf_locals(base, moment, device, vrf) {
            let connected = as_path.is_none();
            if connected && !settings.redistribute_connected {
                continue;
            }
            all.push(Route {
                afi: Afi::Vpnv4Unicast,
                rd: Some(rd.clone()),
                targets: targets.clone(),
                label: Some(label),
                vrf: Some(name.clone()),
                ..plain(
                    device,
                    config.loopback,
                    prefix,
                    length,
                    as_path.unwrap_or_default(),
                    None,
                )
            });
        }
    }
    for &(session, side) in &base.wiring.sessions_of[device] {
        let SessionKind::External(edge) = base.wiring.sessions[session] else {
            continue;
        };
        let customer = &base.network.edges[edge];
        let policy = settings(base, moment, base.wiring.sessions[session], side)
            .and_then(|s| s.afis.get(&Afi::Ipv4Unicast))
            .and_then(|s| s.import_policy.as_ref());
        if customer.vrf.is_none() && runs(moment, session, Afi::Ipv4Unicast) && passes(config, policy) {
            let learnt = edge_prefixes(base, moment, edge);
            all.extend(learnt.into_iter().map(|(prefix, length)| {
                plain(
                    device,
                    config.loopback,
                    prefix,
                    length,
                    vec![customer.asn],
                    Some(customer.address),
                )
            }));
        }
    }
    all
}

fn plain(
    origin: DeviceId,
    loopback: Ipv4Addr,
    prefix: Ipv4Addr,
    length: u8,
    as_path: Vec<u32>,
    external: Option<Ipv4Addr>,
) -> Route {
    let (afi, rd, label, vrf, next_hop) = (Afi::Ipv4Unicast, None, None, None, loopback);
    Route {
        afi,
        rd,
        prefix,
        length,
        as_path,
        targets: Arc::from([]),
        label,
        origin,
        vrf,
        external,
        next_hop,
    }
}

/// Local routes of a VRF: prefix, length, and the AS path of what the CE announced (`None`: connected).
pub(super) fn vrf_locals(
    base: &Base,
    moment: &Moment,
    device: DeviceId,
    vrf: &str,
) -> Vec<(Ipv4Addr, u8, Option<Vec<u32>>)> {
    let config = &moment.situation.configs[device];
    let mut all = Vec::new();
    for (n, interface) in config.interfaces.iter().enumerate() {
        if interface.vrf.as_deref() == Some(vrf) && moment.ports[device][n].up {
            all.extend(
                interface
                    .address
                    .map(|(address, length)| (network_of(address, length), length, None)),
            );
        }
    }
    for &(session, side) in &base.wiring.sessions_of[device] {
        let SessionKind::External(edge) = base.wiring.sessions[session] else {
            continue;
        };
        let customer = &base.network.edges[edge];
        if customer.vrf.as_deref() != Some(vrf) || !runs(moment, session, Afi::Ipv4Unicast) {
            continue;
        }
        let policy = settings(base, moment, base.wiring.sessions[session], side)
            .and_then(|s| s.afis.get(&Afi::Ipv4Unicast))
            .and_then(|s| s.import_policy.as_ref());
        if passes(config, policy) {
            let learnt = edge_prefixes(base, moment, edge);
            all.extend(
                learnt
                    .into_iter()
                    .map(|(prefix, length)| (prefix, length, Some(vec![customer.asn]))),
            );
        }
    }
    all
}

/// Network address of an interface address.
pub(super) fn network_of(address: Ipv4Addr, length: u8) -> Ipv4Addr {
    let mask = u32::MAX.checked_shl(32 - u32::from(length.min(32))).unwrap_or(0);
    Ipv4Addr::from(u32::from(address) & mask)
}

/// Routes as far as they are shared: what everyone originates, and the tables of the reflectors.
#[derive(Debug, Default)]
pub(super) struct Shared {
    origins: Vec<Vec<Arc<Route>>>,
    reflectors: HashMap<DeviceId, Vec<Path>>,
}

impl Shared {
    /// Two rounds do: reflectors hear their clients, then each other.
    pub(super) fn new(base: &Base, moment: &Moment) -> Self {
        let count = base.network.devices.len();
        let origins = (0..count)
            .map(|d| originated(base, moment, d).into_iter().map(Arc::new).collect())
            .collect();
        let mut shared = Self {
            origins,
            reflectors: HashMap::new(),
        };
        let all: Vec<DeviceId> = (0..count)
            .filter(|d| base.network.devices[*d].role == Role::Rr)
            .collect();
        for _ in 0..2 {
            let fabric = Fabric {
                base,
                moment,
                shared: &shared,
            };
            let tables = all.iter().map(|rr| (*rr, fabric.table(*rr))).collect();
            shared.reflectors = tables;
        }
        shared
    }
}

/// The shared routes with what they were computed from.
#[derive(Clone, Copy)]
pub(super) struct Fabric<'a> {
    pub base: &'a Base,
    pub moment: &'a Moment,
    pub shared: &'a Shared,
}

impl Fabric<'_> {
    /// BGP table of a device: own routes and what its sessions bring, best paths marked.
    pub(super) fn table(&self, me: DeviceId) -> Vec<Path> {
        let own = self.shared.origins[me].iter();
        let mut paths: Vec<Path> = own
            .map(|route| Path {
                route: route.clone(),
                session: None,
                valid: true,
                best: false,
            })
            .collect();
        for &(session, side) in &self.base.wiring.sessions_of[me] {
            for afi in Afi::ALL {
                paths.extend(self.accepted(session, side, afi));
            }
        }
        self.select(me, &mut paths);
        paths
    }

    /// Routes `side` takes from the other end: what is sent, after import policy and, on a PE, the filter for
    /// route targets no VRF imports.
    pub(super) fn accepted(&self, session: usize, side: usize, afi: Afi) -> Vec<Path> {
        let kind = self.base.wiring.sessions[session];
        let SessionKind::Internal(a, b) = kind else {
            return Vec::new();
        };
        let me = if side == 0 { a } else { b };
        let config = &self.moment.situation.configs[me];
        let family = settings(self.base, self.moment, kind, side).and_then(|n| n.afis.get(&afi));
        let Some(family) =
            family.filter(|f| runs(self.moment, session, afi) && passes(config, f.import_policy.as_ref()))
        else {
            return Vec::new();
        };
        let filtered =
            afi == Afi::Vpnv4Unicast && self.base.network.devices[me].role == Role::Pe && !family.rr_client;
        let wanted = |route: &Route| {
            !filtered
                || config
                    .vrfs
                    .values()
                    .any(|v| v.import_targets.iter().any(|t| route.targets.contains(t)))
        };
        let sent = self
            .sent(session, 1 - side, afi)
            .into_iter()
            .filter(|r| wanted(r));
        sent.map(|route| Path {
            route,
            session: Some(session),
            valid: false,
            best: false,
        })
        .collect()
    }

    /// What `side` of a session sends in a family: its own routes and, where it reflects, its best ones by client
    /// rules. Export policy applies; whether the session runs does not matter here.
    pub(super) fn sent(&self, session: usize, side: usize, afi: Afi) -> Vec<Arc<Route>> {
        let kind = self.base.wiring.sessions[session];
        let SessionKind::Internal(a, b) = kind else {
            return Vec::new();
        };
        let (me, to) = if side == 0 { (a, b) } else { (b, a) };
        let config = &self.moment.situation.configs[me];
        let Some(family) = settings(self.base, self.moment, kind, side).and_then(|n| n.afis.get(&afi)) else {
            return Vec::new();
        };
        if !passes(config, family.export_policy.as_ref()) {
            return Vec::new();
        }
        let own = self.shared.origins[me].iter().filter(|r| r.afi == afi);
        let mut all: Vec<Arc<Route>> = own
            .map(|route| match route.external.filter(|_| !family.next_hop_self) {
                Some(next_hop) => Arc::new(Route {
                    next_hop,
                    ..(**route).clone()
                }),
                None => route.clone(),
            })
            .collect();
        for path in self
            .shared
            .reflectors
            .get(&me)
            .into_iter()
            .flatten()
            .filter(|p| p.best && p.route.afi == afi)
        {
            let Some(source) = path.session.filter(|s| *s != session) else {
                continue;
            };
            let reflects = family.rr_client || self.client(me, source, afi);
            if reflects && path.route.origin != to {
                all.push(path.route.clone());
            }
        }
        all
    }

    /// The neighbour of `me` over that session is a reflector client.
    fn client(&self, me: DeviceId, session: usize, afi: Afi) -> bool {
        let kind = self.base.wiring.sessions[session];
        let side = usize::from(matches!(kind, SessionKind::Internal(a, _) if a != me));
        settings(self.base, self.moment, kind, side)
            .and_then(|n| n.afis.get(&afi))
            .is_some_and(|f| f.rr_client)
    }

    /// Marks valid and best paths: own, shortest AS path, nearest next hop, lowest originator, first session.
    fn select(&self, me: DeviceId, paths: &mut [Path]) {
        let graph = &self.moment.graph;
        let distance = graph.from(me);
        let mut best: HashMap<Nlri, (usize, Rank)> = HashMap::new();
        for (n, path) in paths.iter_mut().enumerate() {
            let owner = self.base.network.by_loopback(path.route.next_hop);
            let metric = match owner {
                _ if path.session.is_none() => 0,
                Some(d) if graph.advertised[d] => distance[d],
                _ => FAR,
            };
            path.valid = metric != FAR;
            if !path.valid {
                continue;
            }
            let originator = self.base.network.devices[path.route.origin].config.loopback;
            let rank = (
                path.session.is_some(),
                path.route.as_path.len(),
                metric,
                originator,
                path.session,
            );
            let entry = best.entry(path.route.nlri()).or_insert((n, rank));
            if rank < entry.1 {
                *entry = (n, rank);
            }
        }
        for (n, _) in best.values() {
            paths[*n].best = true;
        }
    }
}
