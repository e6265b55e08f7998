//! What is kept of a device's BGP until the next event: its paths, and how many prefixes go over which session.

use std::collections::{BTreeMap, HashMap};

use super::control::Control;
use super::routes::{self, Path};
use super::session::settings;
use super::vrf;
use super::wiring::SessionKind;
use crate::lab::config::Afi;
use crate::lab::network::DeviceId;
use crate::lab::state::{AfiSize, VrfRoute};

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
    pub paths: Vec<Path>,
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
            let rows = vrf::best(control, device, name, &paths, &distance);
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
