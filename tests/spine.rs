//! Sessions on scripted ports: to the end, cut at every event, with slow listeners, with broken ports.

#![allow(clippy::unwrap_used, reason = "a test may: the panic is the message")]

#[path = "spine/broken.rs"]
mod broken;
#[path = "spine/others.rs"]
mod others;
#[path = "spine/questions.rs"]
mod questions;
#[path = "spine/secrets.rs"]
mod secrets;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Map, Value, json};

use noctui::agent::event::{Event, Recorded};
use noctui::agent::model::*;
use noctui::agent::ports::*;
use noctui::agent::state::{Asked, State};
use noctui::memory::Store;
use noctui::runtime::{Handle, Policy, Reaction, Signal, attend, open, resume};

struct Ticks(AtomicI64);

impl Clock for Ticks {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.fetch_add(1, Ordering::SeqCst))
    }
}

/// Looks at each target once, asks one question, writes what it saw.
struct Plain;

#[async_trait]
impl Reasoner for Plain {
    fn name(&self) -> String {
        "plain".into()
    }
    async fn read(&self, brief: Brief) -> Result<Reading, PortError> {
        let unclear = brief.state.dialogue.clarifications().is_empty();
        Ok(Reading {
            intent: Intent("general_device_health_check".into()),
            objective: "see".into(),
            result_requirement: "a verdict".into(),
            targets: if unclear {
                Targets::Unclear
            } else {
                Targets::Names(vec!["r1".into(), "r2".into()])
            },
            entities: Entities::default(),
            window: Window {
                from: Timestamp(0),
                until: Timestamp(1),
            },
            wants_change: false,
            unclear: vec![],
        })
    }
    async fn plan(&self, _: Brief, _: u32) -> Result<Draft, PortError> {
        let step = |title: &str, kind| Step {
            id: StepId(0),
            title: title.into(),
            instruction: title.into(),
            kind,
            scope: Scope::Targets,
            aspects: vec![],
            provenance: vec![Provenance::Reasoner],
        };
        Ok(Draft {
            objective: "see".into(),
            runbook: None,
            strategy: "conservative".into(),
            steps: vec![
                step("look", StepKind::Instruction),
                step("end", StepKind::Conclude),
            ],
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
    async fn act(&self, brief: Brief, lane: LaneId, _: StepId, turn: u32) -> Result<Action, PortError> {
        if turn > 0 {
            return Ok(Action::Finish {
                summary: "looked".into(),
            });
        }
        for _ in 0..2000 {
            brief.reporter.delta("executor", "looking");
        }
        let device = brief
            .state
            .lane_device(lane)
            .map(ToString::to_string)
            .unwrap_or_default();
        let arguments = Map::from_iter([("device_name".to_owned(), Value::from(device))]);
        Ok(Action::Call {
            calls: vec![Proposal {
                tool: "s.look".into(),
                arguments,
                why: "see".into(),
            }],
        })
    }
    async fn perceive(&self, brief: Brief, _: StepId) -> Result<Perception, PortError> {
        Ok(Perception {
            entities: Entities::default(),
            result_requirement: "a verdict".into(),
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
    async fn write(&self, brief: Brief) -> Result<Prose, PortError> {
        let seen: Vec<String> = brief.state.evidence.iter().map(|e| e.value.to_string()).collect();
        Ok(Prose {
            headline: "seen".into(),
            body: seen.join("\n"),
        })
    }
}

/// Counts how often each call is made; `r2` never answers.
#[derive(Default)]
struct Counting {
    made: Mutex<BTreeMap<CallId, usize>>,
}

#[async_trait]
impl Toolbox for Counting {
    async fn list(&self) -> Result<Vec<ToolSpec>, PortError> {
        let tool = |name: &str, purpose| ToolSpec {
            id: format!("s.{name}"),
            server: "s".into(),
            name: name.into(),
            description: String::new(),
            input_schema: Arc::new(json!({})),
            purpose,
            risk: Risk::ReadOnly,
        };
        Ok(vec![
            tool("devices", Purpose::Inventory),
            tool("look", Purpose::System),
        ])
    }
    async fn call(&self, call: &ToolCall, _: &dyn CallContext) -> CallOutcome {
        *self.made.lock().unwrap().entry(call.id).or_default() += 1;
        let now = Timestamp(1);
        if call.tool == "s.devices" {
            return CallOutcome::success(json!([{"name": "r1"}, {"name": "r2"}]), now, now);
        }
        if call.arguments["device_name"] == "r2" {
            let failure = CallFailure {
                kind: ErrorKind::Configuration,
                message: "no credentials".into(),
            };
            return CallOutcome::failed(failure, now, now);
        }
        CallOutcome::success(json!({"fine": true}), now, now)
    }
}

struct Nothing;

#[async_trait]
impl Corpus for Nothing {
    async fn search(&self, _: &[String], _: usize) -> Result<Vec<Passage>, PortError> {
        Ok(vec![])
    }
}

/// A journal whose power fails after so many events.
struct Cut {
    store: Arc<Store>,
    left: AtomicUsize,
}

impl Journal for Cut {
    fn append(&self, session: &SessionId, events: &[Recorded]) -> Result<(), PortError> {
        let left = self.left.load(Ordering::SeqCst);
        let kept = events.len().min(left);
        self.left.store(left - kept, Ordering::SeqCst);
        self.store.append(session, &events[..kept])?;
        if kept < events.len() {
            Err(PortError("power failed".into()))
        } else {
            Ok(())
        }
    }
    fn read(&self, session: &SessionId, after: u64) -> Result<Vec<Recorded>, PortError> {
        self.store.read(session, after)
    }
}

fn ports(journal: Arc<dyn Journal>, store: Arc<Store>, toolbox: Arc<Counting>) -> Ports {
    Ports {
        reasoner: Arc::new(Plain),
        toolbox,
        scripts: None,
        corpus: Arc::new(Nothing),
        recall: store,
        journal,
        clock: Arc::new(Ticks(AtomicI64::new(10))),
    }
}

fn query() -> Query {
    Query {
        text: "look at them".into(),
        devices: vec![],
        runbook: None,
    }
}

fn policy() -> Policy {
    Policy {
        answers: ["r1 and r2".to_owned()].into(),
        tool_failure: Reaction::Skip,
        ..Policy::default()
    }
}

fn id() -> SessionId {
    SessionId("s1".into())
}

async fn whole_run() -> (Arc<State>, Vec<Recorded>) {
    let store = Arc::new(Store::in_memory().unwrap());
    let handle = open(
        ports(store.clone(), store.clone(), Arc::default()),
        id(),
        query(),
        Options::default(),
    );
    let state = attend(&handle, policy()).await.unwrap();
    (state, store.read(&id(), 0).unwrap())
}

#[tokio::test]
async fn a_session_runs_to_its_report() {
    let (state, events) = whole_run().await;
    assert_eq!(state.ending.outcome, Some(Outcome::Reported));
    assert_eq!(state.dialogue.asked.len(), 2, "which devices, and what about r2");
    assert_eq!(state.unobserved().len(), 1);
    assert_eq!(State::fold(&events).ending, state.ending);
}

#[tokio::test]
async fn killed_at_every_event_it_resumes_to_the_same_report() {
    let (whole, events) = whole_run().await;
    for cut in 1..events.len() {
        let store = Arc::new(Store::in_memory().unwrap());
        let toolbox = Arc::new(Counting::default());
        let journal = Arc::new(Cut {
            store: store.clone(),
            left: AtomicUsize::new(cut),
        });
        let first = open(
            ports(journal, store.clone(), toolbox.clone()),
            id(),
            query(),
            Options::default(),
        );
        let _ = attend(&first, policy()).await;
        drop(first);
        let kept = store.read(&id(), 0).unwrap();
        assert_eq!(kept.len(), cut);
        let before = State::fold(&kept);
        let ended: Vec<CallId> = before
            .execution
            .calls
            .values()
            .filter(|c| !c.outcomes.is_empty())
            .map(|c| c.call.id)
            .collect();
        let made_before = toolbox.made.lock().unwrap().clone();

        let again = resume(ports(store.clone(), store.clone(), toolbox.clone()), id()).unwrap();
        let mut rest = policy();
        if before.dialogue.asked.iter().any(|a| a.answer.is_some()) {
            rest.answers.clear();
        }
        let state = attend(&again, rest).await.unwrap();
        assert_eq!(
            state.ending,
            whole.ending,
            "cut after {cut}: {:?}",
            kept[cut - 1].event
        );
        assert_eq!(
            state.dialogue.asked.len(),
            whole.dialogue.asked.len(),
            "cut after {cut}: a question asked again"
        );
        for call in ended {
            let made = toolbox.made.lock().unwrap()[&call];
            assert_eq!(
                made, made_before[&call],
                "cut after {cut}: {call} was answered and made again"
            );
        }
    }
}

#[tokio::test]
async fn a_slow_listener_misses_no_event() {
    let store = Arc::new(Store::in_memory().unwrap());
    let handle = open(
        ports(store.clone(), store.clone(), Arc::default()),
        id(),
        query(),
        Options::default(),
    );
    let mut slow = handle.subscribe(0);
    let _ = slow.next().await;
    attend(&handle, policy()).await.unwrap();
    let mut seen = vec![1];
    while let Some(signal) = slow.next().await {
        if let Signal::Event(recorded) = signal {
            seen.push(recorded.seq);
        }
    }
    let all: Vec<u64> = store.read(&id(), 0).unwrap().iter().map(|r| r.seq).collect();
    assert_eq!(seen, all);
}

#[tokio::test]
async fn unanswered_questions_leave_the_session_open() {
    let store = Arc::new(Store::in_memory().unwrap());
    let handle = open(
        ports(store.clone(), store.clone(), Arc::default()),
        id(),
        query(),
        Options::default(),
    );
    let state = attend(&handle, Policy::default()).await.unwrap();
    assert!(!state.is_ended());
    assert_eq!(state.open_questions().len(), 1);
    drop(handle);
    let again = resume(ports(store.clone(), store.clone(), Arc::default()), id()).unwrap();
    assert_eq!(
        attend(&again, policy()).await.unwrap().ending.outcome,
        Some(Outcome::Reported)
    );
}

#[tokio::test]
async fn pausing_starts_nothing_new() {
    let store = Arc::new(Store::in_memory().unwrap());
    let toolbox = Arc::new(Counting::default());
    let handle = open(
        ports(store.clone(), store, toolbox.clone()),
        id(),
        query(),
        Options::default(),
    );
    let state = handle.wait_for(|s| !s.open_questions().is_empty()).await.unwrap();
    handle.pause();
    handle.answer(
        state.open_questions()[0].id,
        Answer::Text { text: "r1".into() },
        Author::Human,
    );
    handle
        .wait_for(|s| s.dialogue.paused && s.open_questions().is_empty())
        .await
        .unwrap();
    tokio::task::yield_now().await;
    assert_eq!(toolbox.made.lock().unwrap().len(), 1, "only the inventory");
    handle.proceed();
    assert!(attend(&handle, policy()).await.unwrap().is_ended());
    let last = handle.subscribe(0).next().await;
    assert!(matches!(last, Some(Signal::Event(first)) if matches!(first.event, Event::SessionOpened { .. })));
}

#[test]
fn a_journal_of_the_first_version_opens() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.db");
    std::fs::copy("tests/fixtures/journal-1.db", &path).unwrap();
    let store = Store::open(&path).unwrap();
    let row = store.find_session("last").unwrap();
    let events = store.read(&row.id, 0).unwrap();
    assert_eq!(events.len(), 115);
    let unknown = events.iter().find(|r| matches!(r.event, Event::Unknown { .. }));
    assert!(unknown.is_none(), "{unknown:?}");
    let cached: Vec<bool> = events
        .iter()
        .filter_map(|r| match &r.event {
            Event::CallEnded { outcome, .. } => Some(outcome.cached),
            _ => None,
        })
        .collect();
    let mut figures: Vec<bool> = store
        .calls_of(&row.id)
        .unwrap()
        .iter()
        .map(|c| c.cached)
        .collect();
    figures.sort_unstable();
    let mut expected = cached;
    expected.sort_unstable();
    assert_eq!(
        figures, expected,
        "the figures of its calls were brought up to date"
    );
    let state = State::fold(&events);
    assert_eq!(state.ending.outcome, Some(Outcome::Reported));
    let verdict = state.diagnosed.verdict.unwrap();
    assert_eq!(
        verdict.causes[0].resource.to_string(),
        "session/xrd-1--100.100.100.107"
    );
}
