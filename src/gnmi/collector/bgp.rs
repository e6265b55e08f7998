//! BGP as the contract shows it: router, address families, neighbour groups, neighbours, VRFs.
//!
//! Beyond the contract, sessions inside VRFs are listed (`vrfs[].neighbors`), a neighbour that is shut
//! says so, and prefix counts before policy are kept where the device reports them.

use super::routing::Parsed;
use crate::gnmi::client::lookup::{at, counter, either, flag, identity, list, number, text};
use crate::gnmi::client::{Answer, Found};
use crate::proto::path::parse;
use serde_json::{Map, Value, json};

pub(super) const PATHS: [&str; 1] =
    ["openconfig-network-instance:network-instances/network-instance[name=*]/protocols/protocol/bgp"];

/// `None` when no instance runs BGP.
pub(super) fn interpret(answer: &Answer) -> Option<Parsed> {
    let asked = parse(PATHS[0]).ok()?;
    let instances = answer.select(&asked);
    let main = instances
        .iter()
        .find(|f| is_default(f))
        .or_else(|| instances.first())?;
    let vrfs: Vec<Value> = instances
        .iter()
        .filter(|f| !std::ptr::eq(*f, main))
        .map(vrf)
        .collect();
    let bgp = &main.value;
    let router = router(bgp);
    let detail = json!({
        "data_timestamp": answer.timestamp_ns,
        "data_timestamp_str": time(answer.timestamp_ns),
        "router": router,
        "address_families": families(bgp),
        "neighbor_groups": groups(bgp),
        "neighbors": neighbors(bgp),
        "vrfs": vrfs,
    });
    let summary = summarize(&detail);
    Some(Parsed { detail, summary })
}

fn is_default(found: &Found) -> bool {
    found
        .key("network-instance", "name")
        .is_none_or(|n| n.eq_ignore_ascii_case("default"))
}

/// `2026-11-22 00:12:08` in UTC, or "unknown".
pub(super) fn time(nanoseconds: i64) -> String {
    if nanoseconds <= 0 {
        return "unknown".into();
    }
    jiff::Timestamp::from_nanosecond(i128::from(nanoseconds)).map_or_else(
        |_| "unknown".into(),
        |t| t.strftime("%Y-%m-%d %H:%M:%S").to_string(),
    )
}

/// Epoch time in ns, us, ms or s - devices differ - as nanoseconds.
pub(super) fn nanoseconds(value: i64) -> i64 {
    match value {
        v if v > 100_000_000_000_000_000 => v,
        v if v > 100_000_000_000_000 => v.saturating_mul(1_000),
        v if v > 100_000_000_000 => v.saturating_mul(1_000_000),
        v => v.saturating_mul(1_000_000_000),
    }
}

fn router(bgp: &Value) -> Value {
    let global = at(bgp, "global").unwrap_or(&Value::Null);
    json!({
        "as_number": either(global, "as").and_then(whole),
        "router_id": either(global, "router-id"),
        "total_prefixes": either(global, "total-prefixes").and_then(whole),
    })
}

/// A number, also written as text.
fn whole(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_str()?.parse().ok())
}

fn families(bgp: &Value) -> Vec<Value> {
    list(bgp, "global/afi-safis/afi-safi")
        .iter()
        .filter(|f| either(f, "enabled").and_then(Value::as_bool).unwrap_or(true))
        .map(|f| json!({ "name": family_name(f), "prefixes": either(f, "total-prefixes").and_then(whole) }))
        .collect()
}

fn family_name(family: &Value) -> String {
    let name = text(family, "afi-safi-name");
    let name = name.or_else(|| {
        either(family, "afi-safi-name")
            .and_then(Value::as_str)
            .map(str::to_owned)
    });
    identity(&name.unwrap_or_default())
}

fn groups(bgp: &Value) -> Vec<Value> {
    list(bgp, "peer-groups/peer-group")
        .iter()
        .map(|group| {
            let families = list(group, "afi-safis/afi-safi")
                .iter()
                .map(|f| json!({ "name": family_name(f) }));
            let transport = at(group, "transport").unwrap_or(&Value::Null);
            json!({
                "name": text(group, "peer-group-name"),
                "remote_as": either(group, "peer-as").and_then(whole),
                "update_source": either(transport, "local-address"),
                "address_families": families.collect::<Vec<_>>(),
            })
        })
        .collect()
}

fn neighbors(bgp: &Value) -> Vec<Value> {
    list(bgp, "neighbors/neighbor").iter().map(neighbor).collect()
}

fn neighbor(neighbor: &Value) -> Value {
    let state = text(neighbor, "state/session-state").unwrap_or_else(|| "UNKNOWN".into());
    let mut prefixes = Map::new();
    for family in list(neighbor, "afi-safis/afi-safi") {
        let Some(counts) = at(family, "state/prefixes") else {
            continue;
        };
        let mut entry = json!({
            "received": counter(counts, "received").unwrap_or(0),
            "sent": counter(counts, "sent").unwrap_or(0),
        });
        for (name, leaf) in [
            ("received_pre_policy", "received-pre-policy"),
            ("installed", "installed"),
        ] {
            if let Some(count) = counter(counts, leaf) {
                entry[name] = json!(count);
            }
        }
        prefixes.insert(family_name(family), entry);
    }
    let mut out = json!({
        "address": text(neighbor, "neighbor-address"),
        "remote_as": either(neighbor, "peer-as").and_then(whole),
        "group": either(neighbor, "peer-group"),
        "state": state,
        "prefixes": prefixes,
    });
    if state == "ESTABLISHED"
        && let Some(since) = number(neighbor, "state/last-established")
    {
        out["uptime"] = json!(time(nanoseconds(since)));
    }
    if flag(neighbor, "config/enabled").or_else(|| flag(neighbor, "state/enabled")) == Some(false) {
        out["enabled"] = json!(false);
    }
    if let Some(description) = either(neighbor, "description") {
        out["description"] = description.clone();
    }
    out
}

fn vrf(found: &Found) -> Value {
    let bgp = &found.value;
    let mut vrf = json!({ "name": found.key("network-instance", "name") });
    let families = families(bgp);
    if let (Some(into), Value::Object(router)) = (vrf.as_object_mut(), router(bgp)) {
        into.extend(router);
    }
    vrf["address_families"] = json!(families);
    let neighbors = neighbors(bgp);
    if !neighbors.is_empty() {
        vrf["neighbors"] = json!(neighbors);
    }
    vrf
}

fn summarize(detail: &Value) -> String {
    let mut lines = vec![
        format!("Data collected at: {}", show(&detail["data_timestamp_str"])),
        format!("AS Number: {}", show(&detail["router"]["as_number"])),
        format!("Router ID: {}", show(&detail["router"]["router_id"])),
        format!("Total Prefixes: {}", show(&detail["router"]["total_prefixes"])),
        format!("Address Families: {}", names(&detail["address_families"])),
    ];
    section(
        &mut lines,
        "Neighbor Groups:",
        &detail["neighbor_groups"],
        |lines, group| {
            lines.push(format!(
                "  * {} (Remote AS: {})",
                show(&group["name"]),
                show(&group["remote_as"])
            ));
            lines.extend(items(&group["address_families"]).map(|f| format!("    - {}", show(&f["name"]))));
        },
    );
    section(&mut lines, "Neighbors:", &detail["neighbors"], |lines, n| {
        summarize_neighbor(lines, n, "  ")
    });
    section(&mut lines, "VRFs:", &detail["vrfs"], |lines, vrf| {
        let (name, number) = (show(&vrf["name"]), show(&vrf["as_number"]));
        lines.push(format!(
            "  * {name} - AS: {number}, Router ID: {}",
            show(&vrf["router_id"])
        ));
        let families = items(&vrf["address_families"]);
        lines.extend(
            families.map(|f| format!("    - {} (Prefixes: {})", show(&f["name"]), show(&f["prefixes"]))),
        );
        for neighbor in items(&vrf["neighbors"]) {
            summarize_neighbor(lines, neighbor, "    ");
        }
    });
    lines.join("\n")
}

fn summarize_neighbor(lines: &mut Vec<String>, neighbor: &Value, indent: &str) {
    let group = match &neighbor["group"] {
        Value::Null => String::new(),
        group => format!("Group: {}, ", show(group)),
    };
    lines.push(format!(
        "{indent}* {} (AS: {}, {group}State: {})",
        show(&neighbor["address"]),
        show(&neighbor["remote_as"]),
        show(&neighbor["state"])
    ));
    if neighbor["enabled"] == json!(false) {
        lines.push(format!("{indent}  - Administratively shut down"));
    }
    if let Some(since) = neighbor["uptime"].as_str() {
        lines.push(format!("{indent}  - Up since: {since}"));
    }
    for (family, counts) in neighbor["prefixes"].as_object().into_iter().flatten() {
        let (received, sent) = (show(&counts["received"]), show(&counts["sent"]));
        lines.push(format!("{indent}  - {family}: received {received}, sent {sent}"));
    }
}

fn section(lines: &mut Vec<String>, title: &str, list: &Value, each: impl Fn(&mut Vec<String>, &Value)) {
    let mut entries = items(list).peekable();
    if entries.peek().is_none() {
        return;
    }
    lines.push(title.to_owned());
    for entry in entries {
        each(lines, entry);
    }
}

fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

fn names(list: &Value) -> String {
    items(list)
        .map(|f| show(&f["name"]))
        .collect::<Vec<_>>()
        .join(", ")
}

/// A scalar as people read it; what is absent is "unknown".
pub(super) fn show(value: &Value) -> String {
    match value {
        Value::Null => "unknown".into(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gnmi::collector::tests::{answer, check_summaries};

    #[test]
    fn summaries_read_like_the_contracts() {
        check_summaries("bgp", "router", summarize);
    }

    #[test]
    fn vrf_sessions_and_shut_neighbours_are_not_hidden() {
        let default = json!({"global": {"state": {"as": 100, "router-id": "1.1.1.1", "total-prefixes": 4},
                "afi-safis": {"afi-safi": [{"afi-safi-name": "openconfig-bgp-types:L3VPN_IPV4_UNICAST", "state": {"total-prefixes": "2"}}]}},
            "peer-groups": {"peer-group": [{"peer-group-name": "RR", "config": {"peer-as": 100}, "transport": {"config": {"local-address": "Loopback0"}}}]},
            "neighbors": {"neighbor": [
                {"neighbor-address": "9.9.9.9", "config": {"peer-group": "RR", "enabled": false}, "state": {"session-state": "IDLE", "peer-as": 100}},
                {"neighbor-address": "8.8.8.8", "state": {"session-state": "ESTABLISHED", "peer-as": 100, "last-established": "1795133528000000000"},
                 "afi-safis": {"afi-safi": [{"afi-safi-name": "oc:L3VPN_IPV4_UNICAST", "state": {"prefixes": {"received": 1, "received-pre-policy": 3, "sent": 1}}}]}}]}});
        let customer = json!({"global": {"state": {"as": 100, "router-id": "1.1.1.1"}},
            "neighbors": {"neighbor": [{"neighbor-address": "10.1.1.9", "config": {"peer-as": 65001}, "state": {"session-state": "ACTIVE"}}]}});
        let path = |vrf: &str| {
            format!(
                "/network-instances/network-instance[name={vrf}]/protocols/protocol[identifier=BGP][name=default]/bgp"
            )
        };
        let got = interpret(&answer(&[
            (&path("default"), default),
            (&path("CUST-A"), customer),
        ]))
        .unwrap();
        assert_eq!(got.detail["neighbors"][0]["enabled"], false);
        assert_eq!(got.detail["neighbors"][0]["group"], "RR");
        assert_eq!(
            got.detail["neighbors"][1]["prefixes"]["l3vpn_ipv4_unicast"]["received_pre_policy"],
            3
        );
        assert_eq!(got.detail["neighbors"][1]["uptime"], "2026-11-20 00:12:08");
        assert_eq!(got.detail["vrfs"][0]["neighbors"][0]["state"], "ACTIVE");
        assert!(
            got.summary.contains("Administratively shut down"),
            "{}",
            got.summary
        );
        assert!(
            got.summary.contains("    * 10.1.1.9 (AS: 65001, State: ACTIVE)"),
            "{}",
            got.summary
        );
    }

    #[test]
    fn nothing_is_no_bgp() {
        assert!(interpret(&answer(&[])).is_none());
    }

    #[test]
    fn epochs_of_any_unit() {
        assert_eq!(nanoseconds(1_795_133_528), 1_795_133_528_000_000_000);
        assert_eq!(nanoseconds(1_795_133_528_000), 1_795_133_528_000_000_000);
    }
}
