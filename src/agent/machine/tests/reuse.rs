//! A fresh answer that is known already: offered, used, or looked for anew.

use super::*;

fn incident(likeness: f64, age_ms: i64, devices: &[&str]) -> Incident {
    Incident {
        session: SessionId("s0".into()),
        query: "how are things".into(),
        summary: "xrd-1 is down.".into(),
        at: at(-age_ms),
        score: 9.0,
        likeness,
        devices: devices.iter().map(|d| (*d).into()).collect(),
        confirmed: true,
    }
}

fn options(fresh_answer: FreshAnswer) -> Options {
    Options {
        fresh_answer,
        fresh_seconds: 900,
        ..Options::default()
    }
}

/// Runs in a world that remembers `incident`, until a question is open or it is over.
fn run(options: Options, incident: &Incident, answers: &[Answer]) -> State {
    let mut state = State::default();
    let mut answers = answers.iter();
    advance(&mut state, open(options), at(0));
    for round in 0..300 {
        let waiting = state.open_questions().first().map(|q| q.id);
        let input = match (waiting, outstanding(&state).into_iter().next()) {
            (Some(question), _) => {
                let Some(answer) = answers.next().cloned() else {
                    break;
                };
                let by = Author::Human;
                Input::Answered { question, answer, by }
            }
            (None, Some(Effect::Recall)) => Input::Replied {
                effect: Effect::Recall,
                reply: Reply::Recalled {
                    incidents: vec![incident.clone()],
                    facts: vec![],
                },
            },
            (None, Some(effect)) => Input::Replied {
                reply: answer(&state, &effect, 0),
                effect,
            },
            (None, None) => break,
        };
        advance(&mut state, input, at(round));
    }
    state
}

const BOTH: [&str; 2] = ["xrd-2", "xrd-1"];

#[test]
fn the_human_is_shown_what_is_known_and_may_use_it() {
    let twin = incident(1.0, 300_000, &BOTH);
    let state = run(options(FreshAnswer::Ask), &twin, &[]);
    let question = state.open_questions()[0];
    assert_eq!(
        question.text,
        "Session s0 answered this 5 minutes ago: xrd-1 is down. Use that answer, or run anyway?"
    );
    let state = run(options(FreshAnswer::Ask), &twin, &[Answer::Approve]);
    assert_eq!(state.ending.outcome, Some(Outcome::Reported));
    assert_eq!(state.execution.calls.len(), 1, "only the inventory was read");
    let verdict = state.diagnosed.verdict.as_ref().unwrap();
    let citation = &verdict.causes[0].citations[0];
    let evidence = state.evidence(citation.evidence).unwrap();
    assert!(
        citation.holds(evidence),
        "the citation holds under its new number"
    );
    assert!(
        matches!(&evidence.origin, Origin::Session { session, evidence, .. }
        if session.0 == "s0" && *evidence == EvidenceId(5))
    );
    assert_eq!(verdict.causes[0].statement, "xrd-1 is down [E2].");
    let prose = state.ending.prose.unwrap();
    assert!(prose.headline.starts_with("Known for 5 minutes"), "{prose:?}");
    assert!(
        prose.body.contains("Nothing was read now. Session s0"),
        "{prose:?}"
    );
}

#[test]
fn it_runs_anyway_when_the_human_or_the_policy_says_so() {
    let twin = incident(1.0, 300_000, &BOTH);
    for (policy, answers) in [(FreshAnswer::Ask, vec![Answer::Skip]), (FreshAnswer::Run, vec![])] {
        let state = run(options(policy), &twin, &answers);
        assert_eq!(state.planning.versions.len(), 1, "{policy:?}");
        assert_eq!(state.dialogue.asked.len(), answers.len(), "{policy:?}");
        assert!(state.is_ended());
    }
    let state = run(options(FreshAnswer::Use), &twin, &[]);
    assert_eq!((state.planning.versions.len(), state.is_ended()), (0, true));
}

#[test]
fn what_is_old_or_about_something_else_is_no_answer() {
    let unconfirmed = Incident {
        confirmed: false,
        ..incident(1.0, 300_000, &BOTH)
    };
    for other in [
        incident(0.7, 300_000, &BOTH),
        incident(1.0, 901_000, &BOTH),
        incident(1.0, 300_000, &["xrd-1"]),
        unconfirmed,
    ] {
        let state = run(options(FreshAnswer::Use), &other, &[]);
        assert_eq!(state.planning.versions.len(), 1, "{other:?}");
    }
}

#[test]
fn an_answer_that_cannot_be_fetched_is_asked_about_and_skipping_runs() {
    let mut state = State::default();
    let twin = incident(1.0, 300_000, &BOTH);
    advance(&mut state, open(options(FreshAnswer::Use)), at(0));
    for round in 0..300 {
        let Some(effect) = outstanding(&state).into_iter().next() else {
            let Some(question) = state.open_questions().first().map(|q| q.id) else {
                break;
            };
            let (answer, by) = (Answer::Skip, Author::Human);
            advance(&mut state, Input::Answered { question, answer, by }, at(round));
            continue;
        };
        let input = match effect {
            Effect::Recall => Input::Replied {
                effect,
                reply: Reply::Recalled {
                    incidents: vec![twin.clone()],
                    facts: vec![],
                },
            },
            Effect::Reuse { .. } => Input::Failed {
                effect,
                reason: "deleted".into(),
            },
            effect => Input::Replied {
                reply: answer(&state, &effect, 0),
                effect,
            },
        };
        advance(&mut state, input, at(round));
    }
    assert_eq!((state.planning.versions.len(), state.is_ended()), (1, true));
    assert!(
        state.dialogue.asked[0]
            .question
            .text
            .contains("fetching the known answer: deleted")
    );
}
