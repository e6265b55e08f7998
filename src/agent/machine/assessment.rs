//! Assessment: hypotheses ranked, the objective judged; then the report, or feedback and another round.

use super::{diagnose, execution, is_diagnosed, is_skipped};
use crate::agent::effect::Effect;
use crate::agent::event::Event;
use crate::agent::model::Next;
use crate::agent::state::{Phase, State};

fn attempt(state: &State) -> u32 {
    u32::try_from(state.judgement.assessments.len()).unwrap_or(u32::MAX)
}

/// True when the last assessment was made with the evidence and the plan that stand now.
fn is_current(state: &State) -> bool {
    let assessed = state.judgement.assessments.len();
    assessed > 0 && state.judgement.assessed_version == state.planning.versions.len()
}

pub(super) fn effects(state: &State) -> Vec<Effect> {
    let ready = is_diagnosed(state) && !is_current(state);
    if ready {
        vec![Effect::Assess {
            attempt: attempt(state),
        }]
    } else {
        Vec::new()
    }
}

pub(super) fn next(state: &State) -> Option<Event> {
    if let Some(event) = execution::revise(state) {
        return Some(event);
    }
    if let Some(event) = diagnose(state) {
        return Some(event);
    }
    if is_skipped(
        state,
        &Effect::Assess {
            attempt: attempt(state),
        },
    ) {
        return Some(Event::PhaseEntered {
            phase: Phase::Reporting,
        });
    }
    if !is_current(state) {
        return None;
    }
    let assessment = state.judgement.assessments.last()?;
    let budget_left = state.execution.attempts() < state.options.limits.tool_calls;
    match &assessment.next {
        Next::Retry { feedback } if execution::revisions_left(state) && budget_left => {
            Some(Event::RevisionWanted {
                reason: feedback.clone(),
            })
        }
        Next::Retry { .. } | Next::Report => Some(Event::PhaseEntered {
            phase: Phase::Reporting,
        }),
    }
}
