//! IS-IS as the contract shows it: router, interfaces with levels, adjacencies.
//!
//! Beyond the contract, adjacencies that are not UP are listed with their state instead of vanishing.

use super::bgp::show;
use super::routing::Parsed;
use crate::gnmi::client::Answer;
use crate::gnmi::client::lookup::{at, either, list, number, text};
use crate::proto::path::parse;
use serde_json::{Value, json};

pub(super) const PATHS: [&str; 2] = [
    "openconfig-network-instance:network-instances/network-instance[name=*]/protocols/protocol/isis/interfaces",
    "openconfig-network-instance:network-instances/network-instance[name=*]/protocols/protocol/isis/global",
];

/// `None` when there is no IS-IS.
pub(super) fn interpret(answer: &Answer) -> Option<Parsed> {
    let part = |path: &str| {
        parse(path)
            .ok()
            .map(|asked| answer.select(&asked))
            .unwrap_or_default()
    };
    let (interfaces, global) = (part(PATHS[0]), part(PATHS[1]));
    if interfaces.is_empty() && global.is_empty() {
        return None;
    }
    let global = global.first().map_or(&Value::Null, |f| &f.value);
    let entries: Vec<&Value> = interfaces
        .iter()
        .flat_map(|f| list(&f.value, "interface"))
        .collect();
    let detail = json!({
        "router_id": either(global, "router-id"),
        "net": first(either(global, "net")),
        "level_capability": either(global, "level-capability"),
        "authentication_check": either(global, "authentication-check"),
        "segment_routing_enabled": at(global, "segment-routing").and_then(|sr| either(sr, "enabled")),
        "interfaces": entries.iter().map(|i| interface(i)).collect::<Vec<_>>(),
        "adjacencies": entries.iter().flat_map(|i| adjacencies(i)).collect::<Vec<_>>(),
    });
    let summary = summarize(&detail);
    Some(Parsed { detail, summary })
}

/// First entry of a leaf-list, or the leaf.
fn first(value: Option<&Value>) -> Option<&Value> {
    match value? {
        Value::Array(list) => list.first(),
        other => Some(other),
    }
}

fn is_on(node: Option<&Value>) -> bool {
    node.and_then(|n| either(n, "enabled"))
        .and_then(Value::as_bool)
        .unwrap_or(false)
}

fn name(interface: &Value) -> Option<String> {
    text(interface, "interface-id").or_else(|| text(interface, "state/interface-id"))
}

fn interface(interface: &Value) -> Value {
    let truth = |leaf| either(interface, leaf).and_then(Value::as_bool).unwrap_or(false);
    let levels: Vec<Value> = list(interface, "levels/level")
        .iter()
        .filter(|level| is_on(Some(level)))
        .map(|level| {
            json!({
                "level_number": level_number(level),
                "enabled": true,
                "hello_authentication": is_on(at(level, "hello-authentication")),
            })
        })
        .collect();
    json!({
        "name": name(interface),
        "enabled": truth("enabled"),
        "passive": truth("passive"),
        "circuit_type": either(interface, "circuit-type"),
        "levels": levels,
        "authentication_enabled": is_on(at(interface, "authentication")),
        "bfd_enabled": is_on(at(interface, "enable-bfd")),
    })
}

fn level_number(level: &Value) -> Option<i64> {
    number(level, "level-number").or_else(|| number(level, "state/level-number"))
}

fn adjacencies(interface: &Value) -> Vec<Value> {
    let mut out = Vec::new();
    for level in list(interface, "levels/level") {
        for adjacency in list(level, "adjacencies/adjacency") {
            let leaf = |name: &str| at(adjacency, "state").and_then(|s| at(s, name)).cloned();
            out.push(json!({
                "interface": name(interface),
                "system_id": leaf("system-id").or_else(|| at(adjacency, "system-id").cloned()),
                "neighbor_ipv4": leaf("neighbor-ipv4-address"),
                "neighbor_ipv6": leaf("neighbor-ipv6-address"),
                "level": level_number(level),
                "adjacency_type": leaf("adjacency-type"),
                "state": leaf("adjacency-state"),
                "area_address": leaf("area-address").unwrap_or_else(|| json!([])),
            }));
        }
    }
    out
}

fn summarize(detail: &Value) -> String {
    let mut lines = vec!["ISIS Router Information:".to_owned()];
    if let Some(net) = detail["net"].as_str() {
        lines.push(format!("  Network Entity Title (NET): {net}"));
    }
    if let Some(level) = detail["level_capability"].as_str() {
        lines.push(format!("  Level Capability: {level}"));
    }
    let on = |v: &Value| {
        if v.as_bool() == Some(true) {
            "Enabled"
        } else {
            "Disabled"
        }
    };
    lines.push(format!(
        "  Segment Routing: {}",
        on(&detail["segment_routing_enabled"])
    ));
    lines.push("\nISIS Interfaces:".to_owned());
    for interface in detail["interfaces"].as_array().into_iter().flatten() {
        let kind = if interface["passive"] == json!(true) {
            "Passive"
        } else {
            "Active"
        };
        lines.push(format!(
            "  {}: {}, {kind}",
            show(&interface["name"]),
            on(&interface["enabled"])
        ));
        for level in interface["levels"].as_array().into_iter().flatten() {
            lines.push(format!(
                "    Level-{}: {}",
                show(&level["level_number"]),
                on(&level["enabled"])
            ));
        }
    }
    let adjacencies = detail["adjacencies"].as_array().map_or(&[][..], Vec::as_slice);
    let title = if adjacencies.is_empty() {
        "\nNo ISIS adjacencies found."
    } else {
        "\nISIS Adjacencies:"
    };
    lines.push(title.to_owned());
    for adjacency in adjacencies {
        let (interface, system) = (show(&adjacency["interface"]), show(&adjacency["system_id"]));
        lines.push(format!(
            "  {interface} -> {system} ({})",
            show(&adjacency["neighbor_ipv4"])
        ));
        lines.push(format!(
            "    Level: {}, State: {}",
            show(&adjacency["level"]),
            show(&adjacency["state"])
        ));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gnmi::collector::tests::{answer, check_summaries};

    #[test]
    fn summaries_read_like_the_contracts() {
        check_summaries("isis", "net", summarize);
    }

    #[test]
    fn adjacencies_that_are_down_are_listed() {
        let base = "/network-instances/network-instance[name=default]/protocols/protocol[identifier=ISIS][name=CORE]/isis";
        let interfaces = json!({"interface": [{"interface-id": "Gi0", "state": {"enabled": true, "passive": false, "circuit-type": "POINT_TO_POINT"},
            "levels": {"level": [{"level-number": 2, "state": {"level-number": 2, "enabled": true},
                "adjacencies": {"adjacency": [{"system-id": "0000.0000.0002", "state": {"adjacency-state": "DOWN", "system-id": "0000.0000.0002", "neighbor-ipv4-address": "10.0.0.2"}}]}}]}}]});
        let global = json!({"state": {"net": ["49.0001.0000.0000.0001.00"], "level-capability": "LEVEL_2"}, "segment-routing": {"config": {"enabled": true}}});
        let got = interpret(&answer(&[
            (&format!("{base}/interfaces"), interfaces),
            (&format!("{base}/global"), global),
        ]))
        .unwrap();
        assert_eq!(got.detail["adjacencies"][0]["state"], "DOWN");
        assert_eq!(got.detail["segment_routing_enabled"], true);
        assert_eq!(got.detail["net"], "49.0001.0000.0000.0001.00");
        assert!(
            got.summary
                .ends_with("  Gi0 -> 0000.0000.0002 (10.0.0.2)\n    Level: 2, State: DOWN"),
            "{}",
            got.summary
        );
    }
}
