//! `openconfig-network-instance`: VRFs, and the protocols and labels of each instance.

use super::super::cursor::{Cursor, Reads};
use super::{bgp, isis, labels};
use crate::agent::model::{Aspect, Claim};
use crate::diagnosis::network::{DeviceFacts, InterfaceKind};

pub fn read(device: &mut DeviceFacts, at: &Cursor<'_>) {
    for entry in at.list("network-instance") {
        let Some(name) = entry
            .child("name")
            .or_else(|| entry.leaf("name"))
            .and_then(|c| c.text())
        else {
            continue;
        };
        if name.eq_ignore_ascii_case("default") {
            for (interface, id) in bound(&entry) {
                device.interface_mut(&interface).in_no_vrf = Some(id.citation());
            }
            protocols(device, "", &entry);
            if let Some(mpls) = entry.child("mpls") {
                labels::read_mpls(device, &mpls);
            }
            if let Some(sr) = entry.child("segment-routing") {
                labels::read_segment_routing(device, &sr);
            }
        } else if !name.starts_with('*') {
            vrf(device, &name, &entry);
            protocols(device, &name, &entry);
        }
    }
}

fn protocols(device: &mut DeviceFacts, vrf: &str, entry: &Cursor<'_>) {
    for protocol in entry.list("protocols/protocol") {
        if let Some(at) = protocol.child("bgp") {
            bgp::read(device, vrf, &at);
        }
        if let (Some(at), true) = (protocol.child("isis"), vrf.is_empty()) {
            isis::read(device, &at);
        }
    }
}

/// Interfaces of an instance, each with the place that says so.
fn bound<'a>(entry: &Cursor<'a>) -> Vec<(String, Cursor<'a>)> {
    let named = |i: &Cursor<'a>| {
        let id = i
            .leaf("interface")
            .or_else(|| i.child("id"))
            .or_else(|| i.leaf("id"))?;
        Some((id.text()?, id))
    };
    entry
        .list("interfaces/interface")
        .iter()
        .filter_map(named)
        .collect()
}

fn vrf(device: &mut DeviceFacts, name: &str, entry: &Cursor<'_>) {
    let rd = entry.leaf("route-distinguisher").cited_text();
    let policies = entry.find("inter-instance-policies/import-export-policy");
    let bound = bound(entry);
    let management = |i: &str| InterfaceKind::of(i) == InterfaceKind::Management;
    if !bound.is_empty() && bound.iter().all(|(i, _)| management(i)) {
        return;
    }
    let told = rd.is_some() || policies.is_some() || !bound.is_empty();
    if !told && !device.vrfs.contains_key(name) {
        return;
    }
    device.seen.insert(Aspect::Vrf);
    for (interface, id) in &bound {
        device.interface_mut(interface).vrf =
            Some(id.claimed(name.to_owned(), Claim::Equals(id.value().clone())));
    }
    let vrf = device.vrf_mut(name);
    vrf.rd = rd.or(vrf.rd.take());
    if let Some(policies) = policies {
        for (leaf, slot) in [
            ("import-route-target", &mut vrf.imports),
            ("export-route-target", &mut vrf.exports),
        ] {
            let list = policies.leaf(leaf);
            let texts =
                |list: &Cursor<'_>| list.entries().iter().filter_map(Cursor::text).collect::<Vec<_>>();
            match list {
                Some(list) if list.is_real() => *slot = Some(list.fact(texts(&list))),
                _ => {
                    let container = policies.child("state").or_else(|| policies.child("config"));
                    if let Some(container) = container.filter(|c| c.is_real()) {
                        let absent = container.lacks(leaf);
                        let mut fact = container.fact(Vec::new());
                        fact.citation = absent;
                        *slot = Some(fact);
                    }
                }
            }
        }
    }
    for (interface, id) in bound {
        vrf.interfaces.insert(interface, id.citation());
    }
    redistribution(device, name, entry);
}

/// Redistribution is known only where the instance itself was read, or its table connections were.
fn redistribution(device: &mut DeviceFacts, name: &str, entry: &Cursor<'_>) {
    let tables = entry.find("table-connections");
    let whole = entry.is_real() && (entry.child("config").is_some() || entry.child("state").is_some());
    if tables.is_none() && !whole {
        return;
    }
    let connected = entry
        .list("table-connections/table-connection")
        .into_iter()
        .find_map(|t| {
            let source = t.leaf("src-protocol").or_else(|| t.child("src-protocol"))?;
            let target = t
                .leaf("dst-protocol")
                .or_else(|| t.child("dst-protocol"))?
                .text()?;
            let hit = source.text()?.ends_with("DIRECTLY_CONNECTED") && target.ends_with("BGP");
            hit.then_some(source)
        });
    let fact = match (connected, tables) {
        (Some(source), _) => source.fact(true),
        (None, Some(tables)) => {
            let mut fact = tables.fact(false);
            if let Some(list) = tables.child("table-connection") {
                fact.citation = list.citation();
            }
            fact
        }
        (None, None) => {
            let mut fact = entry.fact(false);
            fact.citation = entry.lacks("table-connections");
            fact
        }
    };
    device.vrf_mut(name).connected = Some(fact);
}

/// VRFs that an answer about the table connections of every instance does not name have none.
pub fn note_absent_tables(device: &mut DeviceFacts, answer: &Cursor<'_>) {
    for (name, vrf) in device.vrfs.iter_mut().filter(|(_, vrf)| vrf.connected.is_none()) {
        let place = format!("~1network-instances~1network-instance[name={name}]~1table-connections");
        let mut fact = answer.fact(false);
        fact.citation = answer.lacks(&place);
        vrf.connected = Some(fact);
    }
}
