//! `get_interface_info`: the brief list, and one interface in detail.

use std::net::Ipv4Addr;

use super::super::cursor::{Cursor, Reads};
use crate::agent::model::Aspect;
use crate::diagnosis::network::{Address, Counter, DeviceFacts, Interface};

const COUNTERS: [(Counter, &str); 8] = [
    (Counter::Fcs, "in_fcs_errors"),
    (Counter::InErrors, "in_errors"),
    (Counter::OutDiscards, "out_discards"),
    (Counter::InDiscards, "in_discards"),
    (Counter::InPackets, "in_packets"),
    (Counter::OutPackets, "out_packets"),
    (Counter::Transitions, "carrier_transitions"),
    (Counter::Oversize, "in_oversize_frames"),
];

pub fn read(device: &mut DeviceFacts, at: &Cursor<'_>) {
    device.seen.insert(Aspect::Interfaces);
    for row in at.entries() {
        let row = row
            .member("interface")
            .filter(|i| i.value().is_object())
            .unwrap_or(row);
        let Some(name) = row.member("name").and_then(|n| n.text()) else {
            continue;
        };
        one(device.interface_mut(&name), &row);
    }
}

fn one(interface: &mut Interface, row: &Cursor<'_>) {
    let up = |keys: [&str; 2]| {
        let text = keys.iter().find_map(|k| row.member(k)).cited_text()?;
        Some(text.with(text.value.eq_ignore_ascii_case("up")))
    };
    interface.enabled = up(["admin_status", "admin_state"]).or(interface.enabled.take());
    interface.up = up(["oper_status", "oper_state"]).or(interface.up.take());
    interface.description = row
        .member("description")
        .cited_text()
        .or(interface.description.take());
    interface.mtu = row.member("mtu").cited_whole().or(interface.mtu.take());
    interface.vrf = row.member("vrf").cited_text().or(interface.vrf.take());
    if let Some(address) = address(row)
        && interface.addresses.iter().all(|a| a.value != address.value)
    {
        interface.addresses.push(address);
    }
    if let Some(counters) = row.member("counters") {
        for (counter, name) in COUNTERS {
            if let Some(value) = counters.member(name).cited_whole() {
                interface.counters.entry(counter).or_default().read(value);
            }
        }
    }
}

/// `ip/mask` in the list, `ip_address` with `prefix_length` in the detail.
fn address(row: &Cursor<'_>) -> Option<crate::diagnosis::cited::Cited<Address>> {
    let at = row.member("ip_address")?;
    let text = at.text()?;
    let (ip, mask) = text
        .split_once('/')
        .map_or((text.as_str(), None), |(ip, mask)| (ip, Some(mask)));
    let length = match mask {
        Some(mask) => match mask.parse::<Ipv4Addr>() {
            Ok(mask) => u8::try_from(u32::from(mask).count_ones()).ok()?,
            Err(_) => mask.parse().ok()?,
        },
        None => u8::try_from(row.member("prefix_length")?.whole()?).ok()?,
    };
    Some(at.fact(Address {
        ip: ip.parse().ok()?,
        length: length.min(32),
    }))
}
