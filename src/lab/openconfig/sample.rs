//! A hand-made PE for tests of the rendering and of the targets; what the lab computes is tested elsewhere.

use super::Exposure;
use crate::lab::config::{Afi, InterfaceKind, Level};
use crate::lab::network::Role;
use crate::lab::state::*;
use std::net::Ipv4Addr;
use std::sync::Arc;

pub(crate) const NOW_MS: i64 = 1_795_306_328_000;

pub(crate) fn exposure() -> Exposure {
    Exposure {
        port: 57401,
        transport_security: false,
        username: "lab".into(),
    }
}

fn ip(text: &str) -> Ipv4Addr {
    text.parse().unwrap()
}

pub(crate) fn interface(name: &str, kind: InterfaceKind, address: &str, length: u8) -> InterfaceState {
    InterfaceState {
        name: name.into(),
        kind,
        hardware: Hardware {
            ifindex: 3,
            speed_bps: 1_000_000_000,
            mac: "02:42:fc:60:4c:09".into(),
        },
        description: "to xrd-3".into(),
        enabled: true,
        oper_up: true,
        mtu: 1514,
        address: Some((ip(address), length)),
        vrf: None,
        last_change_ms: NOW_MS - 60_000,
        carrier_transitions: 4,
        counters: Counters {
            in_octets: 9_000_000_000,
            in_fcs_errors: 17,
            in_errors: 17,
            ..Counters::default()
        },
        member_of: None,
        bundle: None,
    }
}

fn peer(address: &str, group: Option<&str>, remote_as: u32, afi: Afi) -> NeighborState {
    NeighborState {
        address: ip(address),
        vrf: None,
        group: group.map(Into::into),
        description: String::new(),
        local_as: 100,
        remote_as,
        shutdown: false,
        authenticated: true,
        local_address: ip("100.100.100.101"),
        remote_router_id: None,
        state: SessionState::Established,
        timers: Timers {
            hold_s: 180,
            keepalive_s: 60,
        },
        history: SessionHistory {
            established_transitions: 2,
            last_established_ms: Some(NOW_MS - 3_600_000),
            last_notification: Some(Notification {
                direction: NotificationDirection::Sent,
                code: 4,
                subcode: 0,
                text: "hold timer expired".into(),
                at_ms: NOW_MS - 3_700_000,
            }),
            ..SessionHistory::default()
        },
        afis: vec![AfiState {
            afi,
            active: true,
            rr_client: false,
            next_hop_self: false,
            import_policy: Some("DROP".into()),
            export_policy: Some("PASS".into()),
            max_prefixes: Some(10),
            received: 12,
            accepted: 0,
            sent: 1,
            installed: 0,
        }],
    }
}

fn isis() -> IsisState {
    IsisState {
        instance: "CORE".into(),
        net: "49.0100.0100.0100.0101.00".into(),
        system_id: "0100.0100.0101".into(),
        area: "49.0100".into(),
        level: Level::L1L2,
        authenticated: true,
        overload: true,
        sr_enabled: true,
        interfaces: vec![IsisInterfaceState {
            name: "GigabitEthernet0/0/0/0".into(),
            enabled: true,
            passive: false,
            level: Level::L2,
            metric: 10,
            hello_padding: true,
            authenticated: true,
            prefix: None,
            auth_failures: 3,
            hellos_sent: 9,
            hellos_received: 8,
            hellos_rejected: 1,
        }],
        adjacencies: vec![IsisAdjacency {
            interface: "GigabitEthernet0/0/0/0".into(),
            neighbor: "xrd-3".into(),
            neighbor_system_id: "0100.0100.0103".into(),
            neighbor_address: ip("100.101.103.103"),
            level: Level::L2,
            up_since_ms: NOW_MS - 5_000,
            transitions: 1,
        }],
        lsps: Arc::new(vec![LspState {
            system_id: "0100.0100.0103".into(),
            hostname: "xrd-3".into(),
            overload: true,
            neighbors: vec![("0100.0100.0101".into(), 10)],
            prefixes: vec![(ip("100.100.100.103"), 32, 0)],
            srgb: Some((16_000, 8_000)),
            prefix_sid: Some(103),
        }]),
        spf_runs: 5,
    }
}

fn bgp() -> BgpState {
    BgpState {
        asn: 100,
        router_id: ip("100.100.100.101"),
        groups: vec![("RR".into(), 100)],
        afis: vec![AfiSize {
            afi: Afi::Vpnv4Unicast,
            prefixes: 2,
            paths: 1,
        }],
        neighbors: vec![peer("100.100.100.107", Some("RR"), 100, Afi::Vpnv4Unicast)],
        paths: Table::from(vec![PathState {
            afi: Afi::Vpnv4Unicast,
            rd: Some("100.100.100.102:100".into()),
            prefix: ip("10.2.0.0"),
            length: 24,
            next_hop: ip("100.100.100.102"),
            valid: true,
            best: true,
            from: Some(ip("100.100.100.107")),
            originator: ip("100.100.100.102"),
            as_path: vec![65002],
            route_targets: vec!["100:100".into()],
            local_pref: 100,
            label: Some(24_001),
        }]),
    }
}

fn system() -> SystemState {
    SystemState {
        hostname: "xrd-1".into(),
        software_version: "24.4.1".into(),
        clock_ms: NOW_MS + 500,
        boot_ms: NOW_MS - 86_400_000,
        last_reload_reason: "power cycle".into(),
        login_banner: "authorised access only".into(),
        cpu_percent: 12.4,
        memory_bytes: 8_000_000_000,
        memory_used_bytes: 2_000_000_000,
        processes: vec![ProcessState {
            pid: 1084,
            name: "bgp".into(),
            cpu_percent: 3.0,
            memory_bytes: 80_000_000,
            start_ms: NOW_MS - 86_000_000,
        }],
        alarms: vec![Alarm {
            id: "config-1".into(),
            severity: "major",
            resource: "cfgmgr".into(),
            text: "Configuration inconsistency".into(),
            since_ms: NOW_MS - 1_000,
        }],
        ntp: NtpState {
            enabled: true,
            synchronised: false,
            stratum: 16,
            offset_ms: 512.5,
            servers: vec![NtpServerState {
                address: "192.0.2.1".into(),
                selected: false,
                reachable: true,
                stratum: 2,
                offset_ms: 512.5,
            }],
        },
    }
}

fn vrf() -> VrfState {
    VrfState {
        name: "CUST-A".into(),
        rd: "100.100.100.101:100".into(),
        import_targets: vec!["100:100".into()],
        export_targets: vec!["100:100".into(), "100:999".into()],
        redistribute_connected: true,
        interfaces: vec![VrfInterfaceState {
            name: "GigabitEthernet0/0/0/2".into(),
            address: Some((ip("10.1.1.1"), 24)),
            oper_up: true,
        }],
        neighbors: vec![peer("10.1.1.2", None, 65001, Afi::Ipv4Unicast)],
        prefixes: 2,
        routes: Table::from(vec![
            VrfRoute {
                prefix: ip("10.1.1.0"),
                length: 24,
                source: "connected",
                next_hop: None,
                interface: Some("GigabitEthernet0/0/0/2".into()),
                rd: None,
                label: None,
                route_targets: Vec::new(),
                labelled: true,
            },
            VrfRoute {
                prefix: ip("10.2.0.0"),
                length: 24,
                source: "bgp-vpn",
                next_hop: Some(ip("100.100.100.102")),
                interface: None,
                rd: Some("100.100.100.102:100".into()),
                label: Some(24_001),
                route_targets: vec!["100:100".into()],
                labelled: true,
            },
        ]),
        label: 24_000,
    }
}

fn next(address: &str) -> Next {
    Next {
        address: Some(ip(address)),
        interface: Some("GigabitEthernet0/0/0/0".into()),
    }
}

fn interfaces() -> Vec<InterfaceState> {
    let mut bundle = interface("Bundle-Ether1", InterfaceKind::Bundle, "10.9.0.1", 30);
    bundle.bundle = Some(BundleState {
        min_links: 1,
        members: vec![MemberState {
            interface: "GigabitEthernet0/0/0/5".into(),
            active: false,
        }],
    });
    let mut customer = interface("GigabitEthernet0/0/0/2", InterfaceKind::Ethernet, "10.1.1.1", 24);
    customer.vrf = Some("CUST-A".into());
    vec![
        interface("Loopback0", InterfaceKind::Loopback, "100.100.100.101", 32),
        interface(
            "GigabitEthernet0/0/0/0",
            InterfaceKind::Ethernet,
            "100.101.103.101",
            24,
        ),
        customer,
        bundle,
    ]
}

pub(crate) fn device() -> DeviceState {
    DeviceState {
        name: "xrd-1".into(),
        role: Role::Pe,
        loopback: ip("100.100.100.101"),
        now_ms: NOW_MS,
        system: system(),
        management: ManagementState {
            reachable: true,
            node_up: true,
            troubles: Vec::new(),
        },
        interfaces: interfaces(),
        isis: Some(isis()),
        sr: SrState {
            enabled: true,
            srgb: SrgbState {
                configured: (16_000, 23_999),
                allocated: None,
            },
            prefix_sid: Some(PrefixSidState {
                index: 101,
                label: None,
                conflict: false,
            }),
            srlb: (15_000, 15_999),
        },
        mpls: MplsState {
            enabled: true,
            ttl_propagation: true,
            interfaces: vec![MplsInterfaceState {
                name: "GigabitEthernet0/0/0/0".into(),
                enabled: true,
            }],
            entries: Table::from(vec![LabelEntry {
                label: 16_103,
                prefix: ip("100.100.100.103"),
                operation: LabelOperation::Pop,
                next: next("100.101.103.103"),
                vrf: None,
            }]),
        },
        bgp: Some(bgp()),
        vrfs: vec![vrf()],
        policies: vec![
            PolicyState {
                name: "PASS".into(),
                accepts: true,
            },
            PolicyState {
                name: "DROP".into(),
                accepts: false,
            },
        ],
        routes: Table::from(vec![RouteState {
            prefix: ip("100.100.100.103"),
            length: 32,
            source: RouteSource::Isis,
            metric: 10,
            next: vec![next("100.101.103.103")],
        }]),
    }
}
