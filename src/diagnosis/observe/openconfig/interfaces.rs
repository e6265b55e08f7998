//! `openconfig-interfaces`, with Ethernet, aggregation and LACP.

use super::super::cursor::{Cursor, Reads, local};
use crate::agent::model::Aspect;
use crate::diagnosis::network::{Address, Counter, DeviceFacts, Interface};

const COUNTERS: [(Counter, &str); 7] = [
    (Counter::Fcs, "in-fcs-errors"),
    (Counter::InErrors, "in-errors"),
    (Counter::OutDiscards, "out-discards"),
    (Counter::InDiscards, "in-discards"),
    (Counter::InPackets, "in-pkts"),
    (Counter::OutPackets, "out-pkts"),
    (Counter::Transitions, "carrier-transitions"),
];

pub fn read(device: &mut DeviceFacts, at: &Cursor<'_>) {
    device.seen.insert(Aspect::Interfaces);
    for entry in at.list("interface") {
        let Some(name) = entry
            .child("name")
            .or_else(|| entry.leaf("name"))
            .and_then(|c| c.text())
        else {
            continue;
        };
        let interface = device.interface_mut(&name);
        status(interface, &entry);
        addresses(interface, &entry);
        counters(interface, &entry);
        if let Some(aggregate) = entry.child("ethernet").and_then(|e| e.leaf("aggregate-id")) {
            interface.member_of = Some(aggregate).cited_text().filter(|m| !m.value.is_empty());
        }
        if let Some(members) = entry.child("aggregation").and_then(|a| a.leaf("member")) {
            for member in members.entries() {
                if let Some(port) = member.text() {
                    interface.members.entry(port).or_insert_with(|| member.fact(true));
                }
            }
        }
    }
}

fn is_up(text: &str) -> bool {
    local(text).eq_ignore_ascii_case("up")
}

fn status(interface: &mut Interface, entry: &Cursor<'_>) {
    let admin = entry
        .leaf("admin-status")
        .cited_text()
        .map(|s| s.with(is_up(&s.value)));
    if let Some(enabled) = admin.or_else(|| entry.leaf("enabled").cited_flag()) {
        interface.enabled = Some(enabled);
    }
    if let Some(oper) = entry.leaf("oper-status").cited_text() {
        interface.up = Some(oper.with(is_up(&oper.value)));
    }
    if let Some(description) = entry.leaf("description").cited_text() {
        interface.description = Some(description);
    }
    if let Some(mtu) = entry.leaf("mtu").cited_whole() {
        interface.mtu = Some(mtu);
    }
    if let Some(change) = entry.leaf("last-change").cited_time() {
        interface.last_change = Some(change);
    }
}

fn addresses(interface: &mut Interface, entry: &Cursor<'_>) {
    for unit in entry
        .list("subinterfaces/subinterface")
        .iter()
        .chain(std::iter::once(entry))
    {
        for address in unit.list("ipv4/addresses/address") {
            let Some(ip) = address.child("ip").or_else(|| address.leaf("ip")) else {
                continue;
            };
            let length = address
                .leaf("prefix-length")
                .and_then(|l| l.whole())
                .and_then(|l| u8::try_from(l).ok());
            let (Some(at), Some(length)) = (Some(ip).cited_address(), length) else {
                continue;
            };
            let value = Address {
                ip: at.value,
                length: length.min(32),
            };
            if interface.addresses.iter().all(|a| a.value != value) {
                interface.addresses.push(at.with(value));
            }
        }
    }
}

fn counters(interface: &mut Interface, entry: &Cursor<'_>) {
    if let Some(counters) = entry.leaf("counters") {
        for (counter, leaf) in COUNTERS {
            if let Some(value) = counters.child(leaf).cited_whole() {
                interface.counters.entry(counter).or_default().read(value);
            }
        }
    }
    let oversize = entry
        .child("ethernet")
        .and_then(|e| e.leaf("counters"))
        .and_then(|c| c.child("in-oversize-frames"));
    if let Some(value) = oversize.cited_whole() {
        interface
            .counters
            .entry(Counter::Oversize)
            .or_default()
            .read(value);
    }
}

pub fn read_lacp(device: &mut DeviceFacts, at: &Cursor<'_>) {
    for entry in at.list("interfaces/interface") {
        let Some(name) = entry
            .child("name")
            .or_else(|| entry.leaf("name"))
            .and_then(|c| c.text())
        else {
            continue;
        };
        for member in entry.list("members/member") {
            let port = member
                .child("interface")
                .or_else(|| member.leaf("interface"))
                .and_then(|c| c.text());
            let Some(port) = port else { continue };
            let active = member.leaf("distributing").cited_flag().or_else(|| {
                let sync = member.leaf("synchronization").cited_text()?;
                Some(sync.with(sync.value == "IN_SYNC"))
            });
            if let Some(active) = active {
                device.interface_mut(&name).members.insert(port, active);
            }
        }
    }
}
