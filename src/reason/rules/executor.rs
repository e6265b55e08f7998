//! The executor: what to call for a step on a lane, and when it is done.

use super::aspects::purpose;
use super::{around, calls, sweep};
use crate::agent::model::{
    Action, Aspect, DeviceName, Hypothesis, HypothesisId, LaneId, Proposal, Provenance, Purpose, Standing,
    Step, StepId,
};
use crate::agent::state::State;
use crate::diagnosis::ontology::Resource;

/// Calls in one turn, at most.
const CALLS: usize = 48;
/// Devices one check looks at one by one, at most.
const CHECKED: usize = 8;

/// The next action.
pub fn act(state: &State, lane: LaneId, id: StepId, turn: u32) -> Action {
    let Some(step) = state.planning.step(id) else {
        return Action::GiveUp {
            limitation: "the step is not in the plan any more".to_owned(),
        };
    };
    let calls: Vec<Proposal> = proposals(state, lane, step, turn)
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

fn proposals(state: &State, lane: LaneId, step: &Step, turn: u32) -> Vec<Proposal> {
    let device = state.lane_device(lane).cloned();
    match device {
        None if is_check(step) => check(state, step, turn),
        None if !sweep::is_possible(state) => around::calls(state, &step.aspects, turn),
        None if turn == 0 && !swept(state) => sweep::calls(state),
        None => Vec::new(),
        Some(_) if turn > 0 => Vec::new(),
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
pub(super) fn is_seen(state: &State, device: &DeviceName, aspect: Aspect) -> bool {
    let Some(facts) = state.diagnosed.network.device(device.as_str()) else {
        return false;
    };
    if facts.is_silent() {
        return true;
    }
    let same = |a: Aspect| purpose(a) == purpose(aspect);
    match aspect {
        Aspect::Topology | Aspect::Profile => {
            sweep::is_possible(state)
                || facts.seen.contains(&aspect)
                || facts.seen.contains(&Aspect::Interfaces) && facts.isis.read.is_some()
        }
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

/// A look that separates hypotheses: counters of their interfaces, tables and other parts of their devices.
/// What one turn can't take, the next reads for all devices at once.
fn check(state: &State, step: &Step, turn: u32) -> Vec<Proposal> {
    let ids = hypotheses(step);
    let concerned: Vec<&Hypothesis> = state
        .diagnosed
        .hypotheses
        .iter()
        .filter(|h| ids.contains(&h.id) && h.standing != Standing::RuledOut)
        .collect();
    let mut devices: Vec<&DeviceName> = Vec::new();
    for device in concerned
        .iter()
        .filter_map(|h| h.check.as_ref())
        .flat_map(|c| &c.devices)
    {
        if !devices.contains(&device) && state.intake.knows(device) {
            devices.push(device);
        }
    }
    let counted = step.aspects.contains(&Aspect::Counters);
    let sampled = sweep::tool(state, Purpose::Counters).is_some() || !sweep::is_possible(state);
    let (first, rest) = devices.split_at(devices.len().min(CHECKED));
    if turn > 0 {
        let names: Vec<&str> = rest.iter().map(|d| d.as_str()).collect();
        let more = turn == 1 && counted && sampled;
        return if more {
            sweep::counters(state, &names)
        } else {
            Vec::new()
        };
    }
    let mut wanted = Vec::new();
    if counted && !sampled {
        let names: Vec<&str> = devices.iter().map(|d| d.as_str()).collect();
        wanted.extend(sweep::counters(state, &names));
    }
    if step.aspects.contains(&Aspect::Forwarding) {
        let names: Vec<&str> = first.iter().map(|d| d.as_str()).collect();
        wanted.extend(sweep::tables(state, &names));
    }
    for device in first {
        wanted.extend(check_device(state, device, step, &concerned));
    }
    wanted
}

fn check_device(state: &State, device: &DeviceName, step: &Step, concerned: &[&Hypothesis]) -> Vec<Proposal> {
    let mut wanted = Vec::new();
    if step.aspects.contains(&Aspect::Counters) {
        let interfaces: Vec<String> = concerned
            .iter()
            .filter_map(|h| match &h.resource {
                Resource::Interface(d, name) if *d == device.0 => Some(name.clone()),
                _ => None,
            })
            .collect();
        wanted.extend(calls::counters(state, device.as_str(), &interfaces));
    }
    let swept = sweep::is_possible(state);
    let others: Vec<Aspect> = step
        .aspects
        .iter()
        .copied()
        .filter(|a| *a != Aspect::Counters && !(swept && *a == Aspect::Forwarding))
        .filter(|a| !is_seen(state, device, *a))
        .collect();
    wanted.extend(calls::of_device(state, device.as_str(), &others));
    wanted.extend(calls::details(
        state,
        device.as_str(),
        &unmeasured(state, device, concerned),
    ));
    wanted
}

/// Ends on this device of links in question whose MTU no list shows.
fn unmeasured(state: &State, device: &DeviceName, concerned: &[&Hypothesis]) -> Vec<String> {
    let links = concerned.iter().filter_map(|h| match &h.resource {
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
