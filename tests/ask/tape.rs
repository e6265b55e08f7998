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

    // who judges is in the settings: none but the critic, unless they say so
    assert!(!peer.roles().iter().any(|r| r.starts_with("specialist")));
    let asked = peer.roles().len();
    let replayed = run("replay", NOWHERE, &files[1]);
    assert_eq!(lasting(&trial(&files[1])), lasting(&first), "{}", replayed.stderr);
    assert_eq!(peer.roles().len(), asked, "the replay asked nobody");
}

#[test]
fn an_answer_names_its_calls_and_its_votes() {
    let noctui = Noctui::new();
    let peer = Peer::start("nobody");
    let base = format!("model.base_url={}", peer.url);
    let mut ask = vec![
        "ask",
        "BGP neighbour down on xrd-1",
        "--scenario",
        "D01",
        "--reasoner",
        "model",
    ];
    ask.extend(["--set", "model.model=m", "--set", &base]);
    ask.extend(["--set", "reasoner.specialists=[\"safety\", \"cost\"]"]);
    let run = noctui.run(&ask);
    assert_eq!(run.code, 1, "{}\n{}", run.stdout, run.stderr);
    let votes =
        "critic: votes: critic pass 0.90, safety pass 0.90, cost pass 0.90: pass with 100 % of the votes";
    assert!(run.stderr.contains(votes), "{}", run.stderr);
    let mut specialists: Vec<String> = peer
        .roles()
        .into_iter()
        .filter(|r| r.starts_with("specialist"))
        .collect();
    specialists.sort();
    assert_eq!(specialists, ["specialist cost", "specialist safety"]);
    for row in [
        "Model calls\n",
        "\n  planner       1 call ",
        "\n  critic/cost   1 call ",
        "\n  all ",
    ] {
        assert!(run.stdout.contains(row), "{row:?} in {}", run.stdout);
    }
    let shown = noctui.run(&["sessions", "show", "last"]);
    assert!(shown.stdout.contains("| planner | 1 |"), "{}", shown.stdout);
    let none = noctui.run(&[
        "ask",
        "x",
        "--lab",
        "S",
        "--reasoner",
        "model",
        "--set",
        "model.model=m",
        "--set",
        "reasoner.specialists=[\"nobody\"]",
    ]);
    assert_eq!(none.code, 2, "{}", none.stderr);
    assert!(
        none.stderr.contains("there is no specialist \"nobody\""),
        "{}",
        none.stderr
    );
}

/// What a very small model wrote, most of it no use. The requests are cut out, so it answers each role in the
/// recorded order, and where the order has run out the rules decide.
#[test]
fn the_benchmark_runs_from_a_cassette_of_a_real_model() {
    let noctui = Noctui::new();
    let tape = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/cassette.jsonl");
    let tape = format!("replay-sequence:{}", tape.display());
    let file = noctui.home().join("run.json");
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
    let all: Vec<&str> = eval.into_iter().chain([file.to_str().unwrap()]).collect();
    let run = on_tape(&noctui, &tape, NOWHERE, &all);
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    let (first, told) = (trial(&file), run.stdout);
    // the question was read by the model; what it made up was refused, and that is told
    let calls = calls(&first["usage"]);
    assert_eq!(
        (of(&calls, "reader"), of(&calls, "planner") > 1),
        (1, true),
        "{calls:?}"
    );
    let fallbacks = first["fallbacks"].as_u64().unwrap();
    assert!(fallbacks > 0, "{first:#}");
    assert!(
        told.contains(&format!("decisions left to the rules: {fallbacks}")),
        "{told}"
    );
    assert_eq!(first["scores"]["safety"], 1.0, "{told}");
}

#[test]
fn a_key_is_nowhere_to_be_found_afterwards() {
    const KEY: &str = "plain-words-that-look-like-nothing-42";
    let noctui = Noctui::new();
    let peer = Peer::refusing();
    let base = format!("model.base_url={}", peer.url);
    let tape = noctui.home().join("tape.jsonl");
    let mut command = noctui.command();
    command
        .env("KEY_OF_THE_TEST", KEY)
        .env("NOCTUI_CASSETTE", format!("record:{}", tape.display()))
        .args([
            "-vv",
            "ask",
            "Check BGP neighbors on xrd-1",
            "--lab",
            "S",
            "--reasoner",
            "model",
            "--format",
            "json",
        ])
        .args([
            "--set",
            "model.model=m",
            "--set",
            "model.key_env=KEY_OF_THE_TEST",
            "--set",
            &base,
        ]);
    let run = finish(command.output().unwrap());
    assert!(!peer.roles().is_empty(), "{}", run.stderr);
    assert!(
        run.stderr.contains("the key was refused (401 Unauthorized)"),
        "{}",
        run.stderr
    );
    assert!(!run.stdout.contains(KEY) && !run.stderr.contains(KEY));
    let mut looked_at = Vec::new();
    let mut folders = vec![noctui.home().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let bytes = std::fs::read(&path).unwrap();
            let found = bytes.windows(KEY.len()).any(|w| w == KEY.as_bytes());
            assert!(!found, "{} holds the key", path.display());
            looked_at.push(path);
        }
    }
    let named = |ending: &str| looked_at.iter().any(|p| p.to_string_lossy().contains(ending));
    assert!(
        named(".db") && named("tape.jsonl") && named("log"),
        "{looked_at:?}"
    );
}
