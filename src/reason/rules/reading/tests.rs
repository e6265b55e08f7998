//! Queries as people on call type them, and what is made of each.

use super::*;
use crate::agent::model::{Device, Query, Role};

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

/// Names that a query must yield; `""` stands for "all".
fn names_of(targets: &Targets) -> String {
    match targets {
        Targets::All => "all".to_owned(),
        Targets::Unclear => "?".to_owned(),
        Targets::Names(names) | Targets::Patterns(names) => names.join(" "),
        Targets::Roles(roles) => roles
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(" "),
    }
}

#[test]
fn other_words_for_the_same_things() {
    const ROWS: &[(&str, &str, &str)] = &[
        ("xrd1 is acting up", "xrd-1", "general_device_health_check"),
        (
            "XRD_3 lost its IS-IS adjacency",
            "xrd-3",
            "general_device_health_check",
        ),
        (
            "pls check xrd-2.noc.example.net",
            "xrd-2",
            "general_device_health_check",
        ),
        (
            "xrd-1<->xrd-3 link down?",
            "xrd-1 xrd-3",
            "check_interface_status",
        ),
        (
            "link xrd-1--xrd-3 bounces",
            "xrd-1 xrd-3",
            "check_interface_status",
        ),
        ("`xrd-5`: CRC errors", "xrd-5", "check_interface_status"),
        ("xrd-5's BGP sessions", "xrd-5", "check_bgp_neighbors"),
        ("xrd-5’s uplinks", "xrd-5", "general_device_health_check"),
        (
            "xrd-3 and 4 drop packets",
            "xrd-3 xrd-4",
            "general_device_health_check",
        ),
        (
            "routers 3, 4 and 5 rebooted",
            "xrd-3 xrd-4 xrd-5",
            "general_device_health_check",
        ),
        ("router 9 is down", "xrd-9", "general_device_health_check"),
        ("xrd-1 has 3 errors", "xrd-1", "general_device_health_check"),
        ("xrd-1 down for 2 hours", "xrd-1", "general_device_health_check"),
        ("node xrd-12 unreachable", "xrd-12", "general_device_health_check"),
        ("xrd-1:Gi0/0/0/1 flaps", "xrd-1", "check_interface_status"),
        ("Te0/0/0/0 errors on XRD 6", "xrd-6", "check_interface_status"),
        ("check the router", "?", "general_device_health_check"),
        ("the box is slow again", "?", "general_device_health_check"),
        ("router down", "?", "general_device_health_check"),
        ("check it", "?", "general_device_health_check"),
        ("interfaces on the device", "?", "check_interface_status"),
        ("is any router down?", "all", "general_device_health_check"),
        ("a router is down", "all", "general_device_health_check"),
        ("BGP to the RR is flapping", "all", "check_bgp_neighbors"),
        (
            "sessions with the route reflector keep dropping",
            "all",
            "check_bgp_neighbors",
        ),
        (
            "BGP from xrd-2 to the RR is flapping",
            "xrd-2",
            "check_bgp_neighbors",
        ),
        ("how are all PEs?", "PE", "review_pe_device"),
        ("review my core routers", "P", "review_p_device"),
        ("audit the RRs", "RR", "review_rr_device"),
        ("all P routers please", "P", "review_p_device"),
        ("BGP on every PE", "PE", "check_bgp_neighbors"),
        ("anything on xrd-*?", "xrd-*", "general_device_health_check"),
        ("customer A complains", "all", "troubleshoot_vpn_vrf"),
        ("cust-a is down at xrd-2", "xrd-2", "troubleshoot_vpn_vrf"),
        (
            "CUST-C sites can't ping each other",
            "all",
            "troubleshoot_vpn_vrf",
        ),
        ("VRF ACME_VOICE has no routes", "all", "troubleshoot_vpn_vrf"),
        (
            "L3VPN broken between xrd-1 and xrd-2",
            "xrd-1 xrd-2",
            "troubleshoot_vpn_vrf",
        ),
        (
            "100.100.100.107 does not peer with xrd-1",
            "xrd-1",
            "check_bgp_neighbors",
        ),
        (
            "neighbour 100.100.100.107 stuck in ACTIVE",
            "all",
            "check_bgp_neighbors",
        ),
        ("ibgp down", "all", "check_bgp_neighbors"),
        (
            "why is 172.16.1.2 idle on xrd-1",
            "xrd-1",
            "general_device_health_check",
        ),
        (
            "label switched path through xrd-4 fails",
            "xrd-4",
            "check_mpls_state",
        ),
        ("SRGB differs somewhere", "all", "check_mpls_state"),
        ("LSPs to xrd-2 are broken", "xrd-2", "check_mpls_state"),
        ("BE34 lost a member", "all", "check_interface_status"),
        ("bundle 34 on xrd-3 is half", "xrd-3", "check_interface_status"),
        (
            "mtu problem between xrd-5 and xrd-6",
            "xrd-5 xrd-6",
            "check_interface_status",
        ),
        ("fiber cut near xrd-4?", "xrd-4", "check_interface_status"),
        (
            "packet loss to xrd-6 since 2am",
            "xrd-6",
            "general_device_health_check",
        ),
        (
            "monitoring can't poll xrd-5 any more",
            "xrd-5",
            "general_device_health_check",
        ),
        ("xrd-7 CPU at 95%", "xrd-7", "general_device_health_check"),
        ("clock on xrd-4 is off", "xrd-4", "general_device_health_check"),
        ("everything is red", "all", "general_device_health_check"),
        (
            "what changed in the last 30 min",
            "all",
            "general_device_health_check",
        ),
        ("network health", "all", "general_device_health_check"),
        ("is the network ok?", "all", "general_device_health_check"),
        ("alarm storm, please look", "all", "general_device_health_check"),
        (
            "traffic takes a detour around xrd-3-xrd-5",
            "xrd-3 xrd-5",
            "general_device_health_check",
        ),
        (
            "compare XRD-1 with XRD-2",
            "xrd-1 xrd-2",
            "general_device_health_check",
        ),
        (
            "no internet for Cust-B on PE xrd-1",
            "xrd-1",
            "troubleshoot_vpn_vrf",
        ),
    ];
    let mut wrong = Vec::new();
    for (text, targets, intent) in ROWS {
        let got = reading(text);
        let found = (names_of(&got.targets), got.intent.0);
        if found != ((*targets).to_owned(), (*intent).to_owned()) {
            wrong.push(format!("{text}: {found:?}"));
        }
        if !got.unclear.is_empty() {
            wrong.push(format!("{text}: asks {:?}", got.unclear));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn interfaces_and_customers_in_short() {
    for (text, interface) in [
        ("Gi0/0/0/1 on xrd-1", "GigabitEthernet0/0/0/1"),
        ("gig 0/0/0/1 on xrd-1", "GigabitEthernet0/0/0/1"),
        ("GigE0/0/0/1", "GigabitEthernet0/0/0/1"),
        ("te0/0/0/3 down", "TenGigE0/0/0/3"),
        ("Hu0/0/0/0", "HundredGigE0/0/0/0"),
        ("bundle 34", "Bundle-Ether34"),
        ("Bundle-Ether34", "Bundle-Ether34"),
        ("lo0 of xrd-2", "Loopback0"),
    ] {
        assert_eq!(reading(text).entities.interfaces, [interface], "{text}");
    }
    for (text, vrf) in [
        ("cust-a is down", "CUST-A"),
        ("customer B complains", "CUST-B"),
        ("vrf Blue_1 has no routes", "Blue_1"),
        ("Cust_C at xrd-1", "CUST_C"),
    ] {
        assert_eq!(reading(text).entities.vrfs, [vrf], "{text}");
    }
}

#[test]
fn words_that_say_nothing_are_asked_about() {
    for text in [
        "hello",
        "Hi there!",
        "thanks, good morning",
        "what can you do?",
        "test",
    ] {
        assert_eq!(reading(text).unclear.len(), 1, "{text}");
    }
    for text in [
        "help, everything is down",
        "is xrd-1 ok?",
        "hi, check BGP please",
        "please fix it all",
    ] {
        assert!(reading(text).unclear.is_empty(), "{text}");
    }
}

#[test]
fn routers_of_others_are_not_taken_for_unknown_ones() {
    for text in [
        "xrd-2 gets no routes from transit-1",
        "xrd-2 lost the prefixes from ce-a-1",
    ] {
        assert_eq!(names_of(&reading(text).targets), "xrd-2", "{text}");
    }
    assert_eq!(names_of(&reading("BGP on pe-9 is down").targets), "pe-9");
}
