//! Broken input and broken servers: two lines that name what is wrong, never a hang, never a backtrace.

use serde_json::json;

use crate::program::{Noctui, Run};

fn refused(run: &Run, code: i32, words: &[&str]) {
    let [what, next] = run.last_error();
    assert_eq!(run.code, code, "{}", run.stderr);
    assert_eq!(run.stdout, "");
    for word in words {
        assert!(
            what.contains(word) || next.contains(word),
            "\"{word}\" is not in\n{}",
            run.stderr
        );
    }
    assert!(
        !run.stderr.contains("panicked") && !run.stderr.contains("backtrace"),
        "{}",
        run.stderr
    );
}

#[test]
fn an_unknown_device_is_refused_with_the_nearest_and_nothing_is_executed() {
    let noctui = Noctui::new();
    let run = noctui.run(&["ask", "Check BGP neighbors on xrd-11", "--lab", "S"]);
    refused(&run, 2, &["\"xrd-11\"", "xrd-1"]);
    let session = noctui
        .run(&["sessions", "show", "last", "--format", "json"])
        .json();
    assert_eq!(
        session["calls"].as_array().unwrap().len(),
        1,
        "the inventory only"
    );
}

#[test]
fn empty_huge_and_dirty_queries() {
    let noctui = Noctui::new();
    refused(&noctui.run(&["ask", "", "--lab", "S"]), 2, &["empty"]);
    refused(&noctui.run(&["ask", "  \n ", "--lab", "S"]), 2, &["empty"]);
    let huge = "x".repeat(100_000);
    refused(
        &noctui.run_with_input(&["ask", "-", "--lab", "S"], huge.as_bytes()),
        2,
        &["kB"],
    );
    let dirty = noctui.run(&[
        "ask",
        "Review P device xrd-3\u{1b}[31m\u{7}\u{202e}",
        "--lab",
        "S",
        "--format",
        "json",
    ]);
    assert_eq!(dirty.code, 0, "{}", dirty.stderr);
    let whole = format!("{}{}", dirty.stdout, dirty.stderr);
    assert!(
        !whole.contains('\u{1b}') && !whole.contains('\u{202e}') && !whole.contains("\\u001b"),
        "{whole}"
    );
    let invalid = noctui.run_with_input(&["ask", "-", "--lab", "S"], b"\xff\xfe BGP");
    refused(&invalid, 2, &["standard input"]);
}

#[test]
fn unknown_and_broken_plans() {
    let noctui = Noctui::new();
    let run = noctui.run(&[
        "ask",
        "look",
        "--lab",
        "S",
        "--plan",
        "check_bgp_neighbours",
        "--device",
        "xrd-1",
    ]);
    refused(&run, 2, &["check_bgp_neighbours", "check_bgp_neighbors"]);
    let folder = noctui.home().join("config/plans");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(
        folder.join("mine.json"),
        r#"{"intent": "mine", "description": "x", "steps": []}"#,
    )
    .unwrap();
    let run = noctui.run(&["ask", "Review P device xrd-3", "--lab", "S", "--plan", "mine"]);
    refused(&run, 2, &["mine.json", "steps"]);
}

#[test]
fn missing_and_broken_configuration() {
    let noctui = Noctui::new();
    refused(
        &noctui.run(&["ask", "Review P device xrd-3", "--config", "nowhere.toml"]),
        2,
        &["nowhere.toml"],
    );
    std::fs::write(noctui.home().join("bad.toml"), "[agent]\nmax_lops = 3\n").unwrap();
    refused(
        &noctui.run(&["ask", "look", "--config", "bad.toml"]),
        2,
        &["bad.toml", "max_lops", "max_loops"],
    );
    noctui.servers(&json!({"x": {"args": []}}));
    refused(&noctui.run(&["ask", "look at everything"]), 2, &["mcp.json", "x"]);
}

/// Runs against one server that is broken in some way; short deadlines.
fn with_server(server: serde_json::Value) -> Run {
    let noctui = Noctui::new();
    noctui.servers(&json!({ "collector": server }));
    noctui.run(&[
        "ask",
        "Check BGP neighbors on xrd-1",
        "--set",
        "tools.start_timeout_s=2",
        "--set",
        "tools.call_timeout_s=2",
    ])
}

#[test]
fn a_server_whose_command_does_not_exist() {
    refused(
        &with_server(json!({"command": "no-such-program-anywhere"})),
        4,
        &["no-such-program-anywhere", "collector"],
    );
}

#[test]
fn a_server_that_dies_at_start() {
    refused(
        &with_server(json!({"command": "sh", "args": ["-c", "echo no inventory here >&2; exit 3"]})),
        4,
        &["collector"],
    );
}

#[test]
fn a_server_that_prints_garbage() {
    refused(
        &with_server(json!({"command": "sh", "args": ["-c", "while echo garbage; do sleep 0.05; done"]})),
        4,
        &["collector"],
    );
}

#[test]
fn a_server_that_never_answers() {
    refused(
        &with_server(json!({"command": "sleep", "args": ["600"]})),
        4,
        &["collector"],
    );
}

#[test]
fn a_server_that_dies_in_the_middle_of_a_call() {
    // Speaks MCP until the first call and then dies; the failure becomes a question nobody answers.
    let script = r#"
        read line; id=1
        printf '%s\n' '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"dying","version":"1"}}}'
        read line
        read line
        printf '%s\n' '{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"get_devices","description":"List the devices","inputSchema":{"type":"object","properties":{}},"annotations":{"readOnlyHint":true}}]}}'
        read line
        exit 1"#;
    let run = with_server(json!({"command": "sh", "args": ["-c", script]}));
    refused(&run, 3, &["get_devices"]);
}
