//! `noctui tools` as a person runs it: the binary, a lab, exit codes.

use std::process::{Command, Output};

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
