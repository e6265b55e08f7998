//! Calls under way: which run, which are made again, and which failure is put to the human.
//!
//! A failure that other results may settle is not asked about before they are in.

use super::{diagnose, is_diagnosed};
use crate::agent::effect::Effect;
use crate::agent::event::Event;
use crate::agent::model::{CallFailure, CallId, DeviceName, Question, QuestionKind};
use crate::agent::state::{CallRecord, Fate, State};

pub(super) fn running(state: &State) -> impl Iterator<Item = Effect> + '_ {
    state
        .execution
        .calls
        .values()
        .filter_map(|record| match state.fate(record) {
            Fate::Run { attempt } => Some(Effect::Call {
                call: record.call.id,
                attempt,
            }),
            _ => None,
        })
}

/// Questions about calls, and calls made again.
pub(super) fn next(state: &State) -> Option<Event> {
    let records = || state.execution.calls.values();
    if let Some(event) = records().find_map(|record| call_next(state, record)) {
        return Some(event);
    }
    // What the other devices say may settle a silence: nobody is asked before that is known.
    let waits = records().any(|r| state.may_be_explained(r) && !state.is_among_running(r));
    waits.then(|| diagnose(state)).flatten()
}

fn call_next(state: &State, record: &CallRecord) -> Option<Event> {
    let (lane, step) = (record.call.lane, record.call.step);
    let ask = |kind: QuestionKind, text: String| {
        Some(Event::QuestionAsked {
            question: Box::new(Question {
                id: state.dialogue.next_id(),
                kind,
                text,
                suggestions: Vec::new(),
                lane,
                step,
                at: state.updated_at,
            }),
        })
    };
    match state.fate(record) {
        Fate::AskFailure { .. } | Fate::FollowUp(_) if is_premature(state, record) => None,
        Fate::AskFailure { failure, devices } => {
            let text = failure_text(record, &failure, &devices);
            let call = record.call.id;
            ask(
                QuestionKind::ToolFailure {
                    call,
                    failure,
                    devices,
                },
                text,
            )
        }
        Fate::AskApproval => {
            let arguments = serde_json::Value::Object(record.call.arguments.clone());
            let text = format!("Allow this call? {} {arguments}", record.call.tool);
            ask(QuestionKind::Approval { call: record.call.id }, text)
        }
        Fate::FollowUp(call) => Some(Event::CallRequested { call }),
        Fate::Run { .. } | Fate::Wait(_) | Fate::Resolved => None,
    }
}

/// True while other results may still make a second try or a question needless, or would change its number.
fn is_premature(state: &State, record: &CallRecord) -> bool {
    if state.waits_for_earlier(record.call.id) {
        return true;
    }
    state.is_being_tried_again(record)
        || state.may_be_explained(record) && (state.is_among_running(record) || !is_diagnosed(state))
}

fn failure_text(record: &CallRecord, failure: &CallFailure, devices: &[DeviceName]) -> String {
    let names: Vec<&str> = devices.iter().map(|d| d.as_str()).collect();
    let of = if names.is_empty() {
        String::new()
    } else {
        format!(" on {}", names.join(", "))
    };
    let tries = record.outcomes.len();
    let times = if tries > 1 {
        format!(" ({tries} attempts)")
    } else {
        String::new()
    };
    format!("{}{of} failed: {}{times}", record.call.tool, failure.message)
}

pub(super) fn is_resolved(state: &State, call: CallId) -> bool {
    let mut id = call;
    while let Some(record) = state.execution.call(id) {
        match record.follow_up {
            Some(next) if next > id => id = next,
            _ => return state.fate(record) == Fate::Resolved,
        }
    }
    true
}
