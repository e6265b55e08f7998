//! What the tests of the tools share: answers made by hand, and the recorded ones where they are at hand.

use crate::gnmi::client::{Answer, Update};
use crate::proto::path::parse;
use serde_json::Value;

/// An answer of these paths and values.
pub(super) fn answer(updates: &[(&str, Value)]) -> Answer {
    let updates = updates
        .iter()
        .map(|(path, value)| Update {
            elems: parse(path).unwrap().elem,
            value: value.clone(),
        })
        .collect();
    Answer {
        updates,
        ..Answer::default()
    }
}

/// Recorded answers of one tool; `None` (and a word on stdout) where the recordings are not there.
pub(super) fn sample(tool: &str) -> Option<Vec<Value>> {
    let shared =
        std::env::var_os("NOCTUI_SHARED").map_or_else(|| "../shared".into(), std::path::PathBuf::from);
    let Ok(text) = std::fs::read_to_string(shared.join("gnmibuddy/samples.json")) else {
        println!("skipped: no recorded samples");
        return None;
    };
    let all: Value = serde_json::from_str(&text).unwrap();
    let of_tool = all["samples"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|s| s["tool"] == tool);
    Some(
        of_tool
            .map(|s| s["result"]["structuredContent"].clone())
            .collect(),
    )
}

/// Summaries of a protocol are worded as in the recordings: every entry whose detail has `member`.
pub(super) fn check_summaries(protocol: &str, member: &str, summarize: fn(&Value) -> String) {
    let Some(samples) = sample("get_routing_info") else {
        return;
    };
    let mut seen = 0;
    let entries = samples
        .iter()
        .filter_map(|s| s["data"]["routing_protocols"].as_array());
    for entry in entries.flatten().filter(|e| e["protocol"] == protocol) {
        let detail = &entry["detailed_data"];
        if !detail[member].is_null() {
            assert_eq!(summarize(detail), entry["summary"].as_str().unwrap());
            seen += 1;
        }
    }
    assert!(seen > 0, "no recorded detail of {protocol} was found");
}
