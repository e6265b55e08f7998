//! Nobody is trusted: tools, devices and citations in a reasoner's answer must exist.

use serde_json::{Map, Value};

use crate::agent::model::{
    Action, DeviceName, Draft, EvidenceId, LaneId, Proposal, Prose, QuestionId, Scope, StepId, StepKind,
};
use crate::agent::state::{CallRecord, State};

/// The most steps a plan may have, and calls a turn.
const MAX_STEPS: usize = 40;
const MAX_CALLS_A_TURN: usize = 64;

/// What makes a draft unfit, whatever the critic says.
pub(super) fn objections_to_draft(state: &State, draft: &Draft) -> Vec<String> {
    let mut objections = Vec::new();
    if draft.steps.is_empty() {
        objections.push("the plan has no steps".to_owned());
    }
    if draft.steps.len() > MAX_STEPS {
        objections.push(format!(
            "the plan has {} steps, more than {MAX_STEPS}",
            draft.steps.len()
        ));
    }
    for step in &draft.steps {
        if let Scope::Devices(devices) = &step.scope {
            let unknown = devices.iter().filter(|d| !state.intake.knows(d));
            objections.extend(
                unknown.map(|d| format!("step \"{}\": no device \"{d}\" in the inventory", step.title)),
            );
            if devices.is_empty() {
                objections.push(format!("step \"{}\" names no device", step.title));
            }
        }
        if let StepKind::Code { source } = &step.kind
            && source.trim().is_empty()
        {
            objections.push(format!("step \"{}\" has no script", step.title));
        }
    }
    objections
}

/// The action with the proposals that may be made, and objections to the others.
pub(super) fn action(state: &State, lane: LaneId, step: StepId, action: Action) -> (Action, Vec<String>) {
    let Action::Call { calls } = action else {
        return (action, Vec::new());
    };
    if calls.is_empty() {
        return (Action::Call { calls }, vec!["no call was named".to_owned()]);
    }
    let mut objections = Vec::new();
    let mut valid: Vec<Proposal> = Vec::new();
    for proposal in calls {
        match objection(state, lane, step, &proposal) {
            Some(text) => objections.push(text),
            None if valid.len() >= MAX_CALLS_A_TURN => {
                objections.push(format!("more than {MAX_CALLS_A_TURN} calls in one turn"));
                break;
            }
            None if valid
                .iter()
                .any(|v| v.tool == proposal.tool && v.arguments == proposal.arguments) => {}
            None => valid.push(proposal),
        }
    }
    (Action::Call { calls: valid }, objections)
}

fn objection(state: &State, lane: LaneId, step: StepId, proposal: &Proposal) -> Option<String> {
    if state.intake.tool(&proposal.tool).is_none() {
        return Some(format!("there is no tool \"{}\"", proposal.tool));
    }
    let unknown = named_devices(&proposal.arguments)
        .into_iter()
        .find(|name| !state.intake.knows(name));
    if let Some(name) = unknown {
        return Some(format!(
            "{}: no device \"{name}\" in the inventory",
            proposal.tool
        ));
    }
    if let Some(question) = declined(state, proposal) {
        return Some(format!(
            "{}: you declined this very call, see {question}",
            proposal.tool
        ));
    }
    let run = state.run(lane, step)?;
    let again = run.turns.iter().flat_map(|t| &t.calls).find_map(|id| {
        let record = state.execution.call(*id)?;
        let same = record.call.tool == proposal.tool && record.call.arguments == proposal.arguments;
        same.then_some(id)
    })?;
    Some(format!(
        "{} was called with these arguments already, see {again}",
        proposal.tool
    ))
}

/// The question by which the human declined the same call in this session, if one did.
fn declined(state: &State, proposal: &Proposal) -> Option<QuestionId> {
    let same = |record: &&CallRecord| {
        record.call.tool == proposal.tool && record.call.arguments == proposal.arguments
    };
    let calls = state.execution.calls.values().filter(same);
    calls
        .filter_map(|record| record.declined(&state.dialogue))
        .next_back()
}

/// Device names in arguments: strings, or lists of strings, under a key that speaks of devices.
fn named_devices(arguments: &Map<String, Value>) -> Vec<DeviceName> {
    let about_devices = |key: &str| {
        let key = key.to_ascii_lowercase();
        key.starts_with("device")
            || key == "target"
            || key == "targets"
            || key == "hostname"
            || key == "hosts"
    };
    arguments
        .iter()
        .filter(|(key, _)| about_devices(key))
        .flat_map(|(_, value)| match value {
            Value::String(name) => vec![DeviceName::from(name.as_str())],
            Value::Array(items) => items
                .iter()
                .filter_map(Value::as_str)
                .map(DeviceName::from)
                .collect(),
            _ => Vec::new(),
        })
        .collect()
}

/// The devices a call reads: those in its arguments, otherwise the lane's, otherwise all.
pub(super) fn devices_in(state: &State, lane: LaneId, arguments: &Map<String, Value>) -> Vec<DeviceName> {
    let named = named_devices(arguments);
    if !named.is_empty() {
        return named;
    }
    match state.lane_device(lane) {
        Some(device) => vec![device.clone()],
        None => state
            .intake
            .devices
            .iter()
            .flatten()
            .map(|d| d.name.clone())
            .collect(),
    }
}

/// Removes citations of evidence that does not exist; returns how many.
pub(super) fn strip_citations(state: &State, prose: &mut Prose) -> usize {
    let mut removed = 0;
    for text in [&mut prose.headline, &mut prose.body] {
        let mut kept = String::with_capacity(text.len());
        let mut rest = text.as_str();
        while let Some(start) = rest.find("[E") {
            let (before, mark) = rest.split_at(start);
            kept.push_str(before);
            let digits: String = mark[2..].chars().take_while(char::is_ascii_digit).collect();
            let whole = mark[2 + digits.len()..].starts_with(']') && !digits.is_empty();
            let length = if whole { digits.len() + 3 } else { 2 };
            let exists = digits
                .parse()
                .is_ok_and(|n| state.evidence(EvidenceId(n)).is_some());
            if whole && !exists {
                removed += 1;
            } else {
                kept.push_str(&mark[..length]);
            }
            rest = &mark[length..];
        }
        kept.push_str(rest);
        *text = kept;
    }
    removed
}
