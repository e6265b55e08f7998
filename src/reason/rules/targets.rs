//! Which devices a query is about: by name, by pattern, by role; all of them; or that nobody can tell.

use super::names;
use super::words::words;
use crate::agent::model::{Entities, Role, Targets};

/// Which devices are meant.
pub fn targets(text: &str, entities: &Entities, inventory: &[&str]) -> Targets {
    let list = words(text);
    let patterns: Vec<String> = list
        .iter()
        .filter(|w| w.contains('*') && w.len() > 1)
        .map(|w| (*w).to_owned())
        .collect();
    if !patterns.is_empty() {
        return Targets::Patterns(patterns);
    }
    if !entities.devices.is_empty() {
        return Targets::Names(entities.devices.clone());
    }
    let roles = roles(&list);
    if !roles.is_empty() {
        return Targets::Roles(roles);
    }
    let lower: Vec<String> = list.iter().map(|w| w.to_ascii_lowercase()).collect();
    let named_otherwise = !entities.vrfs.is_empty() || !entities.peers.is_empty();
    if inventory.len() > 1 && !named_otherwise && means_one_device(&lower) {
        return Targets::Unclear;
    }
    Targets::All
}

/// "the router", without saying which.
fn means_one_device(list: &[String]) -> bool {
    const ONE: [&str; 7] = ["router", "device", "box", "switch", "node", "host", "machine"];
    let several = list
        .iter()
        .any(|w| matches!(w.as_str(), "all" | "every" | "each" | "any" | "network"));
    !several
        && list.windows(2).any(|pair| {
            matches!(pair[0].as_str(), "the" | "this" | "that" | "my" | "our")
                && ONE.contains(&pair[1].as_str())
        })
        || list.len() <= 3 && list.iter().any(|w| ONE.contains(&w.as_str()))
        || list.len() <= 3 && list.iter().any(|w| matches!(w.as_str(), "it" | "this" | "that"))
}

/// Roles asked about. "to the RR" names a peer, not what is to be looked at.
fn roles(list: &[&str]) -> Vec<Role> {
    let mut roles = Vec::new();
    let lower: Vec<String> = list.iter().map(|w| w.to_ascii_lowercase()).collect();
    for (at, word) in list.iter().enumerate() {
        let before = at.checked_sub(1).map_or("", |i| lower[i].as_str());
        let earlier = at.checked_sub(2).map_or("", |i| lower[i].as_str());
        let next = lower.get(at + 1).map_or("", String::as_str);
        let device_next = matches!(
            next,
            "router" | "routers" | "device" | "devices" | "node" | "nodes"
        );
        let many =
            matches!(before, "all" | "my" | "our" | "every" | "each") || matches!(earlier, "all" | "of");
        let peer = ["to", "with", "towards", "toward", "from", "between", "and"]
            .iter()
            .any(|p| before == *p || before == "the" && earlier == *p);
        let role = match (*word, lower[at].as_str()) {
            ("PEs" | "pes", _) => Some(Role::Pe),
            (_, "rrs") => Some(Role::Rr),
            ("Ps", _) => Some(Role::P),
            ("PE", _) | (_, "pe") if device_next || many => Some(Role::Pe),
            ("P", _) | (_, "p") if device_next || many => Some(Role::P),
            ("RR", _) | (_, "rr") if (device_next || many || before == "review") && !peer => Some(Role::Rr),
            (_, "reflectors") => Some(Role::Rr),
            (_, "reflector") if before == "route" && !peer_of_reflector(&lower, at) => Some(Role::Rr),
            (_, "core") if device_next => Some(Role::P),
            (_, "edge") if device_next => Some(Role::Pe),
            _ => None,
        };
        if let Some(role) = role.filter(|r| !roles.contains(r)) {
            roles.push(role);
        }
    }
    roles
}

/// `… to the route reflector`.
fn peer_of_reflector(lower: &[String], at: usize) -> bool {
    lower[at.saturating_sub(4)..at]
        .iter()
        .any(|w| matches!(w.as_str(), "to" | "with" | "towards" | "from" | "between"))
}

/// Targets once the human has answered: names first; "all" is all; what still says nothing is all too.
pub fn clarified(text: &str, answers: &[&str], entities: &Entities, inventory: &[&str]) -> Targets {
    let answer = answers.join(" ");
    let named = names::entities(&answer, inventory);
    if !named.devices.is_empty() {
        return Targets::Names(named.devices);
    }
    match targets(&answer, &named, inventory) {
        Targets::Unclear => Targets::All,
        Targets::All if entities.devices.is_empty() => match targets(text, entities, inventory) {
            Targets::Unclear => Targets::All,
            other => other,
        },
        other => other,
    }
}
