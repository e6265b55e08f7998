//! The machine under a scripted world: whole sessions, failures, approvals, steering, and chance.

mod approvals;
mod chance;
mod failures;
mod reuse;
mod sessions;
mod steering;

use serde_json::{Map, json};

use super::{Input, advance, outstanding};
use crate::agent::effect::{Effect, Reply};
use crate::agent::event::Recorded;
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
        Effect::Reuse { session } => Reply::Known(Box::new(known(session))),
    }
}

/// A confirmed answer of an earlier session that cites its E5.
fn known(session: &SessionId) -> KnownAnswer {
    let cause = Cause {
        resource: "node/xrd-1".parse().unwrap(),
        fault: "node_down".parse().unwrap(),
        confidence: Confidence::Confirmed,
        statement: "xrd-1 is down [E5].".into(),
        citations: vec![Citation {
            evidence: EvidenceId(5),
            pointer: "/down".into(),
            claim: Claim::Equals(json!(true)),
        }],
        consequences: vec![FindingId(1)],
        suggested_change: None,
    };
    KnownAnswer {
        session: session.clone(),
        at: at(-300_000),
        headline: "xrd-1 is down.".into(),
        verdict: Verdict {
            anomaly: true,
            confidence: Confidence::Confirmed,
            causes: vec![cause],
            unexplained: vec![],
            ruled_out: vec![],
            unobserved: vec![],
            remarks: vec![],
            would_change: vec![],
        },
        evidence: vec![Evidence {
            id: EvidenceId(5),
            origin: Origin::Tool {
                call: CallId(9),
                tool: "lab.get_system_info".into(),
                arguments: json!({}),
            },
            devices: vec!["xrd-1".into()],
            at: at(-300_000),
            window: None,
            value: std::sync::Arc::new(json!({"down": true})),
            truncated: false,
        }],
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
