//! Whole sessions, and every prefix of one.

use super::*;

#[test]
fn a_plain_session_reaches_its_report() {
    let (state, events) = run_well(Options::default());
    assert_eq!(state.ending.outcome, Some(Outcome::Reported));
    assert_eq!(state.intake.targets, Some(vec!["xrd-1".into(), "xrd-2".into()]));
    assert_eq!(state.planning.versions.len(), 1);
    assert_eq!(
        state.evidence.len(),
        3,
        "the inventory and one result for each target"
    );
    assert_eq!(
        state.ending.prose.as_ref().unwrap().body,
        "all well [E1] ",
        "invented citations are removed"
    );
    let numbers: Vec<u64> = events.iter().map(|e| e.seq).collect();
    assert_eq!(numbers, (1..=events.len() as u64).collect::<Vec<_>>());
    assert_eq!(State::fold(&events), state);
}

#[test]
fn every_prefix_goes_on_to_the_same_report() {
    let (whole, events) = run_well(Options::default());
    for cut in 1..=events.len() {
        let mut state = State::fold(&events[..cut]);
        advance(&mut state, Input::Resume, at(0));
        for round in 0..1000 {
            let Some(effect) = outstanding(&state).into_iter().next() else {
                break;
            };
            let reply = answer(&state, &effect, 0);
            advance(&mut state, Input::Replied { effect, reply }, at(round));
        }
        assert_eq!(state.ending, whole.ending, "cut after event {cut}");
        assert_eq!(
            state.evidence.len(),
            whole.evidence.len(),
            "cut after event {cut}"
        );
    }
}

#[test]
fn a_plan_with_a_script_waits_when_scripts_must_be_seen() {
    // dice 5 makes the planner write a script, dice 0 a plain plan
    for (dice, scripts) in [(5, true), (0, false)] {
        let mut state = State::default();
        let options = Options {
            plan_approval: PlanApproval::Scripts,
            ..Options::default()
        };
        advance(&mut state, open(options), at(0));
        for round in 0..40 {
            let Some(effect) = outstanding(&state).into_iter().next() else {
                break;
            };
            if !state.open_questions().is_empty() || !state.planning.versions.is_empty() {
                break;
            }
            let dice = if matches!(effect, Effect::Plan { .. }) {
                dice
            } else {
                0
            };
            let reply = answer(&state, &effect, dice);
            advance(&mut state, Input::Replied { effect, reply }, at(round));
        }
        let asked: Vec<String> = state.open_questions().iter().map(|q| q.text.clone()).collect();
        if scripts {
            assert!(
                asked[0].starts_with("Run plan v1 (3 steps, one a script)?"),
                "{asked:?}"
            );
            assert!(state.execution.runs.is_empty(), "nothing runs unseen");
            let draft = state.planning.drafts.last().unwrap().draft.as_ref().unwrap();
            assert_eq!(draft.scripts().collect::<Vec<_>>(), [(2, "code", "get()")]);
        } else {
            assert!(
                asked.is_empty() && state.planning.versions.len() == 1,
                "{asked:?}"
            );
        }
    }
}

#[test]
fn an_empty_and_a_huge_query_are_refused() {
    for text in ["".to_owned(), " \n ".to_owned(), "x".repeat(100_000)] {
        let mut state = State::default();
        let query = Query {
            text,
            devices: vec![],
            runbook: None,
        };
        let decision = advance(
            &mut state,
            Input::Open {
                query,
                options: Options::default(),
            },
            at(0),
        );
        assert!(matches!(state.ending.outcome, Some(Outcome::Refused { .. })));
        assert_eq!(decision.effects, []);
    }
}

#[test]
fn an_unknown_device_is_refused_with_the_nearest_names() {
    let mut state = State::default();
    let query = Query {
        text: "look".into(),
        devices: vec!["xrd-11".into()],
        runbook: None,
    };
    advance(
        &mut state,
        Input::Open {
            query,
            options: Options::default(),
        },
        at(0),
    );
    for _ in 0..20 {
        let Some(effect) = outstanding(&state).into_iter().next() else {
            break;
        };
        let reply = answer(&state, &effect, 0);
        advance(&mut state, Input::Replied { effect, reply }, at(1));
    }
    let Some(Outcome::Refused { reason }) = &state.ending.outcome else {
        panic!("{:?}", state.ending)
    };
    assert!(
        reason.contains("\"xrd-11\"") && reason.contains("xrd-1, "),
        "{reason}"
    );
    assert_eq!(
        state.execution.calls.len(),
        1,
        "nothing but the inventory was read"
    );
}
