//! What a tool is for, told from its name and schema, so that rules work with any server's names.
//!
//! A tool that needs arguments beyond devices, interfaces and paths is left alone: it is none the rules know.

use serde_json::Value;

use crate::agent::model::Purpose;

/// Argument names that mean one device, several devices, and what else the rules can fill in.
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
const FILLABLE: [&str; 3] = ["path", "paths", "interface"];

/// The words of a tool's name, lower case: `getBgpNeighbors` and `get_bgp_neighbors` give the same.
#[must_use]
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut fresh = true;
    let mut after_lower = false;
    for c in name.chars() {
        if !c.is_ascii_alphanumeric() {
            fresh = true;
            continue;
        }
        if fresh || (c.is_ascii_uppercase() && after_lower) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.push(c.to_ascii_lowercase());
        }
        fresh = false;
        after_lower = c.is_ascii_lowercase() || c.is_ascii_digit();
    }
    words
}

/// The purpose of a tool.
#[must_use]
pub(super) fn classify(name: &str, schema: &Value) -> Purpose {
    let shape = Shape::of(schema);
    if !shape.fillable {
        return Purpose::Other;
    }
    let purpose = by_name(name);
    let fits = match purpose {
        Purpose::Inventory | Purpose::Topology => shape.required == 0,
        Purpose::GetMany | Purpose::LogsMany | Purpose::Compare => shape.many,
        Purpose::Other => true,
        _ => shape.one,
    };
    if fits { purpose } else { Purpose::Other }
}

fn by_name(name: &str) -> Purpose {
    let words = words(name);
    let has = |any: &[&str]| words.iter().any(|word| any.contains(&word.as_str()));
    let many = has(&["many", "bulk", "multi"]);
    if has(&["capabilities", "capability"]) {
        Purpose::Capabilities
    } else if has(&["compare", "diff"]) {
        Purpose::Compare
    } else if has(&["counters", "counter"]) {
        Purpose::Counters
    } else if has(&["logs", "log", "logging", "syslog"]) {
        if many { Purpose::LogsMany } else { Purpose::Logs }
    } else if has(&["gnmi"]) && has(&["get"]) {
        if many { Purpose::GetMany } else { Purpose::Get }
    } else if many {
        Purpose::Other
    } else if has(&["topology"]) {
        Purpose::Topology
    } else if has(&["devices", "inventory"]) {
        Purpose::Inventory
    } else if has(&["profile", "role"]) {
        Purpose::Profile
    } else if has(&["interface", "interfaces"]) {
        Purpose::Interfaces
    } else if has(&["routing", "bgp", "isis", "ospf"]) {
        Purpose::Routing
    } else if has(&["mpls", "ldp"]) {
        Purpose::Mpls
    } else if has(&["vpn", "vrf", "vrfs"]) {
        Purpose::Vpn
    } else if has(&["system"]) {
        Purpose::System
    } else {
        Purpose::Other
    }
}

/// What a schema asks for.
struct Shape {
    required: usize,
    one: bool,
    many: bool,
    fillable: bool,
}

impl Shape {
    fn of(schema: &Value) -> Self {
        let has = |names: &[&str]| {
            let properties = schema.get("properties").and_then(Value::as_object);
            properties.is_some_and(|all| names.iter().any(|name| all.contains_key(*name)))
        };
        let required: Vec<&str> = schema
            .get("required")
            .and_then(Value::as_array)
            .map(|all| all.iter().filter_map(Value::as_str).collect())
            .unwrap_or_default();
        let known =
            |name: &&str| ONE_DEVICE.contains(name) || MANY_DEVICES.contains(name) || FILLABLE.contains(name);
        Self {
            required: required.len(),
            one: has(&ONE_DEVICE),
            many: has(&MANY_DEVICES),
            fillable: required.iter().all(known),
        }
    }
}

/// Rough duration of a call by purpose, milliseconds: medians measured against ten simulated devices.
#[must_use]
pub(super) fn estimated_ms(purpose: Purpose) -> u64 {
    match purpose {
        Purpose::Inventory => 20,
        Purpose::Interfaces
        | Purpose::Mpls
        | Purpose::Vpn
        | Purpose::Logs
        | Purpose::System
        | Purpose::Get => 220,
        Purpose::Capabilities => 200,
        Purpose::Routing => 430,
        Purpose::Topology => 240,
        Purpose::Profile => 850,
        Purpose::GetMany | Purpose::LogsMany | Purpose::Compare => 1000,
        Purpose::Counters => 6000,
        Purpose::Other => 1000,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_are_cut_into_words() {
        assert_eq!(words("get_bgp-neighbors"), ["get", "bgp", "neighbors"]);
        assert_eq!(words("getBgpNeighbors"), ["get", "bgp", "neighbors"]);
        assert_eq!(words("GNMIGet2x"), ["gnmiget2x"]);
    }

    #[test]
    fn known_servers_are_understood() {
        let one = json!({"properties": {"device_name": {}, "interface": {}}, "required": ["device_name"]});
        let none = json!({"properties": {}});
        let many = json!({"properties": {"devices": {}, "paths": {}}, "required": ["devices", "paths"]});
        for (name, schema, purpose) in [
            ("get_devices", &none, Purpose::Inventory),
            ("get_network_topology_api", &none, Purpose::Topology),
            ("get_device_profile_api", &one, Purpose::Profile),
            ("get_system_info", &one, Purpose::System),
            ("get_routing_info", &one, Purpose::Routing),
            ("get_interface_info", &one, Purpose::Interfaces),
            ("get_mpls_info", &one, Purpose::Mpls),
            ("get_vpn_info", &one, Purpose::Vpn),
            ("get_logs", &one, Purpose::Logs),
            ("get_topology_neighbors", &one, Purpose::Other),
            ("gnmi_get", &one, Purpose::Get),
            ("gnmi_get_many", &many, Purpose::GetMany),
            ("get_logs_many", &many, Purpose::LogsMany),
            ("call_many", &many, Purpose::Other),
            ("compare", &many, Purpose::Compare),
            ("sample_counters", &one, Purpose::Counters),
            ("gnmi_capabilities", &one, Purpose::Capabilities),
        ] {
            assert_eq!(classify(name, schema), purpose, "{name}");
        }
    }

    #[test]
    fn a_tool_with_foreign_needs_is_left_alone() {
        let search = json!({"properties": {"query": {}, "host": {}}, "required": ["query"]});
        assert_eq!(classify("search_logs", &search), Purpose::Other);
        assert_eq!(classify("list_vrfs", &json!({})), Purpose::Other);
    }
}
