//! What goes wrong must be visible: every scenario with an anomaly changes a leaf of the trees, or closes a port.

use noctui::lab::openconfig::encode::leaves;
use noctui::lab::openconfig::tree::{DataKind, Leaf};
use noctui::lab::openconfig::{Device, Exposure, render};
use noctui::lab::scenario::{self, Scenario};
use noctui::lab::{Lab, NetworkState};
use noctui::proto::gnmi::PathElem;
use std::sync::Arc;

const EPOCH_MS: i64 = 1_795_306_328_000;
/// A little after the question is asked: faults that begin with it have begun.
const NOW_MS: i64 = EPOCH_MS + 5_000;

/// Every leaf of every device, and which of them can be managed.
fn shown(network: &NetworkState) -> (Vec<(Vec<PathElem>, Leaf)>, Vec<bool>) {
    let exposure = Exposure {
        port: 57400,
        transport_security: false,
        username: "lab".into(),
    };
    let of_device = |name: &str| {
        let state = network.device(name).unwrap();
        let device = Device {
            state: &state,
            exposure: &exposure,
        };
        render(device, &[], DataKind::All)
            .into_iter()
            .flat_map(leaves)
            .collect::<Vec<_>>()
    };
    let names: Vec<&str> = network.network().names().collect();
    let answers = names.iter().map(|name| network.answers(name)).collect();
    (names.into_iter().flat_map(of_device).collect(), answers)
}

fn healthy(scenario: &Scenario) -> Arc<NetworkState> {
    let mut lab: Lab = scenario.lab(7, EPOCH_MS).unwrap();
    lab.heal();
    lab.snapshot(NOW_MS)
}

#[test]
fn every_anomaly_changes_what_devices_show() {
    let scenarios = scenario::builtin().unwrap();
    let small: Vec<&Scenario> = scenarios
        .iter()
        .filter(|s| s.size == "S" && s.truth.anomaly)
        .collect();
    assert!(small.len() > 30, "only {} scenarios", small.len());
    let before = shown(&healthy(small[0]));
    let mut invisible = Vec::new();
    for scenario in small {
        if shown(&scenario.lab(7, EPOCH_MS).unwrap().snapshot(NOW_MS)) == before {
            invisible.push(scenario.id.clone());
        }
    }
    assert!(invisible.is_empty(), "nothing shows in {invisible:?}");
}

#[test]
fn secrets_never_show() {
    let scenario = scenario::builtin()
        .unwrap()
        .into_iter()
        .find(|s| s.id == "D01")
        .unwrap();
    let (all, _) = shown(&healthy(&scenario));
    let passwords: Vec<_> = all
        .iter()
        .filter(|(path, _)| path.last().is_some_and(|leaf| leaf.name == "auth-password"))
        .map(|(_, value)| value.key_text().into_owned())
        .collect();
    assert!(
        !passwords.is_empty() && passwords.iter().all(|text| text == "***"),
        "{passwords:?}"
    );
}
