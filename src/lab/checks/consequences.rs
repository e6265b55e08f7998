//! For every operation: what must show where, and what must not move anywhere else.
//!
//! The table is `consequences.toml`. Areas: `interfaces` (configuration, status, history),
//! `errors` (error and drop counters), `isis` (own process and adjacencies), `sr`, `labels` (own label table), `mpls`,
//! `sessions` (BGP configuration and state), `vpn` (VRFs and their tables), `policies`, `routes` (IPv4 table),
//! `system`, `management`. Prefix counts and link-state databases follow from these and are left out.

use super::*;
use crate::lab::fault::OPS;
use crate::lab::scenario::Predicate;
use crate::lab::state::{Counters, DeviceState, NeighborState};
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    row: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    fault: Fault,
    #[serde(default)]
    shows: Vec<String>,
    #[serde(default)]
    moves: BTreeMap<String, String>,
}

fn rows() -> Vec<Row> {
    toml::from_str::<Table>(include_str!("consequences.toml"))
        .unwrap()
        .row
}

fn areas(device: &DeviceState) -> BTreeMap<&'static str, String> {
    let mut interfaces = device.interfaces.clone();
    let errors: Vec<_> = interfaces
        .iter()
        .map(|i| {
            (
                i.counters.in_errors,
                i.counters.in_fcs_errors,
                i.counters.in_giants,
                i.counters.out_discards,
            )
        })
        .collect();
    interfaces
        .iter_mut()
        .for_each(|i| i.counters = Counters::default());
    let isis = device.isis.clone().map(|mut isis| {
        isis.lsps = Arc::default();
        isis.spf_runs = 0;
        for interface in &mut isis.interfaces {
            (interface.hellos_sent, interface.hellos_received) = (0, 0);
        }
        isis
    });
    let strip = |n: &NeighborState| {
        let mut n = n.clone();
        for afi in &mut n.afis {
            (afi.received, afi.accepted, afi.sent, afi.installed) = (0, 0, 0, 0);
        }
        (n.history.messages_sent, n.history.messages_received) = (0, 0);
        n
    };
    let sessions: Vec<_> = device
        .bgp
        .iter()
        .flat_map(|b| &b.neighbors)
        .chain(device.vrfs.iter().flat_map(|v| &v.neighbors))
        .map(strip)
        .collect();
    let vpn: Vec<_> = device
        .vrfs
        .iter()
        .map(|v| {
            (
                &v.rd,
                &v.import_targets,
                &v.export_targets,
                v.redistribute_connected,
                &v.interfaces,
                &v.routes,
            )
        })
        .collect();
    BTreeMap::from([
        ("interfaces", format!("{interfaces:?}")),
        ("errors", format!("{errors:?}")),
        ("isis", format!("{isis:?}")),
        ("sr", format!("{:?}", device.sr)),
        ("labels", format!("{:?}", device.mpls.entries)),
        ("mpls", format!("{:?}", device.mpls.interfaces)),
        ("sessions", format!("{sessions:?}")),
        ("vpn", format!("{vpn:?}")),
        ("policies", format!("{:?}", device.policies)),
        ("routes", format!("{:?}", device.routes)),
        ("system", format!("{:?}", device.system)),
        ("management", format!("{:?}", device.management)),
    ])
}

/// What differs: device -> areas.
pub(super) fn moved(before: &NetworkState, after: &NetworkState) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for (a, b) in before.devices().zip(after.devices()) {
        let (was, is) = (areas(&a), areas(&b));
        let changed: Vec<&str> = was
            .iter()
            .filter(|(k, v)| is[*k] != **v)
            .map(|(k, _)| *k)
            .collect();
        if !changed.is_empty() {
            all.insert(a.name.clone(), changed.join(" "));
        }
    }
    all
}

#[test]
fn every_operation_changes_what_its_row_says_and_nothing_else() {
    let sound = healthy();
    let mut wrong = Vec::new();
    for row in rows() {
        let mut lab = lab("S");
        lab.inject(row.fault.clone()).unwrap();
        let state = lab.snapshot(sound.now_ms);
        for text in &row.shows {
            let predicate = Predicate::parse(text).unwrap();
            if !predicate.holds(&state) || predicate.holds(&sound) {
                let (is, was) = (predicate.shown(&state), predicate.shown(&sound));
                wrong.push(format!(
                    "{}: {text}\n  shows {is:?}, before {was:?}",
                    row.fault.op
                ));
            }
        }
        let got = moved(&sound, &state);
        if got != row.moves {
            wrong.push(format!(
                "{} moves\n  {got:?}\n  expected\n  {:?}",
                row.fault.op, row.moves
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn every_operation_has_a_row() {
    let rows = rows();
    let told = |op: &str| {
        rows.iter()
            .any(|r| r.fault.op == op && (!r.moves.is_empty() || !r.shows.is_empty()))
    };
    let missing: Vec<_> = OPS.iter().map(|op| op.name).filter(|op| !told(op)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
