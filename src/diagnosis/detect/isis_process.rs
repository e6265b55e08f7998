//! The IS-IS process: overload bit, system ids, advertised loopbacks.

use std::collections::BTreeMap;

use super::{Sign, View};
use crate::agent::model::{Citation, Claim, Severity};
use crate::diagnosis::cited::Cited;
use crate::diagnosis::network::{DeviceFacts, InterfaceKind};
use crate::diagnosis::ontology::{FaultType, Resource};

pub fn detect(view: &View<'_>, signs: &mut Vec<Sign>) {
    for device in view.network.devices() {
        overload(view, device, signs);
        loopback(view, device, signs);
    }
    system_ids(view, signs);
}

fn overload(view: &View<'_>, device: &DeviceFacts, signs: &mut Vec<Sign>) {
    let Some(bit) = device.isis.overload.as_ref().filter(|o| o.value) else {
        return;
    };
    let node = Resource::Node(device.name.clone());
    match view.maintenance(device) {
        Some((text, evidence)) => {
            let text = format!(
                "{} is drained as planned: its overload bit is set and it says \"{text}\"",
                device.name
            );
            signs.push(
                Sign::planned("isis.planned_drain", node, FaultType::IsisOverloadStuck, text)
                    .cites([bit.cite(), evidence]),
            );
        }
        None => {
            let text = format!(
                "{} has the IS-IS overload bit set and nothing says that this is planned",
                device.name
            );
            let sign =
                Sign::fault("isis.overload", node, FaultType::IsisOverloadStuck, text).cites([bit.cite()]);
            signs.push(sign.at(view.focus.now).severity(Severity::Warning));
        }
    }
}

fn loopback(view: &View<'_>, device: &DeviceFacts, signs: &mut Vec<Sign>) {
    let Some(listed) = device
        .isis
        .listed
        .as_ref()
        .filter(|_| !device.isis.interfaces.is_empty())
    else {
        return;
    };
    let loopbacks = device
        .interfaces
        .values()
        .filter(|i| i.kind == InterfaceKind::Loopback && i.vrf.is_none());
    let Some(own) = loopbacks
        .filter(|i| !i.addresses.is_empty())
        .min_by_key(|i| i.name.clone())
    else {
        return;
    };
    if own.is_shut() {
        return;
    }
    let circuit = device.isis.interfaces.get(&own.name);
    let off = circuit.and_then(|c| c.enabled.as_ref()).filter(|e| !e.value);
    if circuit.is_some() && off.is_none() {
        return;
    }
    let text = format!(
        "{} {} is not in IS-IS: no other router has a route to it",
        device.name, own.name
    );
    let sign = Sign::fault(
        "isis.loopback_missing",
        Resource::Node(device.name.clone()),
        FaultType::LoopbackNotAdvertised,
        text,
    );
    let address = own.addresses.first().map(Cited::cite);
    signs.push(
        sign.cites(off.map(Cited::cite).or_else(|| {
            Some(Citation {
                claim: Claim::Lacks(own.name.clone()),
                ..listed.clone()
            })
        }))
        .cites(address)
        .at(view.focus.now),
    );
}

fn system_ids(view: &View<'_>, signs: &mut Vec<Sign>) {
    let mut owners: BTreeMap<String, Vec<&DeviceFacts>> = BTreeMap::new();
    for device in view.network.devices() {
        if let Some(id) = device.isis.system_id() {
            owners.entry(id).or_default().push(device);
        }
    }
    for (id, devices) in owners.iter().filter(|(_, d)| d.len() > 1) {
        let fits = |device: &DeviceFacts| {
            device
                .loopback()
                .is_some_and(|ip| derived(ip) == id.replace('.', ""))
        };
        let regular = view.network.devices().filter(|d| {
            d.isis
                .system_id()
                .zip(d.loopback())
                .is_some_and(|(id, ip)| derived(ip) == id.replace('.', ""))
        });
        let convention = regular.count() * 2 > owners.len();
        let strange: Vec<&&DeviceFacts> = devices.iter().filter(|d| convention && !fits(d)).collect();
        let blamed = match strange.as_slice() {
            [one] => *one,
            _ => devices
                .iter()
                .find(|d| view.focus.targets(&d.name))
                .unwrap_or(&devices[0]),
        };
        let names: Vec<&str> = devices.iter().map(|d| d.name.as_str()).collect();
        let text = format!("{} use the same IS-IS system id {id}", names.join(" and "));
        let nets: Vec<Citation> = devices
            .iter()
            .filter_map(|d| d.isis.net.as_ref())
            .map(Cited::cite)
            .collect();
        let sign = Sign::fault(
            "isis.system_id_twice",
            Resource::Node(blamed.name.clone()),
            FaultType::IsisDuplicateSystemId,
            text,
        );
        signs.push(sign.cites(nets).at(view.focus.now));
    }
}

/// The digits of a system id made from an address the usual way: 100.100.100.101 is 1001.0010.0101.
fn derived(ip: std::net::Ipv4Addr) -> String {
    ip.octets().iter().map(|o| format!("{o:03}")).collect()
}
