//! A network with faults, read as the collector would read it, and what the diagnosis says of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use noctui::agent::model::*;
use noctui::diagnosis::network::Network;
use noctui::diagnosis::{self, Focus};
use noctui::lab::Lab;
use noctui::lab::fault::Fault;
use noctui::lab::network::builtin;
use noctui::lab::openconfig::{self, encode, tree::DataKind};
use noctui::proto::path::parse;
use serde_json::{Map, Value, json};

/// When labs begin: 2026-11-22T00:12:19Z.
pub const EPOCH_MS: i64 = 1_795_306_339_000;

const PATHS: [&[&str]; 3] = [
    &["openconfig-interfaces:interfaces", "openconfig-lacp:lacp"],
    &["openconfig-network-instance:network-instances"],
    &[
        "openconfig-system:system",
        "openconfig-routing-policy:routing-policy",
        "openconfig-platform:components",
    ],
];

pub struct Case {
    pub lab: Lab,
    pub evidence: Vec<Arc<Evidence>>,
    pub network: Network,
    pub findings: Vec<Finding>,
    pub focus: Focus,
    pub verdict: Verdict,
    pub hypotheses: Vec<Hypothesis>,
    pace: Pace,
}

pub fn lab(size: &str, faults: &str) -> Lab {
    let mut lab = Lab::new(builtin(size).unwrap(), 7, EPOCH_MS);
    #[derive(serde::Deserialize)]
    struct Faults {
        #[serde(default)]
        fault: Vec<Fault>,
    }
    let faults: Faults = toml::from_str(faults).unwrap();
    for fault in faults.fault {
        lab.inject(fault).unwrap();
    }
    lab
}

fn tree(lab: &Lab, device: &str, paths: &[&str], now: i64) -> Value {
    let snapshot = lab.snapshot(now);
    let state = snapshot.device(device).unwrap();
    let exposure = openconfig::Exposure {
        port: 57400,
        transport_security: false,
        username: "cisco".into(),
    };
    let mut data = Map::new();
    for text in paths {
        let path = parse(text).unwrap();
        let found = openconfig::render(
            openconfig::Device {
                state: &state,
                exposure: &exposure,
            },
            &path.elem,
            DataKind::All,
        );
        for found in found {
            data.insert(
                (*text).to_owned(),
                encode::json(&found.node, encode::JsonFlavour::Ietf),
            );
        }
    }
    Value::Object(data)
}

fn logs(lab: &Lab, device: &str, now: i64, minutes: i64) -> Value {
    let snapshot = lab.snapshot(now);
    let lines = snapshot.logs(device, now - minutes * 60_000);
    let lines: Vec<Value> = lines.iter().map(|l| json!({"message": l.render()})).collect();
    json!({"logs": lines})
}

/// How thoroughly a case is gone through.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// Findings after every result, hypotheses: the way of a session.
    Full,
    /// The verdict alone, from all that was read.
    Brief,
}

/// Reads everything, and the counters once more, and diagnoses.
pub fn run(size: &str, faults: &str, targets: &[&str]) -> Case {
    at_pace(size, faults, targets, Pace::Full)
}

/// The same at a pace; the last hour is asked about.
pub fn at_pace(size: &str, faults: &str, targets: &[&str], pace: Pace) -> Case {
    let lab = lab(size, faults);
    let focus = Focus {
        targets: targets.iter().map(|t| DeviceName::from(*t)).collect(),
        devices: inventory(&lab),
        entities: Entities::default(),
        window: Some(Window {
            from: Timestamp(EPOCH_MS - 3_600_000),
            until: Timestamp(EPOCH_MS),
        }),
        wants_change: false,
        now: Timestamp(EPOCH_MS),
    };
    investigate(lab, focus, pace)
}

/// The devices of a lab as an inventory without roles lists them.
pub fn inventory(lab: &Lab) -> Vec<Device> {
    let device = |name: &str| Device {
        name: name.into(),
        address: None,
        nos: None,
        role: None,
    };
    lab.network().names().map(device).collect()
}

/// Reads the lab at its start, and diagnoses with that focus.
pub fn investigate(lab: Lab, focus: Focus, pace: Pace) -> Case {
    let now = EPOCH_MS;
    let names: Vec<String> = lab.network().names().map(str::to_owned).collect();
    let minutes = focus.window.map_or(60, |w| w.minutes()) + 2;
    let mut case = Case {
        lab,
        evidence: Vec::new(),
        network: Network::default(),
        findings: Vec::new(),
        focus,
        verdict: Verdict {
            anomaly: false,
            confidence: Confidence::Inconclusive,
            causes: vec![],
            unexplained: vec![],
            ruled_out: vec![],
            unobserved: vec![],
            remarks: vec![],
            would_change: vec![],
        },
        hypotheses: Vec::new(),
        pace,
    };
    for paths in PATHS {
        let read = |case: &Case, name: &str| tree(&case.lab, name, paths, now);
        case.add(&names, now, &read);
    }
    let read = |case: &Case, name: &str| logs(&case.lab, name, now, minutes);
    case.add(&names, now, &read);
    let read = |case: &Case, name: &str| {
        tree(
            &case.lab,
            name,
            &["openconfig-interfaces:interfaces"],
            now + 2_000,
        )
    };
    case.add(&names, now + 2_000, &read);
    case.conclude();
    case
}

impl Case {
    fn add(&mut self, names: &[String], at: i64, read: &dyn Fn(&Case, &str) -> Value) {
        let mut answers: BTreeMap<String, Value> = BTreeMap::new();
        for name in names {
            let up = self.lab.snapshot(at).device(name).unwrap().management.reachable;
            let answer = if up {
                json!({"device_name": name, "status": "success", "data": read(self, name), "error_response": null})
            } else {
                json!({"device_name": name, "status": "failed", "data": {}, "error_response":
                    {"type": "CONNECTION_TIMEOUT", "message": format!("Connection timeout when connecting to {name}"), "details": {"kind": "unreachable"}}})
            };
            answers.insert(name.clone(), answer);
        }
        let value = json!({"device_name": "MANY", "status": "success", "data": {"devices": answers}});
        let id = EvidenceId(u32::try_from(self.evidence.len() + 1).unwrap());
        let evidence = Evidence {
            id,
            origin: Origin::Tool {
                call: CallId(id.0),
                tool: "collector.gnmi_get_many".into(),
                arguments: json!({}),
            },
            devices: names.iter().map(|n| n.as_str().into()).collect(),
            at: Timestamp(at),
            window: None,
            value: Arc::new(value),
            truncated: false,
        };
        self.network.learn(&evidence);
        if self.pace == Pace::Full {
            let found = diagnosis::examine(&self.network, Some(&evidence), &self.focus);
            self.number(found);
        }
        self.evidence.push(Arc::new(evidence));
    }

    fn number(&mut self, found: Vec<Finding>) {
        for finding in found {
            let known = self.findings.iter().any(|f| {
                f.detector == finding.detector && f.resource == finding.resource && f.fault == finding.fault
            });
            if !known {
                let id = FindingId(u32::try_from(self.findings.len() + 1).unwrap());
                self.findings.push(Finding { id, ..finding });
            }
        }
    }

    fn conclude(&mut self) {
        if self.pace == Pace::Full {
            let found = diagnosis::examine(&self.network, None, &self.focus);
            self.number(found);
            self.hypotheses = diagnosis::rank(&self.network, &self.findings, &self.focus);
        }
        self.verdict = diagnosis::verdict(&self.network, &self.findings, &self.hypotheses, &[], &self.focus);
    }

    pub fn causes(&self) -> Vec<String> {
        let mut all: Vec<String> = self
            .verdict
            .causes
            .iter()
            .map(|c| format!("{} {}", c.fault, c.resource))
            .collect();
        all.sort();
        all
    }

    /// Every citation of findings and verdict is true of what it cites.
    pub fn check_citations(&self) {
        let causes = self
            .verdict
            .causes
            .iter()
            .map(|c| (c.statement.as_str(), &c.citations));
        let findings = self.findings.iter().map(|f| (f.statement.as_str(), &f.citations));
        for (statement, citations) in causes.chain(findings) {
            assert!(!citations.is_empty(), "no evidence for: {statement}");
            for citation in citations {
                let evidence = self.evidence.iter().find(|e| e.id == citation.evidence).unwrap();
                assert!(
                    citation.holds(evidence),
                    "{statement}: {citation:?} is not true of {:?}",
                    evidence.value.pointer(&citation.pointer)
                );
            }
        }
    }
}
