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
