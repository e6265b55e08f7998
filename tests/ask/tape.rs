//! Investigations on a model, recorded and replayed: what it costs, and that the replay is the same.
//!
//! The model is a server with answers written beforehand; on the tape in `tests/fixtures` it was a real one.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::peer::Peer;
use super::program::{Noctui, Run, finish};

/// Runs the program on a model at `url`, or on none, with a cassette.
fn on_tape(noctui: &Noctui, tape: &str, url: &str, arguments: &[&str]) -> Run {
    let base = format!("model.base_url={url}");
    let mut command = noctui.command();
    command.env("NOCTUI_CASSETTE", tape).args(arguments);
    command.args(["--set", "model.model=m", "--set", &base]);
    finish(command.output().unwrap())
}

/// Nobody listens there.
const NOWHERE: &str = "http://127.0.0.1:9/v1";

fn trial(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap();
    let run: Value = serde_json::from_str(&text).unwrap();
    run["trials"][0].clone()
}

/// Calls per role, in the order of their first call.
fn calls(usage: &Value) -> Vec<(String, u64)> {
    let roles = usage.as_array().unwrap().iter();
    roles
        .map(|u| {
            (
                u["role"].as_str().unwrap().to_owned(),
                u["calls"].as_u64().unwrap(),
            )
        })
        .collect()
}

fn of(calls: &[(String, u64)], role: &str) -> u64 {
    calls.iter().find(|(name, _)| name == role).map_or(0, |(_, n)| *n)
}

/// What must be the same in a replay: everything but the time it took.
fn lasting(trial: &Value) -> Value {
    let mut trial = trial.clone();
    trial["seconds"] = Value::Null;
    for usage in trial["usage"].as_array_mut().unwrap() {
        usage["millis"] = Value::Null;
    }
    trial
}

#[test]
fn the_benchmark_runs_on_a_model_and_from_its_cassette_alike() {
    let noctui = Noctui::new();
    let peer = Peer::start("planner");
    let tape = noctui.home().join("tape.jsonl").display().to_string();
    let files: [PathBuf; 2] = [noctui.home().join("1.json"), noctui.home().join("2.json")];
    let arguments = |file: &Path| {
        let eval = [
            "eval",
            "--only",
            "D01",
            "--size",
            "S",
            "--reasoner",
            "model",
            "-o",
        ];
        let mut all: Vec<String> = eval.map(str::to_owned).to_vec();
        all.push(file.display().to_string());
        all
    };
    let run = |mode: &str, url: &str, file: &Path| {
        let all = arguments(file);
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let run = on_tape(&noctui, &format!("{mode}:{tape}"), url, &all);
        assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
        run
    };
    let recorded = run("record", &peer.url, &files[0]);
    let first = trial(&files[0]);
    assert_eq!(first["fallbacks"], 0, "{}\n{first:#}", recorded.stderr);
    let score = first["scores"]["sprca"].as_f64().unwrap();
    assert!(score > 0.999, "{}", recorded.stdout);
    // a plan in one loop costs two calls, the repair of its first answer one more
    let calls = calls(&first["usage"]);
    assert_eq!((of(&calls, "planner"), of(&calls, "critic")), (2, 1), "{calls:?}");
    assert_eq!(
        peer.roles().len() as u64,
        calls.iter().map(|(_, n)| n).sum::<u64>()
    );
    assert!(recorded.stdout.contains("model calls:"), "{}", recorded.stdout);
    assert!(recorded.stdout.contains("decisions left to the rules: 0"));

    let asked = peer.roles().len();
    let replayed = run("replay", NOWHERE, &files[1]);
    assert_eq!(lasting(&trial(&files[1])), lasting(&first), "{}", replayed.stderr);
    assert_eq!(peer.roles().len(), asked, "the replay asked nobody");
}
