//! Tables as a device shows them: routes, labels, BGP paths, VRFs. Each is worked out when it is read, from what
//! `tables` keeps; nothing here is kept.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::sync::{Arc, OnceLock};

use super::control::Control;
use super::graph::Paths;
use super::routes::{self, Path};
use super::wiring::{SessionKind, neighbor_key};
use super::{labels, vrf};
use crate::lab::config::Afi;
use crate::lab::network::DeviceId;
use crate::lab::state::{
    LabelEntry, LabelOperation, Next, PathState, RouteSource, RouteState, Table, VrfRoute,
};

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
            let mut rows = vrf::best(control, this.device, &name, table, &paths.distance);
            vrf::mark_labelled(control, paths, &mut rows);
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
