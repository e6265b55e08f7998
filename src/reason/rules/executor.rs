//! The executor: what to call for a step on a lane, and when it is done.

use super::aspects::purpose;
use super::{calls, sweep};
use crate::agent::model::{
    Action, Aspect, DeviceName, HypothesisId, LaneId, Proposal, Provenance, Purpose, Standing, Step, StepId,
};
use crate::agent::state::State;
use crate::diagnosis::ontology::Resource;

/// Calls in one turn, at most.
const CALLS: usize = 48;
/// Routers looked at in brief when no tool reads several at once.
const AROUND: usize = 12;

/// The next action.
pub fn act(state: &State, lane: LaneId, id: StepId, turn: u32) -> Action {
    let Some(step) = state.planning.step(id) else {
        return Action::GiveUp {
            limitation: "the step is not in the plan any more".to_owned(),
        };
    };
    let wanted = if turn > 0 {
        Vec::new()
    } else {
        proposals(state, lane, step)
    };
    let calls: Vec<Proposal> = wanted
        .into_iter()
        .filter(|c| !was_made(state, c))
        .take(CALLS)
        .collect();
    if !calls.is_empty() {
        return Action::Call { calls };
    }
    let blind = calls::unserved(state, &step.aspects);
    if turn == 0 && !step.aspects.is_empty() && blind.len() == step.aspects.len() {
        let names = blind
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(", ");
        return Action::GiveUp {
            limitation: format!("no tool shows {names}"),
        };
    }
    Action::Finish {
        summary: summary(state, lane, step),
    }
}

fn was_made(state: &State, call: &Proposal) -> bool {
    let counters = call.arguments.contains_key("seconds");
    !counters
        && state
            .execution
            .calls
            .values()
            .any(|r| r.call.tool == call.tool && r.call.arguments == call.arguments)
}

fn is_check(step: &Step) -> bool {
    step.provenance
        .iter()
        .any(|p| matches!(p, Provenance::Hypothesis { .. }))
}

fn proposals(state: &State, lane: LaneId, step: &Step) -> Vec<Proposal> {
    let device = state.lane_device(lane).cloned();
    match device {
        None if sweep::is_possible(state) && !swept(state) => sweep::calls(state),
        None if is_check(step) => counters_again(state, step),
        None if sweep::is_possible(state) => Vec::new(),
        None => around(state, step),
        Some(device) if is_check(step) => check(state, &device, step),
        Some(device) => {
            let open: Vec<Aspect> = step
                .aspects
                .iter()
                .copied()
                .filter(|a| !is_seen(state, &device, *a))
                .collect();
            calls::of_device(state, device.as_str(), &open)
        }
    }
}

/// The devices of a network-wide check of counters.
fn counters_again(state: &State, step: &Step) -> Vec<Proposal> {
    let ids: Vec<HypothesisId> = hypotheses(step);
    let concerned = state.diagnosed.hypotheses.iter().filter(|h| ids.contains(&h.id));
    let mut devices: Vec<&str> = concerned.map(|h| h.resource.device()).collect();
    devices.sort_unstable();
    devices.dedup();
    sweep::counters(state, &devices)
}

/// The hypotheses a step separates.
fn hypotheses(step: &Step) -> Vec<HypothesisId> {
    let of = |p: &Provenance| match p {
        Provenance::Hypothesis { hypothesis } => Some(*hypothesis),
        _ => None,
    };
    step.provenance.iter().filter_map(of).collect()
}

fn swept(state: &State) -> bool {
    let Some(tool) = sweep::tool(state, Purpose::GetMany) else {
        return false;
    };
    state.execution.calls.values().any(|r| r.call.tool == tool.id)
}

/// True when the device's part was read, or the device is silent and asking again would tell nothing.
fn is_seen(state: &State, device: &DeviceName, aspect: Aspect) -> bool {
    let Some(facts) = state.diagnosed.network.device(device.as_str()) else {
        return false;
    };
    if facts.is_silent() {
        return true;
    }
    let same = |a: Aspect| purpose(a) == purpose(aspect);
    match aspect {
        Aspect::Topology | Aspect::Profile => sweep::is_possible(state) || facts.seen.contains(&aspect),
        // One answer shows all that its purpose shows.
        _ => {
            facts
                .seen
                .iter()
                .any(|a| *a == aspect || (same(*a) && !matches!(aspect, Aspect::Isis | Aspect::Bgp)))
                || swept(state) && sweep::covers(state).contains(&aspect)
        }
    }
}

/// Without a tool for several routers: the network in brief, the targets in full with the runbook's steps.
fn around(state: &State, step: &Step) -> Vec<Proposal> {
    let targets = state.intake.targets.clone().unwrap_or_default();
    let devices: Vec<&DeviceName> = state.intake.devices.iter().flatten().map(|d| &d.name).collect();
    let mut first: Vec<&DeviceName> = devices.iter().copied().filter(|d| targets.contains(d)).collect();
    first.extend(devices.iter().copied().filter(|d| !targets.contains(d)));
    let many = first.len() > AROUND;
    let wanted: Vec<Aspect> = step
        .aspects
        .iter()
        .copied()
        .filter(|a| !many || matches!(a, Aspect::Isis | Aspect::Bgp))
        .collect();
    let of = |d: &&DeviceName| {
        let open: Vec<Aspect> = wanted
            .iter()
            .copied()
            .filter(|a| !is_seen(state, d, *a))
            .collect();
        calls::of_device(state, d.as_str(), &open)
    };
    first.iter().take(AROUND).flat_map(of).collect()
}

/// A look that separates hypotheses: their interfaces' counters, their parts of the device again.
fn check(state: &State, device: &DeviceName, step: &Step) -> Vec<Proposal> {
    let ids = hypotheses(step);
    let concerned = state
        .diagnosed
        .hypotheses
        .iter()
        .filter(|h| ids.contains(&h.id) && h.standing != Standing::RuledOut);
    let interfaces: Vec<String> = concerned
        .filter_map(|h| match &h.resource {
            Resource::Interface(d, name) if *d == device.0 => Some(name.clone()),
            _ => None,
        })
        .collect();
    let mut wanted = Vec::new();
    if step.aspects.contains(&Aspect::Counters) {
        wanted.extend(calls::counters(state, device.as_str(), &interfaces));
    }
    let others: Vec<Aspect> = step
        .aspects
        .iter()
        .copied()
        .filter(|a| *a != Aspect::Counters && !is_seen(state, device, *a))
        .collect();
    wanted.extend(calls::of_device(state, device.as_str(), &others));
    wanted.extend(calls::details(
        state,
        device.as_str(),
        &unmeasured(state, device, &ids),
    ));
    wanted
}

/// Ends on this device of links in question whose MTU no list shows.
fn unmeasured(state: &State, device: &DeviceName, ids: &[HypothesisId]) -> Vec<String> {
    let links = state
        .diagnosed
        .hypotheses
        .iter()
        .filter(|h| ids.contains(&h.id))
        .filter_map(|h| match &h.resource {
            Resource::Link(a, b) => Some([a, b]),
            _ => None,
        });
    let mine = links.flatten().filter(|end| end.0 == device.0).map(|end| &end.1);
    let facts = state.diagnosed.network.device(device.as_str());
    let known = |name: &str| {
        facts
            .and_then(|d| d.interfaces.get(name))
            .is_none_or(|i| i.mtu.is_some())
    };
    mine.filter(|name| !known(name)).cloned().collect()
}

fn summary(state: &State, lane: LaneId, step: &Step) -> String {
    let device = state.lane_device(lane);
    let about = |r: &Resource| device.is_none_or(|d| r.devices().contains(&d.as_str()));
    let found: Vec<&str> = state
        .diagnosed
        .findings
        .iter()
        .filter(|f| about(&f.resource) && f.severity != crate::agent::model::Severity::Info)
        .map(|f| f.statement.as_str())
        .collect();
    let parts = step
        .aspects
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(", ");
    let whom = device.map_or("the network", DeviceName::as_str);
    match found.as_slice() {
        [] => format!("{parts} of {whom}: nothing out of order so far"),
        some => {
            let more = if some.len() > 3 {
                format!(" and {} more", some.len() - 3)
            } else {
                String::new()
            };
            format!("{whom}: {}{more}", some[..some.len().min(3)].join("; "))
        }
    }
}
