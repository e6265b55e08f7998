//! For every operation: what must show where, and what must not move anywhere else.
//!
//! A row names the fault, predicates that hold with it and not without, and every area of every device that changes;
//! all other areas of all other devices must stay as they were. Areas: `interfaces` (configuration, status, history),
//! `errors` (error and drop counters), `isis` (own process and adjacencies), `sr`, `labels` (own label table), `mpls`,
//! `sessions` (BGP configuration and state), `vpn` (VRFs and their tables), `policies`, `routes` (IPv4 table),
//! `system`, `management`. Prefix counts and link-state databases follow from these and are left out.

use super::*;
use crate::lab::fault::OPS;
use crate::lab::scenario::Predicate;
use crate::lab::state::{Counters, DeviceState, NeighborState};
use std::collections::BTreeMap;

struct Row {
    fault: &'static str,
    shows: &'static [&'static str],
    /// `device: area area`, one a line.
    moves: &'static str,
}

fn row(fault: &'static str, shows: &'static [&'static str], moves: &'static str) -> Row {
    Row { fault, shows, moves }
}

fn areas(device: &DeviceState) -> BTreeMap<&'static str, String> {
    let mut interfaces = device.interfaces.clone();
    let errors: Vec<_> = interfaces
        .iter()
        .map(|i| {
            (
                i.counters.in_errors,
                i.counters.in_fcs_errors,
                i.counters.in_giants,
                i.counters.out_discards,
            )
        })
        .collect();
    interfaces
        .iter_mut()
        .for_each(|i| i.counters = Counters::default());
    let isis = device.isis.clone().map(|mut isis| {
        isis.lsps = Arc::default();
        isis.spf_runs = 0;
        for interface in &mut isis.interfaces {
            (interface.hellos_sent, interface.hellos_received) = (0, 0);
        }
        isis
    });
    let strip = |n: &NeighborState| {
        let mut n = n.clone();
        for afi in &mut n.afis {
            (afi.received, afi.accepted, afi.sent, afi.installed) = (0, 0, 0, 0);
        }
        (n.history.messages_sent, n.history.messages_received) = (0, 0);
        n
    };
    let sessions: Vec<_> = device
        .bgp
        .iter()
        .flat_map(|b| &b.neighbors)
        .chain(device.vrfs.iter().flat_map(|v| &v.neighbors))
        .map(strip)
        .collect();
    let vpn: Vec<_> = device
        .vrfs
        .iter()
        .map(|v| {
            (
                &v.rd,
                &v.import_targets,
                &v.export_targets,
                v.redistribute_connected,
                &v.interfaces,
                &v.routes,
            )
        })
        .collect();
    BTreeMap::from([
        ("interfaces", format!("{interfaces:?}")),
        ("errors", format!("{errors:?}")),
        ("isis", format!("{isis:?}")),
        ("sr", format!("{:?}", device.sr)),
        ("labels", format!("{:?}", device.mpls.entries)),
        ("mpls", format!("{:?}", device.mpls.interfaces)),
        ("sessions", format!("{sessions:?}")),
        ("vpn", format!("{vpn:?}")),
        ("policies", format!("{:?}", device.policies)),
        ("routes", format!("{:?}", device.routes)),
        ("system", format!("{:?}", device.system)),
        ("management", format!("{:?}", device.management)),
    ])
}

/// What differs, as `device: area area`, one a line.
pub(super) fn moved(before: &NetworkState, after: &NetworkState) -> String {
    let mut lines = Vec::new();
    for (a, b) in before.devices().zip(after.devices()) {
        let (was, is) = (areas(&a), areas(&b));
        let changed: Vec<&str> = was
            .iter()
            .filter(|(k, v)| is[*k] != **v)
            .map(|(k, _)| *k)
            .collect();
        if !changed.is_empty() {
            lines.push(format!("{}: {}", a.name, changed.join(" ")));
        }
    }
    lines.join("\n")
}

fn tidy(text: &str) -> String {
    text.lines()
        .map(str::trim)
        .filter(|l| !l.is_empty())
        .collect::<Vec<_>>()
        .join("\n")
}

fn run(rows: &[Row]) {
    let sound = healthy();
    let mut wrong = Vec::new();
    for row in rows {
        let state = broken(&[row.fault]);
        for text in row.shows {
            let predicate = Predicate::parse(text).unwrap();
            if !predicate.holds(&state) || predicate.holds(&sound) {
                let (is, was) = (predicate.shown(&state), predicate.shown(&sound));
                wrong.push(format!("{}\n  {text}\n  shows {is:?}, before {was:?}", row.fault));
            }
        }
        let (got, want) = (moved(&sound, &state), tidy(row.moves));
        if got != want {
            wrong.push(format!("{}\n-- moves\n{got}\n-- expected\n{want}", row.fault));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn interfaces_table() {
    run(&[
        row(
            "op = 'interface.enabled'\ndevice = 'xrd-5'\ninterface = 'GigabitEthernet0/0/0/2'\nvalue = false",
            &[
                "xrd-5 interface GigabitEthernet0/0/0/2 admin-status == DOWN",
                "xrd-6 interface GigabitEthernet0/0/0/2 oper-status == DOWN",
                "xrd-6 isis interface GigabitEthernet0/0/0/2 adjacency == DOWN",
                "xrd-6 log contains GigabitEthernet0/0/0/2, changed state to Down",
                "xrd-5 log contains Administratively Down",
            ],
            "
                xrd-1: labels routes
                xrd-2: labels routes
                xrd-3: labels routes
                xrd-4: labels routes
                xrd-5: interfaces isis labels routes
                xrd-6: interfaces isis labels routes
                xrd-7: routes
                xrd-8: routes",
        ),
        row(
            "op = 'interface.description'\ndevice = 'xrd-5'\ninterface = 'GigabitEthernet0/0/0/2'\nvalue = 'hello'",
            &["xrd-5 interface GigabitEthernet0/0/0/2 description == hello"],
            "
                xrd-5: interfaces",
        ),
        row(
            "op = 'interface.mtu'\ndevice = 'xrd-6'\ninterface = 'GigabitEthernet0/0/0/2'\nvalue = 1514",
            &[
                "xrd-6 interface GigabitEthernet0/0/0/2 mtu == 1514",
                "xrd-5 isis interface GigabitEthernet0/0/0/2 adjacency == DOWN",
                "xrd-6 isis interface GigabitEthernet0/0/0/2 adjacency == DOWN",
                "xrd-5 log contains Neighbor forgot us",
                "xrd-6 log contains Hold time expired",
            ],
            "
                xrd-1: labels routes
                xrd-2: labels routes
                xrd-3: labels routes
                xrd-4: labels routes
                xrd-5: isis labels routes
                xrd-6: errors interfaces isis labels routes",
        ),
        row(
            "op = 'interface.vrf'\ndevice = 'xrd-1'\ninterface = 'GigabitEthernet0/0/0/2'\nvalue = 'CUST-B'",
            &[
                "xrd-1 interface GigabitEthernet0/0/0/2 vrf == CUST-B",
                "xrd-1 vrf CUST-A neighbor 172.16.1.2 state != ESTABLISHED",
                "xrd-2 vrf CUST-A remote-routes == 0",
            ],
            "
                xrd-1: interfaces sessions vpn
                xrd-2: vpn",
        ),
        row(
            "op = 'interface.bundle'\ndevice = 'xrd-3'\ninterface = 'GigabitEthernet0/0/0/1'\nvalue = ''",
            &[
                "xrd-3 interface Bundle-Ether34 active-members == 1",
                "xrd-4 interface Bundle-Ether34 active-members == 1",
                "xrd-4 log contains is no longer Active",
            ],
            "
                xrd-3: interfaces
                xrd-4: interfaces",
        ),
        row(
            "op = 'interface.min_links'\ndevice = 'xrd-3'\ninterface = 'Bundle-Ether34'\nvalue = 3",
            &[
                "xrd-3 interface Bundle-Ether34 oper-status == DOWN",
                "xrd-4 interface Bundle-Ether34 oper-status == DOWN",
                "xrd-4 isis interface Bundle-Ether34 adjacency == DOWN",
            ],
            "
                xrd-1: labels routes
                xrd-2: labels routes
                xrd-3: interfaces isis labels routes
                xrd-4: interfaces isis labels routes
                xrd-5: labels routes
                xrd-6: labels routes
                xrd-7: routes
                xrd-8: routes",
        ),
    ]);
}

#[test]
fn igp_table() {
    run(&[
        row(
            "op = 'isis.net'\ndevice = 'xrd-4'\nvalue = '49.0001.1001.0010.0106.00'",
            &[
                "xrd-4 isis net == 49.0001.1001.0010.0106.00",
                "xrd-4 isis interface GigabitEthernet0/0/0/3 adjacency == DOWN",
                "xrd-6 log contains DUPLICATE_SYSTEM_ID",
            ],
            "
                xrd-1: labels routes
                xrd-2: isis labels routes
                xrd-3: isis labels routes
                xrd-4: isis labels routes
                xrd-5: labels routes
                xrd-6: isis labels routes
                xrd-7: isis labels routes
                xrd-8: labels routes",
        ),
        row(
            "op = 'isis.level'\ndevice = 'xrd-5'\ninterface = 'GigabitEthernet0/0/0/2'\nvalue = 1",
            &[
                "xrd-5 isis interface GigabitEthernet0/0/0/2 level == LEVEL_1",
                "xrd-6 isis interface GigabitEthernet0/0/0/2 adjacency == DOWN",
                "xrd-5 isis interface GigabitEthernet0/0/0/2 adjacency == DOWN",
            ],
            "
                xrd-1: labels routes
                xrd-2: labels routes
                xrd-3: labels routes
                xrd-4: labels routes
                xrd-5: isis labels routes
                xrd-6: isis labels routes",
        ),
        row(
            "op = 'isis.level'\ndevice = 'xrd-6'\nvalue = 1",
            &[
                "xrd-6 isis level == LEVEL_1",
                "xrd-6 isis adjacencies == 0",
                "xrd-5 isis interface GigabitEthernet0/0/0/2 adjacency == DOWN",
            ],
            "
                xrd-1: labels routes
                xrd-2: isis labels routes
                xrd-3: labels routes
                xrd-4: isis labels routes
                xrd-5: isis labels routes
                xrd-6: isis labels routes
                xrd-7: labels routes
                xrd-8: isis labels routes",
        ),
        row(
            "op = 'isis.auth'\ndevice = 'xrd-5'\ninterface = 'GigabitEthernet0/0/0/2'\nvalue = 'k'",
            &[
                "xrd-5 isis interface GigabitEthernet0/0/0/2 auth-failures > 0",
                "xrd-6 isis interface GigabitEthernet0/0/0/2 auth-failures > 0",
                "xrd-6 isis interface GigabitEthernet0/0/0/2 adjacency == DOWN",
                "xrd-6 log contains AUTH_FAILURE",
            ],
            "
                xrd-1: labels routes
                xrd-2: labels routes
                xrd-3: labels routes
                xrd-4: labels routes
                xrd-5: isis labels routes
                xrd-6: isis labels routes",
        ),
        row(
            "op = 'isis.passive'\ndevice = 'xrd-5'\ninterface = 'GigabitEthernet0/0/0/2'\nvalue = true",
            &[
                "xrd-5 isis interface GigabitEthernet0/0/0/2 passive == true",
                "xrd-5 isis interface GigabitEthernet0/0/0/2 adjacency == DOWN",
                "xrd-6 isis interface GigabitEthernet0/0/0/2 adjacency == DOWN",
            ],
            "
                xrd-1: labels routes
                xrd-2: labels routes
                xrd-3: labels routes
                xrd-4: labels routes
                xrd-5: isis labels routes
                xrd-6: isis labels routes
                xrd-7: routes
                xrd-8: routes",
        ),
        row(
            "op = 'isis.metric'\ndevice = 'xrd-5'\ninterface = 'GigabitEthernet0/0/0/2'\nvalue = 500",
            &["xrd-5 isis interface GigabitEthernet0/0/0/2 metric == 500"],
            "
                xrd-1: labels routes
                xrd-3: labels routes
                xrd-5: isis labels routes
                xrd-7: routes
                xrd-8: routes",
        ),
        row(
            "op = 'isis.hello_padding'\ndevice = 'xrd-5'\ninterface = 'GigabitEthernet0/0/0/2'\nvalue = false",
            &["xrd-5 isis interface GigabitEthernet0/0/0/2 hello-padding == false"],
            "
                xrd-5: isis",
        ),
        row(
            "op = 'isis.overload'\ndevice = 'xrd-5'\nvalue = true",
            &["xrd-5 isis overload == true"],
            "
                xrd-1: labels routes
                xrd-2: labels routes
                xrd-3: labels routes
                xrd-5: isis
                xrd-6: labels routes
                xrd-7: labels routes
                xrd-8: labels routes",
        ),
        row(
            "op = 'isis.loopback_advertised'\ndevice = 'xrd-2'\nvalue = false",
            &[
                "xrd-2 isis loopback-advertised == false",
                "xrd-2 bgp neighbor 100.100.100.107 state != ESTABLISHED",
                "xrd-7 bgp neighbor 100.100.100.102 state != ESTABLISHED",
                "xrd-1 route 100.100.100.102/32 == false",
                "xrd-1 vrf CUST-A remote-routes == 0",
                "xrd-7 log contains hold time expired",
            ],
            "
                xrd-1: labels routes vpn
                xrd-2: isis routes sessions vpn
                xrd-3: labels routes
                xrd-4: labels routes
                xrd-5: labels routes
                xrd-6: labels routes
                xrd-7: labels routes sessions
                xrd-8: labels routes sessions",
        ),
    ]);
}

#[test]
fn sr_table() {
    run(&[
        row(
            "op = 'sr.enabled'\ndevice = 'xrd-5'\nvalue = false",
            &[
                "xrd-5 sr enabled == false",
                "xrd-1 mpls unlabelled > 0",
                "xrd-1 vrf CUST-A unlabelled-routes > 0",
            ],
            "
                xrd-1: labels vpn
                xrd-2: labels vpn
                xrd-3: labels
                xrd-4: labels
                xrd-5: isis labels sr
                xrd-6: labels
                xrd-7: labels
                xrd-8: labels",
        ),
        row(
            "op = 'sr.srgb'\ndevice = 'xrd-4'\nvalue = [24000, 31999]",
            &[
                "xrd-4 sr srgb == 24000-31999",
                "xrd-4 sr prefix-sid-label == 24004",
            ],
            "
                xrd-2: labels
                xrd-3: labels
                xrd-4: labels sr
                xrd-6: labels
                xrd-7: labels",
        ),
        row(
            "op = 'sr.prefix_sid'\ndevice = 'xrd-2'\nvalue = 'none'",
            &[
                "xrd-2 sr prefix-sid == none",
                "xrd-1 vrf CUST-A unlabelled-routes > 0",
            ],
            "
                xrd-1: labels vpn
                xrd-2: sr
                xrd-3: labels
                xrd-4: labels
                xrd-5: labels
                xrd-6: labels
                xrd-7: labels
                xrd-8: labels",
        ),
        row(
            "op = 'sr.prefix_sid'\ndevice = 'xrd-6'\nvalue = 4",
            &[
                "xrd-6 sr prefix-sid-conflict == true",
                "xrd-6 log contains SID_INDEX_CONFLICT",
            ],
            "
                xrd-1: labels
                xrd-2: labels
                xrd-3: labels
                xrd-4: labels
                xrd-5: labels
                xrd-6: sr
                xrd-7: labels
                xrd-8: labels",
        ),
        row(
            "op = 'mpls.interface'\ndevice = 'xrd-1'\ninterface = 'GigabitEthernet0/0/0/0'\nvalue = false",
            &[
                "xrd-1 mpls interface GigabitEthernet0/0/0/0 enabled == false",
                "xrd-1 vrf CUST-A unlabelled-routes > 0",
            ],
            "
                xrd-1: labels mpls vpn
                xrd-2: vpn
                xrd-3: labels",
        ),
        row(
            "op = 'sr.srgb_pending'\ndevice = 'xrd-5'",
            &[
                "xrd-5 sr srgb-allocated == none",
                "xrd-1 mpls unlabelled > 0",
                "xrd-5 system alarms contains MPLS-LSD-SRGB",
            ],
            "
                xrd-1: labels vpn
                xrd-2: vpn
                xrd-3: labels
                xrd-5: labels sr system
                xrd-6: labels
                xrd-8: labels",
        ),
    ]);
}

#[test]
fn bgp_table() {
    run(&[
        row(
            "op = 'bgp.neighbor.remote_as'\ndevice = 'xrd-1'\nneighbor = '100.100.100.107'\nvalue = 65001",
            &[
                "xrd-1 bgp neighbor 100.100.100.107 remote-as == 65001",
                "xrd-1 bgp neighbor 100.100.100.107 state == IDLE",
                "xrd-7 bgp neighbor 100.100.100.101 state == IDLE",
                "xrd-7 bgp neighbor 100.100.100.101 notification == peer in wrong AS",
                "xrd-7 log contains peer in wrong AS",
            ],
            "
                xrd-1: sessions
                xrd-7: sessions",
        ),
        row(
            "op = 'bgp.neighbor.password'\ndevice = 'xrd-1'\nneighbor = '100.100.100.107'\nvalue = 'other'",
            &[
                "xrd-1 bgp neighbor 100.100.100.107 state == ACTIVE",
                "xrd-7 bgp neighbor 100.100.100.101 state == ACTIVE",
                "xrd-7 log contains Invalid MD5 digest from 100.100.100.101",
                "xrd-1 log contains IP-TCP-3-BADAUTH",
            ],
            "
                xrd-1: sessions
                xrd-7: sessions",
        ),
        row(
            "op = 'bgp.neighbor.shutdown'\ndevice = 'xrd-1'\nneighbor = '100.100.100.107'\nvalue = true",
            &[
                "xrd-1 bgp neighbor 100.100.100.107 shutdown == true",
                "xrd-1 bgp neighbor 100.100.100.107 state == IDLE",
                "xrd-7 bgp neighbor 100.100.100.101 state == ACTIVE",
                "xrd-7 log contains administrative shutdown",
            ],
            "
                xrd-1: sessions
                xrd-7: sessions",
        ),
        row(
            "op = 'bgp.neighbor.description'\ndevice = 'xrd-1'\nneighbor = '100.100.100.107'\nvalue = 'x'",
            &[],
            "
                xrd-1: sessions",
        ),
        row(
            "op = 'bgp.neighbor.hold_time'\ndevice = 'xrd-1'\nneighbor = '100.100.100.107'\nvalue = 30",
            &[],
            "
                xrd-1: sessions
                xrd-7: sessions",
        ),
        row(
            "op = 'bgp.neighbor.afi'\ndevice = 'xrd-2'\nneighbor = '100.100.100.107'\nafi = 'vpnv4'\nvalue = false",
            &[
                "xrd-2 bgp neighbor 100.100.100.107 afi vpnv4 configured == false",
                "xrd-7 bgp neighbor 100.100.100.102 afi vpnv4 active == false",
            ],
            "
                xrd-2: sessions
                xrd-7: sessions",
        ),
        row(
            "op = 'bgp.neighbor.max_prefix'\ndevice = 'xrd-1'\nneighbor = '172.16.1.2'\nvrf = 'CUST-A'\nvalue = 1",
            &[
                "xrd-1 vrf CUST-A neighbor 172.16.1.2 state == IDLE",
                "xrd-1 log contains MAXPFXEXCEED",
            ],
            "
                xrd-1: sessions vpn
                xrd-2: vpn",
        ),
        row(
            "op = 'bgp.neighbor.max_prefix'\ndevice = 'xrd-7'\nneighbor = '100.100.100.102'\nafi = 'vpnv4'\nvalue = 5",
            &[
                "xrd-7 bgp neighbor 100.100.100.102 state == IDLE",
                "xrd-2 bgp neighbor 100.100.100.107 notification == maximum number of prefixes reached",
            ],
            "
                xrd-2: sessions
                xrd-7: sessions",
        ),
        row(
            "op = 'bgp.neighbor.rr_client'\ndevice = 'xrd-7'\nneighbor = '100.100.100.101'\nvalue = false",
            &["xrd-7 bgp neighbor 100.100.100.101 afi vpnv4 rr-client == false"],
            "
                xrd-7: sessions",
        ),
        row(
            "op = 'bgp.neighbor.next_hop_self'\ndevice = 'xrd-1'\nneighbor = '100.100.100.107'\nafi = 'ipv4'\nvalue = false",
            &[
                "xrd-1 bgp neighbor 100.100.100.107 afi ipv4 next-hop-self == false",
                "xrd-7 bgp invalid-paths > 0",
            ],
            "
                xrd-1: sessions",
        ),
        row(
            "op = 'bgp.neighbor.import_policy'\ndevice = 'xrd-1'\nneighbor = '100.100.100.107'\nvalue = 'DROP-ALL'",
            &[
                "xrd-1 bgp neighbor 100.100.100.107 afi vpnv4 accepted == 0",
                "xrd-1 bgp neighbor 100.100.100.107 afi vpnv4 import-policy == DROP-ALL",
            ],
            "
                xrd-1: sessions",
        ),
        row(
            "op = 'bgp.neighbor.export_policy'\ndevice = 'xrd-1'\nneighbor = '100.100.100.107'\nvalue = 'DROP-ALL'",
            &["xrd-7 bgp neighbor 100.100.100.101 afi vpnv4 received == 0"],
            "
                xrd-1: sessions",
        ),
        row(
            "op = 'policy.accept'\ndevice = 'xrd-1'\ntext = 'RR-IN'\nvalue = false",
            &[
                "xrd-1 vrf CUST-A remote-routes == 0",
                "xrd-1 bgp neighbor 100.100.100.108 afi vpnv4 accepted == 0",
            ],
            "
                xrd-1: policies routes vpn",
        ),
    ]);
}

#[test]
fn vpn_table() {
    run(&[
        row(
            "op = 'vrf.rd'\ndevice = 'xrd-2'\nvrf = 'CUST-A'\nvalue = '100.100.100.101:1'",
            &["xrd-2 vrf CUST-A rd == 100.100.100.101:1"],
            "
                xrd-1: vpn
                xrd-2: vpn",
        ),
        row(
            "op = 'vrf.import_rt'\ndevice = 'xrd-2'\nvrf = 'CUST-A'\nvalue = []",
            &["xrd-2 vrf CUST-A remote-routes == 0"],
            "
                xrd-2: vpn",
        ),
        row(
            "op = 'vrf.import_rt'\ndevice = 'xrd-2'\nvrf = 'CUST-A'\nvalue = ['100:1', '100:2']",
            &[
                "xrd-2 vrf CUST-A import-rt == 100:1,100:2",
                "xrd-2 vrf CUST-A remote-routes > 5",
            ],
            "
                xrd-2: vpn",
        ),
        row(
            "op = 'vrf.export_rt'\ndevice = 'xrd-1'\nvrf = 'CUST-A'\nvalue = ['100:999']",
            &[
                "xrd-1 vrf CUST-A export-rt == 100:999",
                "xrd-2 vrf CUST-A remote-routes == 0",
            ],
            "
                xrd-1: vpn
                xrd-2: vpn",
        ),
        row(
            "op = 'vrf.redistribute_connected'\ndevice = 'xrd-1'\nvrf = 'CUST-A'\nvalue = false",
            &[
                "xrd-1 vrf CUST-A redistribute-connected == false",
                "xrd-2 vrf CUST-A remote-routes == 1",
            ],
            "
                xrd-1: vpn
                xrd-2: vpn",
        ),
        row(
            "op = 'edge.down'\ndevice = 'xrd-1'\nneighbor = '172.16.1.2'\nvrf = 'CUST-A'",
            &[
                "xrd-1 vrf CUST-A neighbor 172.16.1.2 state == ACTIVE",
                "xrd-2 vrf CUST-A remote-routes == 1",
            ],
            "
                xrd-1: sessions vpn
                xrd-2: vpn",
        ),
        row(
            "op = 'edge.prefixes'\ndevice = 'xrd-1'\nneighbor = '172.16.1.2'\nvrf = 'CUST-A'\ncount = 20",
            &[
                "xrd-1 vrf CUST-A neighbor 172.16.1.2 afi ipv4 received == 22",
                "xrd-2 vrf CUST-A remote-routes > 20",
            ],
            "
                xrd-1: vpn
                xrd-2: vpn",
        ),
        row(
            "op = 'edge.prefixes'\ndevice = 'xrd-1'\nneighbor = '172.16.1.2'\nvrf = 'CUST-A'\ncount = 500",
            &[
                "xrd-1 vrf CUST-A neighbor 172.16.1.2 state == IDLE",
                "xrd-1 log contains MAXPFXEXCEED",
            ],
            "
                xrd-1: sessions vpn
                xrd-2: vpn",
        ),
    ]);
}

#[test]
fn system_table() {
    run(&[
        row(
            "op = 'ntp.servers'\ndevice = 'xrd-4'\nvalue = []",
            &["xrd-4 system ntp-synchronised == false"],
            "
                xrd-4: system",
        ),
        row(
            "op = 'system.banner'\ndevice = 'xrd-4'\nvalue = 'hi'",
            &[],
            "
                xrd-4: system",
        ),
        row(
            "op = 'node.down'\ndevice = 'xrd-6'",
            &[
                "xrd-6 management reachable == false",
                "xrd-5 interface GigabitEthernet0/0/0/2 oper-status == DOWN",
                "xrd-4 isis interface GigabitEthernet0/0/0/3 adjacency == DOWN",
                "xrd-1 route 100.100.100.106/32 == false",
            ],
            "
                xrd-1: labels routes
                xrd-2: interfaces isis labels routes
                xrd-3: labels routes
                xrd-4: interfaces isis labels routes
                xrd-5: interfaces isis labels routes
                xrd-6: interfaces isis labels management routes
                xrd-7: labels routes
                xrd-8: interfaces isis labels routes",
        ),
        row(
            "op = 'node.management_down'\ndevice = 'xrd-6'",
            &["xrd-6 management reachable == false"],
            "
                xrd-6: interfaces management",
        ),
        row(
            "op = 'node.reload'\ndevice = 'xrd-6'\ntext = 'Kernel panic'",
            &[
                "xrd-6 system uptime-s < 2000",
                "xrd-6 system reload-reason == Kernel panic",
                "xrd-5 log contains GigabitEthernet0/0/0/2, changed state to Down",
                "xrd-6 log contains Card is COLD started",
            ],
            "
                xrd-2: interfaces isis
                xrd-4: interfaces isis
                xrd-5: interfaces isis
                xrd-6: errors interfaces isis system
                xrd-8: interfaces isis",
        ),
        row(
            "op = 'node.process_hog'\ndevice = 'xrd-7'",
            &[
                "xrd-7 system cpu-percent > 80",
                "xrd-7 system busiest-process == bgp",
                "xrd-7 log contains CPU_HOG",
            ],
            "
                xrd-7: system",
        ),
        row(
            "op = 'node.clock_skew'\ndevice = 'xrd-4'\nvalue = 300",
            &[
                "xrd-4 system clock-offset-s == 300",
                "xrd-4 system ntp-synchronised == false",
                "xrd-4 log contains SYNC_LOSS",
            ],
            "
                xrd-4: system",
        ),
        row(
            "op = 'node.config_inconsistency'\ndevice = 'xrd-4'",
            &[
                "xrd-4 system alarms contains CFGMGR-INCONSISTENCY",
                "xrd-4 log contains INCONSISTENCY_ALARM",
            ],
            "
                xrd-4: system",
        ),
        row(
            "op = 'log.line'\ndevice = 'xrd-4'\ntext = 'something odd'",
            &["xrd-4 log contains something odd"],
            "",
        ),
    ]);
}

#[test]
fn links_table() {
    run(&[
        row(
            "op = 'link.carrier_loss'\ndevice = 'xrd-5'\ninterface = 'GigabitEthernet0/0/0/2'",
            &[
                "xrd-5 interface GigabitEthernet0/0/0/2 oper-status == DOWN",
                "xrd-6 interface GigabitEthernet0/0/0/2 oper-status == DOWN",
                "xrd-5 isis interface GigabitEthernet0/0/0/2 adjacency == DOWN",
            ],
            "
                xrd-1: labels routes
                xrd-2: labels routes
                xrd-3: labels routes
                xrd-4: labels routes
                xrd-5: interfaces isis labels routes
                xrd-6: interfaces isis labels routes
                xrd-7: routes
                xrd-8: routes",
        ),
        row(
            "op = 'link.carrier_loss'\ndevice = 'xrd-5'\ninterface = 'GigabitEthernet0/0/0/2'\ntext = 'local'",
            &[
                "xrd-5 interface GigabitEthernet0/0/0/2 oper-status == DOWN",
                "xrd-6 isis interface GigabitEthernet0/0/0/2 adjacency == DOWN",
                "xrd-6 log contains Hold time expired",
            ],
            "
                xrd-1: labels routes
                xrd-2: labels routes
                xrd-3: labels routes
                xrd-4: labels routes
                xrd-5: interfaces isis labels routes
                xrd-6: isis labels routes
                xrd-7: routes
                xrd-8: routes",
        ),
        row(
            "op = 'link.bit_errors'\ndevice = 'xrd-5'\ninterface = 'GigabitEthernet0/0/0/2'\nrate = 5.0",
            &["xrd-5 interface GigabitEthernet0/0/0/2 in-fcs-errors > 5000"],
            "
                xrd-5: errors",
        ),
        row(
            "op = 'link.congestion'\ndevice = 'xrd-5'\ninterface = 'GigabitEthernet0/0/0/2'\nrate = 5.0",
            &["xrd-5 interface GigabitEthernet0/0/0/2 out-discards > 5000"],
            "
                xrd-5: errors",
        ),
        row(
            "op = 'link.flap_train'\ndevice = 'xrd-5'\ninterface = 'GigabitEthernet0/0/0/2'\ncount = 5\nwindow_s = 300",
            &[
                "xrd-5 interface GigabitEthernet0/0/0/2 carrier-transitions > 9",
                "xrd-6 interface GigabitEthernet0/0/0/2 carrier-transitions > 9",
            ],
            "
                xrd-5: interfaces isis
                xrd-6: interfaces isis",
        ),
        row(
            "op = 'bgp.session_flap'\ndevice = 'xrd-2'\nneighbor = '100.100.100.107'\ncount = 4\nwindow_s = 400",
            &[
                "xrd-2 bgp neighbor 100.100.100.107 transitions > 4",
                "xrd-7 bgp neighbor 100.100.100.102 transitions > 4",
                "xrd-2 log contains hold time expired",
            ],
            "
                xrd-2: sessions
                xrd-7: sessions",
        ),
    ]);
}

#[test]
fn tools_table() {
    run(&[
        row(
            "op = 'tool.delay'\ndevice = 'xrd-4'\nvalue = 500",
            &[],
            "
                xrd-4: management",
        ),
        row(
            "op = 'tool.error'\ndevice = 'xrd-4'\ntext = 'UNAVAILABLE'\ncalls = 1",
            &[],
            "
                xrd-4: management",
        ),
        row(
            "op = 'tool.truncate'\ndevice = 'xrd-4'\nvalue = 100",
            &[],
            "
                xrd-4: management",
        ),
        row(
            "op = 'tool.hang'\ndevice = 'xrd-4'",
            &[],
            "
                xrd-4: management",
        ),
        row(
            "op = 'tool.reset'\ndevice = 'xrd-4'\nfrom_call = 2",
            &[],
            "
                xrd-4: management",
        ),
        row(
            "op = 'tool.oversize'\ndevice = 'xrd-4'\nvalue = 1000",
            &[],
            "
                xrd-4: management",
        ),
    ]);
}

#[test]
fn every_operation_has_a_row() {
    let rows = include_str!("consequences.rs");
    let missing: Vec<_> = OPS
        .iter()
        .filter(|op| !rows.contains(&format!("op = '{}'", op.name)))
        .map(|op| op.name)
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}
