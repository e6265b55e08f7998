//! Does what a verdict cites show what the scenario requires?
//!
//! A requirement such as `xrd-1 bgp neighbor 100.100.100.107 state != ESTABLISHED` is met when some citation
//! of the verdict holds, is about that device, stands in a place with those names, and its leaf satisfies the
//! comparison. The place is read from the evidence itself: members on the way, and keys of list entries.

use serde_json::Value;

use crate::agent::model::{Citation, Evidence};
use crate::lab::scenario::{Op, Predicate};

/// What stands around a cited value.
struct Place {
    /// Member names and keys of list entries on the way, lower case.
    names: Vec<String>,
    /// The last member name.
    leaf: String,
    /// The value as text; the joined texts of a list.
    shown: Option<String>,
}

fn local(name: &str) -> &str {
    name.rsplit_once(':')
        .map_or(name, |(_, rest)| if rest.is_empty() { name } else { rest })
}

fn shown(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::String(text) => Some(local_value(text)),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Array(items) => Some(
            items
                .iter()
                .filter_map(|i| shown(Some(i)))
                .collect::<Vec<_>>()
                .join(","),
        ),
        Value::Null | Value::Object(_) => None,
    }
}

/// Identities lose their module, everything else stays.
fn local_value(text: &str) -> String {
    match text.split_once(':') {
        Some((module, rest)) if module.starts_with("openconfig-") => rest.to_owned(),
        _ => text.to_owned(),
    }
}

fn place(citation: &Citation, evidence: &Evidence) -> Place {
    let mut names = Vec::new();
    let mut at = Some(evidence.value.as_ref());
    let mut leaf = String::new();
    let tokens = citation
        .pointer
        .split('/')
        .skip(1)
        .map(|t| t.replace("~1", "/").replace("~0", "~"));
    for token in tokens {
        let inside_list = at.is_some_and(Value::is_array);
        at = at.and_then(|v| match v {
            Value::Array(items) => items.get(token.parse::<usize>().ok()?),
            other => other.get(&token),
        });
        if inside_list {
            for (_, value) in at.and_then(Value::as_object).into_iter().flatten() {
                names.extend(
                    shown(Some(value))
                        .filter(|_| value.is_string())
                        .map(|s| s.to_lowercase()),
                );
            }
        } else {
            let path = token.contains('[') || token.starts_with('/');
            if path {
                let inside = token
                    .split(['[', ']', '='])
                    .map(|part| local(part).to_lowercase());
                names.extend(inside.filter(|part| !part.is_empty()));
            }
            leaf = local(token.rsplit('/').next().unwrap_or(&token)).to_owned();
            names.push(leaf.to_lowercase());
            names.push(token.to_lowercase());
        }
    }
    Place {
        names,
        leaf,
        shown: shown(at),
    }
}

/// Leaves by which tools show what a requirement calls so.
fn leaves(leaf: &str) -> &'static [&'static str] {
    match leaf {
        "state" => &["session-state", "state", "summary"],
        "oper-status" => &["oper-status", "oper_status", "oper_state"],
        "admin-status" => &["admin-status", "admin_status", "admin_state"],
        "remote-as" => &["peer-as", "remote_as", "summary"],
        "shutdown" => &["enabled"],
        "adjacency" => &["adjacency", "adjacencies", "adjacency-state", "state", "levels"],
        "auth-failures" => &["auth-fails"],
        "level" => &[
            "level-number",
            "level-capability",
            "level_number",
            "level_capability",
        ],
        "overload" => &["set-bit"],
        "net" => &["net", "0"],
        "metric" => &["metric"],
        "passive" => &["passive"],
        "loopback-advertised" => &["interfaces", "interface", "enabled"],
        "srgb" => &["lower-bound", "upper-bound", "lower_bound", "upper_bound"],
        "srgb-allocated" => &["lower-bound", "allocation-pending", "size"],
        "prefix-sid" => &["sid-id", "segment-routing"],
        "prefix-sid-label" => &["sid-id", "label"],
        "enabled" => &[
            "mpls-enabled",
            "mpls_enabled",
            "enabled",
            "segment_routing_enabled",
        ],
        "vrf" => &["interface", "id", "vrf", "interfaces"],
        "import-rt" | "remote-routes" => &["import-route-target", "import"],
        "export-rt" => &["export-route-target", "export"],
        "rd" => &["route-distinguisher", "rd"],
        "redistribute-connected" => &["table-connections", "table-connection"],
        "transitions" => &["established-transitions"],
        "in-fcs-errors" => &["in-fcs-errors", "in_fcs_errors"],
        "out-discards" => &["out-discards", "out_discards"],
        "in-giants" => &["in-oversize-frames"],
        "carrier-transitions" => &["carrier-transitions", "carrier_transitions"],
        "mtu" => &["mtu"],
        "active-members" => &["distributing", "oper-status"],
        "rr-client" => &["route-reflector-client"],
        "next-hop-self" => &["next-hop-self"],
        "import-policy" => &["import-policy", "0"],
        "active" => &["active", "enabled"],
        "accepted" => &["received", "policy-result"],
        "reachable" => &["message", "status"],
        "invalid-paths" => &["valid-route"],
        "ntp-synchronised" => &["synchronised", "current-datetime"],
        "uptime-s" => &["boot-time", "boot_time"],
        "reload-reason" => &["last-reload-reason", "last-reboot-reason"],
        "alarms" => &["text", "id"],
        "cpu-percent" => &["instant", "cpu-utilization"],
        "busiest-process" => &["cpu-utilization", "name"],
        "log" => &["message"],
        _ => &[],
    }
}

/// True when the citation shows what is required.
pub fn shows(requirement: &Predicate, citation: &Citation, evidence: &Evidence) -> bool {
    if !citation.holds(evidence) {
        return false;
    }
    let place = place(citation, evidence);
    let device = requirement.device.to_lowercase();
    let about = place.names.contains(&device)
        || evidence.devices.len() == 1 && evidence.devices[0].0 == requirement.device;
    let Some(leaf) = requirement.subject.last() else {
        return false;
    };
    if !about || !leaves(leaf).contains(&place.leaf.as_str()) {
        return false;
    }
    let keys = requirement.subject[..requirement.subject.len() - 1]
        .iter()
        .filter(|k| is_name(k));
    let here = |key: &str| {
        let wanted = match key {
            "vpnv4" => "l3vpn_ipv4_unicast",
            "ipv4" => "ipv4_unicast",
            other => other,
        };
        place.names.iter().any(|n| n.ends_with(&wanted.to_lowercase()))
            || place.shown.as_deref().is_some_and(|s| s.contains(wanted))
    };
    keys.into_iter().all(|key| here(key)) && compares(requirement, leaf, &place)
}

/// Words that name a thing, not a kind of thing.
fn is_name(word: &str) -> bool {
    !matches!(
        word,
        "interface"
            | "bgp"
            | "neighbor"
            | "isis"
            | "vrf"
            | "afi"
            | "sr"
            | "mpls"
            | "system"
            | "management"
            | "log"
            | "route"
    )
}

/// True when the leaf satisfies the comparison, as far as the leaf says the same thing in the same words.
fn compares(requirement: &Predicate, leaf: &str, place: &Place) -> bool {
    let wanted = requirement.value.as_str();
    let same_words = matches!(
        leaf,
        "state"
            | "oper-status"
            | "admin-status"
            | "remote-as"
            | "net"
            | "metric"
            | "passive"
            | "rd"
            | "mtu"
            | "in-fcs-errors"
            | "out-discards"
            | "in-giants"
            | "carrier-transitions"
            | "transitions"
            | "export-rt"
            | "import-rt"
            | "rr-client"
            | "next-hop-self"
            | "import-policy"
            | "auth-failures"
            | "overload"
            | "log"
            | "reload-reason"
    );
    if !same_words {
        return true;
    }
    let shown = place.shown.as_deref();
    let numbers = || Some((shown?.parse::<f64>().ok()?, wanted.parse::<f64>().ok()?));
    match requirement.op {
        Op::Equal => shown == Some(wanted),
        Op::Unequal => shown.is_some_and(|s| s != wanted),
        Op::Greater => numbers().is_some_and(|(a, b)| a > b),
        Op::Less => numbers().is_some_and(|(a, b)| a < b),
        Op::Contains => shown.is_some_and(|s| s.contains(wanted)),
    }
}
