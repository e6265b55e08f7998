//! Reporting: the verdict first, as data; the words after it; then the end.

use super::{Input, known, note};
use crate::agent::effect::Effect;
use crate::agent::event::Event;
use crate::agent::model::{DeviceName, Outcome, Prose, Step, Unobserved, Verdict};
use crate::agent::state::{Phase, State};
use crate::diagnosis;

pub(super) fn effects(state: &State) -> Vec<Effect> {
    if state.diagnosed.verdict.is_none() {
        return Vec::new();
    }
    if state.ending.prose.is_none() {
        return vec![Effect::Write];
    }
    if state.options.without_memory {
        Vec::new()
    } else {
        vec![Effect::Remember]
    }
}

pub(super) fn next(state: &State) -> Option<Event> {
    if let Some(event) = super::diagnose(state) {
        return Some(event);
    }
    let diagnosed = &state.diagnosed;
    if diagnosed.verdict.is_none() {
        let mut unobserved = state.unobserved();
        unobserved.extend(unseen(state));
        let mut verdict = diagnosis::verdict(
            &diagnosed.network,
            &diagnosed.findings,
            &diagnosed.hypotheses,
            &unobserved,
            &state.focus(),
        );
        known::excuse(state, &mut verdict);
        return Some(Event::VerdictReached {
            verdict: Box::new(verdict),
            known: Vec::new(),
        });
    }
    let over = state.ending.prose.is_some() && state.options.without_memory;
    over.then(|| end(state))
}

/// Devices asked about that no step has read, or that a stop came before: unknown, not healthy.
fn unseen(state: &State) -> Vec<Unobserved> {
    let mut rows = Vec::new();
    for device in state.intake.targets.iter().flatten() {
        let read = state.evidence.iter().any(|e| {
            let call = e.origin.call().and_then(|call| state.execution.call(call));
            let in_step = call.is_some_and(|r| r.call.step.is_some());
            in_step && e.devices.contains(device)
        });
        let reason = if !read {
            Some("nothing was read of it".to_owned())
        } else if state.ledger.stopped.is_some() {
            left_undone(state, device).map(|steps| format!("stopped before: {steps}"))
        } else {
            None
        };
        rows.extend(reason.map(|reason| Unobserved {
            device: device.clone(),
            reason,
        }));
    }
    rows
}

/// Titles of the steps that were to run on the device and have not ended.
fn left_undone(state: &State, device: &DeviceName) -> Option<String> {
    let lane = state.lane_of(device)?;
    let open = |step: &&Step| {
        state.lanes_of(step).contains(&lane)
            && state.run(lane, step.id).is_none_or(|run| run.summary.is_none())
    };
    let titles: Vec<&str> = state
        .planning
        .current()?
        .steps
        .iter()
        .filter(open)
        .map(|step| step.title.as_str())
        .collect();
    (!titles.is_empty()).then(|| titles.join(", "))
}

/// The last event.
pub(super) fn end(state: &State) -> Event {
    let outcome = if state.ledger.stopped.is_some() {
        Outcome::Stopped
    } else {
        Outcome::Reported
    };
    Event::SessionEnded { outcome }
}

/// What follows when the session was stopped before its report: a report of what is known, if anything is.
pub(super) fn stop(state: &State, reason: &str) -> Event {
    if state.phase != Phase::Intake {
        return Event::PhaseEntered {
            phase: Phase::Reporting,
        };
    }
    let outcome = match &state.ledger.failed {
        Some((_, failure)) => Outcome::Failed {
            reason: failure.clone(),
        },
        None if reason.is_empty() => Outcome::Failed {
            reason: "stopped".to_owned(),
        },
        None => Outcome::Stopped,
    };
    Event::SessionEnded { outcome }
}

/// What to record when an effect of this phase failed: the report is written plainly, memory is noted.
pub(super) fn accept_failure(state: &State, effect: &Effect, reason: &str) -> Vec<Event> {
    match (effect, &state.diagnosed.verdict) {
        (Effect::Write, Some(verdict)) => vec![
            note(state, format!("the report is plain: {reason}")),
            Event::ReportWritten {
                prose: plain(verdict),
            },
        ],
        _ => vec![note(state, format!("not remembered: {reason}")), end(state)],
    }
}

/// The verdict in the plainest words.
fn plain(verdict: &Verdict) -> Prose {
    let headline = match verdict.causes.first() {
        Some(cause) => format!("{}: {} on {}", cause.confidence, cause.fault, cause.resource),
        None if verdict.anomaly => "Something is wrong, but the cause could not be named.".to_owned(),
        None => "No fault found.".to_owned(),
    };
    let mut body = String::new();
    for cause in &verdict.causes {
        let marks: Vec<String> = cause
            .citations
            .iter()
            .map(|c| format!("[{}]", c.evidence))
            .collect();
        body.push_str(&format!(
            "- **{}** {} {}\n",
            cause.confidence,
            cause.statement,
            marks.join(" ")
        ));
    }
    Prose { headline, body }
}

impl Input {
    /// A stop asked for by the human.
    pub fn stop() -> Input {
        Input::Steered(crate::agent::model::Steering::Stop {
            reason: "you stopped it".to_owned(),
        })
    }
}
