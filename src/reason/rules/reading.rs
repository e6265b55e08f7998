//! Reading the query: intent, targets, names, window, and whether a change is wanted.

use super::words::{interface, is_address, looks_like_vrf, plain, words};
use super::{aspects, window};
use crate::agent::model::{Entities, Intent, Reading, Role, Targets, Timestamp};
use crate::agent::state::State;

/// Understands the query, with what was clarified since.
pub fn read(state: &State, now: Timestamp) -> Reading {
    let query = state.query.as_ref();
    let asked = query.map_or("", |q| q.text.as_str());
    let clarified: Vec<&str> = state
        .dialogue
        .clarifications()
        .into_iter()
        .filter_map(|(_, words)| words)
        .collect();
    let text = std::iter::once(asked)
        .chain(clarified.iter().copied())
        .collect::<Vec<_>>()
        .join(" ; ");
    let inventory: Vec<&str> = state
        .intake
        .devices
        .iter()
        .flatten()
        .map(|d| d.name.as_str())
        .collect();
    let entities = entities(&text, &inventory);
    let targets = if clarified.is_empty() {
        targets(&text, &entities, &inventory)
    } else {
        clarified_targets(&text, &clarified, &entities, &inventory)
    };
    let intent = query
        .and_then(|q| q.runbook.clone())
        .unwrap_or_else(|| intent(&text, &entities, &targets).to_owned());
    Reading {
        objective: objective(asked, &targets),
        result_requirement: requirement(&intent, &entities),
        intent: Intent(intent),
        targets,
        window: window::window(&text, now),
        wants_change: wants_change(asked),
        entities,
        unclear: Vec::new(),
    }
}

fn entities(text: &str, inventory: &[&str]) -> Entities {
    let list = words(text);
    let mut entities = Entities::default();
    let add = |list: &mut Vec<String>, name: String| {
        if !list.contains(&name) {
            list.push(name);
        }
    };
    for (at, word) in list.iter().enumerate() {
        let before = at.checked_sub(1).map(|i| list[i].to_ascii_lowercase());
        if let Some(device) = device(word, list.get(at + 1).copied(), before.as_deref(), inventory) {
            add(&mut entities.devices, device);
        } else if is_address(word) {
            add(&mut entities.peers, (*word).to_owned());
        } else if let Some(name) = interface(word) {
            add(&mut entities.interfaces, name);
        } else if looks_like_vrf(word) || before.as_deref() == Some("vrf") && !is_plain_word(word) {
            add(&mut entities.vrfs, (*word).to_owned());
        }
    }
    entities.protocols = aspects::protocols(text);
    entities
}

fn is_plain_word(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    word == lower && word.chars().all(|c| c.is_ascii_alphabetic())
}

/// The device a word names: as it is in the inventory, spelt a little differently, or unknown but
/// named like one, which the machine then refuses with the nearest names.
fn device(word: &str, next: Option<&str>, before: Option<&str>, inventory: &[&str]) -> Option<String> {
    if word.contains('*') {
        return None;
    }
    let exact = inventory.iter().find(|n| n.eq_ignore_ascii_case(word));
    if let Some(name) = exact {
        return Some((*name).to_owned());
    }
    let joined = next
        .filter(|n| n.chars().all(|c| c.is_ascii_digit()))
        .map(|n| plain(&format!("{word}{n}")));
    let spelt = plain(word);
    let near = inventory
        .iter()
        .find(|n| plain(n) == spelt || joined.as_deref() == Some(plain(n).as_str()));
    if let Some(name) = near.filter(|_| spelt.len() > 2) {
        return Some((*name).to_owned());
    }
    let numbered = word.chars().all(|c| c.is_ascii_digit())
        && matches!(before, Some("router" | "device" | "node" | "routers" | "devices"));
    if numbered {
        let ends = |n: &&&str| n.rsplit(|c: char| !c.is_ascii_digit()).next() == Some(word);
        return inventory.iter().find(ends).map(|n| (*n).to_owned());
    }
    looks_like_device(word, before, inventory).then(|| word.to_owned())
}

fn looks_like_device(word: &str, before: Option<&str>, inventory: &[&str]) -> bool {
    if interface(word).is_some() || is_address(word) || looks_like_vrf(word) || word.contains('/') {
        return false;
    }
    let shape = |name: &str| {
        let stem: String = name.chars().take_while(|c| !c.is_ascii_digit()).collect();
        stem.to_ascii_lowercase()
    };
    let digits = word.chars().any(|c| c.is_ascii_digit());
    let same_family = digits
        && word.len() > 2
        && inventory
            .iter()
            .any(|n| shape(n).len() > 2 && shape(n) == shape(word));
    let dashed = word.contains('-')
        && !word.starts_with('-')
        && word.chars().next().is_some_and(|c| c.is_ascii_alphabetic());
    let placed = matches!(
        before,
        Some("on" | "device" | "router" | "node" | "from" | "host" | "at")
    );
    same_family || digits && dashed && placed
}

/// Which devices are meant.
fn targets(text: &str, entities: &Entities, inventory: &[&str]) -> Targets {
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
    list.windows(2).any(|pair| {
        matches!(
            pair[0].as_str(),
            "the" | "this" | "that" | "my" | "our" | "a" | "one"
        ) && ONE.contains(&pair[1].as_str())
    }) || list.len() <= 3 && list.iter().any(|w| ONE.contains(&w.as_str()))
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
fn clarified_targets(text: &str, answers: &[&str], entities: &Entities, inventory: &[&str]) -> Targets {
    let answer = answers.join(" ");
    let named = self::entities(&answer, inventory);
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

/// The runbook that fits best.
fn intent(text: &str, entities: &Entities, targets: &Targets) -> &'static str {
    let lower = text.to_ascii_lowercase();
    let list = words(&lower);
    let any = |these: &[&str]| list.iter().any(|w| these.contains(w));
    let review =
        any(&["review", "audit", "inspect"]) || lower.contains("how are") || lower.contains("how is");
    let bgp = any(&[
        "bgp",
        "neighbor",
        "neighbors",
        "neighbour",
        "neighbours",
        "peer",
        "peers",
        "peering",
        "session",
        "sessions",
        "ibgp",
        "ebgp",
    ]);
    let vpn =
        !entities.vrfs.is_empty() || any(&["vrf", "vrfs", "vpn", "vpns", "l3vpn", "customer", "customers"]);
    let labels = any(&[
        "mpls", "sr", "srgb", "label", "labels", "sid", "sids", "ldp", "segment", "lsp", "lsps", "sr-mpls",
    ]);
    let ports = !entities.interfaces.is_empty()
        || any(&[
            "interface",
            "interfaces",
            "link",
            "links",
            "port",
            "ports",
            "optic",
            "optics",
            "fiber",
            "fibre",
            "crc",
            "fcs",
            "bundle",
            "lag",
            "mtu",
            "circuit",
        ]);
    match targets {
        Targets::Roles(roles) if review || !(bgp || vpn || labels || ports) => match roles.as_slice() {
            [Role::Pe] => return "review_pe_device",
            [Role::P] => return "review_p_device",
            [Role::Rr] => return "review_rr_device",
            _ => {}
        },
        _ => {}
    }
    let role_word = |role: &str| {
        list.windows(2)
            .any(|w| w[0] == role && matches!(w[1], "device" | "router" | "node" | "devices" | "routers"))
    };
    match () {
        () if review && role_word("pe") => "review_pe_device",
        () if review && role_word("p") => "review_p_device",
        () if review && (role_word("rr") || lower.contains("route reflector")) => "review_rr_device",
        () if vpn && !(bgp && entities.vrfs.is_empty()) => "troubleshoot_vpn_vrf",
        () if bgp => "check_bgp_neighbors",
        () if labels => "check_mpls_state",
        () if ports => "check_interface_status",
        () => "general_device_health_check",
    }
}

fn objective(text: &str, targets: &Targets) -> String {
    let whom = match targets {
        Targets::Names(names) => names.join(", "),
        Targets::Roles(roles) => roles
            .iter()
            .map(|r| format!("{r} routers"))
            .collect::<Vec<_>>()
            .join(", "),
        Targets::Patterns(patterns) => patterns.join(", "),
        Targets::All | Targets::Unclear => "the network".to_owned(),
    };
    let asked: String = text.trim().chars().take(200).collect();
    format!("Find out what is wrong, if anything, on {whom}: {asked}")
}

fn requirement(intent: &str, entities: &Entities) -> String {
    let subject = match intent {
        "check_bgp_neighbors" => "every BGP session with its state",
        "check_interface_status" => "every interface in use with its state and counters",
        "check_mpls_state" => "label blocks, prefix SIDs and MPLS on every core interface",
        "troubleshoot_vpn_vrf" => "the VRF's route targets, interfaces, customer sessions and routes",
        _ => "the state of interfaces, IS-IS, BGP, labels, VRFs and the system",
    };
    let names = entities
        .vrfs
        .iter()
        .chain(&entities.interfaces)
        .chain(&entities.peers)
        .cloned()
        .collect::<Vec<_>>();
    let about = if names.is_empty() {
        String::new()
    } else {
        format!(" ({})", names.join(", "))
    };
    format!(
        "{subject}{about}; the faulty resource and the kind of fault, each with evidence; or that nothing is wrong"
    )
}

/// The human asks for something to be done, not only found.
fn wants_change(text: &str) -> bool {
    const VERBS: [&str; 26] = [
        "fix",
        "repair",
        "resolve",
        "shut",
        "unshut",
        "enable",
        "disable",
        "configure",
        "reconfigure",
        "set",
        "reset",
        "clear",
        "restart",
        "reload",
        "reboot",
        "remove",
        "delete",
        "apply",
        "push",
        "commit",
        "bounce",
        "change",
        "drain",
        "undrain",
        "restore",
        "rollback",
    ];
    let lower = text.to_ascii_lowercase();
    let list = words(&lower);
    let bring = lower.contains("bring up")
        || lower.contains("bring it up")
        || lower.contains("bring back")
        || lower.contains("turn up");
    let ordered = list.iter().enumerate().any(|(at, word)| {
        let before = at.checked_sub(1).map_or("", |i| list[i]);
        let start = at == 0
            || matches!(
                before,
                "please" | "and" | "then" | "you" | "to" | "just" | "also" | "now" | "go"
            );
        start && VERBS.contains(word)
    });
    let asked_why = lower.starts_with("how to") || lower.contains("should i");
    (bring || ordered) && !asked_why
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::model::{Device, Query};

    fn reading(text: &str) -> Reading {
        let mut state = State {
            query: Some(Query {
                text: text.into(),
                devices: vec![],
                runbook: None,
            }),
            ..State::default()
        };
        let devices = (1..=8).map(|n| Device {
            name: format!("xrd-{n}").into(),
            address: None,
            nos: None,
            role: None,
        });
        state.intake.devices = Some(devices.collect());
        read(&state, Timestamp(1_795_306_339_123))
    }

    #[test]
    fn targets_and_runbooks() {
        let names = |n: &[&str]| Targets::Names(n.iter().map(|s| (*s).to_owned()).collect());
        for (text, targets, intent) in [
            (
                "Check BGP neighbors on xrd-1",
                names(&["xrd-1"]),
                "check_bgp_neighbors",
            ),
            (
                "How are my PE routers doing?",
                Targets::Roles(vec![Role::Pe]),
                "review_pe_device",
            ),
            (
                "Check interfaces on devices matching 'xrd-*'",
                Targets::Patterns(vec!["xrd-*".into()]),
                "check_interface_status",
            ),
            ("Review P device xrd-3", names(&["xrd-3"]), "review_p_device"),
            (
                "troubleshoot VRF CUST-A on xrd-2",
                names(&["xrd-2"]),
                "troubleshoot_vpn_vrf",
            ),
            (
                "check the router",
                Targets::Unclear,
                "general_device_health_check",
            ),
            ("BGP to the RR is flapping", Targets::All, "check_bgp_neighbors"),
            ("fix CUST-A", Targets::All, "troubleshoot_vpn_vrf"),
            ("is everything ok?", Targets::All, "general_device_health_check"),
            (
                "review the route reflectors",
                Targets::Roles(vec![Role::Rr]),
                "review_rr_device",
            ),
            ("MPLS on XRD 4", names(&["xrd-4"]), "check_mpls_state"),
            (
                "Check interfaces on router 5",
                names(&["xrd-5"]),
                "check_interface_status",
            ),
            ("Check BGP on xrd-99", names(&["xrd-99"]), "check_bgp_neighbors"),
            (
                "Compare xrd-1 and xrd-2",
                names(&["xrd-1", "xrd-2"]),
                "general_device_health_check",
            ),
        ] {
            let got = reading(text);
            assert_eq!(
                (&got.targets, got.intent.0.as_str()),
                (&targets, intent),
                "{text}"
            );
        }
    }

    #[test]
    fn changes_are_recognised_and_questions_are_not() {
        for text in [
            "fix CUST-A",
            "Please shut Gi0/0/0/1 on xrd-1",
            "check xrd-1 and reload it",
            "bring up the link on xrd-3",
        ] {
            assert!(reading(text).wants_change, "{text}");
        }
        for text in [
            "what changed on xrd-1?",
            "why was xrd-2 restarted",
            "is the port shut on xrd-1",
            "how to fix CUST-A",
        ] {
            assert!(!reading(text).wants_change, "{text}");
        }
    }

    #[test]
    fn names_in_a_query() {
        let got = reading("Gi0/0/0/1 on xrd-1 towards 100.100.100.107, VRF CUST-B, BGP").entities;
        assert_eq!(got.interfaces, ["GigabitEthernet0/0/0/1"]);
        assert_eq!(got.peers, ["100.100.100.107"]);
        assert_eq!(got.vrfs, ["CUST-B"]);
        assert_eq!(got.protocols, ["bgp", "vpn"]);
    }
}
