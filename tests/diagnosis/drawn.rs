//! Scenarios drawn at random, diagnosed in process: the query is read as the offline reasoner reads it, everything is
//! read once, counters twice.
//!
//! `NOCTUI_DRAWN="sp-m,9,500,1"` (network, seed, number, faults or `mix`) runs that instead of the sample and prints
//! what fails, by type.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::executor::block_on;
use noctui::agent::model::*;
use noctui::agent::ports::{Brief, Reasoner, Reporter};
use noctui::agent::state::State;
use noctui::diagnosis::Focus;
use noctui::diagnosis::ontology::Resource;
use noctui::lab::Lab;
use noctui::lab::network::Role as LabRole;
use noctui::lab::scenario::Scenario;
use noctui::lab::scenario::draw::{Wish, draw};
use noctui::reason::rules::Rules;

use super::bench::{Case, EPOCH_MS, Pace, inventory, investigate};

/// Cases that go on side by side.
const SIDE_BY_SIDE: usize = 2;

struct Nobody;

impl Reporter for Nobody {
    fn delta(&self, _: &str, _: &str) {}
    fn note(&self, _: Note) {}
    fn usage(&self, _: Usage) {}
    fn progress(&self, _: Option<f64>, _: &str) {}
}

/// What the reasoner makes of a query, resolved against the lab.
fn focus(lab: &Lab, query: &str) -> Focus {
    let devices = inventory(lab);
    let mut state = State {
        query: Some(Query {
            text: query.to_owned(),
            devices: vec![],
            runbook: None,
        }),
        ..State::default()
    };
    state.intake.devices = Some(devices.clone());
    let brief = Brief {
        state: Arc::new(state),
        now: Timestamp(EPOCH_MS),
        reporter: Arc::new(Nobody),
    };
    let reading = block_on(Rules::default().read(brief)).unwrap();
    let of_role = |role: Role| {
        let wanted = match role {
            Role::Pe => LabRole::Pe,
            Role::P => LabRole::P,
            _ => LabRole::Rr,
        };
        let all = lab.network().devices.iter().filter(move |d| d.role == wanted);
        all.map(|d| DeviceName::from(d.name.as_str()))
    };
    let targets = match reading.targets {
        Targets::Names(names) => names.into_iter().map(DeviceName).collect(),
        Targets::Roles(roles) => roles.into_iter().flat_map(of_role).collect(),
        Targets::All => devices.iter().map(|d| d.name.clone()).collect(),
        other => panic!("\"{query}\" is read as {other:?}"),
    };
    Focus {
        targets,
        devices,
        entities: reading.entities,
        window: Some(reading.window),
        wants_change: reading.wants_change,
        now: Timestamp(EPOCH_MS),
    }
}

/// A drawn case and what came of it: `type resource`.
struct Outcome {
    scenario: Scenario,
    wanted: BTreeSet<String>,
    found: BTreeSet<String>,
    /// Something is said to be wrong.
    anomaly: bool,
    told: Vec<String>,
}

impl Outcome {
    fn right(&self) -> bool {
        self.wanted == self.found && self.anomaly == self.scenario.truth.anomaly
    }

    /// F1 on resource and type; 1 where there is nothing to find and nothing was found.
    fn joint(&self) -> f64 {
        let both = self.wanted.intersection(&self.found).count();
        let all = self.wanted.len() + self.found.len();
        if all == 0 {
            f64::from(u8::from(!self.anomaly))
        } else {
            2.0 * both as f64 / all as f64
        }
    }
}

fn diagnose(scenario: Scenario) -> Outcome {
    let lab = scenario.lab(7, EPOCH_MS).unwrap();
    let focus = focus(&lab, &scenario.query);
    let case: Case = investigate(lab, focus, Pace::Brief);
    let wanted = scenario.truth.causes.iter().map(|c| {
        let resource: Resource = c.resource.parse().unwrap();
        format!("{} {resource}", c.fault_type)
    });
    Outcome {
        wanted: wanted.collect(),
        found: case.causes().into_iter().collect(),
        anomaly: case.verdict.anomaly,
        told: case
            .verdict
            .causes
            .iter()
            .map(|c| format!("{}: {}", c.confidence, c.statement))
            .collect(),
        scenario,
    }
}

fn all(scenarios: Vec<Scenario>) -> Vec<Outcome> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            match scenarios.get(at) {
                Some(scenario) => done.push((at, diagnose(scenario.clone()))),
                None => return done,
            }
        }
    };
    let mut outcomes = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..SIDE_BY_SIDE).map(|_| scope.spawn(work)).collect();
        let all = threads.into_iter().flat_map(|t| t.join().unwrap());
        all.collect::<Vec<_>>()
    });
    outcomes.sort_by_key(|(at, _)| *at);
    outcomes.into_iter().map(|(_, outcome)| outcome).collect()
}

fn mean(outcomes: &[Outcome]) -> f64 {
    outcomes.iter().map(Outcome::joint).sum::<f64>() / outcomes.len() as f64
}

/// Failing cases in full, then how often each type was found and claimed in vain.
fn report(outcomes: &[Outcome]) -> String {
    let mut text = String::new();
    for outcome in outcomes.iter().filter(|o| !o.right()) {
        let faults: Vec<String> = outcome
            .scenario
            .faults
            .iter()
            .map(|f| {
                let line = toml::to_string(f).unwrap().replace('\n', " ");
                format!("    {line}")
            })
            .collect();
        text += &format!(
            "{} \"{}\"\n{}\n  wanted {:?}\n  found  {:?}\n  {}\n",
            outcome.scenario.id,
            outcome.scenario.query,
            faults.join("\n"),
            outcome.wanted,
            outcome.found,
            outcome.told.join("\n  "),
        );
    }
    let mut types: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    let kind = |claim: &'_ str| -> String { claim.split(' ').next().unwrap_or_default().to_owned() };
    let names: Vec<(String, usize)> = outcomes
        .iter()
        .flat_map(|o| {
            let wanted = o
                .wanted
                .iter()
                .map(|w| (kind(w), usize::from(!o.found.contains(w))));
            let extra = o.found.iter().filter(|f| !o.wanted.contains(*f));
            wanted.chain(extra.map(|f| (kind(f), 2))).collect::<Vec<_>>()
        })
        .collect();
    for (name, what) in &names {
        let row = types.entry(name).or_default();
        match what {
            2 => row[2] += 1,
            missed => {
                row[0] += 1;
                row[1] += missed;
            }
        }
    }
    for (name, [wanted, missed, extra]) in types.iter().filter(|(_, r)| r[1] + r[2] > 0) {
        text += &format!("{name:32} {wanted:4} wanted {missed:4} missed {extra:4} claimed in vain\n");
    }
    let right = outcomes.iter().filter(|o| o.right()).count();
    text += &format!(
        "{} of {} right, mean R {:.3}\n",
        right,
        outcomes.len(),
        mean(outcomes)
    );
    text
}

fn run(network: &str, seed: u64, count: usize, faults: Option<usize>) -> Vec<Outcome> {
    let wish = Wish {
        network,
        seed,
        faults,
    };
    all(draw(&wish, count).unwrap())
}

#[test]
fn drawn_cases_are_found() {
    if let Ok(wanted) = std::env::var("NOCTUI_DRAWN") {
        let parts: Vec<&str> = wanted.split(',').collect();
        let [network, seed, count, faults] = parts[..] else {
            panic!("NOCTUI_DRAWN is network,seed,number,faults");
        };
        let outcomes = run(
            network,
            seed.parse().unwrap(),
            count.parse().unwrap(),
            faults.parse().ok(),
        );
        println!("{}", report(&outcomes));
        return;
    }
    let outcomes = run("sp-s", 11, 44, Some(1));
    assert!(mean(&outcomes) > 0.9, "{}", report(&outcomes));
}
