//! Does what a verdict cites show what the scenario requires?
//!
//! A requirement such as `xrd-1 bgp neighbor 100.100.100.107 state != ESTABLISHED` is met when some citation of
//! the verdict holds, is about that device, stands in a place with those names, and the value there satisfies
//! the comparison. Places and names are read from the evidence itself: members on the way, keys of list
//! entries. What a value means in the requirement's words is in `meaning`; what has no meaning there shows
//! nothing.

mod meaning;

use serde_json::Value;

use crate::agent::model::{Citation, Claim, Evidence};
use crate::lab::scenario::{Op, Predicate};

/// A cited place, and what stands around it.
struct Place<'a> {
    citation: &'a Citation,
    evidence: &'a Evidence,
    /// Member names and keys of list entries on the way, lower case.
    names: Vec<String>,
    /// The last member name, without its module.
    leaf: String,
    /// The value; `None` when nothing is there.
    value: Option<&'a Value>,
}

/// Members that name a list entry.
const KEYS: [&str; 14] = [
    "name",
    "id",
    "interface-id",
    "local-id",
    "neighbor-address",
    "afi-safi-name",
    "address",
    "device_name",
    "device",
    "hostname",
    "afi",
    "vrf",
    "identifier",
    "interface",
];

fn local(name: &str) -> &str {
    name.rsplit_once(':')
        .map_or(name, |(_, rest)| if rest.is_empty() { name } else { rest })
}

/// Identities lose their module, everything else stays.
fn local_value(text: &str) -> &str {
    match text.split_once(':') {
        Some((module, rest)) if module.starts_with("openconfig-") => rest,
        _ => text,
    }
}

/// A leaf as text; the joined texts of a list.
fn shown(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(local_value(text).to_owned()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Array(items) => {
            let all: Option<Vec<String>> = items.iter().map(shown).collect();
            all.map(|texts| texts.join(","))
        }
        Value::Null | Value::Object(_) => None,
    }
}

fn tokens(pointer: &str) -> impl Iterator<Item = String> + '_ {
    pointer
        .split('/')
        .skip(1)
        .map(|t| t.replace("~1", "/").replace("~0", "~"))
}

fn step<'a>(at: Option<&'a Value>, token: &str) -> Option<&'a Value> {
    match at? {
        Value::Array(items) => items.get(token.parse::<usize>().ok()?),
        other => other.get(token),
    }
}

impl<'a> Place<'a> {
    fn of(citation: &'a Citation, evidence: &'a Evidence) -> Self {
        let mut names = Vec::new();
        let mut at = Some(evidence.value.as_ref());
        let mut leaf = String::new();
        for token in tokens(&citation.pointer) {
            let inside_list = at.is_some_and(Value::is_array);
            at = step(at, &token);
            if !inside_list {
                if token.contains('[') || token.starts_with('/') {
                    let inside = token
                        .split(['[', ']', '='])
                        .map(|part| local(part).to_lowercase());
                    names.extend(inside.filter(|part| !part.is_empty()));
                }
                leaf = local(token.rsplit(['/', ']']).next().unwrap_or(&token)).to_owned();
                names.push(leaf.to_lowercase());
                names.push(token.to_lowercase());
            }
            let keys = at.and_then(Value::as_object).into_iter().flatten();
            let keys = keys.filter(|(key, _)| KEYS.contains(&local(key)));
            names.extend(keys.filter_map(|(_, v)| Some(local_value(v.as_str()?).to_lowercase())));
        }
        Self {
            citation,
            evidence,
            names,
            leaf,
            value: at,
        }
    }

    /// The value as text, when the leaf is one of these.
    fn leaf(&self, names: &[&str]) -> Option<String> {
        if names.contains(&self.leaf.as_str()) {
            shown(self.value?)
        } else {
            None
        }
    }

    /// Nothing stands here although the place was read, and the leaf is one of these.
    fn lacks(&self, names: &[&str]) -> bool {
        names.contains(&self.leaf.as_str()) && self.citation.claim == Claim::Absent
    }

    /// The line of text that is cited.
    fn line(&self) -> Option<&str> {
        match &self.citation.claim {
            Claim::Contains(text) if self.value.is_some_and(Value::is_string) => Some(text),
            _ => None,
        }
    }

    /// What is said to be missing from a list that stands here.
    fn missing(&self) -> Option<&str> {
        match &self.citation.claim {
            Claim::Lacks(text) => Some(text),
            _ => None,
        }
    }

    /// The innermost list of that name the cited place lies in.
    fn list(&self, name: &str) -> Option<&'a Vec<Value>> {
        let mut at = Some(self.evidence.value.as_ref());
        let mut found = None;
        for token in tokens(&self.citation.pointer) {
            at = step(at, &token);
            if local(&token) == name {
                found = at.and_then(Value::as_array).or(found);
            }
        }
        found
    }

    fn names(&self, word: &str) -> bool {
        let wanted = match word {
            "vpnv4" => "l3vpn_ipv4_unicast".to_owned(),
            "ipv4" => "ipv4_unicast".to_owned(),
            other => other.to_lowercase(),
        };
        let alike = |n: &String| *n == wanted || *n == word;
        let named = |text: &str| {
            let mut parts = text.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',' | ';'));
            parts.any(|w| w.trim_end_matches([':', '.']) == word)
        };
        self.names.iter().any(alike)
            || self.line().is_some_and(named)
            || self
                .missing()
                .is_some_and(|m| m.eq_ignore_ascii_case(&wanted) || m == word)
    }
}

/// True when the citation shows what is required.
pub fn shows(requirement: &Predicate, citation: &Citation, evidence: &Evidence) -> bool {
    if !citation.holds(evidence) {
        return false;
    }
    let place = Place::of(citation, evidence);
    let device = requirement.device.to_lowercase();
    let about = place.names.contains(&device)
        || evidence.devices.len() == 1 && evidence.devices[0].0 == requirement.device;
    let Some((leaf, subject)) = requirement.subject.split_last().filter(|_| about) else {
        return false;
    };
    let mut keys = subject.iter().filter(|word| !is_kind(word));
    keys.all(|key| place.names(key))
        && meaning::told(leaf, subject, &place, &requirement.value)
            .is_some_and(|told| compares(requirement, &told))
}

/// Words that name a kind of thing, not a thing.
fn is_kind(word: &str) -> bool {
    matches!(
        word,
        "interface" | "bgp" | "neighbor" | "isis" | "vrf" | "afi" | "sr" | "mpls" | "system" | "management"
    )
}

fn compares(requirement: &Predicate, told: &str) -> bool {
    let wanted = requirement.value.as_str();
    let numbers = || Some((told.parse::<f64>().ok()?, wanted.parse::<f64>().ok()?));
    match requirement.op {
        Op::Equal => told == wanted,
        Op::Unequal => told != wanted,
        Op::Greater => numbers().is_some_and(|(a, b)| a > b),
        Op::Less => numbers().is_some_and(|(a, b)| a < b),
        Op::Contains => told.contains(wanted),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::agent::model::{CallId, EvidenceId, Origin, Timestamp};

    fn evidence() -> Evidence {
        let neighbors = json!([
            {"neighbor-address": "10.0.0.1", "state": {"session-state": "ACTIVE", "peer-as": 65001}},
            {"neighbor-address": "10.0.0.2", "state": {"session-state": "ESTABLISHED", "peer-as": 100, "last-reset-reason": "hold time expired"}},
        ]);
        let value = json!({"data": {"devices": {
            "xrd-1": {"data": {
                "neighbors": neighbors,
                "clock": {"current-datetime": "1970-01-01T01:00:00Z"},
            }},
            "xrd-2": {"data": {"neighbors": [{"neighbor-address": "10.0.0.1", "state": {"session-state": "IDLE"}}]}},
        }}});
        Evidence {
            id: EvidenceId(1),
            origin: Origin::Tool {
                call: CallId(1),
                tool: "t".into(),
                arguments: json!({}),
            },
            devices: vec!["xrd-1".into(), "xrd-2".into()],
            at: Timestamp(0),
            window: None,
            value: Arc::new(value),
            truncated: false,
        }
    }

    fn is_shown(requirement: &str, pointer: &str, claim: Claim) -> bool {
        let citation = Citation {
            evidence: EvidenceId(1),
            pointer: pointer.into(),
            claim,
        };
        shows(&Predicate::parse(requirement).unwrap(), &citation, &evidence())
    }

    #[test]
    fn only_the_value_of_that_device_and_subject_counts() {
        let state =
            |device: &str, n: usize| format!("/data/devices/{device}/data/neighbors/{n}/state/session-state");
        let down = "xrd-1 bgp neighbor 10.0.0.1 state != ESTABLISHED";
        assert!(is_shown(
            down,
            &state("xrd-1", 0),
            Claim::Differs(json!("ESTABLISHED"))
        ));
        assert!(
            !is_shown(down, &state("xrd-2", 0), Claim::Present),
            "another device"
        );
        assert!(
            !is_shown(down, &state("xrd-1", 1), Claim::Present),
            "another neighbour"
        );
        assert!(
            !is_shown(down, &state("xrd-1", 0), Claim::Equals(json!("IDLE"))),
            "a claim that does not hold shows nothing"
        );
        let list = "/data/devices/xrd-1/data/neighbors";
        assert!(
            !is_shown(down, list, Claim::Present),
            "a list in which it stands somewhere"
        );
        let number = "/data/devices/xrd-1/data/neighbors/0/state/peer-as";
        assert!(is_shown(
            "xrd-1 bgp neighbor 10.0.0.1 remote-as == 65001",
            number,
            Claim::Present
        ));
        assert!(!is_shown(
            "xrd-1 bgp neighbor 10.0.0.1 remote-as == 100",
            number,
            Claim::Present
        ));
        assert!(!is_shown(down, number, Claim::Present), "another leaf");
    }
    #[test]
    fn history_families_and_clocks_have_a_meaning() {
        let place = |rest: &str| format!("/data/devices/xrd-1/data/{rest}");
        let reason = place("neighbors/1/state/last-reset-reason");
        let wanted = "xrd-1 bgp neighbor 10.0.0.2 reason contains hold time";
        assert!(is_shown(wanted, &reason, Claim::Present));
        let family = "xrd-1 bgp neighbor 10.0.0.2 afi vpnv4 configured == false";
        let lacks = |what: &str| Claim::Lacks(what.to_owned());
        assert!(is_shown(
            family,
            &place("neighbors/1"),
            lacks("L3VPN_IPV4_UNICAST")
        ));
        assert!(!is_shown(family, &place("neighbors/1"), lacks("IPV4_UNICAST")));
        let clock = place("clock/current-datetime");
        assert!(is_shown(
            "xrd-1 system clock-offset-s > 3000",
            &clock,
            Claim::Present
        ));
        assert!(!is_shown(
            "xrd-1 system clock-offset-s > 4000",
            &clock,
            Claim::Present
        ));
    }
}
