//! What a cited value means in the words of a requirement: `enabled: false` is `shutdown == true`.
//!
//! One row a leaf of the predicate language. A value without a row says nothing.

use serde_json::Value;

use super::Place;

/// What the place says of the leaf, in the requirement's words.
pub(super) fn told(leaf: &str, subject: &[String], place: &Place<'_>, wanted: &str) -> Option<String> {
    let text = |names: &[&str]| place.leaf(names);
    let upper = |names: &[&str]| place.leaf(names).map(|t| t.to_ascii_uppercase());
    match leaf {
        "state" => upper(&["session-state", "state"]).or_else(|| after(place.line()?, "State: ")),
        "remote-as" => text(&["peer-as", "remote_as"]).or_else(|| after(place.line()?, "AS: ")),
        "shutdown" => not(text(&["enabled"])).or_else(|| {
            let shut = place.line()?.contains("Administratively shut down");
            shut.then(|| "true".to_owned())
        }),
        "description" => text(&["description"]),
        "authenticated" => {
            let none = place.lacks(&["auth-password", "authentication"]);
            let some = text(&["auth-password"]).map(|_| "true".to_owned());
            if none { Some("false".to_owned()) } else { some }
        }
        "reason" => text(&["last-reset-reason"]).or_else(|| place.line().map(str::to_owned)),
        "notification" => text(&["last-notification-text"]).or_else(|| place.line().map(str::to_owned)),
        "configured" => {
            let some = text(&["afi-safi-name"]).map(|_| "true".to_owned());
            some.or_else(|| place.missing().map(|_| "false".to_owned()))
        }
        "received" => text(&["received-pre-policy"]),
        "max-prefix" => text(&["max-prefixes"]),
        "transitions" => text(&["established-transitions"]),
        "active" => text(&["active", "enabled"]).or_else(|| place.missing().map(|_| "false".to_owned())),
        "accepted" => text(&["received", "accepted"]),
        "rr-client" => text(&["route-reflector-client"]),
        "next-hop-self" => text(&["next-hop-self"]),
        "import-policy" => text(&["import-policy", "apply-policy"]),
        "admin-status" => upper(&["admin-status", "admin_status", "admin_state"]),
        "oper-status" => upper(&["oper-status", "oper_status", "oper_state"]),
        "mtu" | "metric" | "passive" | "net" | "rd" => {
            let rd = ["rd", "route-distinguisher", leaf];
            text(if leaf == "rd" {
                &rd
            } else {
                std::slice::from_ref(&rd[2])
            })
            .or_else(|| line_value(place, leaf))
        }
        "adjacency" => adjacency(place),
        "adjacencies" => adjacencies(place),
        "hello-padding" => text(&["hello-padding"]).map(|mode| (mode != "DISABLE").to_string()),
        "auth-failures" => text(&["auth-fails"]),
        "level" => level(place),
        "overload" => text(&["set-bit"]),
        "loopback-advertised" => {
            let missing = place.missing().is_some_and(|m| m.starts_with("Loopback"));
            let off = place.names("loopback0").then(|| text(&["enabled"])).flatten();
            if missing { Some("false".to_owned()) } else { off }
        }
        "srgb" => bound(place, wanted),
        "srgb-allocated" => {
            let absent = place.lacks(&["lower-bound", "upper-bound"]);
            let pending = text(&["allocation-pending"]).is_some_and(|t| t == "true");
            let empty = text(&["size"]).is_some_and(|t| t == "0");
            (absent || pending || empty).then(|| "none".to_owned())
        }
        "prefix-sid" => {
            let none = place.lacks(&["segment-routing", "prefix-sids", "prefix-sid", "sid-id"]);
            text(&["sid-id"]).or_else(|| none.then(|| "none".to_owned()))
        }
        "prefix-sid-label" => {
            let none = place.lacks(&["label", "incoming-label"]);
            text(&["label", "incoming-label"]).or_else(|| none.then(|| "none".to_owned()))
        }
        "enabled" => text(&[
            "enabled",
            "mpls-enabled",
            "mpls_enabled",
            "segment_routing_enabled",
        ]),
        "vrf" => instance(place, wanted),
        "import-rt" => {
            text(&["import-route-target", "import"]).or_else(|| line_value(place, "Import Route Targets"))
        }
        "export-rt" => {
            text(&["export-route-target", "export"]).or_else(|| line_value(place, "Export Route Targets"))
        }
        "remote-routes" => text(&["remote-routes", "installed"]),
        "redistribute-connected" => {
            let none = place.lacks(&["table-connections", "table-connection"]);
            none.then(|| "false".to_owned())
        }
        "in-fcs-errors" => text(&["in-fcs-errors", "in_fcs_errors"]),
        "out-discards" => text(&["out-discards", "out_discards"]),
        "in-giants" => text(&["in-oversize-frames", "in_oversize_frames"]),
        "carrier-transitions" => text(&["carrier-transitions", "carrier_transitions"]),
        "active-members" => active_members(place),
        "reachable" => unreachable(place),
        "invalid-paths" => text(&["valid-route"])
            .filter(|t| t == "false")
            .map(|_| "1".to_owned()),
        "ntp-synchronised" => text(&["synchronised", "ntp-synchronised"]),
        "uptime-s" => uptime(place),
        "clock-offset-s" => clock_offset(place),
        "reload-reason" => text(&["last-reload-reason", "last-reboot-reason", "reload-reason"]),
        "alarms" => text(&["text", "id"]).or_else(|| place.line().map(str::to_owned)),
        "cpu-percent" => text(&["instant", "cpu-utilization"]),
        "busiest-process" => busiest(place),
        "log" if subject.is_empty() => place.line().map(str::to_owned),
        _ => None,
    }
}

fn not(flag: Option<String>) -> Option<String> {
    match flag?.as_str() {
        "true" => Some("false".to_owned()),
        "false" => Some("true".to_owned()),
        _ => None,
    }
}

/// What stands behind a label in a line of a summary, up to the next comma or bracket.
fn after(line: &str, label: &str) -> Option<String> {
    let (_, rest) = line.split_once(label)?;
    let value = rest.split([',', ')']).next()?.trim();
    Some(value.to_owned())
}

/// The value of a `Label: value` line of a summary.
fn line_value(place: &Place<'_>, label: &str) -> Option<String> {
    let (name, value) = place.line()?.split_once(": ")?;
    let named = match label {
        "rd" => "Route Distinguisher",
        "net" => "NET",
        other => other,
    };
    (name.trim() == named).then(|| value.trim().replace(", ", ","))
}

/// UP or DOWN, from the state of an adjacency or from a list that holds none.
fn adjacency(place: &Place<'_>) -> Option<String> {
    if place.lacks(&["adjacencies", "adjacency", "levels", "level"]) {
        return Some("DOWN".to_owned());
    }
    if place.missing().is_some() {
        return Some("DOWN".to_owned());
    }
    let state = place.leaf(&["adjacency-state", "state", "adjacency_state"])?;
    Some(state.to_ascii_uppercase())
}

/// How many adjacencies the cited list holds.
fn adjacencies(place: &Place<'_>) -> Option<String> {
    if place.lacks(&["adjacencies", "adjacency"]) {
        return Some("0".to_owned());
    }
    Some(place.list("adjacency")?.len().to_string())
}

/// `LEVEL_1`, from its name or its number.
fn level(place: &Place<'_>) -> Option<String> {
    let text = place.leaf(&[
        "level-number",
        "level_number",
        "level-capability",
        "level_capability",
        "level",
        "circuit-type",
    ])?;
    match text.as_str() {
        "1" | "2" => Some(format!("LEVEL_{text}")),
        _ => Some(text),
    }
}

/// A block by one of its bounds: the other is cited beside it.
fn bound(place: &Place<'_>, wanted: &str) -> Option<String> {
    let (lower, upper) = wanted.split_once('-')?;
    let is = |names: &[&str], value: &str| place.leaf(names).is_some_and(|t| t == value);
    let fits = is(&["lower-bound", "lower_bound"], lower) || is(&["upper-bound", "upper_bound"], upper);
    let other = place.leaf(&["lower-bound", "lower_bound", "upper-bound", "upper_bound"]);
    if fits { Some(wanted.to_owned()) } else { other }
}

/// The VRF an interface is in: as its leaf says, or as the instance that lists it is called.
fn instance(place: &Place<'_>, wanted: &str) -> Option<String> {
    place.leaf(&["vrf"]).or_else(|| {
        let listed =
            place.leaf(&["interface", "id", "interfaces", "name"]).is_some() || place.line().is_some();
        (listed && place.names.iter().any(|n| *n == wanted.to_lowercase())).then(|| wanted.to_owned())
    })
}

/// Members of a bundle that carry traffic, counted in the list of members that is cited.
fn active_members(place: &Place<'_>) -> Option<String> {
    let members = place.list("member")?;
    let carries = |m: &&Value| m.pointer("/state/distributing").and_then(Value::as_bool) == Some(true);
    Some(members.iter().filter(carries).count().to_string())
}

/// `false` when the place is the failure of the device's own answer.
fn unreachable(place: &Place<'_>) -> Option<String> {
    let failed = place.leaf(&["status"]).is_some_and(|t| t == "failed");
    let said = place.leaf(&["message"]).is_some_and(|t| !t.is_empty())
        && place
            .names
            .iter()
            .any(|n| n == "error_response" || n == "failure");
    (failed || said).then(|| "false".to_owned())
}

/// Seconds from boot to the moment of reading.
fn uptime(place: &Place<'_>) -> Option<String> {
    let boot: i64 = place.leaf(&["boot-time", "boot_time"])?.parse().ok()?;
    let millis = match boot {
        ns if ns > 100_000_000_000_000_000 => ns / 1_000_000,
        us if us > 100_000_000_000_000 => us / 1_000,
        ms if ms > 100_000_000_000 => ms,
        s => s.saturating_mul(1_000),
    };
    Some(((place.evidence.at.0 - millis) / 1_000).to_string())
}

/// Seconds the device's clock is ahead of the moment of reading.
fn clock_offset(place: &Place<'_>) -> Option<String> {
    let shown: jiff::Timestamp = place.leaf(&["current-datetime"])?.parse().ok()?;
    Some(((shown.as_millisecond() - place.evidence.at.0) / 1_000).to_string())
}

/// The process that takes most of the CPU, where the cited place lies in the list of processes.
fn busiest(place: &Place<'_>) -> Option<String> {
    let usage = |p: &&Value| {
        let state = p.get("state").unwrap_or(p);
        state.get("cpu-utilization").and_then(Value::as_u64).unwrap_or(0)
    };
    let process = place.list("process")?.iter().max_by_key(usage)?;
    let name = process.pointer("/state/name").or_else(|| process.get("name"))?;
    Some(name.as_str()?.to_owned())
}
