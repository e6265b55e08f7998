//! An answer that is already known and fresh may end a session early: by choice of the human, or by policy.
//!
//! Only a reported session that confirmed every cause it named counts, with nearly the same words about the same
//! devices. Its verdict is taken over with the evidence it cites, and the report says so: nothing was read now.
//! A session that ended so is not remembered, or an answer would stay fresh for ever.

use std::collections::{BTreeMap, BTreeSet};

use super::{is_skipped, note};
use crate::agent::effect::Effect;
use crate::agent::event::Event;
use crate::agent::model::{
    Answer, Cause, Citation, Evidence, EvidenceId, FreshAnswer, Incident, KnownAnswer, Origin, Outcome,
    Prose, Question, QuestionKind, SessionId, Statement, Verdict,
};
use crate::agent::state::{Phase, State};

/// How alike two questions must be, 0..1.
const ALIKE: f64 = 0.8;

/// What becomes of a known answer.
pub(super) enum Choice {
    /// Nothing is known, or it is not wanted.
    Run,
    /// The human is to be asked.
    Ask(Box<Question>),
    /// The human was asked.
    Waiting,
    /// It is the answer.
    Use(SessionId),
}

/// What becomes of a known answer, once targets and incidents are known.
pub(super) fn choice(state: &State) -> Choice {
    let Some(incident) = fresh(state) else {
        return Choice::Run;
    };
    let session = incident.session.clone();
    let effect = Effect::Reuse {
        session: session.clone(),
    };
    if is_skipped(state, &effect) {
        return Choice::Run;
    }
    if state.options.fresh_answer == FreshAnswer::Use {
        return Choice::Use(session);
    }
    let asked = state
        .dialogue
        .asked
        .iter()
        .find(|asked| matches!(asked.question.kind, QuestionKind::KnownAnswer { .. }));
    match asked.map(|asked| asked.answer.as_ref().map(|(answer, ..)| answer)) {
        None => Choice::Ask(Box::new(question(state, incident))),
        Some(None) => Choice::Waiting,
        Some(Some(Answer::Approve)) => Choice::Use(session),
        Some(Some(_)) => Choice::Run,
    }
}

/// The effect that fetches the answer, when it is wanted.
pub(super) fn effect(state: &State) -> Option<Effect> {
    if state.intake.targets.is_none() || state.intake.incidents.is_none() {
        return None;
    }
    match choice(state) {
        Choice::Use(session) => Some(Effect::Reuse { session }),
        Choice::Run | Choice::Ask(_) | Choice::Waiting => None,
    }
}

/// The incident whose answer would do.
fn fresh(state: &State) -> Option<&Incident> {
    if state.options.fresh_answer == FreshAnswer::Run || state.options.without_memory {
        return None;
    }
    let targets: BTreeSet<_> = state.intake.targets.as_ref()?.iter().collect();
    let oldest = i64::from(state.options.fresh_seconds) * 1000;
    state.intake.incidents.iter().flatten().find(|incident| {
        let age = state.opened_at.since_ms(incident.at);
        incident.confirmed
            && incident.likeness >= ALIKE
            && (0..=oldest).contains(&age)
            && incident.devices.iter().collect::<BTreeSet<_>>() == targets
    })
}

fn question(state: &State, incident: &Incident) -> Question {
    Question {
        id: state.dialogue.next_id(),
        kind: QuestionKind::KnownAnswer {
            session: incident.session.clone(),
        },
        text: format!(
            "Session {} answered this {} ago: {} Use that answer, or run anyway?",
            incident.session,
            ago(state.opened_at.since_ms(incident.at)),
            sentence(&incident.summary)
        ),
        suggestions: Vec::new(),
        lane: None,
        step: None,
        at: state.updated_at,
    }
}

fn ago(ms: i64) -> String {
    match ms / 60_000 {
        0 => "less than a minute".to_owned(),
        1 => "1 minute".to_owned(),
        minutes => format!("{minutes} minutes"),
    }
}

fn sentence(text: &str) -> String {
    let text = text.trim();
    let dot = if text.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{text}{dot}")
}

/// Ends the session with the answer of the other one.
pub(super) fn take_over(state: &State, known: KnownAnswer) -> Vec<Event> {
    let numbers: BTreeMap<EvidenceId, EvidenceId> = known
        .evidence
        .iter()
        .zip(state.evidence.len() + 1..)
        .map(|(evidence, number)| {
            let number = u32::try_from(number).unwrap_or(u32::MAX);
            (evidence.id, EvidenceId(number))
        })
        .collect();
    let prose = prose(state, &known, &numbers);
    let evidence = known
        .evidence
        .into_iter()
        .map(|evidence| adopt(&known.session, evidence, &numbers))
        .collect();
    let verdict = renumbered(known.verdict, &known.session, &numbers);
    vec![
        note(state, format!("the answer of session {} was used", known.session)),
        Event::PhaseEntered {
            phase: Phase::Reporting,
        },
        Event::VerdictReached {
            verdict: Box::new(verdict),
            known: evidence,
        },
        Event::ReportWritten { prose },
        Event::SessionEnded {
            outcome: Outcome::Reported,
        },
    ]
}

fn adopt(session: &SessionId, evidence: Evidence, numbers: &BTreeMap<EvidenceId, EvidenceId>) -> Evidence {
    Evidence {
        id: numbers.get(&evidence.id).copied().unwrap_or(evidence.id),
        origin: Origin::Session {
            session: session.clone(),
            evidence: evidence.id,
            tool: evidence.origin.tool().to_owned(),
        },
        ..evidence
    }
}

/// The verdict with this session's numbers in citations and marks. Findings stayed in the other session.
fn renumbered(verdict: Verdict, session: &SessionId, numbers: &BTreeMap<EvidenceId, EvidenceId>) -> Verdict {
    let texts = |list: Vec<String>| list.iter().map(|text| marks(text, numbers)).collect();
    let places = |citations: Vec<Citation>| -> Vec<Citation> {
        let known = citations.into_iter().filter_map(|citation| {
            let evidence = *numbers.get(&citation.evidence)?;
            Some(Citation { evidence, ..citation })
        });
        known.collect()
    };
    let statements = |list: Vec<Statement>| -> Vec<Statement> {
        let said = list.into_iter().map(|statement| Statement {
            text: marks(&statement.text, numbers),
            citations: places(statement.citations),
        });
        said.collect()
    };
    let cause = |cause: Cause| Cause {
        statement: marks(&cause.statement, numbers),
        citations: places(cause.citations),
        consequences: Vec::new(),
        ..cause
    };
    let mut remarks = statements(verdict.remarks);
    remarks.insert(
        0,
        format!("nothing was read now: this is the verdict of session {session}").into(),
    );
    Verdict {
        causes: verdict.causes.into_iter().map(cause).collect(),
        unexplained: statements(verdict.unexplained),
        ruled_out: statements(verdict.ruled_out),
        remarks,
        would_change: texts(verdict.would_change),
        ..verdict
    }
}

/// `[E7]` marks with this session's numbers; a mark of evidence that was not taken over is dropped.
fn marks(text: &str, numbers: &BTreeMap<EvidenceId, EvidenceId>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("[E") {
        out.push_str(before);
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        let number = after[..digits]
            .parse()
            .ok()
            .filter(|_| after[digits..].starts_with(']'));
        rest = match number {
            Some(number) => {
                if let Some(new) = numbers.get(&EvidenceId(number)) {
                    out.push_str(&format!("[{new}]"));
                }
                &after[digits + 1..]
            }
            None => {
                out.push_str("[E");
                after
            }
        };
    }
    out.push_str(rest);
    out
}

fn prose(state: &State, known: &KnownAnswer, numbers: &BTreeMap<EvidenceId, EvidenceId>) -> Prose {
    let session = &known.session;
    let age = ago(state.opened_at.since_ms(known.at));
    let mut body = format!(
        "Nothing was read now. Session {session} answered the same question about the same devices {age} ago, and \
         this report stands on the evidence it read then.\n\n"
    );
    for cause in &known.verdict.causes {
        let cited: Vec<String> = cause
            .citations
            .iter()
            .filter_map(|citation| Some(format!("[{}]", numbers.get(&citation.evidence)?)))
            .collect();
        body.push_str(&format!(
            "- **{}** {} {}\n",
            cause.confidence,
            marks(&cause.statement, numbers),
            cited.join(" ")
        ));
    }
    body.push_str(&format!(
        "\n`noctui sessions show {session}` shows that session whole; `--set memory.fresh_answer=run` looks anew.\n"
    ));
    Prose {
        headline: format!("Known for {age}: {}", known.headline),
        body,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_get_the_new_numbers() {
        let numbers = BTreeMap::from([(EvidenceId(6), EvidenceId(2)), (EvidenceId(60), EvidenceId(3))]);
        assert_eq!(
            marks("it answers [E6][E60], not [E7] or [Ex] [E", &numbers),
            "it answers [E2][E3], not  or [Ex] [E"
        );
    }
}
