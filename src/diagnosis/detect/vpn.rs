//! VPNs: route targets, route distinguishers, interfaces, redistribution, compared across the network.

use std::collections::{BTreeMap, BTreeSet};

use super::{Sign, View};
use crate::agent::model::{Citation, Confidence};
use crate::diagnosis::cited::{Cited, Known};
use crate::diagnosis::network::{DeviceFacts, InterfaceKind, Vrf};
use crate::diagnosis::ontology::{FaultType, Resource};

type Row<'a> = (&'a DeviceFacts, &'a str, &'a Vrf);

pub fn detect(view: &View<'_>, signs: &mut Vec<Sign>) {
    let rows: Vec<Row<'_>> = view
        .network
        .devices()
        .flat_map(|d| d.vrfs.iter().map(move |(name, vrf)| (d, name.as_str(), vrf)))
        .collect();
    let usual = usual_targets(&rows);
    for row in &rows {
        targets(view, row, &rows, &usual, signs);
        connected(view, row, &rows, signs);
    }
    distinguishers(view, &rows, signs);
    interfaces(view, &rows, signs);
}

fn resource(row: &Row<'_>) -> Resource {
    Resource::Vrf(row.0.name.clone(), row.1.to_owned())
}

/// The route targets a VRF name stands for: those that most of its lists hold.
fn usual_targets<'a>(rows: &[Row<'a>]) -> BTreeMap<&'a str, BTreeSet<String>> {
    let mut votes: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    let mut lists: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, name, vrf) in rows {
        for list in [&vrf.imports, &vrf.exports].into_iter().flatten() {
            *lists.entry(name).or_default() += 1;
            for target in list.value.iter().collect::<BTreeSet<_>>() {
                *votes.entry(name).or_default().entry(target).or_default() += 1;
            }
        }
    }
    votes
        .into_iter()
        .map(|(name, votes)| {
            let all = lists.get(name).copied().unwrap_or(0);
            // Where half of the lists say one thing and half another, the one numbered like the distinguishers.
            let usual = votes
                .into_iter()
                .filter(|(t, n)| n * 2 > all || n * 2 == all && numbered_alike(rows, name, t))
                .map(|(t, _)| t.to_owned());
            (name, usual.collect())
        })
        .collect()
}

/// The target ends in the number that most distinguishers of the VRF end in.
fn numbered_alike(rows: &[Row<'_>], name: &str, target: &str) -> bool {
    let number = |text: &str| text.rsplit_once(':').map(|(_, n)| n.to_owned());
    let distinguishers = rows
        .iter()
        .filter(|r| r.1 == name)
        .filter_map(|r| r.2.rd.as_ref());
    let usual = View::norm(distinguishers.filter_map(|rd| number(&rd.value)));
    usual.is_some() && usual == number(target)
}

fn targets(
    view: &View<'_>,
    row: &Row<'_>,
    rows: &[Row<'_>],
    usual: &BTreeMap<&str, BTreeSet<String>>,
    signs: &mut Vec<Sign>,
) {
    let (device, name, vrf) = row;
    let Some(wanted) = usual.get(name) else { return };
    let others = || rows.iter().filter(|r| r.1 == *name && r.0.name != device.name);
    let shown = |target: &str| -> Vec<Citation> {
        let lists = others().flat_map(|r| [&r.2.exports, &r.2.imports]).flatten();
        lists
            .filter(|l| l.value.iter().any(|t| t == target))
            .take(1)
            .map(Cited::cite)
            .collect()
    };
    let foreign = |target: &String| {
        usual
            .iter()
            .find(|(other, set)| **other != *name && set.contains(target) && !wanted.contains(target))
            .map(|(n, _)| *n)
    };
    let lacks = |list: &Option<Cited<Vec<String>>>| -> Vec<String> {
        let Some(list) = list else { return Vec::new() };
        wanted
            .iter()
            .filter(|t| !list.value.contains(t))
            .cloned()
            .collect()
    };
    let (no_import, no_export) = (lacks(&vrf.imports), lacks(&vrf.exports));
    if let (Some(list), Some(first)) = (&vrf.imports, no_import.first()) {
        let text = format!(
            "{name} on {} does not import {}: routes of its other sites don't arrive",
            device.name,
            no_import.join(", ")
        );
        let sign = Sign::fault(
            "vpn.import_missing",
            resource(row),
            FaultType::RtImportMissing,
            text,
        );
        signs.push(sign.cites([list.cite()]).cites(shown(first)).at(view.focus.now));
    }
    if let (Some(list), Some(first)) = (&vrf.exports, no_export.first()) {
        let has = if list.value.is_empty() {
            "nothing".to_owned()
        } else {
            list.value.join(", ")
        };
        let text = format!(
            "{name} on {} exports {has} instead of {}: its routes reach no other site",
            device.name,
            no_export.join(", ")
        );
        let sign = Sign::fault(
            "vpn.export_wrong",
            resource(row),
            FaultType::RtExportMismatch,
            text,
        );
        signs.push(sign.cites([list.cite()]).cites(shown(first)).at(view.focus.now));
    }
    for (list, word, whole) in [
        (&vrf.imports, "imports", true),
        (&vrf.exports, "exports", no_export.is_empty()),
    ] {
        let Some(list) = list else { continue };
        let Some((target, other)) = list
            .value
            .iter()
            .find_map(|t| Some((t, foreign(t)?)))
            .filter(|_| whole)
        else {
            continue;
        };
        let text = format!(
            "{name} on {} {word} {target}, which belongs to {other}: routes leak between customers",
            device.name
        );
        let theirs = rows
            .iter()
            .filter(|r| r.1 == other)
            .find_map(|r| r.2.exports.as_ref())
            .map(Cited::cite);
        let sign = Sign::fault("vpn.leak", resource(row), FaultType::RtLeak, text);
        signs.push(sign.cites([list.cite()]).cites(theirs).at(view.focus.now));
    }
}

fn connected(view: &View<'_>, row: &Row<'_>, rows: &[Row<'_>], signs: &mut Vec<Sign>) {
    let (device, name, vrf) = row;
    let Some(off) = vrf.connected.as_ref().filter(|c| !c.value) else {
        return;
    };
    let known = || rows.iter().filter_map(|r| r.2.connected.as_ref());
    let (on, all) = (known().filter(|c| c.value).count(), known().count());
    let siblings = || rows.iter().filter(|r| r.1 == *name && r.0.name != device.name);
    let known_siblings = siblings().filter_map(|r| r.2.connected.as_ref());
    if on * 2 <= all && !known_siblings.into_iter().any(|c| c.value) {
        return;
    }
    let text = format!(
        "{name} on {} does not put its connected routes into BGP; {on} other VRFs do",
        device.name
    );
    let other = known().find(|c| c.value).map(Cited::cite);
    let sign = Sign::fault(
        "vpn.connected_missing",
        resource(row),
        FaultType::RedistributeConnectedMissing,
        text,
    );
    signs.push(sign.cites([off.cite()]).cites(other).at(view.focus.now));
}

fn distinguishers(view: &View<'_>, rows: &[Row<'_>], signs: &mut Vec<Sign>) {
    let mut owners: BTreeMap<&str, Vec<&Row<'_>>> = BTreeMap::new();
    for row in rows {
        if let Some(rd) = &row.2.rd {
            owners.entry(&rd.value).or_default().push(row);
        }
    }
    // Where the same VRF has the same distinguisher everywhere, that is the design.
    let shared_by_design = owners
        .values()
        .filter(|o| o.len() > 1 && o.iter().all(|r| r.1 == o[0].1))
        .count()
        * 2
        > owners.len();
    for (rd, rows_of) in owners.iter().filter(|(_, o)| o.len() > 1) {
        let same_name = rows_of.iter().all(|r| r.1 == rows_of[0].1);
        if same_name && shared_by_design {
            continue;
        }
        let fit = |row: &&&Row<'_>| {
            let (admin, number) = rd.rsplit_once(':').unwrap_or((rd, ""));
            let own = row.0.loopback().is_some_and(|ip| ip.to_string() == admin);
            let siblings = rows
                .iter()
                .filter(|r| r.1 == row.1 && (r.0.name != row.0.name))
                .filter_map(|r| r.2.rd.as_ref());
            let usual = siblings
                .filter(|r| r.value.rsplit_once(':').is_some_and(|(_, n)| n == number))
                .count();
            (own, usual, row.0.name.clone())
        };
        let Some(blamed) = rows_of.iter().min_by_key(fit) else {
            continue;
        };
        let names: Vec<String> = rows_of
            .iter()
            .map(|r| format!("{} on {}", r.1, r.0.name))
            .collect();
        let text = format!("{} use the same route distinguisher {rd}", names.join(" and "));
        let evidence = rows_of.iter().filter_map(|r| r.2.rd.as_ref()).map(Cited::cite);
        let sign = Sign::fault("vpn.rd_twice", resource(blamed), FaultType::RdDuplicate, text);
        signs.push(sign.cites(evidence).at(view.focus.now));
    }
}

/// An interface in one VRF whose neighbour, or whose description, belongs to another.
fn interfaces(view: &View<'_>, rows: &[Row<'_>], signs: &mut Vec<Sign>) {
    let names: BTreeSet<&str> = rows.iter().map(|r| r.1).collect();
    for device in view.network.devices() {
        if device.vrfs.is_empty() {
            continue;
        }
        for interface in device
            .interfaces
            .values()
            .filter(|i| i.kind != InterfaceKind::Management)
        {
            let bound = interface.vrf.as_ref().map_or("", |v| v.value.as_str());
            let reaches = |address: &str| {
                address
                    .parse()
                    .is_ok_and(|ip| interface.addresses.iter().any(|a| a.value.reaches(ip)))
            };
            let session = device.bgp.neighbors.iter().find(|((vrf, address), _)| {
                vrf != bound && reaches(address) && !served(device, vrf, address)
            });
            let core = device
                .isis
                .interfaces
                .get(&interface.name)
                .filter(|i| i.is_active() && !bound.is_empty());
            let named = named_vrf(interface.text(), &names).filter(|n| *n != bound);
            let wanted = match (session, named) {
                (Some(((vrf, _), _)), _) => vrf.as_str(),
                (None, _) if core.is_some() => "",
                (None, Some(named)) if device.vrfs.contains_key(named) && device.vrfs.contains_key(bound) => {
                    named
                }
                _ => continue,
            };
            let words = |vrf: &'_ str| match vrf {
                "" => "no VRF".to_owned(),
                vrf => vrf.to_owned(),
            };
            let text = format!(
                "{} {} is in {} and belongs to {}",
                device.name,
                interface.name,
                words(bound),
                words(wanted)
            );
            let resource = Resource::Interface(device.name.clone(), interface.name.clone());
            let evidence = interface
                .vrf
                .iter()
                .map(Cited::cite)
                .chain(interface.in_no_vrf.clone().filter(|_| interface.vrf.is_none()))
                .chain(interface.description.iter().map(Cited::cite));
            let state = session.and_then(|(_, n)| n.state.as_ref()).map(Cited::cite);
            let sure = if session.is_some() || core.is_some() {
                Confidence::Confirmed
            } else {
                Confidence::Likely
            };
            let sign = Sign::fault(
                "vpn.wrong_interface",
                resource,
                FaultType::VrfWrongInterface,
                text,
            );
            let address = interface.addresses.first().map(Cited::cite);
            signs.push(
                sign.cites(evidence)
                    .cites(state)
                    .cites(address)
                    .at(view.focus.now)
                    .sure(sure),
            );
        }
    }
}

/// Some interface that really is in the VRF reaches the neighbour.
fn served(device: &DeviceFacts, vrf: &str, address: &str) -> bool {
    let Ok(ip) = address.parse() else { return true };
    let inside = device
        .interfaces
        .values()
        .filter(|i| i.vrf.known().map_or("", String::as_str) == vrf);
    let mut addresses = inside.flat_map(|i| &i.addresses);
    addresses.any(|a| a.value.reaches(ip))
}

fn named_vrf<'a>(text: &str, names: &BTreeSet<&'a str>) -> Option<&'a str> {
    let words: Vec<&str> = text.split([' ', ',', ';', '(', ')']).collect();
    names.iter().find(|n| words.contains(*n)).copied()
}
