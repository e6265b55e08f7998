//! A tool that writes, in whole sessions on a real server: not listed, asked about, declined, allowed, allowed always.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use async_trait::async_trait;
use noctui::agent::model::*;
use noctui::agent::ports::*;
use noctui::agent::state::{CallRecord, State};
use noctui::memory::Store;
use noctui::runtime::{Handle, open, resume};
use noctui::tools::guard::Profile;
use noctui::tools::{GuardOptions, McpToolbox};
use serde_json::json;

use crate::bench::{object, toolbox};

/// Wants to write the same line in every turn, then another one, then gives up.
struct Writer;

#[async_trait]
impl Reasoner for Writer {
    fn name(&self) -> String {
        "writer".into()
    }
    async fn read(&self, brief: Brief) -> Result<Reading, PortError> {
        Ok(Reading {
            intent: Intent("general_device_health_check".into()),
            objective: "write".into(),
            result_requirement: "a line".into(),
            targets: Targets::All,
            entities: Entities::default(),
            window: Window {
                from: brief.now,
                until: brief.now,
            },
            wants_change: true,
            unclear: vec![],
        })
    }
    async fn plan(&self, _: Brief, _: u32) -> Result<Draft, PortError> {
        let step = |title: &str| Step {
            id: StepId(0),
            title: title.into(),
            instruction: title.into(),
            kind: StepKind::Instruction,
            scope: Scope::Network,
            aspects: vec![],
            provenance: vec![],
        };
        Ok(Draft {
            objective: "write".into(),
            runbook: None,
            strategy: "bold".into(),
            steps: vec![step("write"), step("write again")],
            rationale: "first".into(),
        })
    }
    async fn criticise(&self, _: Brief, _: u32) -> Result<Critique, PortError> {
        Ok(Critique {
            pass: true,
            confidence: 1.0,
            missing: vec![],
            next_search: vec![],
            risk_flags: vec![],
        })
    }
    async fn act(&self, _: Brief, _: LaneId, step: StepId, turn: u32) -> Result<Action, PortError> {
        let line = match (step.0, turn) {
            (_, 0) => "description x",
            (2, 1) => "description y",
            _ => {
                return Ok(Action::Finish {
                    summary: "written".into(),
                });
            }
        };
        Ok(Action::Call {
            calls: vec![Proposal {
                tool: "srv.set_config".into(),
                arguments: object(json!({"line": line})),
                why: "the customer wants it".into(),
            }],
        })
    }
    async fn perceive(&self, brief: Brief, _: StepId) -> Result<Perception, PortError> {
        Ok(Perception {
            entities: Entities::default(),
            result_requirement: "a line".into(),
            original_goal: Goal::default(),
            local_goal: Goal::default(),
            last_tool: None,
            solution_summary: String::new(),
            confidence: 0.5,
            human_input: None,
            replan: None,
            at: brief.now,
        })
    }
    async fn assess(&self, _: Brief) -> Result<Assessment, PortError> {
        Ok(Assessment {
            objective_met: true,
            reasoning: String::new(),
            confidence: 1.0,
            tool_limitations: vec![],
            notes_for_report: vec![],
            next: Next::Report,
        })
    }
    async fn write(&self, _: Brief) -> Result<Prose, PortError> {
        Ok(Prose {
            headline: "done".into(),
            body: String::new(),
        })
    }
}

struct Nothing;

#[async_trait]
impl Corpus for Nothing {
    async fn search(&self, _: &[String], _: usize) -> Result<Vec<Passage>, PortError> {
        Ok(vec![])
    }
}

struct Wall;

impl Clock for Wall {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        Timestamp(i64::try_from(since.as_millis()).unwrap())
    }
}

struct Bench {
    toolbox: Arc<McpToolbox>,
    store: Arc<Store>,
}

impl Bench {
    async fn new(profile: Profile) -> Self {
        let options = GuardOptions {
            profile,
            ..GuardOptions::default()
        };
        Self {
            toolbox: Arc::new(toolbox("good", options).await),
            store: Arc::new(Store::in_memory().unwrap()),
        }
    }

    fn ports(&self) -> Ports {
        Ports {
            reasoner: Arc::new(Writer),
            toolbox: self.toolbox.clone(),
            scripts: None,
            corpus: Arc::new(Nothing),
            recall: self.store.clone(),
            journal: self.store.clone(),
            clock: Arc::new(Wall),
        }
    }

    fn open(&self) -> Handle {
        let query = Query {
            text: "write a description on xrd-1".into(),
            devices: vec![],
            runbook: None,
        };
        open(self.ports(), id(), query, Options::default())
    }

    /// The lines that reached the server.
    fn written(state: &State) -> Vec<String> {
        let calls = state.execution.calls.values();
        let answered = |c: &CallRecord| c.outcome().is_some_and(|o| o.failure.is_none());
        let made = calls.filter(|c| c.call.tool == "srv.set_config" && answered(c));
        made.map(|c| c.call.arguments["line"].as_str().unwrap().to_owned())
            .collect()
    }
}

fn id() -> SessionId {
    SessionId("s1".into())
}

async fn asked(handle: &Handle) -> Question {
    let state = handle.wait_for(|s| !s.open_questions().is_empty()).await.unwrap();
    assert!(!state.is_ended(), "nobody was asked: {:?}", state.ledger.notes);
    state.open_questions()[0].clone()
}

#[tokio::test]
async fn in_read_only_the_reasoner_does_not_even_see_it() {
    let bench = Bench::new(Profile::ReadOnly).await;
    let handle = bench.open();
    let question = asked(&handle).await;
    let state = handle.state();
    let listed: Vec<&str> = state
        .intake
        .tools
        .iter()
        .flatten()
        .map(|t| t.name.as_str())
        .collect();
    assert!(
        listed.contains(&"get_echo") && !listed.contains(&"set_config"),
        "{listed:?}"
    );
    // It proposes what it was never offered: refused, told, and after the second time the human hears of it.
    assert!(
        matches!(question.kind, QuestionKind::StepFailure { .. }),
        "{question:?}"
    );
    assert!(
        question.text.contains("there is no tool \"srv.set_config\""),
        "{question:?}"
    );
    handle.answer(question.id, Answer::Stop, Author::Human);
    let state = handle.ended().await.unwrap();
    assert_eq!(Bench::written(&state), [""; 0]);
    bench.toolbox.hub().close().await;
}

#[tokio::test]
async fn a_decline_is_remembered_and_a_yes_is_for_this_call_only() {
    let bench = Bench::new(Profile::All).await;
    let handle = bench.open();
    let question = asked(&handle).await;
    assert_eq!(
        question.text,
        "Allow this call? srv.set_config {\"line\":\"description x\"}"
    );
    handle.answer(question.id, Answer::Decline, Author::Human);
    // The second step wants the same line, hears that it was declined, and goes on to the other line.
    let closed = |s: &State| s.open_questions().iter().any(|q| q.id != question.id);
    let state = handle.wait_for(closed).await.unwrap();
    let second = state.open_questions()[0].clone();
    assert!(
        second.text.ends_with("{\"line\":\"description y\"}"),
        "{second:?}"
    );
    handle.answer(second.id, Answer::Approve, Author::Human);
    let state = handle.ended().await.unwrap();
    assert_eq!(Bench::written(&state), ["description y"]);
    assert_eq!(state.dialogue.asked.len(), 2);
    let made = state.execution.calls.values().next_back().unwrap();
    assert!(
        made.outcome()
            .unwrap()
            .trace
            .0
            .contains(&"approval by the operator".to_owned())
    );
    bench.toolbox.hub().close().await;
}

#[tokio::test]
async fn an_always_holds_within_its_scope_after_a_resume_too() {
    let bench = Bench::new(Profile::All).await;
    let handle = bench.open();
    let question = asked(&handle).await;
    let QuestionKind::Approval { call } = question.kind else {
        panic!("{question:?}")
    };
    let call = handle.state().execution.call(call).unwrap().call.clone();
    // Nothing of what follows is done before the process is gone.
    handle.pause();
    let grant = Grant::for_call(&call, "{\"line\":\"description *\"}");
    handle.answer(question.id, Answer::Always { grant }, Author::Human);
    handle.wait_for(|s| s.open_questions().is_empty()).await.unwrap();
    drop(handle);

    let handle = resume(bench.ports(), id()).unwrap();
    handle.proceed();
    let state = handle.ended().await.unwrap();
    assert_eq!(
        Bench::written(&state),
        ["description x", "description x", "description y"]
    );
    assert_eq!(
        state.dialogue.asked.len(),
        1,
        "nothing within the scope was asked again"
    );
    let last = state.execution.calls.values().next_back().unwrap();
    assert!(
        last.outcome()
            .unwrap()
            .trace
            .0
            .contains(&"approval by the \"always\" of Q1".to_owned())
    );
    bench.toolbox.hub().close().await;
}
