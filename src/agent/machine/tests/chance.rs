//! Random sessions: nothing panics, nothing gets stuck, everything reads back.

use proptest::prelude::*;

use super::*;
use crate::agent::event::Event;

#[derive(Debug, Clone)]
enum Move {
    Reply { pick: u8, dice: u8 },
    Wrong { pick: u8, dice: u8 },
    Fail { pick: u8 },
    Answer { pick: u8, kind: u8 },
    Steer(u8),
    Reopen,
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let one = prop_oneof![
        12 => (any::<u8>(), any::<u8>()).prop_map(|(pick, dice)| Move::Reply { pick, dice }),
        1 => (any::<u8>(), any::<u8>()).prop_map(|(pick, dice)| Move::Wrong { pick, dice }),
        1 => any::<u8>().prop_map(|pick| Move::Fail { pick }),
        4 => (any::<u8>(), any::<u8>()).prop_map(|(pick, kind)| Move::Answer { pick, kind }),
        1 => any::<u8>().prop_map(Move::Steer),
        1 => Just(Move::Reopen),
    ];
    prop::collection::vec(one, 1..120)
}

fn pick_of<T: Clone>(items: &[T], pick: u8) -> Option<T> {
    items.get(usize::from(pick) % items.len().max(1)).cloned()
}

fn random_answer(kind: u8) -> Answer {
    match kind % 10 {
        0 => Answer::Retry,
        1 => Answer::Skip,
        2 => Answer::Text { text: "xrd-1".into() },
        3 => Answer::EditArguments {
            arguments: Map::new(),
        },
        4 => Answer::Supply {
            value: json!({"status": "success"}),
        },
        5 => Answer::Approve,
        6 => Answer::Decline,
        7 => Answer::Replan,
        8 => Answer::Always {
            grant: Grant {
                tool: "lab.get_system_info".into(),
                arguments: ArgumentScope::Like("*".into()),
            },
        },
        _ => {
            if kind > 230 {
                Answer::Stop
            } else {
                Answer::Skip
            }
        }
    }
}

fn input_for(state: &State, step: &Move) -> Option<Input> {
    let effects = outstanding(state);
    Some(match step {
        Move::Reply { pick, dice } => {
            let effect = pick_of(&effects, *pick)?;
            let reply = answer(state, &effect, *dice);
            Input::Replied { effect, reply }
        }
        Move::Wrong { pick, dice } => {
            let effect = pick_of(&effects, *pick)?;
            let other = [
                Effect::ListTools,
                Effect::Write,
                Effect::Plan { draft: 0 },
                Effect::Remember,
            ];
            let reply = answer(state, &pick_of(&other, *dice)?, *dice);
            Input::Replied { effect, reply }
        }
        Move::Fail { pick } => {
            let effect = pick_of(&effects, *pick).filter(|e| !matches!(e, Effect::Call { .. }))?;
            Input::Failed {
                effect,
                reason: "the port fell over".into(),
            }
        }
        Move::Answer { pick, kind } => {
            let questions: Vec<QuestionId> = state.open_questions().iter().map(|q| q.id).collect();
            let question = pick_of(&questions, *pick)?;
            Input::Answered {
                question,
                answer: random_answer(*kind),
                by: Author::Human,
            }
        }
        Move::Steer(kind) => Input::Steered(match kind % 6 {
            5 => Steering::Withdraw {
                question: QuestionId(u32::from(*kind) / 20),
            },
            0 => Steering::Pause,
            1 | 2 => Steering::Resume,
            3 => Steering::Words {
                words: "look at xrd-3".into(),
            },
            _ if *kind > 200 => Steering::Stop {
                reason: "enough".into(),
            },
            _ => Steering::Words { words: " ".into() },
        }),
        Move::Reopen => open(Options::default()),
    })
}

fn assert_alive(state: &State) {
    let alive = state.is_ended() || !outstanding(state).is_empty() || !state.open_questions().is_empty();
    assert!(alive, "stuck in {:?}: nothing to do, nobody to ask", state.phase);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_it_neither_panics_nor_gets_stuck(steps in moves(), ask in any::<bool>()) {
        let plan_approval = if ask { PlanApproval::Ask } else { PlanApproval::Automatic };
        let mut state = State::default();
        let mut events = advance(&mut state, open(Options { plan_approval, ..Options::default() }), at(0)).events;
        assert_alive(&state);
        for (ms, step) in steps.iter().enumerate() {
            let Some(input) = input_for(&state, step) else { continue };
            events.extend(advance(&mut state, input, at(ms as i64)).events);
            assert_alive(&state);
        }
        prop_assert_eq!(&State::fold(&events), &state);
        // Cut anywhere, it is alive once it has drawn its conclusions.
        let cut = steps.len() * 7919 % events.len() + 1;
        let mut resumed = State::fold(&events[..cut]);
        advance(&mut resumed, Input::Resume, at(0));
        assert_alive(&resumed);
        // From wherever it is, a well-behaved world and a human who skips bring it to its end.
        for round in 0..2000 {
            if state.is_ended() { break; }
            let input = match (outstanding(&state).into_iter().next(), state.open_questions().first()) {
                (Some(effect), _) => { let reply = answer(&state, &effect, 0); Input::Replied { effect, reply } }
                (None, Some(question)) => {
                    let answer = [Answer::Skip, Answer::Approve, Answer::Decline, Answer::Stop]
                        .into_iter().find(|a| question.kind.accepts(a)).unwrap();
                    Input::Answered { question: question.id, answer, by: Author::Human }
                }
                (None, None) => break,
            };
            advance(&mut state, input, at(10_000 + round));
        }
        prop_assert!(state.is_ended(), "not ended: {:?}, open {:?}", state.phase, state.open_questions());
    }

    #[test]
    fn events_read_back_from_disk(steps in moves()) {
        let mut state = State::default();
        let mut events = advance(&mut state, open(Options::default()), at(0)).events;
        for step in &steps {
            let Some(input) = input_for(&state, step) else { continue };
            events.extend(advance(&mut state, input, at(1)).events);
        }
        for recorded in events {
            let (tag, body) = recorded.event.to_stored().unwrap();
            let back = Event::from_stored(&tag, serde_json::from_str(&body.to_string()).unwrap());
            prop_assert_eq!(back, recorded.event);
        }
    }
}
