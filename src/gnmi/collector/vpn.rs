//! `get_vpn_info`: the VRFs of a device, first their names, then each VRF's subtree in one Get.
//!
//! Beyond the contract, a VRF that is disabled says so, and `detailed_data` tells it too.

use super::arguments::Arguments;
use super::bgp::{show, time};
use super::envelope::Envelope;
use super::routing::{MODEL, fetch};
use crate::gnmi::client::lookup::{at, either, list, text};
use crate::gnmi::client::{Answer, Error, Kind, Session};
use crate::gnmi::inventory::Device;
use crate::proto::gnmi::{Path, PathElem};
use crate::proto::path::{local_name, print};
use serde_json::{Value, json};

const OPERATION: &str = "vpn_info";
const INSTANCES: &str = "openconfig-network-instance:network-instances";
const NAMES: [&str; 2] = [
    "openconfig-network-instance:network-instances/network-instance[name=*]/state",
    "openconfig-network-instance:network-instances/network-instance[name=*]/config",
];
/// Instances that are no customer's.
const INTERNAL: [&str; 2] = ["default", "**iid"];

pub(super) async fn collect(session: &Session, arguments: &Arguments) -> Envelope {
    let device = session.device();
    let filter = arguments.text("vrf_name").filter(|f| !f.is_empty());
    let details = arguments.flag("include_details");
    let names = match vrf_names(session).await {
        Ok(names) => names,
        Err(error) => return failed(device, &error, "Failed to discover VRFs due to gNMI error"),
    };
    let wanted: Vec<&String> = names
        .iter()
        .filter(|n| filter.is_none_or(|f| f == n.as_str()))
        .collect();
    let metadata = |message: &str, returned: usize| {
        json!({
            "message": message,
            "total_vrfs_on_device": names.len(),
            "vrfs_returned": returned,
            "vrf_filter_applied": filter.is_some(),
            "vrf_filter": filter,
            "include_details": details,
            "excluded_internal_vrfs": INTERNAL,
        })
    };
    if wanted.is_empty() {
        let message = match (filter, names.is_empty()) {
            (Some(_), false) => "No VRFs found matching filter",
            _ => "No VRFs found",
        };
        let mut metadata = metadata(message, 0);
        if filter.is_some() {
            metadata["vrfs_on_device"] = json!(names);
        }
        return Envelope::success(device, OPERATION, json!({}), metadata);
    }
    let paths: Vec<Path> = wanted.iter().map(|name| instance(name)).collect();
    let texts: Vec<String> = paths.iter().map(print).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let answer = match fetch(session, MODEL, &texts).await {
        Ok(answer) => answer,
        Err(error) => return failed(device, &error, "Failed to retrieve VRF details due to gNMI error"),
    };
    let vrfs: Vec<Value> = wanted
        .iter()
        .zip(&paths)
        .filter_map(|(name, path)| Some(entry(name, &answer.select(path).first()?.value, &answer, details)))
        .collect();
    let metadata = metadata("VRF information retrieved", vrfs.len());
    Envelope::success(device, OPERATION, json!({ "vrfs": vrfs }), metadata).with_warnings(&answer.warnings)
}

fn failed(device: &Device, error: &Error, message: &str) -> Envelope {
    Envelope {
        metadata: json!({ "message": message }),
        ..Envelope::failed(device, OPERATION, error)
    }
}

fn instance(name: &str) -> Path {
    let plain = |name: &str| PathElem {
        name: name.to_owned(),
        ..PathElem::default()
    };
    let mut instance = plain("network-instance");
    instance.key.insert("name".into(), name.to_owned());
    Path {
        elem: vec![plain(INSTANCES), instance],
        ..Path::default()
    }
}

/// Names of the customer's instances, in the device's order.
pub(super) async fn vrf_names(session: &Session) -> Result<Vec<String>, Error> {
    for path in NAMES {
        let answer = match fetch(session, MODEL, &[path]).await {
            Ok(answer) => answer,
            Err(error) if error.kind == Kind::NotFound => continue,
            Err(error) => return Err(error),
        };
        let asked = crate::proto::path::parse(path).unwrap_or_default();
        let names: Vec<String> = answer
            .select(&asked)
            .iter()
            .filter_map(|f| {
                f.key("network-instance", "name")
                    .map(str::to_owned)
                    .or_else(|| text(&f.value, "name"))
            })
            .filter(|n| !INTERNAL.iter().any(|i| i.eq_ignore_ascii_case(n)))
            .collect();
        if !names.is_empty() {
            return Ok(names);
        }
    }
    Ok(Vec::new())
}

fn entry(name: &str, vrf: &Value, answer: &Answer, details: bool) -> Value {
    let timestamp = time(answer.timestamp_ns);
    let enabled = either(vrf, "enabled").and_then(Value::as_bool).unwrap_or(true);
    let targets = |leaf: &str| -> Vec<String> {
        let policy = at(vrf, "inter-instance-policies/import-export-policy").unwrap_or(&Value::Null);
        match either(policy, leaf) {
            Some(Value::Array(list)) => list.iter().map(show).collect(),
            Some(Value::String(one)) => vec![one.clone()],
            _ => Vec::new(),
        }
    };
    let detail = json!({
        "timestamp": timestamp,
        "name": name,
        "description": either(vrf, "description"),
        "rd": either(vrf, "route-distinguisher"),
        "interfaces": list(vrf, "interfaces/interface").iter().filter_map(interface_name).collect::<Vec<_>>(),
        "route_targets": { "import": targets("import-route-target"), "export": targets("export-route-target") },
        "protocols": list(vrf, "protocols/protocol").iter().map(protocol).collect::<Vec<_>>(),
        "enabled": enabled,
    });
    let summary = summarize(vrf, &detail);
    json!({ "detailed_data": if details { detail } else { json!({}) }, "summary": summary })
}

fn interface_name(interface: &Value) -> Option<String> {
    let named = either(interface, "interface").or_else(|| either(interface, "id"));
    named
        .and_then(Value::as_str)
        .map(str::to_owned)
        .or_else(|| text(interface, "id"))
}

fn protocol(protocol: &Value) -> Value {
    let kind = text(protocol, "identifier").or_else(|| either(protocol, "identifier").map(show));
    let mut out = json!({ "type": kind, "name": text(protocol, "name") });
    if let Some(global) = at(protocol, "bgp/global") {
        let leaf = |name: &str| either(global, name).cloned();
        out["as_number"] = json!(leaf("as"));
        out["router_id"] = json!(leaf("router-id"));
        out["paths"] = json!(leaf("total-paths"));
        out["prefixes"] = json!(leaf("total-prefixes"));
    }
    out
}

fn summarize(vrf: &Value, detail: &Value) -> String {
    let state = if detail["enabled"] == json!(true) {
        "Enabled"
    } else {
        "Disabled"
    };
    let mut lines = vec![
        format!(
            "VRF Configuration Summary (as of {}):\n",
            show(&detail["timestamp"])
        ),
        format!("VRF: {} ({state})", show(&detail["name"])),
    ];
    if let Some(kind) = either(vrf, "type") {
        lines.push(format!("  Type: {}", show(kind)));
    }
    if let Some(text) = detail["description"].as_str().filter(|t| !t.is_empty()) {
        lines.push(format!("  Description: {text}"));
    }
    if !detail["rd"].is_null() {
        lines.push(format!("  Route Distinguisher: {}", show(&detail["rd"])));
    }
    for (title, key) in [("Import", "import"), ("Export", "export")] {
        let targets: Vec<String> = detail["route_targets"][key]
            .as_array()
            .into_iter()
            .flatten()
            .map(show)
            .collect();
        if !targets.is_empty() {
            lines.push(format!("  {title} Route Targets: {}", targets.join(", ")));
        }
    }
    let interfaces = list(vrf, "interfaces/interface");
    if !interfaces.is_empty() {
        lines.push("  Interfaces:".into());
    }
    lines.extend(interfaces.iter().map(interface_line));
    let protocols = detail["protocols"].as_array().map_or(&[][..], Vec::as_slice);
    if !protocols.is_empty() {
        lines.push("  Protocols:".into());
    }
    lines.extend(
        protocols
            .iter()
            .map(|p| format!("    - {} {}", show(&p["type"]), show(&p["name"]))),
    );
    lines.join("\n")
}

fn interface_line(interface: &Value) -> String {
    let name = interface_name(interface).unwrap_or_default();
    match either(interface, "associated-address-families").and_then(Value::as_array) {
        Some(list) if !list.is_empty() => {
            let families: Vec<String> = list.iter().map(|f| local_name(&show(f)).to_owned()).collect();
            format!("    - {name} (Address Families: {})", families.join(", "))
        }
        _ => format!("    - {name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gnmi::collector::tests::sample;

    fn tree(enabled: bool) -> Value {
        json!({"config": {"name": "100", "type": "openconfig-network-instance-types:L3VRF", "route-distinguisher": "100.100.100.101:100", "enabled": enabled},
            "inter-instance-policies": {"import-export-policy": {"config": {"import-route-target": ["100:100"], "export-route-target": ["100:100"]}}},
            "interfaces": {"interface": [{"id": "GigabitEthernet0/0/0/2", "config": {"id": "GigabitEthernet0/0/0/2",
                "associated-address-families": ["openconfig-types:IPV4", "openconfig-types:IPV6"]}}]},
            "protocols": {"protocol": [{"identifier": "openconfig-policy-types:BGP", "name": "default",
                "bgp": {"global": {"config": {"as": 100, "router-id": "100.100.100.101"}, "state": {"total-paths": 1, "total-prefixes": 1}}}}]}})
    }

    #[test]
    fn a_tree_like_the_recorded_one_gives_the_recorded_answer() {
        let Some(samples) = sample("get_vpn_info") else {
            return;
        };
        let recorded = samples
            .iter()
            .map(|s| &s["data"]["vrfs"][0])
            .find(|v| v["detailed_data"]["name"] == "100")
            .unwrap();
        let stamp = recorded["detailed_data"]["timestamp"].as_str().unwrap();
        let mut got = entry("100", &tree(true), &Answer::default(), true);
        let text = got["summary"].as_str().unwrap().replace("unknown", stamp);
        assert_eq!(text, recorded["summary"].as_str().unwrap());
        got["detailed_data"]["timestamp"] = json!(stamp);
        for (name, value) in recorded["detailed_data"].as_object().unwrap() {
            assert_eq!(&got["detailed_data"][name], value, "{name}");
        }
    }

    #[test]
    fn a_disabled_vrf_says_so() {
        let got = entry("100", &tree(false), &Answer::default(), false);
        assert!(got["summary"].as_str().unwrap().contains("VRF: 100 (Disabled)"));
        assert_eq!(got["detailed_data"], json!({}));
    }
}
