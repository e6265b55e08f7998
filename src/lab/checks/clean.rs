//! An independent checker: what an engineer would call a clean network, read from shown state alone.

use super::*;
use crate::lab::config::InterfaceKind;
use crate::lab::network::{Role, build, generate};
use crate::lab::state::SessionState;
use std::collections::{HashMap, HashSet};

/// Everything wrong with a network, in words.
pub(in crate::lab) fn complaints(state: &NetworkState) -> Vec<String> {
    let mut all = Vec::new();
    let devices: Vec<_> = state.devices().collect();
    let (mut ids, mut sids, mut rds) = (HashMap::new(), HashMap::new(), HashMap::new());
    let blocks: HashSet<_> = devices.iter().map(|d| d.sr.srgb.configured).collect();
    if blocks.len() != 1 {
        all.push(format!("{} different SRGBs", blocks.len()));
    }
    for device in &devices {
        let name = &device.name;
        let mut say = |what: String| all.push(format!("{name}: {what}"));
        if !device.management.reachable || !device.management.troubles.is_empty() {
            say("management trouble".into());
        }
        if !device.system.alarms.is_empty()
            || !device.system.ntp.synchronised
            || device.system.clock_ms != device.now_ms
        {
            say(format!(
                "alarms {:?}, ntp {}",
                device.system.alarms, device.system.ntp.synchronised
            ));
        }
        if device.system.cpu_percent > 40.0 || device.now_ms - device.system.boot_ms < 86_400_000 {
            say("busy or freshly booted".into());
        }
        for interface in device.interfaces.iter().filter(|i| i.description != "spare") {
            if !interface.enabled || !interface.oper_up {
                say(format!("{} is down", interface.name));
            }
            if interface
                .bundle
                .as_ref()
                .is_some_and(|b| b.members.len() < 2 || b.active() != b.members.len())
            {
                say(format!("{} misses members", interface.name));
            }
        }
        let isis = device.isis.as_ref().unwrap();
        if let Some(other) = ids.insert(isis.system_id.clone(), name.clone()) {
            say(format!("system id of {other}"));
        }
        if isis.overload {
            say("overloaded".into());
        }
        for interface in isis.interfaces.iter().filter(|i| !i.passive) {
            let of = isis
                .adjacencies
                .iter()
                .filter(|a| a.interface == interface.name)
                .count();
            let mpls = device
                .mpls
                .interfaces
                .iter()
                .any(|m| m.name == interface.name && m.enabled);
            if of != 1 || !mpls || interface.auth_failures + interface.hellos_rejected > 0 {
                say(format!("{}: {of} adjacencies, mpls {mpls}", interface.name));
            }
        }
        let loopbacks = device
            .routes
            .iter()
            .filter(|r| r.length == 32 && r.prefix.octets()[..2] == [100, 100])
            .count();
        if loopbacks != devices.len() {
            say(format!("{loopbacks} loopbacks of {}", devices.len()));
        }
        match device
            .sr
            .prefix_sid
            .filter(|_| device.sr.enabled && device.sr.srgb.allocated == Some(device.sr.srgb.configured))
        {
            Some(sid) if sid.label.is_some() && !sid.conflict => {
                if let Some(other) = sids.insert(sid.index, name.clone()) {
                    say(format!("prefix-SID of {other}"));
                }
            }
            _ => say("no usable prefix-SID".into()),
        }
        if device
            .mpls
            .entries
            .iter()
            .any(|e| e.operation == crate::lab::state::LabelOperation::Unlabelled)
        {
            say("a label path breaks".into());
        }
        let neighbors = device
            .bgp
            .iter()
            .flat_map(|b| &b.neighbors)
            .chain(device.vrfs.iter().flat_map(|v| &v.neighbors));
        for neighbor in neighbors {
            if neighbor.state != SessionState::Established
                || neighbor.afis.iter().any(|a| !a.active || a.received == 0)
            {
                say(format!("neighbour {} is not well", neighbor.address));
            }
            if device.role == Role::Pe && neighbor.vrf.is_none() && neighbor.afis.iter().any(|a| a.sent == 0)
            {
                say(format!("sends nothing to {}", neighbor.address));
            }
        }
        for vrf in &device.vrfs {
            if let Some(other) = rds.insert(vrf.rd.clone(), format!("{name} {}", vrf.name)) {
                say(format!("{}: RD of {other}", vrf.name));
            }
            let sites = devices.iter().filter(|d| d.vrf(&vrf.name).is_some()).count();
            let remote: HashSet<_> = vrf
                .routes
                .iter()
                .filter(|r| r.source == "bgp-vpn")
                .filter_map(|r| r.next_hop)
                .collect();
            if remote.len() != sites - 1 || vrf.routes.iter().any(|r| !r.labelled) {
                say(format!(
                    "{}: routes from {} of {} far PEs",
                    vrf.name,
                    remote.len(),
                    sites - 1
                ));
            }
        }
        if device
            .bgp
            .as_ref()
            .is_some_and(|b| b.paths.iter().any(|p| !p.valid))
        {
            say("unresolved next hops".into());
        }
    }
    all
}

#[test]
fn healthy_networks_of_every_size_are_clean_and_not_silent() {
    for size in ["S", "M", "L"] {
        let state = lab(size).snapshot(EPOCH_MS + 1_200_000);
        assert_eq!(complaints(&state), Vec::<String>::new(), "{size}");
        let lines: usize = state
            .network()
            .names()
            .map(|n| state.logs(n, EPOCH_MS - 3_600_000).len())
            .sum();
        assert!(
            lines > state.network().devices.len(),
            "{size}: only {lines} log lines"
        );
        let devices: Vec<_> = state.devices().collect();
        let old = devices
            .iter()
            .flat_map(|d| &d.interfaces)
            .any(|i| i.counters.in_errors > 0 || i.counters.out_discards > 0);
        assert!(old, "{size}: no old counters at all");
        let bundles = devices
            .iter()
            .flat_map(|d| &d.interfaces)
            .filter(|i| i.kind == InterfaceKind::Bundle)
            .count();
        assert!(bundles >= 2, "{size}: {bundles} bundle ends");
    }
}

#[test]
fn a_thousand_devices_have_a_snapshot() {
    let state = Lab::new(build(&generate(1_000)).unwrap(), 7, EPOCH_MS).snapshot(EPOCH_MS);
    let pe = state.device("xrd-1").unwrap();
    assert!(
        pe.bgp
            .as_ref()
            .unwrap()
            .neighbors
            .iter()
            .all(|n| n.state == SessionState::Established)
    );
    assert!(
        pe.vrfs
            .iter()
            .all(|v| v.routes.iter().any(|r| r.source == "bgp-vpn" && r.labelled))
    );
    let loopbacks = pe
        .routes
        .iter()
        .filter(|r| r.length == 32 && r.prefix.octets()[..2] == [100, 100])
        .count();
    assert_eq!(loopbacks, 1_000);
}
