//! Scripts in the real sandbox: what they can do, what they can't, and how each excess ends.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use noctui::agent::{
    event::{Event, Recorded},
    model::{
        Action, CallId, CallOutcome, Device, LaneId, Note, PlanVersion, Provenance, Purpose, Query, Risk,
        Scope, Step, StepId, StepKind, Timestamp, ToolCall, ToolSpec, Usage,
    },
    ports::{Brief, Reporter, ScriptRunner},
    state::{State, Turn},
};
use noctui::reason::script::{Call, Ended, Limits, Reply, Sandbox, Script, Scripts};
use serde_json::json;

fn sandbox(limits: Limits) -> Sandbox {
    Sandbox::new(env!("CARGO_BIN_EXE_noctui").into(), limits)
}

fn script(source: &str) -> Script {
    Script {
        source: source.into(),
        device: Some("xrd-1".into()),
        targets: vec!["xrd-1".into(), "xrd-2".into()],
    }
}

/// Answers `interfaces` with two rows and refuses everything else.
fn answer(call: &Call) -> Option<Reply> {
    Some(match call.tool.as_str() {
        "lab.interfaces" => {
            let device = call.arguments["device_name"].as_str().unwrap();
            Reply::Value(
                json!([{"name": format!("{device}:a"), "up": true}, {"name": format!("{device}:b"), "up": false}]),
            )
        }
        other => Reply::Error(format!("there is no tool {other:?}")),
    })
}

async fn run(source: &str) -> Ended {
    sandbox(Limits::default()).run(&script(source), answer).await
}

async fn output(source: &str) -> String {
    match run(source).await {
        Ended::Done { output } => output,
        other => panic!("{source}: {other:?}"),
    }
}

async fn failure(source: &str) -> String {
    match run(source).await {
        Ended::Failed { reason } => reason,
        other => panic!("{source}: {other:?}"),
    }
}

#[tokio::test]
async fn a_script_calls_tools_and_says_what_it_found() {
    let source = "
down = []
for d in targets:
    for i in call(\"lab.interfaces\", device_name = d):
        if not i[\"up\"]:
            down.append(i[\"name\"])
emit(f\"{len(down)} down\")
print(sum([1, 2]), round(2.5), round(1.256, 2), device)
down
";
    assert_eq!(
        output(source).await,
        "2 down\n3 3 1.26 xrd-1\n[\"xrd-1:b\",\"xrd-2:b\"]\n"
    );
}

#[tokio::test]
async fn a_failing_tool_ends_the_script_unless_it_is_tried() {
    assert!(
        failure("call(\"lab.reload\")")
            .await
            .contains("there is no tool \"lab.reload\"")
    );
    let tried = "r = try_call(\"lab.reload\")\nemit(r[\"error\"] if not r[\"ok\"] else \"?\")";
    assert_eq!(output(tried).await, "there is no tool \"lab.reload\"\n");
    let all =
        "[r[\"ok\"] for r in call_all([(\"lab.interfaces\", {\"device_name\": \"xrd-1\"}), (\"x.y\", {})])]";
    assert_eq!(output(all).await, "[true,false]\n");
}

#[tokio::test]
async fn a_call_without_an_answer_ends_the_run_until_it_has_one() {
    let source =
        "a = call(\"lab.a\")\nb = call_all([(\"lab.b\", {}), (\"lab.c\", {}), (\"lab.b\", {})])\nemit(a)";
    let asked = AtomicUsize::new(0);
    let first_only = |call: &Call| {
        asked.fetch_add(1, Ordering::SeqCst);
        (call.tool == "lab.a").then(|| Reply::Value(json!(1)))
    };
    let Ended::Waits { calls } = sandbox(Limits::default()).run(&script(source), first_only).await else {
        panic!()
    };
    let tools: Vec<&str> = calls.iter().map(|c| c.tool.as_str()).collect();
    assert_eq!(tools, ["lab.b", "lab.c"]);
    assert_eq!(asked.load(Ordering::SeqCst), 4);
}

#[tokio::test]
async fn what_the_language_must_not_have_is_refused() {
    for (source, says) in [
        ("import os", "import"),
        ("load(\"x.star\", \"y\")", "load"),
        ("while True:\n    pass", "while"),
        ("open(\"/etc/passwd\")", "open"),
        ("def f(:", "f"),
        ("eval(\"1\")", "eval"),
        ("def f(n):\n    return f(n + 1)\nf(0)", "f"),
    ] {
        let reason = failure(source).await;
        assert!(reason.contains(says), "{source}: {reason}");
    }
}

#[tokio::test]
async fn every_excess_ends_quickly_and_says_so() {
    for source in [
        "x = 0\nfor i in range(1000000000):\n    x += i",
        "y = len(list(range(100000000)))",
        "x = \"a\" * 2000000000\nlen(x)",
        "x = [1]\nfor i in range(60):\n    x = x + x",
        "sorted(range(30000000))[0]",
        "emit(\"x\" * 1000000)",
        "for i in range(200):\n    try_call(\"lab.interfaces\", device_name = \"xrd-1\", n = i)",
        "call(\"lab.a\", text = \"x\" * 2000000)",
        &format!("x = {}1{}", "(".repeat(20_000), ")".repeat(20_000)),
        &"#".repeat(100_000),
    ] {
        let started = Instant::now();
        let reason = failure(source).await;
        let shown: String = source.chars().take(60).collect();
        assert!(!reason.is_empty() && reason.len() < 1_000, "{shown}: {reason}");
        assert!(
            started.elapsed() < Duration::from_secs(9),
            "{shown}: {:?}",
            started.elapsed()
        );
    }
}

#[tokio::test]
async fn a_program_that_is_no_sandbox_is_a_failed_script() {
    for (program, says) in [
        ("/nonexistent", ["could not be started"; 2]),
        // It may be gone before its nonsense is read.
        ("/bin/echo", ["nonsense", "limit"]),
        ("/bin/true", ["limit"; 2]),
    ] {
        let ended = Sandbox::new(program.into(), Limits::default())
            .run(&script("1"), answer)
            .await;
        let Ended::Failed { reason } = ended else {
            panic!("{ended:?}")
        };
        assert!(
            says.iter().any(|words| reason.contains(words)),
            "{program}: {reason}"
        );
    }
}

struct Silent;

impl Reporter for Silent {
    fn delta(&self, _: &str, _: &str) {}
    fn note(&self, _: Note) {}
    fn usage(&self, _: Usage) {}
    fn progress(&self, _: Option<f64>, _: &str) {}
}

const AT: Timestamp = Timestamp(1);

fn session(source: &str) -> State {
    let mut state = State::default();
    let recorded = |event| Recorded {
        seq: 1,
        at: AT,
        event,
    };
    let query = Query {
        text: "q".into(),
        devices: vec![],
        runbook: None,
    };
    let tool = ToolSpec {
        id: "lab.interfaces".into(),
        server: "lab".into(),
        name: "interfaces".into(),
        description: String::new(),
        input_schema: Arc::new(
            json!({"type": "object", "properties": {"device_name": {"type": "string"}},
                                      "required": ["device_name"], "additionalProperties": false}),
        ),
        purpose: Purpose::Interfaces,
        risk: Risk::ReadOnly,
    };
    let device = Device {
        name: "xrd-1".into(),
        address: None,
        nos: None,
        role: None,
    };
    let step = Step {
        id: StepId(1),
        title: "t".into(),
        instruction: "i".into(),
        kind: StepKind::Code {
            source: source.into(),
        },
        scope: Scope::Targets,
        aspects: vec![],
        provenance: vec![Provenance::Reasoner],
    };
    let plan = PlanVersion {
        version: 1,
        reason: String::new(),
        objective: String::new(),
        runbook: None,
        strategy: String::new(),
        steps: vec![step],
        at: AT,
    };
    for event in [
        Event::SessionOpened {
            query,
            options: Default::default(),
        },
        Event::ToolsListed { tools: vec![tool] },
        Event::DevicesListed {
            devices: vec![device],
        },
        Event::TargetsResolved {
            targets: vec!["xrd-1".into()],
        },
        Event::PlanSettled { plan: Box::new(plan) },
        Event::StepStarted {
            lane: LaneId(1),
            step: StepId(1),
        },
    ] {
        state.apply(&recorded(event));
    }
    state
}

async fn turn(state: &State) -> Action {
    let scripts = Scripts::new(env!("CARGO_BIN_EXE_noctui").into(), Limits::default());
    let brief = Brief {
        state: Arc::new(state.clone()),
        now: AT,
        reporter: Arc::new(Silent),
    };
    scripts.run(brief, LaneId(1), StepId(1)).await.unwrap()
}

#[tokio::test]
async fn a_code_step_goes_from_call_to_result_through_the_state() {
    let mut state = session("rows = call(\"lab.interfaces\", device_name = device)\nemit(rows[0][\"name\"])");
    let Action::Call { calls } = turn(&state).await else {
        panic!()
    };
    assert_eq!((calls.len(), calls[0].tool.as_str()), (1, "lab.interfaces"));

    let (lane, step, id) = (LaneId(1), StepId(1), CallId(1));
    let call = ToolCall {
        id,
        lane: Some(lane),
        step: Some(step),
        tool: calls[0].tool.clone(),
        arguments: calls[0].arguments.clone(),
        devices: vec!["xrd-1".into()],
        why: String::new(),
        approved: false,
        grant: None,
        follows: None,
    };
    let action = Action::Call { calls };
    let outcome = CallOutcome::success(json!([{"name": "Gi0"}]), AT, AT);
    for event in [
        Event::ActionChosen {
            lane,
            step,
            turn: 0,
            action,
            objections: vec![],
        },
        Event::CallRequested { call: Box::new(call) },
        Event::CallEnded {
            call: id,
            attempt: 0,
            outcome: Box::new(outcome),
        },
    ] {
        state.apply(&Recorded {
            seq: 2,
            at: AT,
            event,
        });
    }
    assert_eq!(
        turn(&state).await,
        Action::Finish {
            summary: "Gi0".into()
        }
    );
}

#[tokio::test]
async fn calls_that_cannot_be_made_are_told_to_the_script() {
    for (source, says) in [
        ("call(\"lab.erase\")", "there is no tool"),
        (
            "call(\"lab.interfaces\", device_name = \"xrd-9\")",
            "no device \"xrd-9\"",
        ),
        ("call(\"lab.interfaces\", device_name = 5)", "lab.interfaces"),
    ] {
        let Action::GiveUp { limitation } = turn(&session(source)).await else {
            panic!("{source}")
        };
        assert!(
            limitation.starts_with("the script failed:") && limitation.contains(says),
            "{source}: {limitation}"
        );
    }
    let refused = "call(\"lab.interfaces\", device_name = \"xrd-1\")";
    let mut state = session(refused);
    state
        .execution
        .runs
        .get_mut(&(LaneId(1), StepId(1)))
        .unwrap()
        .turns
        .push(Turn {
            action: Action::Call { calls: vec![] },
            objections: vec!["not now".into()],
            calls: vec![],
        });
    let Action::GiveUp { limitation } = turn(&state).await else {
        panic!()
    };
    assert!(limitation.contains("not now"), "{limitation}");
}
