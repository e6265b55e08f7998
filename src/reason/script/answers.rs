//! The answer to a script's call, from what the session already holds.
//!
//! Calls that could never be made are answered with the reason, so that the machine is not bothered and the
//! script can go on without them.

use serde_json::Value;

use super::wire::{Call, Reply};
use crate::agent::{
    model::{CallId, DeviceName, LaneId, StepId},
    state::State,
};

/// The answer of an earlier run; `None` when the call must be made first.
pub(super) fn answer(state: &State, lane: LaneId, step: StepId, call: &Call) -> Option<Reply> {
    let run = state.run(lane, step)?;
    let made = run.turns.iter().flat_map(|t| &t.calls).copied().find(|id| {
        state
            .execution
            .call(*id)
            .is_some_and(|r| r.call.tool == call.tool && r.call.arguments == call.arguments)
    });
    if let Some(id) = made {
        return Some(outcome(state, id));
    }
    if let Some(objection) = objection(state, call) {
        return Some(Reply::Error(objection));
    }
    // asked for in the last turn and not made: the machine refused it
    let refused = run
        .turns
        .last()
        .filter(|t| !t.objections.is_empty() && t.calls.is_empty());
    refused.map(|t| Reply::Error(t.objections.join("; ")))
}

fn outcome(state: &State, first: CallId) -> Reply {
    let mut id = first;
    // a call made again with other arguments or for fewer devices answers for the first one; numbers only grow
    while let Some(next) = state
        .execution
        .call(id)
        .and_then(|r| r.follow_up)
        .filter(|next| next.0 > id.0)
    {
        id = next;
    }
    let Some(record) = state.execution.call(id) else {
        return Reply::Error("the call is lost".into());
    };
    let failure = record.outcome().and_then(|o| o.failure.as_ref());
    // the human's paste comes after the failed attempt's own entry
    let supplied = record
        .evidence
        .iter()
        .rev()
        .filter_map(|e| state.evidence(*e))
        .find(|e| failure.is_none() || matches!(e.origin, crate::agent::model::Origin::Human { .. }));
    match (supplied, failure) {
        (Some(evidence), _) => Reply::Value((*evidence.value).clone()),
        (None, Some(failure)) => Reply::Error(format!("{}: {}", failure.kind, failure.message)),
        (None, None) => Reply::Error("there is no result".into()),
    }
}

fn objection(state: &State, call: &Call) -> Option<String> {
    let Some(tool) = state.intake.tool(&call.tool) else {
        return Some(format!("there is no tool {:?}", call.tool));
    };
    let arguments = Value::Object(call.arguments.clone());
    if let Ok(validator) = jsonschema::validator_for(&tool.input_schema)
        && let Err(e) = validator.validate(&arguments)
    {
        let text: String = e.to_string().chars().take(200).collect();
        return Some(format!("{}: {text}", call.tool));
    }
    let unknown = devices(&call.arguments).find(|name| !state.intake.knows(&DeviceName::from(*name)))?;
    Some(format!("there is no device {unknown:?} in the inventory"))
}

fn devices(arguments: &serde_json::Map<String, Value>) -> impl Iterator<Item = &str> {
    let about = arguments
        .iter()
        .filter(|(key, _)| key.to_ascii_lowercase().contains("device"));
    about.flat_map(|(_, value)| match value {
        Value::String(name) => vec![name.as_str()],
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    })
}
