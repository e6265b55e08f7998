//! The table of a VRF on a PE: connected, the customer's own, and what its route targets import.

use std::collections::{BTreeMap, HashMap};
use std::net::Ipv4Addr;

use super::control::Control;
use super::graph::Paths;
use super::labels;
use super::routes::{self, Path};
use crate::lab::config::Afi;
use crate::lab::network::{DeviceId, Role};
use crate::lab::state::VrfRoute;

/// Routes by prefix.
type Rows = BTreeMap<(Ipv4Addr, u8), VrfRoute>;

/// Routes of a VRF, one a prefix. `table`: the BGP table of the device; `distance`: its IGP distances.
pub(super) fn best(
    control: &Control,
    device: DeviceId,
    vrf: &str,
    table: &[Path],
    distance: &[u32],
) -> Vec<VrfRoute> {
    let config = &control.moment.situation.configs[device];
    let pe = control.base.network.devices[device].role == Role::Pe;
    if !pe || !config.vrfs.contains_key(vrf) {
        return Vec::new();
    }
    let mut rows = connected(control, device, vrf);
    add_customers(control, device, vrf, &mut rows);
    add_imported(control, device, vrf, (table, distance), &mut rows);
    rows.into_values().collect()
}

fn connected(control: &Control, device: DeviceId, vrf: &str) -> Rows {
    let config = &control.moment.situation.configs[device];
    let mut rows = Rows::new();
    for (n, interface) in config.interfaces.iter().enumerate() {
        let inside = interface.vrf.as_deref() == Some(vrf) && control.moment.ports[device][n].up;
        if let Some((address, length)) = interface.address.filter(|_| inside) {
            let prefix = routes::network_of(address, length);
            let row = local(prefix, length, "connected", None, Some(interface.name.clone()));
            rows.insert((prefix, length), row);
        }
    }
    rows
}

/// What the customer routers announce here.
fn add_customers(control: &Control, device: DeviceId, vrf: &str, rows: &mut Rows) {
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
}

/// What other sites announce and a route target lets in; the nearest next hop wins.
fn add_imported(
    control: &Control,
    device: DeviceId,
    vrf: &str,
    (table, distance): (&[Path], &[u32]),
    rows: &mut Rows,
) {
    let Some(settings) = control.moment.situation.configs[device].vrfs.get(vrf) else {
        return;
    };
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

/// Notes which imported routes have a label path to their next hop.
pub(super) fn mark_labelled(control: &Control, paths: &Paths, rows: &mut [VrfRoute]) {
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
