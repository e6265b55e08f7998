//! Shapes of the output: gnmic's `json`, `event` and `flat`, lines prefixed with `[target]` when there are several.
//! Its `proto`, `protojson` and `prototext` are not offered: values are decoded before they are shown.
//!
//! What a device sends is shown as data: control characters are escaped, so a description cannot move
//! the cursor or colour the screen.

use crate::gnmi::client::{Answer, Update};
use crate::proto::gnmi::Path;
use crate::proto::path::{local_name, print};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

/// Shape of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Format {
    /// JSON, one document per answer
    Json,
    /// JSON events: list keys as tags, leaves as values
    Event,
    /// One line per leaf: `path: value`
    Flat,
}

/// An answer in the chosen shape.
pub(super) fn answer(format: Format, source: &str, answer: &Answer, deleted: &[Path]) -> String {
    let text = match format {
        Format::Json => {
            let mut event = json!({ "source": source, "timestamp": answer.timestamp_ns, "time": time(answer.timestamp_ns) });
            event["updates"] = answer.updates.iter().map(update).collect();
            if !deleted.is_empty() {
                event["deletes"] = json!(deleted.iter().map(print).collect::<Vec<_>>());
            }
            serde_json::to_string_pretty(&json!([event])).unwrap_or_default()
        }
        Format::Event => {
            let mut events: Vec<Value> = answer
                .updates
                .iter()
                .map(|update| event(source, answer.timestamp_ns, update))
                .collect();
            if !deleted.is_empty() {
                let paths: Vec<String> = deleted.iter().map(print).collect();
                events.push(json!({ "timestamp": answer.timestamp_ns, "tags": { "source": source }, "deletes": paths }));
            }
            serde_json::to_string_pretty(&events).unwrap_or_default()
        }
        Format::Flat => {
            let mut lines = Vec::new();
            for Update { elems, value } in &answer.updates {
                let path = print(&Path {
                    elem: elems.clone(),
                    ..Path::default()
                });
                flatten(value, &path, &mut |path, leaf| {
                    let text = leaf.as_str().map(|text| text.replace('\n', "\\n"));
                    lines.push(format!("{path}: {}", text.unwrap_or_else(|| leaf.to_string())));
                });
            }
            lines.extend(deleted.iter().map(|path| format!("delete: {}", print(path))));
            lines.join("\n")
        }
    };
    escape(&text)
}

fn update(update: &Update) -> Value {
    let path = print(&Path {
        elem: update.elems.clone(),
        ..Path::default()
    });
    let mut values = Map::new();
    values.insert(path.trim_start_matches('/').to_owned(), update.value.clone());
    json!({ "Path": path.trim_start_matches('/'), "values": values })
}

fn time(nanoseconds: i64) -> String {
    jiff::Timestamp::from_nanosecond(i128::from(nanoseconds))
        .map_or_else(|_| String::new(), |t| t.to_string())
}

/// An update as gnmic's event: `tags` hold the source and every list key as `list_key`, `values` the leaves by their
/// path without keys.
fn event(source: &str, timestamp_ns: i64, update: &Update) -> Value {
    let mut tags = Map::from_iter([("source".to_owned(), json!(source))]);
    let mut path = String::new();
    for elem in &update.elems {
        let name = local_name(&elem.name);
        let _ = write!(path, "/{name}");
        for (key, value) in &elem.key {
            tags.insert(format!("{name}_{key}"), json!(value));
        }
    }
    let mut values = Map::new();
    flatten(&update.value, &path, &mut |path, leaf| {
        values.insert(path.to_owned(), leaf.clone());
    });
    json!({ "timestamp": timestamp_ns, "tags": tags, "values": values })
}

/// Every leaf below a value with its path; entries of lists are numbered.
fn flatten(value: &Value, path: &str, leaf: &mut impl FnMut(&str, &Value)) {
    match value {
        Value::Object(object) if !object.is_empty() => {
            for (name, node) in object {
                flatten(node, &format!("{}/{name}", path.trim_end_matches('/')), leaf);
            }
        }
        Value::Array(list) if list.iter().any(Value::is_object) => {
            for (index, entry) in list.iter().enumerate() {
                flatten(entry, &format!("{path}.{index}"), leaf);
            }
        }
        other => leaf(path, other),
    }
}

/// Escapes what a terminal would act on; line ends stay.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        // Directional overrides can make a line read as another one.
        let acts =
            (c.is_control() && c != '\n') || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if acts {
            let _ = write!(out, "\\u{:04x}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}

/// `text` with `[source] ` before every line, if wanted.
pub(super) fn prefix(text: &str, source: &str, wanted: bool) -> String {
    if !wanted {
        return text.to_owned();
    }
    text.lines()
        .map(|line| format!("[{source}] {line}"))
        .collect::<Vec<_>>()
        .join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::path::parse;

    fn got() -> Answer {
        let value = json!({"state": {"description": "a\u{1b}[2J\u{9b}b\nc", "mtu": 9}, "list": [{"k": 1}]});
        let elems = parse("/interfaces/interface[name=Gi0]").unwrap().elem;
        Answer {
            updates: vec![Update { elems, value }],
            timestamp_ns: 1_795_306_328_000_000_000,
            warnings: Vec::new(),
        }
    }

    #[test]
    fn flat_is_one_safe_line_per_leaf() {
        let text = answer(Format::Flat, "r1", &got(), &[]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[0],
            "/interfaces/interface[name=Gi0]/state/description: a\\u001b[2J\\u009bb\\nc"
        );
        assert_eq!(lines[1], "/interfaces/interface[name=Gi0]/state/mtu: 9");
        assert_eq!(lines[2], "/interfaces/interface[name=Gi0]/list.0/k: 1");
        assert!(
            prefix(&text, "r1", true)
                .lines()
                .all(|l| l.starts_with("[r1] /interfaces"))
        );
    }

    #[test]
    fn events_have_keys_as_tags_and_leaves_as_values() {
        let text = answer(Format::Event, "r1", &got(), &[parse("/a/b").unwrap()]);
        let events: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(
            events[0]["tags"],
            json!({ "source": "r1", "interface_name": "Gi0" })
        );
        assert_eq!(events[0]["timestamp"], 1_795_306_328_000_000_000_i64);
        assert_eq!(events[0]["values"]["/interfaces/interface/state/mtu"], 9);
        assert_eq!(events[0]["values"]["/interfaces/interface/list.0/k"], 1);
        assert_eq!(events[1]["deletes"], json!(["/a/b"]));
        assert!(!text.contains('\u{1b}'));
    }

    #[test]
    fn json_is_gnmics_and_can_be_read_back() {
        let text = answer(Format::Json, "r1", &got(), &[parse("/a/b").unwrap()]);
        let json: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(json[0]["source"], "r1");
        assert_eq!(json[0]["time"], "2026-11-22T00:12:08Z");
        assert_eq!(json[0]["updates"][0]["Path"], "interfaces/interface[name=Gi0]");
        assert_eq!(
            json[0]["updates"][0]["values"]["interfaces/interface[name=Gi0]"]["state"]["mtu"],
            9
        );
        assert_eq!(json[0]["deletes"][0], "/a/b");
        assert!(!text.contains('\u{1b}') && !text.contains('\u{9b}'));
    }
}
