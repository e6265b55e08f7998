//! Words to parts of a router, parts of a router to purposes of tools.

use super::words::words;
use crate::agent::model::{Aspect, Purpose};

const WORDS: &[(Aspect, &[&str])] = &[
    (
        Aspect::Interfaces,
        &[
            "interface",
            "interfaces",
            "link",
            "links",
            "port",
            "ports",
            "mtu",
            "bundle",
            "bundles",
            "optics",
        ],
    ),
    (
        Aspect::Counters,
        &[
            "errors",
            "counters",
            "counter",
            "drops",
            "discards",
            "crc",
            "fcs",
            "congestion",
        ],
    ),
    (
        Aspect::Isis,
        &[
            "is-is",
            "isis",
            "adjacency",
            "adjacencies",
            "igp",
            "loopback",
            "loopbacks",
            "overload",
        ],
    ),
    (
        Aspect::Bgp,
        &[
            "bgp",
            "neighbour",
            "neighbours",
            "neighbor",
            "neighbors",
            "session",
            "sessions",
            "peer",
            "peers",
            "reflector",
            "reflectors",
        ],
    ),
    (Aspect::Mpls, &["mpls", "ldp", "label", "labels", "labelled"]),
    (Aspect::SegmentRouting, &["srgb", "sid", "sids", "segment", "sr"]),
    (
        Aspect::Vrf,
        &[
            "vrf",
            "vrfs",
            "vpn",
            "vpnv4",
            "customer",
            "customers",
            "rd",
            "distinguisher",
        ],
    ),
    (
        Aspect::System,
        &[
            "system",
            "clock",
            "uptime",
            "boot",
            "reload",
            "cpu",
            "memory",
            "process",
            "processes",
            "alarm",
            "alarms",
            "ntp",
            "software",
        ],
    ),
    (Aspect::Logs, &["log", "logs", "logged", "syslog"]),
    (Aspect::Topology, &["topology", "neighbouring"]),
    (Aspect::Profile, &["role", "profile", "features"]),
];

/// Parts a text speaks of, in the order of the list.
pub fn aspects(text: &str) -> Vec<Aspect> {
    let lower = text.to_ascii_lowercase();
    let list = words(&lower);
    WORDS
        .iter()
        .filter(|(_, these)| list.iter().any(|w| these.contains(w)))
        .map(|(a, _)| *a)
        .collect()
}

/// The aspects a sentence is about first: what its title names, before the explanations.
pub fn main_aspects(text: &str) -> Vec<Aspect> {
    let end = text.find(". ").unwrap_or(text.len());
    let first = aspects(&text[..end]);
    if first.is_empty() { aspects(text) } else { first }
}

/// Protocols a query names.
pub fn protocols(text: &str) -> Vec<String> {
    let lower = text.to_ascii_lowercase();
    let list = words(&lower);
    let mut found = Vec::new();
    for (name, these) in [
        ("bgp", &["bgp", "ibgp", "ebgp"][..]),
        ("isis", &["isis", "is-is", "igp"]),
        ("mpls", &["mpls", "ldp"]),
        ("sr", &["sr", "srgb", "segment", "sr-mpls", "sid"]),
        ("vpn", &["vpn", "vrf", "l3vpn", "vpnv4"]),
    ] {
        if list.iter().any(|w| these.contains(w)) {
            found.push(name.to_owned());
        }
    }
    found
}

/// The purpose of the tool of one device that shows an aspect.
pub fn purpose(aspect: Aspect) -> Purpose {
    match aspect {
        Aspect::Interfaces => Purpose::Interfaces,
        Aspect::Counters => Purpose::Counters,
        Aspect::Isis | Aspect::Bgp => Purpose::Routing,
        Aspect::Mpls | Aspect::SegmentRouting => Purpose::Mpls,
        Aspect::Vrf => Purpose::Vpn,
        Aspect::Forwarding => Purpose::Get,
        Aspect::System => Purpose::System,
        Aspect::Logs => Purpose::Logs,
        Aspect::Topology => Purpose::Topology,
        Aspect::Profile => Purpose::Profile,
    }
}

/// Aspects an intent can't do without.
pub fn required(intent: &str) -> &'static [Aspect] {
    match intent {
        "check_bgp_neighbors" => &[Aspect::Bgp, Aspect::Isis, Aspect::Logs],
        "check_interface_status" => &[Aspect::Interfaces, Aspect::Logs],
        "check_mpls_state" => &[Aspect::Mpls, Aspect::Isis],
        "troubleshoot_vpn_vrf" => &[Aspect::Vrf, Aspect::Bgp, Aspect::Interfaces],
        "review_p_device" => &[
            Aspect::Interfaces,
            Aspect::Isis,
            Aspect::Mpls,
            Aspect::System,
            Aspect::Logs,
        ],
        "review_rr_device" => &[Aspect::Bgp, Aspect::Isis, Aspect::System, Aspect::Logs],
        _ => &[
            Aspect::Interfaces,
            Aspect::Isis,
            Aspect::Bgp,
            Aspect::Vrf,
            Aspect::System,
            Aspect::Logs,
        ],
    }
}
