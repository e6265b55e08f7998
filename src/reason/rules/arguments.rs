//! Arguments for a tool from its own schema: what it takes is filled in, what it does not take is left out.

use serde_json::{Map, Value, json};

use crate::agent::model::{Proposal, ToolSpec, Window};

const ONE_DEVICE: [&str; 7] = [
    "device_name",
    "device",
    "hostname",
    "host",
    "target",
    "router",
    "node",
];
const MANY_DEVICES: [&str; 4] = ["devices", "device_names", "targets", "hosts"];

/// What a call is to ask.
#[derive(Debug, Clone, Default)]
pub struct Wish<'a> {
    /// Device, or devices.
    pub devices: &'a [&'a str],
    /// gNMI paths.
    pub paths: &'a [&'a str],
    /// Interface.
    pub interface: Option<&'a str>,
    /// VRF.
    pub vrf: Option<&'a str>,
    /// Window, for logs.
    pub window: Option<Window>,
}

fn properties(tool: &ToolSpec) -> Option<&Map<String, Value>> {
    tool.input_schema.get("properties")?.as_object()
}

/// True when the tool's schema has the argument.
pub fn takes(tool: &ToolSpec, name: &str) -> bool {
    properties(tool).is_some_and(|p| p.contains_key(name))
}

fn named<'n>(tool: &ToolSpec, names: &[&'n str]) -> Option<&'n str> {
    names.iter().find(|n| takes(tool, n)).copied()
}

/// The call, as far as the tool can serve the wish.
pub fn propose(tool: &ToolSpec, wish: &Wish<'_>, why: &str) -> Proposal {
    let mut arguments = Map::new();
    if let Some(key) = named(tool, &MANY_DEVICES) {
        arguments.insert(key.to_owned(), json!(wish.devices));
    } else if let (Some(key), Some(device)) = (named(tool, &ONE_DEVICE), wish.devices.first()) {
        arguments.insert(key.to_owned(), json!(device));
    }
    if !wish.paths.is_empty() {
        if takes(tool, "paths") {
            arguments.insert("paths".to_owned(), json!(wish.paths));
        } else if takes(tool, "path") {
            arguments.insert("path".to_owned(), json!(wish.paths.first()));
        }
    }
    if takes(tool, "include_details") {
        arguments.insert("include_details".to_owned(), json!(true));
    }
    for (key, value) in [("interface", wish.interface), ("vrf_name", wish.vrf)] {
        if let Some(value) = value.filter(|_| takes(tool, key)) {
            arguments.insert(key.to_owned(), json!(value));
        }
    }
    if let Some(window) = wish.window.filter(|_| takes(tool, "minutes")) {
        arguments.insert("minutes".to_owned(), json!(window.minutes().max(1) + 2));
    }
    if takes(tool, "seconds") {
        arguments.insert("seconds".to_owned(), json!(1));
    }
    Proposal {
        tool: tool.id.clone(),
        arguments,
        why: why.to_owned(),
    }
}
