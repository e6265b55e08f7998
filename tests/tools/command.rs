//! `noctui tools` as a person runs it: the binary, a lab, exit codes.

use std::process::{Command, Output};

use noctui::agent::event::{Event, Recorded};
use noctui::agent::model::{SessionId, Timestamp};
use noctui::memory::Store;
use serde_json::json;

fn noctui(home: &std::path::Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_noctui"))
        .args(arguments)
        .env("NOCTUI_HOME", home)
        .env_remove("NOCTUI_INVENTORY")
        .current_dir(home)
        .output()
        .unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn the_tools_of_a_lab_are_listed_found_and_called() {
    let home = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| noctui(home.path(), arguments);
    let listed = run(&["tools", "--lab", "S", "list"]);
    assert_eq!(listed.status.code(), Some(0), "{}", err(&listed));
    let first = out(&listed)
        .lines()
        .find(|line| line.contains(".get_devices "))
        .unwrap()
        .to_owned();
    assert!(
        first.contains("read-only") && first.contains("inventory"),
        "{first}"
    );
    let id = first.split_whitespace().next().unwrap();
    let called = run(&["tools", "--lab", "S", "call", id]);
    let devices: serde_json::Value = serde_json::from_str(&out(&called)).unwrap();
    assert_eq!(devices["devices"].as_array().unwrap().len(), 8);
    let found = run(&["tools", "--lab", "S", "find", "bgp", "sessions", "-n", "1"]);
    assert!(out(&found).contains("get_routing_info"), "{}", out(&found));
    let wrong = run(&[
        "tools",
        "--lab",
        "S",
        "call",
        &id.replace("get_devices", "get_logs"),
    ]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(
        err(&wrong).contains("\"device_name\" is a required property"),
        "{}",
        err(&wrong)
    );
    assert_eq!(err(&wrong).lines().count(), 2, "{}", err(&wrong));
}

#[test]
fn a_server_that_cannot_start_is_told_with_its_reason() {
    let home = tempfile::tempdir().unwrap();
    let servers = noctui(home.path(), &["tools", "servers"]);
    assert_eq!(servers.status.code(), Some(4));
    assert!(out(&servers).contains("ended at start"), "{}", out(&servers));
    let unknown = noctui(home.path(), &["tools", "call", "nobody.get_devices"]);
    assert_eq!(unknown.status.code(), Some(2));
    let stats = noctui(home.path(), &["tools", "stats"]);
    assert_eq!(
        (stats.status.code(), out(&stats).as_str()),
        (Some(0), "no calls are recorded\n")
    );
}

/// A session with one question that was answered with "always", on disk where the program looks for it.
fn allowed_always(home: &std::path::Path) {
    let text = "{\"line\":\"description *\"}";
    let call = json!({"id": 1, "tool": "srv.set_config", "arguments": {"line": "description x"}, "devices": [], "why": "w"});
    let bodies = [
        (
            "session_opened.1",
            json!({"query": {"text": "write it"}, "options": {}}),
        ),
        ("call_requested.1", json!({"call": call})),
        (
            "question_asked.1",
            json!({"question": {"id": 1, "kind": "approval", "call": 1, "text": "Allow this call?", "at": 2}}),
        ),
        (
            "question_answered.1",
            json!({"question": 1, "by": "human", "answer": {"answer": "always", "grant":
                {"tool": "srv.set_config", "arguments": {"are": "like", "text": text}}}}),
        ),
    ];
    let events: Vec<Recorded> = bodies
        .into_iter()
        .zip(1..)
        .map(|((tag, body), seq)| {
            let event = Event::from_stored(tag, body);
            assert!(!matches!(event, Event::Unknown { .. }), "{tag}");
            Recorded {
                seq,
                at: Timestamp(2),
                event,
            }
        })
        .collect();
    let store = Store::open(&home.join("data/noctui.db")).unwrap();
    store
        .append_all(&SessionId("20261122-030000-abcd".into()), &events)
        .unwrap();
}

#[test]
fn what_is_allowed_always_is_listed_and_withdrawn() {
    let home = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| noctui(home.path(), &[&["tools", "approvals"], arguments].concat());
    assert_eq!(out(&run(&["list"])), "");
    allowed_always(home.path());
    let listed = run(&["list"]);
    assert_eq!(
        out(&listed),
        "20261122-030000-abcd  Q1    srv.set_config with arguments like {\"line\":\"description *\"}\n"
    );
    let wrong = run(&["withdraw", "last", "Q2"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(
        err(&wrong).contains("Q2 of session 20261122-030000-abcd allows nothing"),
        "{}",
        err(&wrong)
    );
    let withdrawn = run(&["withdraw", "last", "q1"]);
    assert_eq!(withdrawn.status.code(), Some(0), "{}", err(&withdrawn));
    assert_eq!(out(&run(&["list", "--json"])), "[]\n");
    assert_eq!(
        run(&["withdraw", "last", "Q1"]).status.code(),
        Some(2),
        "it is withdrawn already"
    );
}
