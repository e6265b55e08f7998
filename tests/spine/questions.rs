//! Five questions open at once, answered out of order, the process killed for real after each answer.

#![allow(
    clippy::print_stdout,
    reason = "the child speaks to its parent on its standard output"
)]

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use noctui::agent::effect::Effect;
use noctui::agent::machine::outstanding;

use super::*;

/// Names the folder and what to do there: `ask`, or the device whose question is to be answered.
const CHILD: &str = "NOCTUI_SPINE_CHILD";
const DEVICES: [&str; 5] = ["d1", "d2", "d3", "d4", "d5"];

/// Every call fails for good until it is made again; each that is answered leaves a line in a file.
struct Written {
    folder: PathBuf,
    /// Calls that are made again never come back.
    hangs: bool,
}

impl Written {
    fn lines(folder: &Path) -> Vec<String> {
        let text = std::fs::read_to_string(folder.join("made")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }
}

#[async_trait]
impl Toolbox for Written {
    async fn list(&self) -> Result<Vec<ToolSpec>, PortError> {
        Counting::default().list().await
    }

    async fn call(&self, call: &ToolCall, _: &dyn CallContext) -> CallOutcome {
        let now = Timestamp(1);
        if call.tool == "s.devices" {
            let rows: Vec<Value> = DEVICES.iter().map(|name| json!({"name": name})).collect();
            return CallOutcome::success(Value::Array(rows), now, now);
        }
        let line = format!("{} {}", call.id, Value::Object(call.arguments.clone()));
        let again = call.follows.is_some() || Self::lines(&self.folder).contains(&line);
        if again && self.hangs {
            std::future::pending::<()>().await;
        }
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(self.folder.join("made"))
            .unwrap();
        writeln!(file, "{line}").unwrap();
        if again {
            return CallOutcome::success(json!({"seen": call.arguments}), now, now);
        }
        let failure = CallFailure {
            kind: ErrorKind::Configuration,
            message: "no credentials".into(),
        };
        CallOutcome::failed(failure, now, now)
    }
}

fn ports_in(folder: &Path, hangs: bool) -> Ports {
    let store = Arc::new(Store::open(&folder.join("journal.db")).unwrap());
    let toolbox = Written {
        folder: folder.to_owned(),
        hangs,
    };
    Ports {
        toolbox: Arc::new(toolbox),
        ..ports(store.clone(), store, Arc::default())
    }
}

fn answer_for(device: &str) -> Answer {
    match device {
        "d2" => Answer::Skip,
        "d3" => Answer::Supply {
            value: json!({"seen": "by eye"}),
        },
        "d4" => Answer::EditArguments {
            arguments: Map::from_iter([
                ("device_name".to_owned(), "d4".into()),
                ("n".to_owned(), 2.into()),
            ]),
        },
        _ => Answer::Retry,
    }
}

fn question_about(state: &State, device: &str) -> Option<QuestionId> {
    let about = |q: &&&Question| matches!(&q.kind, QuestionKind::ToolFailure { devices, .. } if *devices == [DeviceName::from(device)]);
    state.open_questions().iter().find(about).map(|q| q.id)
}

/// Not a test of its own: the process that is killed.
#[tokio::test]
async fn child() {
    let Ok(task) = std::env::var(CHILD) else { return };
    let (folder, what) = task.split_once('|').unwrap();
    let folder = Path::new(folder);
    let handle = if what == "ask" {
        let query = Query {
            devices: DEVICES.map(str::to_owned).to_vec(),
            ..query()
        };
        open(ports_in(folder, false), id(), query, Options::default())
    } else {
        // The answers of d1 and d4 are on disk when the process dies, and what follows from them is not.
        let hangs = matches!(what, "d1" | "d4");
        resume(ports_in(folder, hangs), id()).unwrap()
    };
    if what == "ask" {
        handle.wait_for(|s| s.open_questions().len() == 5).await.unwrap();
    } else {
        let state = handle
            .wait_for(|s| question_about(s, what).is_some())
            .await
            .unwrap();
        let question = question_about(&state, what).unwrap();
        handle.answer(question, answer_for(what), Author::Human);
        // A state is shown when its events are on disk.
        let closed = |s: &State| s.dialogue.question(question).is_some_and(|a| a.answer.is_some());
        handle.wait_for(closed).await.unwrap();
        // A call in flight when the process dies is made again: where none hangs, all have come back.
        let quiet = |s: &State| !outstanding(s).iter().any(|e| matches!(e, Effect::Call { .. }));
        if !matches!(what, "d1" | "d4") {
            handle.wait_for(|s| closed(s) && quiet(s)).await.unwrap();
        }
    }
    println!("done with {what}");
    std::future::pending::<()>().await;
}

/// Runs the child until it says that it is done, then kills it with SIGKILL.
fn run_and_kill(folder: &Path, what: &str) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["questions::child", "--exact", "--nocapture"])
        .env(CHILD, format!("{}|{what}", folder.display()))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let wanted = format!("done with {what}");
    let done = lines.map_while(Result::ok).any(|line| line.contains(&wanted));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(done, "the child never finished {what}");
}

#[tokio::test]
async fn five_questions_answered_out_of_order_by_processes_that_are_killed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    run_and_kill(folder, "ask");
    for (answered, device) in ["d4", "d1", "d5", "d2", "d3"].into_iter().enumerate() {
        let state = State::fold(
            &Store::open(&folder.join("journal.db"))
                .unwrap()
                .events(&id(), 0)
                .unwrap(),
        );
        assert_eq!(state.open_questions().len(), 5 - answered, "before {device}");
        run_and_kill(folder, device);
    }
    let handle = resume(ports_in(folder, false), id()).unwrap();
    let state = handle.ended().await.unwrap();
    assert_eq!(state.ending.outcome, Some(Outcome::Reported));

    let asked: Vec<&Asked> = state.dialogue.asked.iter().collect();
    assert_eq!(asked.len(), 5, "each was asked once");
    for device in DEVICES {
        let about = |a: &&&Asked| matches!(&a.question.kind, QuestionKind::ToolFailure { devices, .. } if *devices == [DeviceName::from(device)]);
        let asked = asked.iter().find(about).unwrap();
        let (answer, by, _) = asked.answer.as_ref().unwrap();
        assert_eq!((answer, *by), (&answer_for(device), Author::Human));
    }
    let made = Written::lines(folder);
    let times = |device: &str, edited: bool| {
        let about =
            |line: &&String| line.contains(&format!("\"{device}\"")) && line.contains("\"n\"") == edited;
        made.iter().filter(about).count()
    };
    let counts: Vec<usize> = DEVICES.iter().map(|device| times(device, false)).collect();
    assert_eq!(counts, [2, 1, 1, 1, 2], "a retry is made once: {made:?}");
    assert_eq!(times("d4", true), 1, "edited arguments are used once: {made:?}");
    let by_hand: Vec<&Value> = state
        .evidence
        .iter()
        .filter(|e| matches!(e.origin, Origin::Human { .. }))
        .map(|e| &*e.value)
        .collect();
    assert_eq!(by_hand, [&json!({"seen": "by eye"})]);
    let unobserved: Vec<String> = state.unobserved().iter().map(|u| u.device.to_string()).collect();
    assert_eq!(unobserved, ["d2"], "only what was skipped is missing");
}
