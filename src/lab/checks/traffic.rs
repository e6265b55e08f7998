//! Where traffic goes: it follows the shortest paths, moves with them, and is neither made nor lost in the core.

use super::*;
use crate::lab::config::InterfaceKind;
use crate::lab::network::{End, Role};
use std::collections::BTreeMap;

/// Bits per second of every Ethernet port over the ten seconds from `at_s`: in and out.
type Rates = BTreeMap<(String, String), (f64, f64)>;

fn rates(lab: &Lab, at_s: i64) -> Rates {
    let at = |s: i64| lab.snapshot(EPOCH_MS + s * 1_000);
    let (early, late) = (at(at_s), at(at_s + 10));
    let mut all = Rates::new();
    for (a, b) in early.devices().zip(late.devices()) {
        for (x, y) in a.interfaces.iter().zip(&b.interfaces) {
            let bps = |from: u64, to: u64| f64::from(u32::try_from(to - from).unwrap()) * 8.0 / 10.0;
            let (p, q) = (x.counters, y.counters);
            let pair = (bps(p.in_octets, q.in_octets), bps(p.out_octets, q.out_octets));
            if x.kind == InterfaceKind::Ethernet || x.kind == InterfaceKind::Bundle {
                all.insert((a.name.clone(), x.name.clone()), pair);
            }
        }
    }
    all
}

fn broken_at_zero(size: &str, faults: &[&str]) -> Lab {
    let mut lab = lab(size);
    for toml in faults {
        lab.inject(fault(toml)).unwrap();
    }
    lab
}

fn of(rates: &Rates, device: &str, interface: &str) -> (f64, f64) {
    rates[&(device.to_string(), interface.to_string())]
}

/// More than hellos and keepalives, which stay below 60 kb/s.
const LOADED: f64 = 1.0e6;

#[test]
fn both_ends_of_every_cable_agree_and_the_core_neither_makes_nor_loses_traffic() {
    for size in ["S", "M", "L"] {
        let lab = lab(size);
        let rates = rates(&lab, 60);
        for cable in &lab.network().cables {
            let [a, b] = [&cable.a, &cable.b].map(|end| {
                let device = &lab.network().devices[end.device].name;
                of(&rates, device, &end.interface)
            });
            assert!(
                (a.0 - b.1).abs() < 2.0 && (a.1 - b.0).abs() < 2.0,
                "{cable:?}: {a:?}, {b:?}"
            );
        }
        for device in lab.network().devices.iter().filter(|d| d.role == Role::P) {
            let ports = rates
                .iter()
                .filter(|((d, i), _)| *d == device.name && i.starts_with("Gig"));
            let (inward, out) = ports.fold((0.0, 0.0), |sum, (_, r)| (sum.0 + r.0, sum.1 + r.1));
            let chatter = 60_000.0 * device.config.interfaces.len() as f64;
            assert!(
                (inward - out).abs() < chatter,
                "{size} {}: {inward} in, {out} out",
                device.name
            );
        }
        let busiest = rates.values().map(|r| r.1).fold(0.0, f64::max);
        assert!(
            (0.1e9..0.81e9).contains(&busiest),
            "{size}: the busiest sends {busiest}"
        );
    }
}

#[test]
fn the_load_of_a_failed_link_moves_to_the_other_path() {
    let healthy = rates(&lab("S"), 60);
    let cut = "at_s = 0\nop = 'link.carrier_loss'\ndevice = 'xrd-5'\ninterface = 'GigabitEthernet0/0/0/2'";
    let rates = rates(&broken_at_zero("S", &[cut]), 60);
    // Two paths of equal cost between the PEs: by xrd-3 and xrd-4, by xrd-5 and xrd-6.
    for (device, core, via) in [
        ("xrd-1", "GigabitEthernet0/0/0/0", "GigabitEthernet0/0/0/1"),
        ("xrd-2", "GigabitEthernet0/0/0/0", "GigabitEthernet0/0/0/1"),
    ] {
        let (near, far) = (of(&healthy, device, core).1, of(&healthy, device, via).1);
        assert!(
            near > LOADED && (near / far - 1.0).abs() < 0.01,
            "{device}: {near} and {far}"
        );
        let moved = of(&rates, device, core).1;
        assert!(
            (moved / (near + far) - 1.0).abs() < 0.01,
            "{device}: {moved}, not {near} and {far}"
        );
        assert!(
            of(&rates, device, via).1 < LOADED,
            "{device}: the other way is empty"
        );
    }
    for device in ["xrd-5", "xrd-6"] {
        assert_eq!(
            of(&rates, device, "GigabitEthernet0/0/0/2"),
            (0.0, 0.0),
            "{device}: a dead link carries nothing"
        );
    }
    let bundle = |rates: &Rates| of(rates, "xrd-3", "Bundle-Ether34");
    assert!(
        (bundle(&rates).1 / bundle(&healthy).1 - 2.0).abs() < 0.02,
        "{:?}",
        bundle(&rates)
    );
    // Customers do not notice.
    let customer = "GigabitEthernet0/0/0/2";
    assert_eq!(of(&rates, "xrd-1", customer), of(&healthy, "xrd-1", customer));
    assert!(of(&rates, "xrd-1", customer).1 > LOADED);
    // Reflectors are off the path, whatever happens.
    let quiet = rates.iter().filter(|((d, _), _)| d == "xrd-7" || d == "xrd-8");
    assert!(quiet.clone().count() > 0 && quiet.clone().all(|(_, r)| r.0 + r.1 < LOADED));
}

#[test]
fn a_bundle_shares_its_load_among_the_members_that_are_left() {
    let healthy = rates(&lab("S"), 60);
    let cut = "at_s = 0\nop = 'link.carrier_loss'\ndevice = 'xrd-3'\ninterface = 'GigabitEthernet0/0/0/1'";
    let rates = rates(&broken_at_zero("S", &[cut]), 60);
    let of =
        |rates: &Rates| ["GigabitEthernet0/0/0/1", "GigabitEthernet0/0/0/2"].map(|m| of(rates, "xrd-3", m).1);
    let ([a, b], [gone, left]) = (of(&healthy), of(&rates));
    assert!(a > LOADED && (a - b).abs() < 60_000.0, "{a} and {b}");
    assert!(
        gone == 0.0 && (left - a - b).abs() < 60_000.0,
        "{gone} and {left}"
    );
}

#[test]
fn traffic_stops_where_the_routes_are_gone() {
    let customer = "GigabitEthernet0/0/0/2";
    let healthy = rates(&lab("S"), 300);
    for toml in [
        "op = 'vrf.import_rt'\ndevice = 'xrd-1'\nvrf = 'CUST-A'\nvalue = []",
        "op = 'vrf.export_rt'\ndevice = 'xrd-2'\nvrf = 'CUST-A'\nvalue = ['100:9']",
        "op = 'edge.down'\ndevice = 'xrd-2'\nneighbor = '172.16.2.2'\nvrf = 'CUST-A'",
        "op = 'bgp.neighbor.shutdown'\ndevice = 'xrd-1'\nneighbor = '172.16.1.2'\nvrf = 'CUST-A'\nvalue = true",
    ] {
        let rates = rates(&broken_at_zero("S", &[toml]), 300);
        for device in ["xrd-1", "xrd-2"] {
            assert!(of(&healthy, device, customer).0 > LOADED);
            let now = of(&rates, device, customer);
            assert!(now.0 + now.1 < LOADED, "{toml}: {device} still carries {now:?}");
            let other = "GigabitEthernet0/0/0/3";
            assert_eq!(
                of(&rates, device, other),
                of(&healthy, device, other),
                "{toml}: CUST-B is not touched"
            );
        }
    }
}

#[test]
fn a_congested_port_is_full_and_so_is_what_the_far_end_hears() {
    let jam = "at_s = 0\nop = 'link.congestion'\ndevice = 'xrd-5'\ninterface = 'GigabitEthernet0/0/0/2'\nrate = 50.0";
    let lab = broken_at_zero("S", &[jam]);
    let rates = rates(&lab, 60);
    let port = "GigabitEthernet0/0/0/2";
    for full in [of(&rates, "xrd-5", port).1, of(&rates, "xrd-6", port).0] {
        assert!((0.97e9..1.0e9).contains(&full), "{full}");
    }
    let drops = |s: i64| {
        lab.snapshot(EPOCH_MS + s * 1_000)
            .device("xrd-5")
            .unwrap()
            .interface(port)
            .unwrap()
            .counters
            .out_discards
    };
    assert_eq!(drops(70) - drops(60), 500);
}

#[test]
fn a_link_that_gets_more_than_it_holds_drops_and_says_so() {
    // Of the large network's core a tree is left, and of two ways into it one: too thin in places.
    let mut lab = lab("L");
    let network = lab.network().clone();
    let core = |end: &End| network.devices[end.device].role == Role::P;
    let mut tree: Vec<usize> = (0..network.devices.len()).collect();
    let mut homed = vec![false; network.devices.len()];
    for link in &network.links {
        let spare = if core(&link.a) && core(&link.b) {
            let (a, b) = (tree[link.a.device], tree[link.b.device]);
            tree.iter_mut().filter(|t| **t == b).for_each(|t| *t = a);
            a == b
        } else {
            let outside = if core(&link.a) { &link.b } else { &link.a };
            std::mem::replace(&mut homed[outside.device], true)
        };
        if spare {
            let (device, interface) = (&network.devices[link.a.device].name, &link.a.interface);
            let toml = format!(
                "op = 'interface.enabled'\ndevice = '{device}'\ninterface = '{interface}'\nvalue = false"
            );
            lab.inject(fault(&toml)).unwrap();
        }
    }
    let rates = rates(&lab, 60);
    let state = |s: i64| lab.snapshot(EPOCH_MS + s * 1_000);
    let (early, late) = (state(60), state(70));
    let mut full = 0;
    for (a, b) in early.devices().zip(late.devices()) {
        for (x, y) in a
            .interfaces
            .iter()
            .zip(&b.interfaces)
            .filter(|(x, _)| x.kind == InterfaceKind::Ethernet)
        {
            let out = of(&rates, &a.name, &x.name).1;
            assert!(out <= 1.0e9, "{} {} sends {out}", a.name, x.name);
            let drops = y.counters.out_discards > x.counters.out_discards;
            assert_eq!(drops, out > 0.985e9, "{} {}: {out}", a.name, x.name);
            full += usize::from(drops);
        }
    }
    assert!(full > 0, "no link is full");
}
