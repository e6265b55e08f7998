//! The machine under a scripted world: a plain session, every prefix of it, and random ones.

use proptest::prelude::*;
use serde_json::{Map, json};

use super::{Input, advance, outstanding};
use crate::agent::effect::{Effect, Reply};
use crate::agent::event::{Event, Recorded};
use crate::agent::model::*;
use crate::agent::state::{Phase, State};

fn at(ms: i64) -> Timestamp {
    Timestamp(1_000_000 + ms)
}

fn tool(name: &str, purpose: Purpose) -> ToolSpec {
    ToolSpec {
        id: format!("lab.{name}"),
        server: "lab".into(),
        name: name.into(),
        description: String::new(),
        input_schema: std::sync::Arc::new(json!({"properties": {"device_name": {"type": "string"}}})),
        purpose,
        risk: Risk::ReadOnly,
    }
}

fn step(title: &str, kind: StepKind, scope: Scope) -> Step {
    Step {
        id: StepId(0),
        title: title.into(),
        instruction: "look".into(),
        kind,
        scope,
        aspects: vec![],
        provenance: vec![],
    }
}

fn call_of(device: &str) -> Action {
    let mut arguments = Map::new();
    arguments.insert("device_name".into(), device.into());
    Action::Call {
        calls: vec![Proposal {
            tool: "lab.get_system_info".into(),
            arguments,
            why: "see".into(),
        }],
    }
}

fn outcome(value: serde_json::Value) -> Reply {
    Reply::Outcome(Box::new(CallOutcome::success(value, at(0), at(1))))
}

fn failure(kind: ErrorKind) -> Reply {
    let failure = CallFailure {
        kind,
        message: "no answer".into(),
    };
    Reply::Outcome(Box::new(CallOutcome::failed(failure, at(0), at(1))))
}

/// A world that answers every effect well. `dice` makes it answer otherwise.
fn answer(state: &State, effect: &Effect, dice: u8) -> Reply {
    match effect {
        Effect::ListTools => Reply::Tools(vec![
            tool("get_devices", Purpose::Inventory),
            tool("get_system_info", Purpose::System),
            tool("get_device_profile_api", Purpose::Profile),
        ]),
        Effect::Read { round } => Reply::Reading(Box::new(Reading {
            intent: Intent("general_device_health_check".into()),
            objective: "find out".into(),
            result_requirement: "a verdict".into(),
            targets: match (dice % 5, round) {
                (1, 0) => Targets::Unclear,
                (2, _) => Targets::Roles(vec![Role::Pe]),
                (3, _) => Targets::Patterns(vec!["xrd-*".into()]),
                _ => Targets::Names(vec!["xrd-1".into(), "xrd-2".into()]),
            },
            entities: Entities::default(),
            window: Window {
                from: at(-60_000),
                until: at(0),
            },
            wants_change: false,
            unclear: if dice % 7 == 6 {
                vec!["which VRF?".into(), "since when?".into()]
            } else {
                vec![]
            },
        })),
        Effect::Recall => Reply::Recalled {
            incidents: vec![],
            facts: vec![],
        },
        Effect::Search { .. } => Reply::Passages(vec![]),
        Effect::Plan { .. } => {
            let mut steps = vec![step("look", StepKind::Instruction, Scope::Targets)];
            match dice % 6 {
                1 => steps.push(step("all", StepKind::Instruction, Scope::Network)),
                2 => steps.push(step(
                    "unsure",
                    StepKind::Nop {
                        question: "really?".into(),
                    },
                    Scope::Network,
                )),
                3 => steps.clear(),
                4 => steps.push(step(
                    "x",
                    StepKind::Instruction,
                    Scope::Devices(vec!["nobody".into()]),
                )),
                5 => steps.push(step(
                    "code",
                    StepKind::Code {
                        source: "get()".into(),
                    },
                    Scope::Targets,
                )),
                _ => {}
            }
            steps.push(step("done", StepKind::Conclude, Scope::Network));
            Reply::Draft(Box::new(Draft {
                objective: "find out".into(),
                runbook: None,
                strategy: "conservative".into(),
                steps,
                rationale: "first".into(),
            }))
        }
        Effect::Criticise { .. } => Reply::Critique(Critique {
            pass: !dice.is_multiple_of(3) || dice == 0,
            confidence: 0.9,
            missing: vec!["logs".into()],
            next_search: vec!["bgp notification".into()],
            risk_flags: vec![],
        }),
        Effect::Act { lane, turn, .. } | Effect::Script { lane, turn, .. } => {
            Reply::Action(match (turn, dice % 9) {
                (_, 7) => call_of("nobody"),
                (_, 8) => Action::Ask {
                    question: "what now?".into(),
                },
                (_, 6) => Action::GiveUp {
                    limitation: "no tool shows it".into(),
                },
                (0, _) => call_of(state.lane_device(*lane).map_or("xrd-1", DeviceName::as_str)),
                _ => Action::Finish {
                    summary: "seen".into(),
                },
            })
        }
        Effect::Call { call, .. } => {
            let first = state.intake.inventory_call == Some(*call) && state.intake.devices.is_none();
            match dice % 8 {
                _ if first => {
                    outcome(json!({"devices": [{"name": "xrd-1"}, {"name": "xrd-2"}, {"name": "xrd-3"}]}))
                }
                5 => failure(ErrorKind::Network),
                6 => failure(ErrorKind::InvalidParameter),
                7 => failure(ErrorKind::NeedsApproval),
                _ => outcome(json!({"status": "success", "data": {"profile": {"role": "PE"}}})),
            }
        }
        Effect::Perceive { .. } => Reply::Perception(Box::new(Perception {
            entities: Entities::default(),
            result_requirement: "a verdict".into(),
            original_goal: Goal {
                achieved: dice % 11 == 10,
                reasoning: String::new(),
            },
            local_goal: Goal {
                achieved: true,
                reasoning: String::new(),
            },
            last_tool: None,
            solution_summary: String::new(),
            confidence: 0.5,
            human_input: None,
            replan: (dice % 13 == 12).then(|| "something new".into()),
            at: state.updated_at,
        })),
        Effect::Assess { .. } => Reply::Assessment(Assessment {
            objective_met: true,
            reasoning: String::new(),
            confidence: 0.9,
            tool_limitations: vec![],
            notes_for_report: vec![],
            next: if dice % 4 == 3 {
                Next::Retry {
                    feedback: "look closer".into(),
                }
            } else {
                Next::Report
            },
        }),
        Effect::Write => Reply::Prose(Prose {
            headline: "fine".into(),
            body: "all well [E1] [E999]".into(),
        }),
        Effect::Remember => Reply::Remembered,
    }
}

fn open(options: Options) -> Input {
    let query = Query {
        text: "how are things".into(),
        devices: vec![],
        runbook: None,
    };
    Input::Open { query, options }
}

fn run_well(options: Options) -> (State, Vec<Recorded>) {
    let mut state = State::default();
    let mut events = advance(&mut state, open(options), at(0)).events;
    for round in 0..1000 {
        let Some(effect) = outstanding(&state).into_iter().next() else {
            break;
        };
        let reply = answer(&state, &effect, 0);
        events.extend(advance(&mut state, Input::Replied { effect, reply }, at(round)).events);
    }
    (state, events)
}

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

/// Runs until execution's first call and fails it.
fn fail_first_call(kind: ErrorKind) -> State {
    let mut state = State::default();
    advance(&mut state, open(Options::default()), at(0));
    for _ in 0..200 {
        let effects = outstanding(&state);
        let Some(effect) = effects.into_iter().next() else {
            break;
        };
        let is_call = matches!(effect, Effect::Call { .. }) && state.phase == Phase::Execution;
        let reply = if is_call {
            failure(kind)
        } else {
            answer(&state, &effect, 0)
        };
        advance(&mut state, Input::Replied { effect, reply }, at(1));
        if !state.open_questions().is_empty() {
            break;
        }
    }
    state
}

#[test]
fn a_transient_failure_is_tried_again_before_the_human_is_asked() {
    let state = fail_first_call(ErrorKind::Network);
    let question = state.open_questions()[0].clone();
    let QuestionKind::ToolFailure { call, .. } = question.kind else {
        panic!("{question:?}")
    };
    assert_eq!(state.execution.call(call).unwrap().outcomes.len(), 2);
}

#[test]
fn a_lasting_failure_is_asked_at_once_and_skipping_it_is_told() {
    let mut state = fail_first_call(ErrorKind::InvalidParameter);
    let id = state.open_questions()[0].id;
    let answer_it = Input::Answered {
        question: id,
        answer: Answer::Skip,
        by: Author::Human,
    };
    advance(&mut state, answer_it.clone(), at(2));
    assert!(state.unobserved().iter().any(|u| u.device.as_str() == "xrd-1"));
    let before = state.seq;
    advance(&mut state, answer_it, at(3));
    assert_eq!(
        state.seq, before,
        "the second answer to the same question changes nothing"
    );
}

#[test]
fn a_pasted_result_is_evidence_of_the_human() {
    let mut state = fail_first_call(ErrorKind::InvalidParameter);
    let id = state.open_questions()[0].id;
    let answer = Answer::Supply {
        value: json!("BGP is up, I looked"),
    };
    advance(
        &mut state,
        Input::Answered {
            question: id,
            answer,
            by: Author::Human,
        },
        at(2),
    );
    assert!(matches!(
        state.evidence.last().unwrap().origin,
        Origin::Human { .. }
    ));
    assert!(state.unobserved().is_empty());
}

#[test]
fn edited_arguments_make_another_call() {
    let mut state = fail_first_call(ErrorKind::InvalidParameter);
    let id = state.open_questions()[0].id;
    let mut arguments = Map::new();
    arguments.insert("device_name".into(), "xrd-3".into());
    let answer = Answer::EditArguments {
        arguments: arguments.clone(),
    };
    advance(
        &mut state,
        Input::Answered {
            question: id,
            answer,
            by: Author::Human,
        },
        at(2),
    );
    let last = state.execution.calls.values().next_back().unwrap();
    assert_eq!(
        (last.call.arguments.clone(), last.call.follows.is_some()),
        (arguments, true)
    );
}

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
    match kind % 9 {
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
        Move::Steer(kind) => Input::Steered(match kind % 5 {
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
