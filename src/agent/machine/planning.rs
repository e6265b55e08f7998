//! Planning: search, draft, critique; again with what the critic missed; a version when it passes.

use super::is_skipped;
use crate::agent::effect::Effect;
use crate::agent::event::Event;
use crate::agent::model::{
    Answer, Critique, Draft, PlanApproval, PlanVersion, Provenance, Question, QuestionKind, Step, StepId,
};
use crate::agent::state::{DraftRecord, Phase, State};

pub(super) fn effects(state: &State) -> Vec<Effect> {
    if verdict_of_loop(state) != Loop::Going {
        return Vec::new();
    }
    let number = state.planning.current_draft();
    let record = state.planning.draft(number);
    match record {
        None | Some(DraftRecord { passages: None, .. }) => vec![Effect::Search { draft: number }],
        Some(DraftRecord { draft: None, .. }) => vec![Effect::Plan { draft: number }],
        Some(DraftRecord { critique: None, .. }) => vec![Effect::Criticise { draft: number }],
        Some(_) => Vec::new(),
    }
}

/// Where the loop of planner and critic stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Loop {
    /// A draft is to be made or judged.
    Going,
    /// The last draft passed.
    Passed,
    /// All loops failed.
    Exhausted,
}

fn verdict_of_loop(state: &State) -> Loop {
    let planning = &state.planning;
    let last = planning.drafts[planning.first_of_version.min(planning.drafts.len())..].last();
    match last.and_then(|d| d.critique.as_ref()) {
        Some(critique) if critique.pass && !was_sent_back(state) => Loop::Passed,
        Some(_) if planning.loops() >= allowed_loops(state) => Loop::Exhausted,
        _ => Loop::Going,
    }
}

/// Loops allowed: the limit, and one more for each time the human asked for another plan.
fn allowed_loops(state: &State) -> usize {
    let limit = usize::try_from(state.options.limits.planning_loops)
        .unwrap_or(usize::MAX)
        .max(1);
    limit.saturating_add(sent_back(state))
}

/// How often the human sent a draft of this version back.
fn sent_back(state: &State) -> usize {
    state
        .dialogue
        .asked
        .iter()
        .filter(|asked| concerns_this_version(state, &asked.question.kind))
        .filter(|asked| {
            matches!(
                asked.answer,
                Some((
                    Answer::Replan | Answer::Retry | Answer::Text { .. } | Answer::Decline,
                    ..
                ))
            )
        })
        .count()
}

/// True when the last draft passed the critic but not the human.
fn was_sent_back(state: &State) -> bool {
    let last = state
        .dialogue
        .asked
        .iter()
        .rev()
        .find(|a| is_approval(state, &a.question.kind));
    let Some(asked) = last else { return false };
    let sent = matches!(
        asked.answer,
        Some((Answer::Replan | Answer::Text { .. } | Answer::Decline, ..))
    );
    sent && approvals(state) > drafts_passed(state).saturating_sub(1)
}

fn approvals(state: &State) -> usize {
    state
        .dialogue
        .asked
        .iter()
        .filter(|a| is_approval(state, &a.question.kind))
        .count()
}

fn drafts_passed(state: &State) -> usize {
    let planning = &state.planning;
    let drafts = &planning.drafts[planning.first_of_version.min(planning.drafts.len())..];
    drafts
        .iter()
        .filter(|d| d.critique.as_ref().is_some_and(|c| c.pass))
        .count()
}

fn next_version(state: &State) -> u32 {
    state.planning.current().map_or(1, |p| p.version + 1)
}

fn is_approval(state: &State, kind: &QuestionKind) -> bool {
    matches!(kind, QuestionKind::PlanApproval { version } if *version == next_version(state))
}

fn concerns_this_version(state: &State, kind: &QuestionKind) -> bool {
    let first = u32::try_from(state.planning.first_of_version).unwrap_or(u32::MAX);
    let needs_input = matches!(kind, QuestionKind::StepFailure { effect: Effect::Criticise { draft }, .. } if *draft >= first);
    needs_input || is_approval(state, kind)
}

pub(super) fn next(state: &State) -> Option<Event> {
    let planning = &state.planning;
    if planning.current().is_some() && planning.revision.is_none() {
        return Some(Event::PhaseEntered {
            phase: Phase::Execution,
        });
    }
    let number = planning.current_draft();
    if let Some(record) = planning.draft(number)
        && let (Some(draft), None) = (&record.draft, &record.critique)
    {
        return judge_formally(state, number, draft);
    }
    let last = u32::try_from(planning.drafts.len()).ok()?.checked_sub(1)?;
    let record = planning.draft(last)?;
    let draft = record.draft.as_ref()?;
    match verdict_of_loop(state) {
        Loop::Going => None,
        Loop::Passed => approve(state, draft),
        Loop::Exhausted => needs_input(state, last, record, draft),
    }
}

/// What no critic is needed for: a plan without steps, with unknown devices; or a critic that was skipped.
fn judge_formally(state: &State, number: u32, draft: &Draft) -> Option<Event> {
    let objections = super::validate::objections_to_draft(state, draft);
    let critique = if !objections.is_empty() {
        Critique {
            pass: false,
            confidence: 1.0,
            missing: objections,
            next_search: Vec::new(),
            risk_flags: Vec::new(),
        }
    } else if is_skipped(state, &Effect::Criticise { draft: number }) {
        Critique {
            pass: true,
            confidence: 0.0,
            missing: Vec::new(),
            next_search: Vec::new(),
            risk_flags: Vec::new(),
        }
    } else {
        return None;
    };
    Some(Event::PlanCriticised {
        draft: number,
        critique,
    })
}

fn approve(state: &State, draft: &Draft) -> Option<Event> {
    let scripts = draft.scripts().count();
    let runs_at_once = match state.options.plan_approval {
        PlanApproval::Automatic => true,
        PlanApproval::Scripts => scripts == 0,
        PlanApproval::Ask => false,
    };
    if runs_at_once {
        return Some(settle(state, draft));
    }
    let with = match scripts {
        0 => String::new(),
        1 => ", one a script".to_owned(),
        n => format!(", {n} of them scripts"),
    };
    let asked = state
        .dialogue
        .asked
        .iter()
        .rev()
        .find(|a| is_approval(state, &a.question.kind));
    match asked.map(|a| a.answer.as_ref().map(|(answer, ..)| answer)) {
        Some(None) => None,
        Some(Some(Answer::Approve)) => Some(settle(state, draft)),
        _ => {
            let version = next_version(state);
            Some(Event::QuestionAsked {
                question: Box::new(Question {
                    id: state.dialogue.next_id(),
                    kind: QuestionKind::PlanApproval { version },
                    text: format!(
                        "Run plan v{version} ({} steps{with})? {}",
                        draft.steps.len(),
                        draft.objective
                    ),
                    suggestions: Vec::new(),
                    lane: None,
                    step: None,
                    at: state.updated_at,
                }),
            })
        }
    }
}

/// All loops failed: the human decides.
fn needs_input(state: &State, number: u32, record: &DraftRecord, draft: &Draft) -> Option<Event> {
    let effect = Effect::Criticise { draft: number };
    if is_skipped(state, &effect) {
        return Some(settle(state, draft));
    }
    if state.ledger.failed.is_some() {
        return None;
    }
    let missing = record
        .critique
        .as_ref()
        .map(|c| c.missing.join("; "))
        .unwrap_or_default();
    let reason = format!(
        "no draft passed in {} loops; missing: {missing}",
        state.planning.loops()
    );
    Some(Event::EffectFailed { effect, reason })
}

/// The draft becomes a version: steps begun are kept, the others are replaced, new ones get numbers.
fn settle(state: &State, draft: &Draft) -> Event {
    let begun = |step: &&Step| {
        state
            .lanes_of(step)
            .iter()
            .any(|lane| state.run(*lane, step.id).is_some())
    };
    let kept: Vec<Step> = state
        .planning
        .current()
        .map(|p| p.steps.iter().filter(begun).cloned().collect())
        .unwrap_or_default();
    let mut number = state.planning.last_step_id();
    let fresh = draft.steps.iter().cloned().map(|mut step| {
        number += 1;
        step.id = StepId(number);
        if step.provenance.is_empty() {
            step.provenance.push(Provenance::Reasoner);
        }
        step
    });
    let steps = kept.into_iter().chain(fresh).collect();
    Event::PlanSettled {
        plan: Box::new(PlanVersion {
            version: next_version(state),
            reason: state
                .planning
                .revision
                .clone()
                .unwrap_or_else(|| draft.rationale.clone()),
            objective: draft.objective.clone(),
            runbook: draft.runbook.clone(),
            strategy: draft.strategy.clone(),
            steps,
            at: state.updated_at,
        }),
    }
}
