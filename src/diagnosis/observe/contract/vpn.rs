//! `get_vpn_info`: VRFs in detail, or as a summary.

use super::super::cursor::{Cursor, Reads};
use super::summary::Lines;
use crate::agent::model::{Aspect, Claim};
use crate::diagnosis::network::DeviceFacts;

pub fn read(device: &mut DeviceFacts, at: &Cursor<'_>) {
    device.seen.insert(Aspect::Vrf);
    for row in at.entries() {
        match row.member("detailed_data").filter(|d| d.member("name").is_some()) {
            Some(detail) => detailed(device, &detail),
            None => {
                if let Some(summary) = row.member("summary") {
                    summarised(device, &summary);
                }
            }
        }
    }
}

fn detailed(device: &mut DeviceFacts, row: &Cursor<'_>) {
    let Some(name) = row.member("name").and_then(|n| n.text()) else {
        return;
    };
    for interface in row.member("interfaces").map(|i| i.entries()).unwrap_or_default() {
        if let Some(text) = interface.text() {
            device.interface_mut(&text).vrf = Some(interface.fact(name.clone()));
            device
                .vrf_mut(&name)
                .interfaces
                .insert(text, interface.citation());
        }
    }
    let vrf = device.vrf_mut(&name);
    vrf.rd = row.member("rd").cited_text().or(vrf.rd.take());
    let targets = |key: &str| {
        let list = row.member("route_targets")?.member(key)?;
        let all = list.entries().iter().filter_map(Cursor::text).collect::<Vec<_>>();
        let claim = if all.is_empty() {
            Claim::Absent
        } else {
            Claim::Equals(list.value().clone())
        };
        Some(list.claimed(all, claim))
    };
    vrf.imports = targets("import").or(vrf.imports.take());
    vrf.exports = targets("export").or(vrf.exports.take());
}

fn summarised(device: &mut DeviceFacts, summary: &Cursor<'_>) {
    let Some(lines) = Lines::of(summary) else { return };
    let Some(name) = lines
        .value("VRF:")
        .map(|v| v.value.split(" (").next().unwrap_or_default().to_owned())
    else {
        return;
    };
    let split = |prefix: &str| {
        let line = lines.value(prefix)?;
        let all = line.value.split(", ").map(str::to_owned).collect::<Vec<_>>();
        Some(line.with(all))
    };
    let interfaces: Vec<_> = lines
        .section("Interfaces:")
        .into_iter()
        .filter_map(|line| {
            let name = line.value.trim_start_matches("- ").split(" (").next()?.to_owned();
            Some((name, line))
        })
        .collect();
    for (interface, line) in &interfaces {
        device.interface_mut(interface).vrf = Some(line.with(name.clone()));
    }
    let vrf = device.vrf_mut(&name);
    vrf.rd = lines.value("Route Distinguisher:").or(vrf.rd.take());
    vrf.imports = split("Import Route Targets:").or(vrf.imports.take());
    vrf.exports = split("Export Route Targets:").or(vrf.exports.take());
    for (interface, line) in interfaces {
        vrf.interfaces.insert(interface, line.cite());
    }
}
