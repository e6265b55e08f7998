//! Scenarios: what a file may say, and that every built-in one is sound.

use super::*;
use crate::lab::{Lab, NetworkState};
use std::collections::{BTreeSet, HashMap};

const EPOCH_MS: i64 = 1_795_305_600_000;

/// Everything a tool could see of a device, as text without counters that move anyway.
fn visible(state: &NetworkState, name: &str) -> String {
    let device = state.device(name).unwrap();
    let logs: Vec<String> = state
        .logs(name, EPOCH_MS - 100 * 86_400_000)
        .iter()
        .map(|l| l.render())
        .collect();
    format!("{device:?}\n{}", logs.join("\n"))
}

#[test]
fn every_file_parses_and_ids_are_unique() {
    let all = builtin().unwrap();
    let ids: BTreeSet<_> = all.iter().map(|s| s.id.clone()).collect();
    assert_eq!(ids.len(), all.len());
    assert!(all.iter().filter(|s| s.size == "S").count() >= 44);
    for group in ["A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K"] {
        assert!(all.iter().any(|s| s.group() == group), "group {group}");
    }
}

#[test]
fn every_fault_type_occurs_in_a_truth() {
    let all = builtin().unwrap();
    let told: BTreeSet<&str> = all
        .iter()
        .flat_map(|s| &s.truth.causes)
        .map(|c| c.fault_type.as_str())
        .collect();
    let missing: Vec<_> = FAULT_TYPES.iter().filter(|t| !told.contains(*t)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn no_query_gives_its_answer_away() {
    for scenario in builtin().unwrap() {
        let query = scenario.query.to_lowercase();
        for cause in &scenario.truth.causes {
            let spoken = cause.fault_type.replace('_', " ");
            assert!(
                !query.contains(&cause.fault_type) && !query.contains(&spoken),
                "{}: {query}",
                scenario.id
            );
        }
    }
}

#[test]
fn every_fault_changes_what_tools_can_see() {
    let mut healthy: HashMap<String, HashMap<String, String>> = HashMap::new();
    for scenario in builtin().unwrap() {
        let sound = healthy.entry(scenario.network.clone()).or_insert_with(|| {
            let state =
                Lab::new(network::builtin(&scenario.network).unwrap(), 7, EPOCH_MS).snapshot(EPOCH_MS);
            state
                .network()
                .names()
                .map(|n| (n.to_string(), visible(&state, n)))
                .collect()
        });
        for fault in &scenario.faults {
            let mut lab = Lab::new(network::builtin(&scenario.network).unwrap(), 7, EPOCH_MS);
            lab.inject(fault.clone()).unwrap();
            let state = lab.snapshot(EPOCH_MS);
            assert_ne!(
                visible(&state, &fault.device),
                sound[&fault.device],
                "{}: {} shows nowhere",
                scenario.id,
                fault.op
            );
        }
    }
}

#[test]
fn evidence_holds_in_the_scenario_and_not_in_the_healthy_network() {
    for scenario in builtin().unwrap() {
        let broken = scenario.lab(7, EPOCH_MS).unwrap().snapshot(EPOCH_MS);
        let sound = Lab::new(network::builtin(&scenario.network).unwrap(), 7, EPOCH_MS).snapshot(EPOCH_MS);
        let evidence: Vec<Predicate> = scenario
            .truth
            .required_evidence
            .iter()
            .map(|t| Predicate::parse(t).unwrap())
            .collect();
        for (text, predicate) in scenario.truth.required_evidence.iter().zip(&evidence) {
            assert!(
                predicate.holds(&broken),
                "{}: \"{text}\" shows {:?}",
                scenario.id,
                predicate.shown(&broken)
            );
        }
        let telling = evidence.iter().filter(|p| !p.holds(&sound)).count();
        assert!(
            evidence.is_empty() || telling > 0,
            "{}: evidence holds in a healthy network too",
            scenario.id
        );
    }
}

#[test]
fn healthy_truths_are_healthy_and_others_are_not() {
    for scenario in builtin().unwrap().into_iter().filter(|s| s.size == "S") {
        assert_eq!(
            scenario.truth.anomaly,
            !scenario.truth.causes.is_empty(),
            "{}",
            scenario.id
        );
        let forbidden = &scenario.truth.forbidden_claims;
        let told = scenario
            .truth
            .causes
            .iter()
            .any(|c| forbidden.contains(&c.fault_type));
        assert!(!told, "{} forbids its own truth", scenario.id);
    }
}

#[test]
fn errors_name_the_scenario_and_what_to_do() {
    let sound = include_str!("../../../config/lab/scenarios/D01.toml");
    let cases = [
        (
            sound.replace("bgp_remote_as_wrong", "bgp_remote_as"),
            "bgp_remote_as",
        ),
        (
            sound.replace("session/xrd-1--100.100.100.107", "session/xrd-1--100.100.100.17"),
            "100.100.100.17",
        ),
        (sound.replace("value = 65001", "value = \"x\""), "whole number"),
        (sound.replace("size = \"S\"", "size = \"M\""), "size"),
        (sound.replace("query", "qeury"), "qeury"),
        (sound.replace("state != ESTABLISHED", "state"), "operator"),
    ];
    for (text, want) in cases {
        let error = Scenario::parse(&text, "x.toml").unwrap_err().to_string();
        assert!(
            error.contains(want) && error.lines().count() == 2,
            "{want}: {error}"
        );
    }
    assert!(Resource::parse("link/b:1--a:1").unwrap_err().contains("sorted"));
}
