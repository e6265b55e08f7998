//! Tables of one device that hold until the next event: routes, BGP paths and counts, VRF routes, labels.

use std::collections::{BTreeMap, HashMap};
use std::net::Ipv4Addr;
use std::sync::{Arc, OnceLock};

use super::control::Control;
use super::graph::Paths;
use super::labels;
use super::routes::{self, Path};
use super::session::settings;
use super::wiring::{SessionKind, neighbor_key};
use crate::lab::config::Afi;
use crate::lab::network::{DeviceId, Role};
use crate::lab::state::{
    AfiSize, LabelEntry, LabelOperation, Next, PathState, RouteSource, RouteState, Table, VrfRoute,
};

/// Prefix counts of one family of one session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub received: u64,
    pub accepted: u64,
    pub sent: u64,
    pub installed: u64,
}

/// What is kept of a device until the next event: enough for its counts, and to work out the tables it shows.
#[derive(Debug)]
pub(super) struct DeviceTables {
    /// BGP table: own paths and what its sessions bring.
    paths: Vec<Path>,
    pub counts: HashMap<(usize, Afi), Counts>,
    pub sizes: Vec<AfiSize>,
    /// Prefixes in the BGP table of each VRF.
    pub vrf_prefixes: BTreeMap<String, u64>,
}

impl DeviceTables {
    pub(super) fn new(control: &Control, device: DeviceId) -> Self {
        let config = &control.moment.situation.configs[device];
        let mut paths = Vec::new();
        if config.bgp.is_some() {
            paths = control.fabric().table(device);
            paths.shrink_to_fit();
        }
        let distance = control.moment.graph.from(device);
        let mut vrfs = BTreeMap::new();
        for (name, settings) in &config.vrfs {
            let rows = vrf_best(control, device, name, &paths, &distance);
            let connected = settings.redistribute_connected;
            let held = rows.iter().filter(|r| r.source != "connected" || connected);
            vrfs.insert(name.clone(), (held.count() as u64, rows));
        }
        let of = |afi: Afi| {
            let all = paths.iter().filter(|p| p.route.afi == afi);
            AfiSize {
                afi,
                prefixes: all.clone().filter(|p| p.best).count() as u64,
                paths: all.count() as u64,
            }
        };
        Self {
            sizes: Afi::ALL.into_iter().map(of).collect(),
            counts: counts(control, device, &paths, &vrfs),
            vrf_prefixes: vrfs
                .into_iter()
                .map(|(name, (prefixes, _))| (name, prefixes))
                .collect(),
            paths,
        }
    }
}

/// VRF tables without label state, and how many of their prefixes BGP holds.
type VrfRows = BTreeMap<String, (u64, Vec<VrfRoute>)>;

/// Tables as a device shows them, worked out when they are read.
#[derive(Clone)]
pub(super) struct Shown {
    control: Arc<Control>,
    device: DeviceId,
    paths: Arc<OnceLock<Paths>>,
}

impl Shown {
    pub(super) fn new(control: &Arc<Control>, device: DeviceId) -> Self {
        Self {
            control: control.clone(),
            device,
            paths: Arc::default(),
        }
    }

    fn shortest(&self) -> &Paths {
        self.paths
            .get_or_init(|| self.control.moment.graph.paths(self.device))
    }

    /// IPv4 routes of the default VRF.
    pub(super) fn routes(&self) -> Table<RouteState> {
        let this = self.clone();
        Table::later(move || {
            let table = &this.control.tables(this.device).paths;
            main_routes(&this.control, this.device, this.shortest(), table)
        })
    }

    /// The label table.
    pub(super) fn entries(&self) -> Table<LabelEntry> {
        let this = self.clone();
        Table::later(move || {
            let control = &this.control;
            let (base, moment) = (&control.base, &control.moment);
            let mut all = labels::entries(base, moment, control.sids(), this.shortest());
            all.extend(vrf_entries(control, this.device));
            all
        })
    }

    /// BGP paths.
    pub(super) fn bgp_paths(&self) -> Table<PathState> {
        let this = self.clone();
        Table::later(move || {
            let table = this.control.tables(this.device).paths.iter();
            table.map(|p| path_state(&this.control, this.device, p)).collect()
        })
    }

    /// Routes of a VRF.
    pub(super) fn vrf_routes(&self, name: &str) -> Table<VrfRoute> {
        let (this, name) = (self.clone(), name.to_string());
        Table::later(move || {
            let (control, paths) = (&this.control, this.shortest());
            let table = &control.tables(this.device).paths;
            let mut rows = vrf_best(control, this.device, &name, table, &paths.distance);
            mark_labelled(control, paths, &mut rows);
            rows
        })
    }
}

fn vrf_entries(control: &Control, device: DeviceId) -> Vec<LabelEntry> {
    let config = &control.moment.situation.configs[device];
    let row = |name: &String| LabelEntry {
        label: routes::vrf_label(config, name),
        prefix: Ipv4Addr::UNSPECIFIED,
        operation: LabelOperation::Vrf,
        next: Next {
            address: None,
            interface: None,
        },
        vrf: Some(name.clone()),
    };
    config.vrfs.keys().map(row).collect()
}

/// IPv4 routes of the default VRF by prefix.
type Rib = BTreeMap<(Ipv4Addr, u8), RouteState>;

fn main_routes(control: &Control, device: DeviceId, paths: &Paths, table: &[Path]) -> Vec<RouteState> {
    let mut all = connected(control, device);
    add_isis(control, device, paths, &mut all);
    for path in table.iter().filter(|p| p.best && p.route.afi == Afi::Ipv4Unicast) {
        let (prefix, length) = (path.route.prefix, path.route.length);
        let external = path.route.external.filter(|_| path.session.is_none());
        let own = path.session.is_none() && external.is_none();
        let next = vec![Next {
            address: external.or(Some(path.route.next_hop)).filter(|_| !own),
            interface: own.then(|| "Null0".to_string()),
        }];
        let route = RouteState {
            prefix,
            length,
            source: RouteSource::Bgp,
            metric: 0,
            next,
        };
        all.entry((prefix, length)).or_insert(route);
    }
    all.into_values().collect()
}

fn connected(control: &Control, device: DeviceId) -> Rib {
    let config = &control.moment.situation.configs[device];
    let mut all = Rib::new();
    for (n, interface) in config.interfaces.iter().enumerate() {
        let here = interface.vrf.is_none() && control.moment.ports[device][n].up;
        if let Some((address, length)) = interface.address.filter(|_| here) {
            let prefix = routes::network_of(address, length);
            let next = vec![Next {
                address: None,
                interface: Some(interface.name.clone()),
            }];
            let route = RouteState {
                prefix,
                length,
                source: RouteSource::Connected,
                metric: 0,
                next,
            };
            all.insert((prefix, length), route);
        }
    }
    all
}

fn add_isis(control: &Control, device: DeviceId, paths: &Paths, all: &mut Rib) {
    let (base, moment) = (&control.base, &control.moment);
    let reached = |d: &DeviceId| *d != device && !paths.first[*d].is_empty() && !moment.graph.usurped[*d];
    for target in (0..base.network.devices.len()).filter(reached) {
        for (prefix, length, metric) in advertised(control, target) {
            let metric = paths.distance[target].saturating_add(metric);
            let next: Vec<Next> = paths.first[target]
                .iter()
                .map(|e| labels::next(base, moment, *e))
                .collect();
            let route = RouteState {
                prefix,
                length,
                source: RouteSource::Isis,
                metric,
                next,
            };
            match all.get_mut(&(prefix, length)) {
                None => {
                    all.insert((prefix, length), route);
                }
                Some(known) if known.source != RouteSource::Isis || metric > known.metric => {}
                Some(known) if metric < known.metric => *known = route,
                Some(known) => {
                    known.next.extend(route.next);
                    known.next.sort();
                    known.next.dedup();
                }
            }
        }
    }
}

/// Prefixes a device advertises into IS-IS, with their metrics.
pub(super) fn advertised(control: &Control, device: DeviceId) -> Vec<(Ipv4Addr, u8, u32)> {
    let config = &control.moment.situation.configs[device];
    let Some(isis) = &config.isis else {
        return Vec::new();
    };
    let mut all = Vec::new();
    for (n, interface) in config.interfaces.iter().enumerate() {
        let settings = isis
            .interfaces
            .get(&interface.name)
            .filter(|_| control.moment.ports[device][n].up && interface.vrf.is_none());
        if let (Some(settings), Some((address, length))) = (settings, interface.address) {
            let metric = if settings.passive { 0 } else { settings.metric };
            all.push((routes::network_of(address, length), length, metric));
        }
    }
    all
}

fn path_state(control: &Control, device: DeviceId, path: &Path) -> PathState {
    let from = path.session.map(|session| {
        let kind = control.base.wiring.sessions[session];
        let side = usize::from(matches!(kind, SessionKind::Internal(a, _) if a != device));
        neighbor_key(&control.base.network, kind, side).0
    });
    let route = &path.route;
    PathState {
        afi: route.afi,
        rd: route.rd.as_ref().map(ToString::to_string),
        prefix: route.prefix,
        length: route.length,
        next_hop: route
            .external
            .filter(|_| path.session.is_none())
            .unwrap_or(route.next_hop),
        valid: path.valid,
        best: path.best,
        from: from.or(route.external.filter(|_| path.session.is_none())),
        originator: control.base.network.devices[route.origin].config.loopback,
        as_path: route.as_path.clone(),
        route_targets: route.targets.to_vec(),
        local_pref: 100,
        label: route.label,
    }
}

fn counts(
    control: &Control,
    device: DeviceId,
    table: &[Path],
    vrfs: &VrfRows,
) -> HashMap<(usize, Afi), Counts> {
    let fabric = control.fabric();
    let mut all = HashMap::new();
    for &(session, side) in &control.base.wiring.sessions_of[device] {
        let kind = control.base.wiring.sessions[session];
        for afi in Afi::ALL
            .into_iter()
            .filter(|afi| routes::runs(&control.moment, session, *afi))
        {
            let made = match kind {
                SessionKind::Internal(..) => {
                    let from_here = table
                        .iter()
                        .filter(|p| p.session == Some(session) && p.route.afi == afi);
                    Counts {
                        received: fabric.sent(session, 1 - side, afi).len() as u64,
                        accepted: from_here.clone().count() as u64,
                        sent: fabric.sent(session, side, afi).len() as u64,
                        installed: from_here.filter(|p| p.best).count() as u64,
                    }
                }
                SessionKind::External(edge) => {
                    let offers = match &control.base.network.edges[edge].vrf {
                        Some(vrf) => vrf_offers(control, edge, vrfs.get(vrf)),
                        None => internet_offers(control, edge, table),
                    };
                    external_counts(control, device, session, edge, offers)
                }
            };
            all.insert((session, afi), made);
        }
    }
    all
}

fn external_counts(control: &Control, device: DeviceId, session: usize, edge: usize, offers: u64) -> Counts {
    let config = &control.moment.situation.configs[device];
    let family = settings(
        &control.base,
        &control.moment,
        control.base.wiring.sessions[session],
        0,
    )
    .and_then(|n| n.afis.get(&Afi::Ipv4Unicast));
    let received = routes::edge_prefixes(&control.base, &control.moment, edge).len() as u64;
    let accepted = if family.is_some_and(|f| routes::passes(config, f.import_policy.as_ref())) {
        received
    } else {
        0
    };
    let sends = family.is_some_and(|f| routes::passes(config, f.export_policy.as_ref()));
    Counts {
        received,
        accepted,
        sent: if sends { offers } else { 0 },
        installed: accepted,
    }
}

/// Prefixes of a VRF that its customer did not bring itself.
fn vrf_offers(control: &Control, edge: usize, rows: Option<&(u64, Vec<VrfRoute>)>) -> u64 {
    let customer = Some(control.base.network.edges[edge].address);
    rows.map_or(0, |(_, rows)| {
        rows.iter().filter(|r| r.next_hop != customer).count() as u64
    })
}

/// Best IPv4 prefixes that a transit did not bring itself.
fn internet_offers(control: &Control, edge: usize, table: &[Path]) -> u64 {
    let customer = Some(control.base.network.edges[edge].address);
    let offered = |p: &&Path| p.best && p.route.afi == Afi::Ipv4Unicast && p.route.external != customer;
    table.iter().filter(offered).count() as u64
}

/// Notes which imported routes have a label path to their next hop.
fn mark_labelled(control: &Control, paths: &Paths, rows: &mut [VrfRoute]) {
    let (base, moment) = (&control.base, &control.moment);
    let mut holds: HashMap<DeviceId, bool> = HashMap::new();
    for row in rows.iter_mut().filter(|r| r.source == "bgp-vpn") {
        if let Some(target) = row.next_hop.and_then(|a| base.network.by_loopback(a)) {
            row.labelled = *holds
                .entry(target)
                .or_insert_with(|| labels::path_holds(base, moment, control.sids(), paths, target));
        }
    }
}

/// Routes of a VRF: connected, then the CE's, then imported, one a prefix.
fn vrf_best(
    control: &Control,
    device: DeviceId,
    vrf: &str,
    table: &[Path],
    distance: &[u32],
) -> Vec<VrfRoute> {
    let config = &control.moment.situation.configs[device];
    let Some(settings) = config
        .vrfs
        .get(vrf)
        .filter(|_| control.base.network.devices[device].role == Role::Pe)
    else {
        return Vec::new();
    };
    let mut rows: BTreeMap<(Ipv4Addr, u8), VrfRoute> = BTreeMap::new();
    for (n, interface) in config.interfaces.iter().enumerate() {
        let inside = interface.vrf.as_deref() == Some(vrf) && control.moment.ports[device][n].up;
        if let Some((address, length)) = interface.address.filter(|_| inside) {
            let prefix = routes::network_of(address, length);
            let row = local(prefix, length, "connected", None, Some(interface.name.clone()));
            rows.insert((prefix, length), row);
        }
    }
    for (prefix, length, as_path) in routes::vrf_locals(&control.base, &control.moment, device, vrf) {
        let Some(asn) = as_path.and_then(|p| p.first().copied()) else {
            continue;
        };
        let edges = control.base.network.edges.iter();
        let edge = edges
            .filter(|e| e.end.device == device && e.vrf.as_deref() == Some(vrf))
            .find(|e| e.asn == asn);
        let row = local(
            prefix,
            length,
            "bgp",
            edge.map(|e| e.address),
            edge.map(|e| e.end.interface.clone()),
        );
        rows.entry((prefix, length)).or_insert(row);
    }
    for path in table
        .iter()
        .filter(|p| p.best && p.route.afi == Afi::Vpnv4Unicast && p.route.vrf.is_some())
    {
        let route = &path.route;
        let same = route.origin == device && route.vrf.as_deref() == Some(vrf);
        let wanted = settings.import_targets.iter().any(|t| route.targets.contains(t));
        if same || !wanted {
            continue;
        }
        let row = VrfRoute {
            rd: route.rd.as_ref().map(ToString::to_string),
            label: route.label,
            route_targets: route.targets.to_vec(),
            ..local(route.prefix, route.length, "bgp-vpn", Some(route.next_hop), None)
        };
        let better = |known: &VrfRoute| known.source == "bgp-vpn" && nearer(control, distance, &row, known);
        match rows.get(&(route.prefix, route.length)) {
            Some(known) if !better(known) => {}
            _ => {
                rows.insert((route.prefix, route.length), row);
            }
        }
    }
    rows.into_values().collect()
}

/// The next hop of `a` is nearer than that of `b`, or has the lower address.
fn nearer(control: &Control, distance: &[u32], a: &VrfRoute, b: &VrfRoute) -> bool {
    let rank = |row: &VrfRoute| {
        let target = row.next_hop.and_then(|n| control.base.network.by_loopback(n));
        (target.map_or(u32::MAX, |t| distance[t]), row.next_hop)
    };
    rank(a) < rank(b)
}

fn local(
    prefix: Ipv4Addr,
    length: u8,
    source: &'static str,
    next_hop: Option<Ipv4Addr>,
    interface: Option<String>,
) -> VrfRoute {
    VrfRoute {
        prefix,
        length,
        source,
        next_hop,
        interface,
        rd: None,
        label: None,
        route_targets: Vec::new(),
        labelled: true,
    }
}
