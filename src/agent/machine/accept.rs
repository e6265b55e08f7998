//! What an input says, if it still means anything. A reply nobody waits for is dropped.

use super::{Input, execution, note, outstanding, reporting, reuse, validate};
use crate::agent::effect::{Effect, Reply};
use crate::agent::event::Event;
use crate::agent::model::{
    Answer, Author, CallId, Grant, Outcome, Query, Question, QuestionId, QuestionKind, Steering,
};
use crate::agent::ports::Elicitation;
use crate::agent::state::{Phase, State};
use crate::redaction::{redact_json, redact_text};

/// Longest query that is taken in, bytes of UTF-8.
pub const MAX_QUERY_BYTES: usize = 16 * 1024;

pub(super) fn accept(state: &State, input: Input) -> Vec<Event> {
    match input {
        Input::Open { query, options } if state.query.is_none() => {
            let refusal = refuse(&query);
            let query = Query {
                text: redact_text(&query.text).into_owned(),
                ..query
            };
            let mut events = vec![Event::SessionOpened { query, options }];
            events.extend(refusal.map(|reason| Event::SessionEnded {
                outcome: Outcome::Refused { reason },
            }));
            events
        }
        Input::Open { .. } | Input::Resume => Vec::new(),
        _ if state.query.is_none() || state.is_ended() => Vec::new(),
        Input::Replied { effect, reply } => {
            if outstanding(state).contains(&effect) {
                accept_reply(state, effect, reply)
            } else {
                Vec::new()
            }
        }
        Input::Failed { effect, reason } => {
            if outstanding(state).contains(&effect) {
                accept_failure(state, effect, reason)
            } else {
                Vec::new()
            }
        }
        Input::Reported { note, usage } => vec![Event::Noted { note, usage }],
        Input::Answered { question, answer, by } => accept_answer(state, question, answer, by),
        Input::Elicited { call, elicitation } => accept_elicitation(state, call, elicitation),
        Input::Steered(steering) => accept_steering(state, steering),
    }
}

/// An answer that fits its question; an "always" also answers the other questions that it covers.
fn accept_answer(state: &State, question: QuestionId, answer: Answer, by: Author) -> Vec<Event> {
    let open = state.open_questions();
    let Some(asked) = open.iter().find(|q| q.id == question && q.kind.accepts(&answer)) else {
        return Vec::new();
    };
    let answer = without_secrets(&asked.kind, answer);
    let mut also = Vec::new();
    if let Answer::Always { grant } = &answer {
        if !is_covered(state, asked, grant) {
            return Vec::new();
        }
        let others = open.iter().filter(|q| q.id != question);
        also.extend(others.filter(|q| is_covered(state, q, grant)).map(|q| q.id));
    }
    let also = also.into_iter().map(|question| Event::QuestionAnswered {
        question,
        answer: Answer::Approve,
        by: Author::Policy,
    });
    std::iter::once(Event::QuestionAnswered { question, answer, by })
        .chain(also)
        .collect()
}

/// What a person types or pastes passes the redaction like everything that comes in: it goes to models, screens
/// and reports. An answer to a server goes to that server as it is, and arguments to their tool.
fn without_secrets(kind: &QuestionKind, answer: Answer) -> Answer {
    match answer {
        answer if matches!(kind, QuestionKind::Elicitation { .. }) => answer,
        Answer::Text { text } => Answer::Text {
            text: redact_text(&text).into_owned(),
        },
        Answer::Supply { mut value } => {
            redact_json(&mut value);
            Answer::Supply { value }
        }
        answer => answer,
    }
}

/// Whether a question asks to approve a call that the grant covers.
fn is_covered(state: &State, question: &Question, grant: &Grant) -> bool {
    let QuestionKind::Approval { call } = &question.kind else {
        return false;
    };
    state
        .execution
        .call(*call)
        .is_some_and(|record| grant.covers(&record.call.tool, &record.call.arguments))
}

/// A server's question is asked once a call, however often the call is made again after a crash.
fn accept_elicitation(state: &State, call: CallId, elicitation: Elicitation) -> Vec<Event> {
    let asked = state.dialogue.asked.iter().any(|asked| {
        matches!(&asked.question.kind, QuestionKind::Elicitation { call: c, .. } if *c == call)
            && asked.question.text == elicitation.message
    });
    let Some(record) = state
        .execution
        .call(call)
        .filter(|_| !asked && state.phase < Phase::Reporting)
    else {
        return Vec::new();
    };
    let kind = QuestionKind::Elicitation {
        call,
        server: elicitation.server,
        schema: elicitation.schema,
    };
    vec![Event::QuestionAsked {
        question: Box::new(Question {
            id: state.dialogue.next_id(),
            kind,
            text: elicitation.message,
            suggestions: Vec::new(),
            lane: record.call.lane,
            step: record.call.step,
            at: state.updated_at,
        }),
    }]
}

fn accept_steering(state: &State, steering: Steering) -> Vec<Event> {
    let too_late = state.phase >= Phase::Reporting;
    match steering {
        Steering::Words { .. } | Steering::Stop { .. } if too_late => Vec::new(),
        Steering::Stop { .. } if state.ledger.stopped.is_some() => Vec::new(),
        Steering::Words { ref words } if words.trim().is_empty() => Vec::new(),
        Steering::Withdraw { question } if !state.dialogue.grants().any(|(id, _)| id == question) => {
            Vec::new()
        }
        Steering::Pause if state.dialogue.paused => Vec::new(),
        Steering::Resume if !state.dialogue.paused => Vec::new(),
        Steering::Stop { ref reason } => vec![note(state, reason.clone()), Event::Steered { steering }],
        Steering::Words { words } => vec![Event::Steered {
            steering: Steering::Words {
                words: redact_text(&words).into_owned(),
            },
        }],
        other => vec![Event::Steered { steering: other }],
    }
}

fn refuse(query: &Query) -> Option<String> {
    if query.text.trim().is_empty() {
        return Some(
            "the query is empty - say what hurts, for example: check BGP neighbors on xrd-1".to_owned(),
        );
    }
    if query.text.len() > MAX_QUERY_BYTES {
        return Some(format!(
            "the query has {} kB, more than {} - put logs into a file and say in a sentence what hurts",
            query.text.len() / 1024,
            MAX_QUERY_BYTES / 1024
        ));
    }
    None
}

fn accept_reply(state: &State, effect: Effect, reply: Reply) -> Vec<Event> {
    match (effect, reply) {
        (Effect::ListTools, Reply::Tools(tools)) => vec![Event::ToolsListed { tools }],
        (Effect::Read { .. }, Reply::Reading(reading)) => vec![Event::QueryRead { reading }],
        (Effect::Recall, Reply::Recalled { incidents, facts }) => {
            vec![Event::IncidentsRecalled { incidents, facts }]
        }
        (Effect::Search { draft }, Reply::Passages(mut passages)) => {
            // Notes of one's own may hold what must not reach a model.
            for passage in &mut passages {
                passage.text = redact_text(&passage.text).into_owned();
            }
            vec![Event::PassagesFound { draft, passages }]
        }
        (Effect::Plan { draft }, Reply::Draft(plan)) => vec![Event::PlanDrafted { draft, plan }],
        (Effect::Criticise { draft }, Reply::Critique(critique)) => {
            vec![Event::PlanCriticised { draft, critique }]
        }
        (Effect::Act { lane, step, turn } | Effect::Script { lane, step, turn }, Reply::Action(action)) => {
            execution::accept_action(state, lane, step, turn, action)
        }
        (Effect::Call { call, attempt }, Reply::Outcome(outcome)) => {
            vec![Event::CallEnded {
                call,
                attempt,
                outcome,
            }]
        }
        (Effect::Perceive { step }, Reply::Perception(perception)) => {
            vec![Event::Perceived { step, perception }]
        }
        (Effect::Assess { attempt }, Reply::Assessment(assessment)) => {
            vec![Event::Assessed {
                attempt,
                assessment: Box::new(assessment),
            }]
        }
        (Effect::Write, Reply::Prose(mut prose)) => {
            let removed = validate::strip_citations(state, &mut prose);
            let told = (removed > 0)
                .then(|| note(state, format!("{removed} citations of unknown evidence removed")));
            told.into_iter().chain([Event::ReportWritten { prose }]).collect()
        }
        (Effect::Remember, Reply::Remembered) => vec![reporting::end(state)],
        (Effect::Reuse { .. }, Reply::Known(known)) => reuse::take_over(state, *known),
        (effect, reply) => {
            let reason = format!("an answer of the wrong kind came back ({})", reply_name(&reply));
            accept_failure(state, effect, reason)
        }
    }
}

fn reply_name(reply: &Reply) -> &'static str {
    match reply {
        Reply::Tools(_) => "tools",
        Reply::Reading(_) => "reading",
        Reply::Recalled { .. } => "incidents",
        Reply::Passages(_) => "passages",
        Reply::Draft(_) => "draft",
        Reply::Critique(_) => "critique",
        Reply::Action(_) => "action",
        Reply::Outcome(_) => "outcome",
        Reply::Perception(_) => "perception",
        Reply::Assessment(_) => "assessment",
        Reply::Prose(_) => "prose",
        Reply::Remembered => "remembered",
        Reply::Known(_) => "known answer",
    }
}

fn accept_failure(state: &State, effect: Effect, reason: String) -> Vec<Event> {
    match effect {
        Effect::Recall => {
            vec![
                note(state, format!("past incidents could not be read: {reason}")),
                Event::IncidentsRecalled {
                    incidents: Vec::new(),
                    facts: Vec::new(),
                },
            ]
        }
        Effect::Search { draft } => vec![
            note(state, format!("the handbook could not be searched: {reason}")),
            Event::PassagesFound {
                draft,
                passages: Vec::new(),
            },
        ],
        Effect::Write | Effect::Remember => reporting::accept_failure(state, &effect, &reason),
        Effect::Call { .. } => Vec::new(),
        effect => vec![Event::EffectFailed { effect, reason }],
    }
}
