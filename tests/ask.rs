//! `noctui ask` and `noctui sessions` as a person or a script runs them: the real program, the real way.

#![allow(clippy::unwrap_used, reason = "a test may: the panic is the message")]

#[path = "ask/broken.rs"]
mod broken;
#[path = "ask/kill.rs"]
mod kill;
#[path = "ask/peer.rs"]
mod peer;
#[path = "ask/program.rs"]
mod program;
#[path = "ask/tape.rs"]
mod tape;

use program::Noctui;
use serde_json::Value;

fn texts<'a>(list: &'a Value, key: &str) -> Vec<&'a str> {
    list.as_array()
        .unwrap()
        .iter()
        .filter_map(|v| v[key].as_str())
        .collect()
}

#[test]
fn a_report_is_whole_and_every_citation_resolves() {
    let noctui = Noctui::new();
    let run = noctui.run(&[
        "ask",
        "Check BGP neighbors on xrd-1",
        "--lab",
        "S",
        "--format",
        "json",
    ]);
    let report = run.json();
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(report["format"], "noctui-report.1");
    assert_eq!(report["intent"], "check_bgp_neighbors");
    assert_eq!(report["targets"], serde_json::json!(["xrd-1"]));
    assert!(!report["objective"].as_str().unwrap().is_empty());
    assert_eq!(report["reasoner"], "rules");
    assert_eq!(report["usage"], serde_json::json!([]), "no model was called");
    assert_eq!(report["verdict"]["anomaly"], false, "{}", report["headline"]);
    for plan in report["plans"].as_array().unwrap() {
        for step in plan["steps"].as_array().unwrap() {
            assert!(!step["provenance"].as_array().unwrap().is_empty(), "{step}");
        }
    }
    let evidence: Vec<u64> = report["evidence"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| e["id"].as_u64().unwrap())
        .collect();
    assert!(evidence.len() > 1);
    for call in report["calls"].as_array().unwrap() {
        assert!(call["function"].as_str().unwrap().contains('.'));
        for id in call["evidence"].as_array().unwrap() {
            assert!(evidence.contains(&id.as_u64().unwrap()));
        }
    }
    let elapsed = report["timings"]["elapsed_ms"].as_i64().unwrap();
    assert!((1..120_000).contains(&elapsed), "{elapsed}");
}

#[test]
fn a_fault_is_named_with_evidence_that_says_so() {
    let noctui = Noctui::new();
    let run = noctui.run(&[
        "ask",
        "BGP neighbour down on xrd-1",
        "--scenario",
        "D01",
        "--format",
        "json",
    ]);
    let report = run.json();
    assert_eq!(run.code, 1, "{}", run.stderr);
    let causes = &report["verdict"]["causes"];
    assert_eq!(texts(causes, "resource"), ["session/xrd-1--100.100.100.107"]);
    assert_eq!(texts(causes, "fault"), ["bgp_remote_as_wrong"]);
    let evidence = report["evidence"].as_array().unwrap();
    for citation in causes[0]["citations"].as_array().unwrap() {
        let cited = evidence.iter().find(|e| e["id"] == citation["evidence"]).unwrap();
        let place = cited["value"].pointer(citation["pointer"].as_str().unwrap());
        assert!(
            place.is_some() || citation["claim"]["is"] == "absent",
            "{citation}"
        );
    }
}

#[test]
fn queries_find_their_devices_and_runbooks() {
    let noctui = Noctui::new();
    for (query, targets, intent) in [
        (
            "How are my PE routers doing?",
            vec!["xrd-1", "xrd-2"],
            "review_pe_device",
        ),
        (
            "Check interfaces on devices matching 'xrd-*'",
            vec![
                "xrd-1", "xrd-2", "xrd-3", "xrd-4", "xrd-5", "xrd-6", "xrd-7", "xrd-8",
            ],
            "check_interface_status",
        ),
        ("Review P device xrd-3", vec!["xrd-3"], "review_p_device"),
        (
            "troubleshoot VRF CUST-A on xrd-2",
            vec!["xrd-2"],
            "troubleshoot_vpn_vrf",
        ),
    ] {
        let run = noctui.run(&["ask", query, "--lab", "S", "--format", "json", "--no-memory"]);
        let report = run.json();
        assert_eq!(
            report["targets"],
            serde_json::json!(targets),
            "{query}\n{}",
            run.stderr
        );
        assert_eq!(report["intent"], intent, "{query}");
        assert_eq!(run.code, 0, "{query}: {}", report["headline"]);
    }
}

#[test]
fn other_formats_and_files() {
    let noctui = Noctui::new();
    let file = noctui.home().join("report.html");
    let run = noctui.run(&[
        "ask",
        "Review P device xrd-3",
        "--lab",
        "S",
        "--format",
        "html",
        "-o",
        file.to_str().unwrap(),
    ]);
    assert_eq!((run.code, run.stdout.as_str()), (0, ""), "{}", run.stderr);
    assert!(std::fs::read_to_string(&file).unwrap().contains("</html>"));
    let shown = noctui.run(&["sessions", "show", "last", "--format", "text"]);
    assert!(shown.stdout.contains("tool calls"), "{}", shown.stdout);
    let listed = noctui.run(&["sessions", "list"]);
    assert!(
        listed.stdout.contains("reported") && listed.stdout.contains("Review P device xrd-3"),
        "{}",
        listed.stdout
    );
    assert_eq!(
        noctui.run(&["sessions", "rename", "last", "the P review"]).code,
        0
    );
    let export = noctui.home().join("report.md");
    let run = noctui.run(&[
        "sessions",
        "export",
        "the P review",
        "-o",
        export.to_str().unwrap(),
    ]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(std::fs::read_to_string(&export).unwrap().contains("## Evidence"));
    assert_eq!(noctui.run(&["sessions", "delete", "the P review"]).code, 0);
    assert_eq!(noctui.run(&["sessions", "show", "last"]).code, 2);
}

#[test]
fn an_unclear_query_asks_and_is_answered_later() {
    let noctui = Noctui::new();
    let run = noctui.run(&["ask", "check the router", "--lab", "S"]);
    assert_eq!(run.code, 3, "{}", run.stderr);
    assert!(
        run.last_error()[1].contains("noctui sessions resume"),
        "{}",
        run.stderr
    );
    let resumed = noctui.run(&[
        "sessions", "resume", "last", "--answer", "xrd-3", "--format", "json",
    ]);
    assert_eq!(resumed.code, 0, "{}", resumed.stderr);
    assert_eq!(resumed.json()["targets"], serde_json::json!(["xrd-3"]));
    let said_before = noctui.run(&[
        "ask",
        "check the router",
        "--lab",
        "S",
        "--answer",
        "xrd-3",
        "--format",
        "json",
    ]);
    assert_eq!(said_before.json()["targets"], serde_json::json!(["xrd-3"]));
}

#[test]
fn the_second_run_of_an_incident_knows_the_first() {
    let noctui = Noctui::new();
    let ask = [
        "ask",
        "BGP neighbour down on xrd-1",
        "--scenario",
        "D01",
        "--format",
        "json",
    ];
    let first = noctui.run(&ask);
    assert_eq!(first.json()["incidents"], serde_json::json!([]));
    let second = noctui.run(&ask);
    assert_eq!(
        second.json()["incidents"][0]["session"],
        first.json()["session"],
        "{}",
        second.stderr
    );
    assert_eq!(second.json()["incidents"][0]["confirmed"], true);
    assert!(
        second.json()["calls"].as_array().unwrap().len() > 2,
        "nobody there: it ran"
    );
    let without = noctui.run(&[&ask[..], &["--no-memory"]].concat());
    assert_eq!(without.json()["incidents"], serde_json::json!([]));

    let (first, second) = (first.json(), second.json());
    let sessions = [&first, &second].map(|report| report["session"].as_str().unwrap());
    let stats = noctui.run(&[
        "tools",
        "stats",
        "--session",
        sessions[0],
        "--compare",
        sessions[1],
        "--csv",
    ]);
    let mut rows = stats.stdout.lines();
    assert_eq!(
        rows.next(),
        Some("run,tool,invocations,cached,success_rate,p50_ms,p95_ms,errors")
    );
    let calls = |run: &str| -> usize {
        let rows = stats
            .stdout
            .lines()
            .filter(|row| row.starts_with(&format!("{run},")));
        rows.map(|row| row.split(',').nth(2).unwrap().parse::<usize>().unwrap())
            .sum()
    };
    for (run, report) in [("A", &first), ("B", &second)] {
        assert_eq!(
            calls(run) as u64,
            report["timings"]["tool_calls"].as_u64().unwrap(),
            "{run}"
        );
    }
}

#[test]
fn a_fresh_answer_is_used_where_that_is_wanted_and_says_so() {
    let noctui = Noctui::new();
    let ask = [
        "ask",
        "BGP neighbour down on xrd-1",
        "--scenario",
        "D01",
        "--format",
        "json",
    ];
    let use_it = ["--set", "memory.fresh_answer=use"];
    let first = noctui.run(&[&use_it[..], &ask[..]].concat());
    let whole = first.json();
    assert!(
        whole["calls"].as_array().unwrap().len() > 2,
        "nothing was known yet"
    );
    let second = noctui.run(&[&use_it[..], &ask[..]].concat());
    assert_eq!(second.code, 1, "{}", second.stderr);
    let known = second.json();
    assert_eq!(
        known["calls"].as_array().unwrap().len(),
        1,
        "only the inventory was read"
    );
    for key in ["resource", "fault", "confidence"] {
        assert_eq!(
            texts(&known["verdict"]["causes"], key),
            texts(&whole["verdict"]["causes"], key)
        );
    }
    assert!(
        known["headline"]
            .as_str()
            .unwrap()
            .starts_with("Known for less than a minute")
    );
    let evidence = known["evidence"].as_array().unwrap();
    for citation in known["verdict"]["causes"][0]["citations"].as_array().unwrap() {
        let cited = evidence.iter().find(|e| e["id"] == citation["evidence"]).unwrap();
        assert_eq!(cited["from_session"], whole["session"], "{citation}");
    }
    let without = noctui.run(&[&use_it[..], &ask[..], &["--no-memory"]].concat());
    assert!(
        without.json()["calls"].as_array().unwrap().len() > 2,
        "memory was not asked"
    );
    let again = noctui.run(
        &[
            &use_it[..],
            &["ask", "BGP neighbour down on xrd-2", "--scenario", "D01"],
        ]
        .concat(),
    );
    assert!(
        !again.stdout.contains("Known for"),
        "another device is another question"
    );
}
