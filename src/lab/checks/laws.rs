//! Laws that hold for every network, fault and time.

use super::consequences::moved;
use super::*;
use crate::lab::config::Afi;
use crate::lab::network::{Role, build, generate};
use crate::lab::scenario;
use proptest::prelude::*;
use std::collections::HashSet;

/// A random link or metric fault of the network, as TOML.
fn trouble(network: &crate::lab::network::Network, pick: u32, metric: u32) -> String {
    let link = &network.links[pick as usize % network.links.len()];
    let ends = [&link.a, &link.b];
    let end = ends[pick as usize / 7 % 2];
    let (device, interface) = (&network.devices[end.device].name, &end.interface);
    match pick % 3 {
        0 => format!(
            "at_s = -60\nop = 'interface.enabled'\ndevice = '{device}'\ninterface = '{interface}'\nvalue = false"
        ),
        1 => format!(
            "at_s = -60\nop = 'isis.passive'\ndevice = '{device}'\ninterface = '{interface}'\nvalue = true"
        ),
        _ => format!(
            "at_s = -60\nop = 'isis.metric'\ndevice = '{device}'\ninterface = '{interface}'\nvalue = {metric}"
        ),
    }
}

fn loopback_metric(state: &NetworkState, from: &str, to: &str) -> Option<u32> {
    let target = state.device(to)?.loopback;
    state
        .device(from)?
        .routes
        .iter()
        .find(|r| r.prefix == target && r.length == 32)
        .map(|r| r.metric)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    #[test]
    fn shortest_paths_are_symmetric_when_metrics_are(size in 12_usize..28, picks in prop::collection::vec(any::<u32>(), 0..5), metric in 1_u32..900) {
        let network = build(&generate(size)).unwrap();
        let mut lab = Lab::new(network.clone(), 3, EPOCH_MS);
        for pick in picks {
            // The metric of a link changes on both sides, or not at all.
            let first = fault(&trouble(&network, pick, metric));
            if first.op == "isis.metric" {
                let link = &network.links[pick as usize % network.links.len()];
                for end in [&link.a, &link.b] {
                    let mut both = first.clone();
                    both.device = network.devices[end.device].name.clone();
                    both.interface = Some(end.interface.clone());
                    lab.inject(both).unwrap();
                }
            } else {
                lab.inject(first).unwrap();
            }
        }
        let state = lab.snapshot(EPOCH_MS + 600_000);
        let names: Vec<String> = network.names().map(str::to_string).collect();
        for (a, b) in names.iter().flat_map(|a| names.iter().map(move |b| (a, b))).filter(|(a, b)| a < b) {
            prop_assert_eq!(loopback_metric(&state, a, b), loopback_metric(&state, b, a), "{} and {}", a, b);
        }
    }

    #[test]
    fn reflected_routes_obey_client_rules(size in 12_usize..40, dropped in prop::collection::vec((any::<u16>(), any::<bool>()), 0..6)) {
        let network = build(&generate(size)).unwrap();
        let mut lab = Lab::new(network.clone(), 5, EPOCH_MS);
        let pes: Vec<_> = network.devices.iter().filter(|d| d.role == Role::Pe).collect();
        let mut unflagged = HashSet::new();
        for (pick, second) in dropped {
            let pe = pes[pick as usize % pes.len()];
            let rrs: Vec<_> = pe.config.bgp.as_ref().unwrap().neighbors.keys().copied().collect();
            let rr = rrs[usize::from(second) % rrs.len()];
            let name = &network.devices[network.by_loopback(rr).unwrap()].name;
            unflagged.insert((name.clone(), pe.config.loopback));
            let toml = format!("at_s = -60\nop = 'bgp.neighbor.rr_client'\ndevice = '{name}'\nneighbor = '{}'\nvalue = false", pe.config.loopback);
            lab.inject(fault(&toml)).unwrap();
        }
        let state = lab.snapshot(EPOCH_MS + 600_000);
        for pe in pes {
            let device = state.device(&pe.name).unwrap();
            for path in device.bgp.as_ref().unwrap().paths.iter().filter(|p| p.afi == Afi::Vpnv4Unicast) {
                let Some(from) = path.from else { continue };
                prop_assert_ne!(path.originator, device.loopback, "own route came back");
                let rr = &network.devices[network.by_loopback(from).unwrap()];
                let held = state.device(&rr.name).unwrap();
                let source = held.bgp.as_ref().unwrap().paths.iter().find(|p| p.best && p.rd == path.rd && p.prefix == path.prefix && p.length == path.length);
                let source = source.unwrap().from.unwrap();
                prop_assert_ne!(source, device.loopback);
                // RFC 4456 section 6: from a non-client only to clients.
                let is_client = |peer| pes_of(&network).contains(&peer) && !unflagged.contains(&(rr.name.clone(), peer));
                prop_assert!(is_client(source) || is_client(device.loopback), "{} sent {}/{} of a non-client to a non-client", rr.name, path.prefix, path.length);
            }
        }
    }

    #[test]
    fn healing_restores_the_healthy_network_exactly(picks in prop::collection::vec(any::<u32>(), 1..6), after_s in 0_i64..4_000) {
        let now = EPOCH_MS + after_s * 1_000;
        let mut lab = lab("S");
        let before: Vec<_> = lab.snapshot(now).devices().collect();
        let all = scenario::builtin().unwrap();
        let small: Vec<_> = all.iter().filter(|s| s.size == "S").flat_map(|s| s.faults.clone()).collect();
        for pick in picks {
            lab.inject(small[pick as usize % small.len()].clone()).unwrap();
        }
        let broken: Vec<_> = lab.snapshot(now).devices().collect();
        lab.heal();
        let state = lab.snapshot(now);
        let after: Vec<_> = state.devices().collect();
        prop_assert_eq!(&before, &after);
        prop_assert_eq!(broken.len(), after.len());
        prop_assert!(super::clean::complaints(&state).is_empty());
    }

    #[test]
    fn any_combination_runs_and_is_the_same_twice(picks in prop::collection::vec(any::<u32>(), 1..12)) {
        let all = scenario::builtin().unwrap();
        let small: Vec<_> = all.iter().filter(|s| s.size == "S").flat_map(|s| s.faults.clone()).collect();
        let make = || {
            let mut lab = lab("S");
            for pick in &picks {
                lab.inject(small[*pick as usize % small.len()].clone()).unwrap();
            }
            lab.snapshot(EPOCH_MS)
        };
        let (a, b) = (make(), make());
        prop_assert!(moved(&a, &b).is_empty());
        for name in a.network().names() {
            prop_assert_eq!(a.logs(name, EPOCH_MS - 86_400_000), b.logs(name, EPOCH_MS - 86_400_000));
        }
    }
}

fn pes_of(network: &crate::lab::network::Network) -> HashSet<std::net::Ipv4Addr> {
    network
        .devices
        .iter()
        .filter(|d| d.role == Role::Pe)
        .map(|d| d.config.loopback)
        .collect()
}

#[test]
fn counters_only_grow_and_only_troubled_ones_grow_errors() {
    let mut lab = lab("S");
    lab.inject(fault("at_s = -60\nop = 'link.bit_errors'\ndevice = 'xrd-5'\ninterface = 'GigabitEthernet0/0/0/2'\nrate = 10.0")).unwrap();
    let (early, late) = (lab.snapshot(EPOCH_MS), lab.snapshot(EPOCH_MS + 10_000));
    for (a, b) in early.devices().zip(late.devices()) {
        for (x, y) in a.interfaces.iter().zip(&b.interfaces) {
            let (p, q) = (x.counters, y.counters);
            assert!(
                q.in_octets >= p.in_octets && q.out_octets >= p.out_octets && q.in_pkts >= p.in_pkts,
                "{} {}",
                a.name,
                x.name
            );
            let troubled = a.name == "xrd-5" && x.name == "GigabitEthernet0/0/0/2";
            assert_eq!(
                q.in_errors - p.in_errors,
                if troubled { 100 } else { 0 },
                "{} {}",
                a.name,
                x.name
            );
            let moves = x.oper_up && x.name.starts_with("Gig");
            assert_eq!(
                q.out_octets > p.out_octets,
                moves || x.bundle.is_some() || x.name.starts_with("Mgmt"),
                "{} {}",
                a.name,
                x.name
            );
        }
    }
}

#[test]
fn timers_run_their_course() {
    let mut lab = lab("S");
    lab.inject(fault(
        "at_s = 100\nop = 'isis.loopback_advertised'\ndevice = 'xrd-2'\nvalue = false\nfor_s = 600",
    ))
    .unwrap();
    let state = |s: i64| {
        let at = lab.snapshot(EPOCH_MS + s * 1_000);
        at.device("xrd-2").unwrap().bgp.as_ref().unwrap().neighbors[0]
            .state
            .as_str()
    };
    // Hold time 180 s after the route is gone; some seconds to connect after it is back.
    assert_eq!(
        [90, 270, 285, 690, 705, 740].map(state),
        [
            "ESTABLISHED",
            "ESTABLISHED",
            "ACTIVE",
            "ACTIVE",
            "CONNECT",
            "ESTABLISHED"
        ]
    );
    let end = lab.snapshot(EPOCH_MS + 740_000).device("xrd-7").unwrap();
    let history = &end.neighbor("100.100.100.102".parse().unwrap()).unwrap().history;
    assert_eq!(
        history.last_notification.as_ref().unwrap().text,
        "hold time expired"
    );
}

#[test]
fn two_clients_without_the_flag_on_both_reflectors_lose_each_other() {
    let mut faults = Vec::new();
    for rr in ["xrd-7", "xrd-8"] {
        for pe in ["100.100.100.101", "100.100.100.102"] {
            faults.push(format!(
                "at_s = -60\nop = 'bgp.neighbor.rr_client'\ndevice = '{rr}'\nneighbor = '{pe}'\nvalue = false"
            ));
        }
    }
    let latent = broken(&[&faults[0]]);
    assert!(
        latent
            .device("xrd-1")
            .unwrap()
            .vrfs
            .iter()
            .all(|v| v.routes.iter().any(|r| r.source == "bgp-vpn")),
        "one flag is latent"
    );
    let cut = broken(&faults.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(
        cut.device("xrd-1")
            .unwrap()
            .vrfs
            .iter()
            .all(|v| v.routes.iter().all(|r| r.source != "bgp-vpn"))
    );
}

#[test]
fn a_rebooted_device_forgets_its_log_and_its_neighbours_do_not() {
    let state = broken(&["at_s = -600\nop = 'node.reload'\ndevice = 'xrd-6'\ntext = 'Kernel panic'"]);
    let boot = state.device("xrd-6").unwrap().system.boot_ms;
    assert_eq!(boot, EPOCH_MS - 420_000);
    assert!(state.logs("xrd-6", 0).iter().all(|l| l.at_ms >= boot));
    let neighbour: Vec<String> = state
        .logs("xrd-5", EPOCH_MS - 700_000)
        .iter()
        .map(|l| l.render())
        .collect();
    assert!(
        neighbour
            .iter()
            .any(|l| l.contains("xrd-6") && l.contains("Down")),
        "{neighbour:#?}"
    );
}

#[test]
fn lines_look_like_ios_xr() {
    let state = broken(&[
        "at_s = -600\nop = 'interface.enabled'\ndevice = 'xrd-5'\ninterface = 'GigabitEthernet0/0/0/2'\nvalue = false",
    ]);
    let lines: Vec<String> = state
        .logs("xrd-6", EPOCH_MS - 601_000)
        .iter()
        .map(|l| l.render())
        .collect();
    let want = "RP/0/RP0/CPU0:Nov 21 23:50:00.000 UTC: ifmgr[254]: %PKT_INFRA-LINK-3-UPDOWN : Interface GigabitEthernet0/0/0/2, changed state to Down";
    assert!(lines.iter().any(|l| l == want), "{lines:#?}");
}
