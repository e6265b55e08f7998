//! The machine: what follows from a state and an input. Total, clock-free, without I/O.
//!
//! A decision has two halves. `accept` records what an input says, if it still means anything; then `next`
//! draws conclusions one event at a time until nothing follows. What must be done in the world is not
//! remembered but derived: `outstanding` lists it for any state. So a state folded from any prefix of a
//! journal, cut wherever the power failed, goes on by itself.

mod accept;
mod assessment;
mod calls;
mod execution;
mod intake;
mod known;
mod planning;
mod reporting;
mod reuse;
#[cfg(test)]
mod tests;
mod validate;

pub use accept::MAX_QUERY_BYTES;

use super::effect::{Effect, Reply};
use super::event::{Event, Recorded};
use super::model::{
    Answer, Author, CallId, Finding, FindingId, Note, NoteSource, Options, Query, Question, QuestionId,
    QuestionKind, Steering, Timestamp, Usage,
};
use super::ports::Elicitation;
use super::state::{Phase, State};
use crate::diagnosis;
use calls::is_resolved;

/// What comes in from the world.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// Opens the session.
    Open {
        /// Query.
        query: Query,
        /// Options.
        options: Options,
    },
    /// An effect brought something back.
    Replied {
        /// The effect.
        effect: Effect,
        /// What it brought.
        reply: Reply,
    },
    /// An effect failed.
    Failed {
        /// The effect.
        effect: Effect,
        /// Why.
        reason: String,
    },
    /// A port noted something or counted a model call.
    Reported {
        /// Note.
        note: Option<Note>,
        /// Usage.
        usage: Option<Usage>,
    },
    /// A question was answered.
    Answered {
        /// Question.
        question: QuestionId,
        /// Answer.
        answer: Answer,
        /// Who.
        by: Author,
    },
    /// A tool server asks something in the middle of a call.
    Elicited {
        /// The call.
        call: CallId,
        /// What it asks.
        elicitation: Elicitation,
    },
    /// The human, or a budget, steers.
    Steered(Steering),
    /// Nothing came in: go on from a state just folded.
    Resume,
}

/// What follows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Decision {
    /// Events, in order, to be journaled together.
    pub events: Vec<Recorded>,
    /// Everything that is to be done or is being done; the driver starts what is new, stops what is gone.
    pub effects: Vec<Effect>,
}

/// The most events one input may cause; a bound no real session comes near.
const MAX_EVENTS: usize = 100_000;

/// Decides what follows from `input`, without touching `state`.
pub fn decide(state: &State, input: Input, at: Timestamp) -> Decision {
    advance(&mut state.clone(), input, at)
}

/// Like [`decide`], and folds the events into `state`.
pub fn advance(state: &mut State, input: Input, at: Timestamp) -> Decision {
    let mut events = Vec::new();
    for event in accept::accept(state, input) {
        record(state, &mut events, event, at);
    }
    while events.len() < MAX_EVENTS {
        let Some(event) = next(state) else { break };
        record(state, &mut events, event, at);
    }
    Decision {
        events,
        effects: outstanding(state),
    }
}

fn record(state: &mut State, events: &mut Vec<Recorded>, event: Event, at: Timestamp) {
    let recorded = Recorded {
        seq: state.seq + 1,
        at,
        event,
    };
    state.apply(&recorded);
    events.push(recorded);
}

/// The next conclusion, if any follows.
fn next(state: &State) -> Option<Event> {
    if state.query.is_none() || state.is_ended() {
        return None;
    }
    if let Some(event) = ask_about_failure(state) {
        return Some(event);
    }
    if let Some(evidence) = state.evidence.get(state.diagnosed.examined) {
        let found = diagnosis::examine(&state.diagnosed.network, Some(evidence), &state.focus());
        return Some(Event::FindingsAdded {
            call: evidence.origin.call(),
            findings: number_findings(state, found),
        });
    }
    if let Some(reason) = state
        .ledger
        .stopped
        .as_ref()
        .filter(|_| state.phase < Phase::Reporting)
    {
        return Some(reporting::stop(state, reason));
    }
    match state.phase {
        Phase::Intake => calls::next(state).or_else(|| intake::next(state)),
        Phase::Planning => calls::next(state).or_else(|| planning::next(state)),
        Phase::Execution => calls::next(state).or_else(|| execution::next(state)),
        Phase::Assessment => calls::next(state).or_else(|| assessment::next(state)),
        Phase::Reporting => reporting::next(state),
        Phase::Ended => None,
    }
}

/// What is to be done in the world in this state.
pub fn outstanding(state: &State) -> Vec<Effect> {
    if state.query.is_none() || state.is_ended() {
        return Vec::new();
    }
    let mut effects = match state.phase {
        Phase::Intake => intake::effects(state),
        Phase::Planning => planning::effects(state),
        Phase::Execution => execution::effects(state),
        Phase::Assessment => assessment::effects(state),
        Phase::Reporting => reporting::effects(state),
        Phase::Ended => Vec::new(),
    };
    if state.phase < Phase::Reporting {
        effects.extend(calls::running(state));
    }
    if let Some((failed, _)) = &state.ledger.failed {
        effects.retain(|effect| effect != failed);
    }
    effects
}

/// A failed effect becomes a question, once.
fn ask_about_failure(state: &State) -> Option<Event> {
    let (effect, reason) = state.ledger.failed.as_ref()?;
    if state.phase >= Phase::Reporting || state.ledger.stopped.is_some() {
        return None;
    }
    let waiting = state
        .open_questions()
        .iter()
        .any(|q| matches!(&q.kind, QuestionKind::StepFailure { effect: e, .. } if e == effect));
    if waiting {
        return None;
    }
    let (lane, step) = match effect {
        Effect::Act { lane, step, .. } | Effect::Script { lane, step, .. } => (Some(*lane), Some(*step)),
        Effect::Perceive { step } => (None, Some(*step)),
        _ => (None, None),
    };
    Some(Event::QuestionAsked {
        question: Box::new(Question {
            id: state.dialogue.next_id(),
            kind: QuestionKind::StepFailure {
                effect: effect.clone(),
                reason: reason.clone(),
            },
            text: format!("{}: {reason}", activity(effect)),
            suggestions: Vec::new(),
            lane,
            step,
            at: state.updated_at,
        }),
    })
}

/// What an effect does, for people.
pub fn activity(effect: &Effect) -> &'static str {
    match effect {
        Effect::ListTools => "listing tools",
        Effect::Read { .. } => "reading the query",
        Effect::Recall => "looking for similar incidents",
        Effect::Search { .. } => "searching the handbook",
        Effect::Plan { .. } => "planning",
        Effect::Criticise { .. } => "criticising the plan",
        Effect::Act { .. } => "choosing checks",
        Effect::Script { .. } => "running a script",
        Effect::Call { .. } => "calling a tool",
        Effect::Perceive { .. } => "taking stock",
        Effect::Assess { .. } => "assessing",
        Effect::Write => "writing the report",
        Effect::Remember => "remembering the incident",
        Effect::Reuse { .. } => "fetching the known answer",
    }
}

/// True when the human chose to go on without this effect.
fn is_skipped(state: &State, effect: &Effect) -> bool {
    state.dialogue.asked.iter().any(|asked| {
        matches!(&asked.question.kind, QuestionKind::StepFailure { effect: e, .. } if e == effect)
            && matches!(asked.answer, Some((Answer::Skip, ..)))
    })
}

/// Drops findings that are known already and numbers the others.
fn number_findings(state: &State, found: Vec<Finding>) -> Vec<Finding> {
    let mut fresh: Vec<Finding> = Vec::new();
    for finding in found {
        let same = |f: &Finding| {
            f.detector == finding.detector && f.resource == finding.resource && f.fault == finding.fault
        };
        if !state.diagnosed.findings.iter().any(same) && !fresh.iter().any(same) {
            let number = state.diagnosed.findings.len() + fresh.len() + 1;
            fresh.push(Finding {
                id: FindingId(u32::try_from(number).unwrap_or(u32::MAX)),
                ..finding
            });
        }
    }
    fresh
}

/// True when detectors and ranking have been over all evidence.
fn is_diagnosed(state: &State) -> bool {
    let (diagnosed, all) = (&state.diagnosed, state.evidence.len());
    diagnosed.compared >= all && diagnosed.ranked_evidence == Some(all)
}

/// Comparison findings and the ranking, when there is news since the last time.
fn diagnose(state: &State) -> Option<Event> {
    let diagnosed = &state.diagnosed;
    if diagnosed.compared < state.evidence.len() {
        let found = diagnosis::examine(&diagnosed.network, None, &state.focus());
        return Some(Event::FindingsAdded {
            call: None,
            findings: number_findings(state, found),
        });
    }
    if diagnosed.ranked_evidence != Some(state.evidence.len()) {
        let ranked = diagnosis::rank(&diagnosed.network, &diagnosed.findings, &state.focus());
        return Some(Event::HypothesesRanked {
            hypotheses: number_hypotheses(state, ranked),
        });
    }
    None
}

fn number_hypotheses(state: &State, ranked: Vec<super::model::Hypothesis>) -> Vec<super::model::Hypothesis> {
    let known = &state.diagnosed.hypotheses;
    let mut highest = known
        .iter()
        .map(|h| h.id.0)
        .max()
        .unwrap_or(0)
        .max(state.diagnosed.last_hypothesis);
    let number = |mut hypothesis: super::model::Hypothesis| {
        let same = known
            .iter()
            .find(|k| k.resource == hypothesis.resource && k.fault == hypothesis.fault);
        hypothesis.id = same.map_or_else(
            || {
                highest += 1;
                super::model::HypothesisId(highest)
            },
            |k| k.id,
        );
        hypothesis
    };
    let mut hypotheses: Vec<super::model::Hypothesis> = ranked.into_iter().map(number).collect();
    known::set_aside(state, &mut hypotheses);
    hypotheses
}

fn note(state: &State, text: String) -> Event {
    Event::Noted {
        note: Some(Note {
            source: NoteSource::Machine,
            text,
            at: state.updated_at,
        }),
        usage: None,
    }
}
