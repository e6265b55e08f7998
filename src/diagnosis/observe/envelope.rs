//! Envelopes: who a result is about, whether it failed, and where its data are.

use serde_json::Value;

use super::cursor::{Cursor, parse_path};
use super::{contract, openconfig};
use crate::agent::model::Claim;
use crate::diagnosis::network::{Network, Reach};

/// How deep envelopes may be nested in one another.
const DEPTH: u32 = 4;

/// A result about one device.
pub struct Envelope<'a> {
    /// Device.
    pub device: String,
    /// The whole envelope.
    pub whole: Cursor<'a>,
}

/// Every envelope about one device in a result, in order.
pub fn envelopes<'a>(root: &Cursor<'a>) -> Vec<Envelope<'a>> {
    let mut found = Vec::new();
    collect(root, None, DEPTH, &mut found);
    found
}

fn collect<'a>(at: &Cursor<'a>, name: Option<&str>, depth: u32, found: &mut Vec<Envelope<'a>>) {
    if depth == 0 {
        return;
    }
    match at.value() {
        Value::Array(_) => {
            for entry in at.entries() {
                collect(&entry, None, depth - 1, found);
            }
        }
        Value::Object(map) => {
            let named = ["device_name", "device"]
                .iter()
                .find_map(|k| map.get(*k))
                .and_then(Value::as_str);
            let carries = map.contains_key("data") || map.contains_key("status");
            let many = ["devices", "results"].iter().find_map(|k| {
                let inner = at.find(&format!("data/{k}")).or_else(|| at.child(k))?;
                holds_envelopes(&inner).then_some(inner)
            });
            match (many, named.or(name)) {
                (Some(inner), _) => {
                    for (name, entry) in inner.members() {
                        collect(&entry, Some(name), depth - 1, found);
                    }
                    if inner.value().is_array() {
                        collect(&inner, None, depth - 1, found);
                    }
                }
                (None, Some(device)) if carries => {
                    found.push(Envelope {
                        device: device.to_owned(),
                        whole: at.clone(),
                    });
                }
                _ => {}
            }
        }
        _ => {}
    }
}

fn holds_envelopes(at: &Cursor<'_>) -> bool {
    let is = |v: &Value| v.get("status").is_some() || v.get("data").is_some();
    match at.value() {
        Value::Array(items) => items.iter().any(is),
        Value::Object(map) => map.values().any(is),
        _ => false,
    }
}

/// True when the value says that the call as a whole failed.
pub fn is_failure(at: &Cursor<'_>) -> bool {
    at.child("status")
        .and_then(|s| s.text())
        .is_some_and(|s| s == "failed")
}

/// Takes in one envelope.
pub fn read(network: &mut Network, envelope: &Envelope<'_>) {
    let device = envelope.device.as_str();
    let whole = &envelope.whole;
    let data = whole.child("data");
    contract::topology(network, device, whole);
    if device.eq_ignore_ascii_case("all_devices") || device == "*" {
        return;
    }
    if is_failure(whole) {
        note_failure(network, device, whole);
        return;
    }
    if let Some(status) = whole.child("status") {
        let reach = status.fact(Reach::Answered);
        network.device_mut(device).reach.push(reach);
    }
    if let Some(data) = data {
        read_data(network, device, &data);
    }
}

/// Notes why a device could not be read.
pub fn note_failure(network: &mut Network, device: &str, whole: &Cursor<'_>) {
    let places = [
        "failure/message",
        "error_response/message",
        "metadata/protocol_errors/bgp/message",
        "metadata/protocol_errors/isis/message",
        "metadata/message",
    ];
    let message = places
        .iter()
        .find_map(|p| whole.find(p).filter(|c| c.text().is_some()));
    let kind = [
        "failure/kind",
        "error_response/details/kind",
        "error_response/type",
    ]
    .iter()
    .find_map(|p| whole.find(p).and_then(|c| c.text()))
    .unwrap_or_default();
    let text = message
        .as_ref()
        .and_then(Cursor::text)
        .unwrap_or_else(|| "failed".to_owned());
    let silent = says_silent(&kind, &text);
    let first = text.lines().next().unwrap_or_default().to_owned();
    let reach = if silent {
        Reach::Silent(first)
    } else {
        Reach::Refused(first)
    };
    let fact = match message {
        Some(message) => message.fact(reach),
        None => match whole.child("status") {
            Some(status) => status.fact(reach),
            None => whole.claimed(reach, Claim::Present),
        },
    };
    network.device_mut(device).reach.push(fact);
}

fn says_silent(kind: &str, text: &str) -> bool {
    let kind = kind.to_ascii_lowercase();
    let text = text.to_ascii_lowercase();
    [
        "unreachable",
        "deadline",
        "circuit_open",
        "unavailable",
        "timeout",
        "connection_timeout",
        "network",
    ]
    .contains(&kind.as_str())
        || [
            "timeout",
            "timed out",
            "unreachable",
            "refused",
            "no route",
            "unavailable",
            "deadline",
            "did not answer",
        ]
        .iter()
        .any(|w| text.contains(w))
}

/// Takes in the data of one device, whatever their shape.
pub fn read_data(network: &mut Network, device: &str, data: &Cursor<'_>) {
    if let Value::String(_) = data.value() {
        contract::pasted_log(network, device, data);
        return;
    }
    if contract::read(network, device, data) {
        return;
    }
    for (name, value) in data.members() {
        let Some(path) = parse_path(name).filter(|p| !p.is_empty()) else {
            continue;
        };
        if !openconfig::knows(&path[0].name) {
            continue;
        }
        let concrete = value.members();
        let open = !concrete.is_empty() && concrete.iter().all(|(k, _)| k.starts_with('/') && k.len() > 1);
        if open {
            for (path_text, piece) in concrete {
                if let Some(path) = parse_path(path_text) {
                    openconfig::read(network, device, &piece.under(&path));
                }
            }
            if path.last().is_some_and(|last| last.name == "table-connections") {
                openconfig::note_absent_tables(network, device, &value);
            }
        } else {
            openconfig::read(network, device, &value.under(&path));
        }
    }
    for update in data.list("updates").iter().chain(&data.list("notifications")) {
        let (Some(path), Some(value)) = (update.child("path").and_then(|p| p.text()), update.child("value"))
        else {
            continue;
        };
        if let Some(path) = parse_path(&path) {
            openconfig::read(network, device, &value.under(&path));
        }
    }
}
