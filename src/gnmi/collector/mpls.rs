//! `get_mpls_info`: label blocks, enabled interfaces and global settings of the default instance.
//!
//! A device without MPLS is no failure: the contract answers `enabled: false`.

use super::arguments::Arguments;
use super::envelope::Envelope;
use super::routing::{MODEL, fetch};
use crate::gnmi::client::lookup::{at, either, list, text};
use crate::gnmi::client::{Answer, Kind, Session};
use crate::proto::path::parse;
use serde_json::{Value, json};

const OPERATION: &str = "mpls_info";
const PATH: &str = "openconfig-network-instance:network-instances/network-instance[name=*]/mpls";

pub(super) async fn collect(session: &Session, arguments: &Arguments) -> Envelope {
    let answer = match fetch(session, MODEL, &[PATH]).await {
        Ok(answer) => answer,
        Err(error) if error.kind == Kind::NotFound => Answer::default(),
        Err(error) => return Envelope::failed(session.device(), OPERATION, &error),
    };
    let data = interpret(&answer);
    let summary = json!({ "summary": data["summary"] });
    let metadata = json!({ "include_details": arguments.flag("include_details") });
    Envelope::success(
        session.device(),
        OPERATION,
        json!({ "mpls_data": data, "summary": summary }),
        metadata,
    )
    .with_warnings(&answer.warnings)
}

fn interpret(answer: &Answer) -> Value {
    let found = parse(PATH).map(|asked| answer.select(&asked)).unwrap_or_default();
    let default = found.iter().find(|f| {
        f.key("network-instance", "name")
            .is_none_or(|n| n.eq_ignore_ascii_case("default"))
    });
    let mpls = default
        .or_else(|| found.first())
        .map_or(&Value::Null, |f| &f.value);
    let blocks: Vec<Value> = list(mpls, "global/reserved-label-blocks/reserved-label-block")
        .iter()
        .map(block)
        .collect();
    let interfaces: Vec<Value> = list(mpls, "global/interface-attributes/interface")
        .iter()
        .map(interface)
        .collect();
    let enabled = !blocks.is_empty() || interfaces.iter().any(|i| i["mpls_enabled"] == json!(true));
    let settings = settings(mpls, enabled);
    let summary = summarize(enabled, &settings, &blocks, &interfaces);
    let interfaces = if interfaces.is_empty() {
        json!(["NO_INTERFACES_CONFIGURED"])
    } else {
        json!(interfaces)
    };
    json!({
        "enabled": enabled,
        "label_blocks": blocks,
        "interfaces": interfaces,
        "global_settings": settings,
        "summary": summary,
    })
}

fn block(block: &Value) -> Value {
    let bound = |leaf| {
        either(block, leaf).map(|v| {
            v.as_str()
                .and_then(|s| s.parse().ok())
                .map_or_else(|| v.clone(), |n: i64| json!(n))
        })
    };
    json!({
        "name": text(block, "local-id").or_else(|| text(block, "state/local-id")),
        "lower_bound": bound("lower-bound"),
        "upper_bound": bound("upper-bound"),
    })
}

fn interface(interface: &Value) -> Value {
    let enabled = either(interface, "mpls-enabled")
        .and_then(Value::as_bool)
        .unwrap_or(false);
    json!({ "name": text(interface, "interface-id"), "mpls_enabled": enabled })
}

fn settings(mpls: &Value, enabled: bool) -> Value {
    let global = at(mpls, "global").unwrap_or(&Value::Null);
    let mut out = json!({});
    if let Some(label) = either(global, "null-label") {
        out["null_label"] = label.clone();
    }
    if let Some(ttl) = either(global, "ttl-propagation") {
        out["ttl_propagation"] = ttl.clone();
    }
    if enabled { out } else { json!({}) }
}

fn summarize(enabled: bool, settings: &Value, blocks: &[Value], interfaces: &[Value]) -> String {
    if !enabled {
        return "MPLS is not effectively configured on this device: no interface has it enabled and no label block is \
                reserved."
            .into();
    }
    let mut lines = vec!["MPLS Configuration Summary:".to_owned()];
    if let Some(ttl) = settings["ttl_propagation"].as_bool() {
        lines.push(format!(
            "- TTL Propagation: {}",
            if ttl { "Enabled" } else { "Disabled" }
        ));
    }
    if !blocks.is_empty() {
        lines.push("\nMPLS Label Blocks:".into());
        for block in blocks {
            let name = block["name"].as_str().unwrap_or("unnamed");
            lines.push(format!(
                "- {name}: Range {}-{}",
                block["lower_bound"], block["upper_bound"]
            ));
        }
    }
    let named = |on: bool| {
        interfaces
            .iter()
            .filter(move |i| i["mpls_enabled"] == json!(on))
            .map(|i| format!("- {}", i["name"].as_str().unwrap_or("unnamed")))
    };
    let (on, off): (Vec<_>, Vec<_>) = (named(true).collect(), named(false).collect());
    for (title, list) in [
        ("\nMPLS-Enabled Interfaces:", on),
        ("\nMPLS-Disabled Interfaces:", off),
    ] {
        if !list.is_empty() {
            lines.push(title.into());
            lines.extend(list);
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gnmi::collector::tests::{answer, sample};

    #[test]
    fn a_tree_like_the_recorded_one_gives_the_recorded_answer() {
        let Some(samples) = sample("get_mpls_info") else {
            return;
        };
        let recorded = samples
            .iter()
            .find(|s| s["data"]["mpls_data"]["enabled"] == true)
            .unwrap();
        let interface = |n: u8| json!({"interface-id": format!("GigabitEthernet0/0/0/{n}"), "state": {"mpls-enabled": true}});
        let block = |name: &str, low: &str, high: u32| json!({"local-id": name, "state": {"lower-bound": low, "upper-bound": high}});
        let tree = json!({"global": {"config": {"null-label": "openconfig-mpls-types:IMPLICIT", "ttl-propagation": true},
            "reserved-label-blocks": {"reserved-label-block": [block("default-srgb", "16000", 18000), block("default-srlb", "15000", 15999)]},
            "interface-attributes": {"interface": [interface(0), interface(1)]}}});
        let got = interpret(&answer(&[(
            "/network-instances/network-instance[name=default]/mpls",
            tree,
        )]));
        assert_eq!(got, recorded["data"]["mpls_data"]);
    }

    #[test]
    fn no_mpls_is_an_answer() {
        let got = interpret(&Answer::default());
        assert_eq!(got["enabled"], false);
        assert_eq!(got["interfaces"], json!(["NO_INTERFACES_CONFIGURED"]));
    }

    #[test]
    fn a_disabled_interface_is_named() {
        let tree = json!({"global": {"interface-attributes": {"interface": [
            {"interface-id": "Gi0", "state": {"mpls-enabled": true}}, {"interface-id": "Gi1", "config": {"mpls-enabled": false}}]}}});
        let got = interpret(&answer(&[(
            "/network-instances/network-instance[name=default]/mpls",
            tree,
        )]));
        assert_eq!(
            got["summary"],
            "MPLS Configuration Summary:\n\nMPLS-Enabled Interfaces:\n- Gi0\n\nMPLS-Disabled Interfaces:\n- Gi1"
        );
    }
}
