//! Words, pause and stop at any time.

use super::*;

#[test]
fn stopping_reports_what_is_known() {
    let mut state = fail_first_call(ErrorKind::InvalidParameter);
    advance(&mut state, Input::stop(), at(2));
    assert_eq!(state.phase, Phase::Reporting);
    assert!(state.diagnosed.verdict.is_some());
    assert!(state.open_questions().is_empty());
}

#[test]
fn what_a_stop_came_before_is_unobserved_and_not_healthy() {
    let mut state = State::default();
    advance(&mut state, open(Options::default()), at(0));
    while state.phase == Phase::Intake {
        let effect = outstanding(&state).into_iter().next().unwrap();
        let reply = answer(&state, &effect, 0);
        advance(&mut state, Input::Replied { effect, reply }, at(1));
    }
    advance(&mut state, Input::stop(), at(2));
    let verdict = state.diagnosed.verdict.unwrap();
    let unobserved: Vec<&str> = verdict.unobserved.iter().map(|u| u.device.as_str()).collect();
    assert_eq!(unobserved, ["xrd-1", "xrd-2"]);
    assert_eq!(
        (verdict.anomaly, verdict.confidence),
        (false, Confidence::Inconclusive)
    );
    assert!(
        run_well(Options::default())
            .0
            .diagnosed
            .verdict
            .unwrap()
            .unobserved
            .is_empty()
    );
}

#[test]
fn steering_makes_a_new_version() {
    let mut state = fail_first_call(ErrorKind::InvalidParameter);
    let words = Steering::Words {
        words: "look at xrd-3 too".into(),
    };
    advance(&mut state, Input::Steered(words), at(2));
    assert_eq!(state.phase, Phase::Planning);
    let id = state.open_questions()[0].id;
    advance(
        &mut state,
        Input::Answered {
            question: id,
            answer: Answer::Skip,
            by: Author::Human,
        },
        at(3),
    );
    for round in 0..300 {
        let Some(effect) = outstanding(&state).into_iter().next() else {
            break;
        };
        let reply = answer(&state, &effect, 0);
        advance(&mut state, Input::Replied { effect, reply }, at(4 + round));
    }
    assert_eq!(state.planning.versions.len(), 2);
    assert!(state.planning.versions[1].reason.contains("look at xrd-3 too"));
    assert!(state.is_ended());
}

/// Says something when `when` first holds, then lets everything go well; how many plan versions there are.
fn steered_when(when: impl Fn(&State) -> bool) -> (usize, bool) {
    let mut state = State::default();
    advance(&mut state, open(Options::default()), at(0));
    let mut said = false;
    for round in 0..600 {
        if !said && when(&state) {
            said = true;
            let words = "look at xrd-3 too".to_owned();
            advance(&mut state, Input::Steered(Steering::Words { words }), at(round));
        }
        let Some(effect) = outstanding(&state).into_iter().next() else {
            break;
        };
        let reply = answer(&state, &effect, 0);
        advance(&mut state, Input::Replied { effect, reply }, at(round));
    }
    assert!(said && state.is_ended());
    let heard = state.dialogue.steering_seen == state.dialogue.steering.len();
    (state.planning.versions.len(), heard)
}

#[test]
fn words_are_heard_in_every_phase() {
    let drafting = |s: &State| {
        outstanding(s)
            .iter()
            .any(|effect| matches!(effect, Effect::Plan { .. }))
    };
    let judging = |s: &State| {
        outstanding(s)
            .iter()
            .any(|effect| matches!(effect, Effect::Criticise { .. }))
    };
    for (name, versions, phase) in [
        (
            "intake",
            1,
            (|s: &State| s.phase == Phase::Intake) as fn(&State) -> bool,
        ),
        ("drafting", 2, drafting),
        ("judging", 2, judging),
        ("execution", 2, |s| s.phase == Phase::Execution),
        ("assessment", 2, |s| s.phase == Phase::Assessment),
    ] {
        assert_eq!(steered_when(phase), (versions, true), "{name}");
    }
}

#[test]
fn a_pause_is_an_event_and_saying_it_twice_changes_nothing() {
    let mut state = State::default();
    advance(&mut state, open(Options::default()), at(0));
    let say = |state: &mut State, steering| advance(state, Input::Steered(steering), at(1)).events.len();
    assert_eq!(say(&mut state, Steering::Resume), 0);
    assert_eq!(say(&mut state, Steering::Pause), 1);
    assert_eq!(say(&mut state, Steering::Pause), 0);
    assert!(state.dialogue.paused && !state.is_ended());
    assert_eq!(say(&mut state, Steering::Resume), 1);
    assert!(!state.dialogue.paused);
}
