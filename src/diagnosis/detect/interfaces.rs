//! Interfaces that are down: shut where they are in use, or without carrier.

use super::{Sign, View};
use crate::agent::model::{Confidence, Severity};
use crate::diagnosis::cited::Cited;
use crate::diagnosis::network::{DeviceFacts, Interface, InterfaceKind};
use crate::diagnosis::ontology::{FaultType, Resource};

pub fn detect(view: &View<'_>, signs: &mut Vec<Sign>) {
    for device in view.network.devices() {
        for interface in device.interfaces.values() {
            match interface.kind {
                InterfaceKind::Physical | InterfaceKind::Bundle => one(view, device, interface, signs),
                InterfaceKind::Loopback if interface.is_shut() && routed(device, interface) => {
                    shut(view, device, interface, signs);
                }
                _ => {}
            }
        }
    }
}

fn one(view: &View<'_>, device: &DeviceFacts, interface: &Interface, signs: &mut Vec<Sign>) {
    let resource = || Resource::Interface(device.name.clone(), interface.name.clone());
    if !in_use(view, device, interface) {
        if interface.is_shut() {
            let text = format!("{} {} is shut and not in use", device.name, interface.name);
            let evidence = interface.enabled.iter().map(Cited::cite);
            signs.push(Sign::remark("interface.unused_shut", resource(), text).cites(evidence));
        }
        return;
    }
    if interface.member_of.is_some() {
        return;
    }
    if interface.is_shut() {
        shut(view, device, interface, signs);
    } else if interface.is_down() {
        down(view, device, interface, signs);
    }
}

/// The loopback is in the IGP: sessions and labels depend on it.
fn routed(device: &DeviceFacts, interface: &Interface) -> bool {
    device.isis.interfaces.contains_key(&interface.name) && !interface.addresses.is_empty()
}

/// Something depends on the interface: an address, a protocol, a bundle, a VRF, a known far end.
pub fn in_use(view: &View<'_>, device: &DeviceFacts, interface: &Interface) -> bool {
    let isis = device
        .isis
        .interfaces
        .get(&interface.name)
        .is_some_and(|i| i.is_active());
    isis || !interface.addresses.is_empty()
        || interface.member_of.is_some()
        || interface.vrf.is_some()
        || device.labels.interfaces.contains_key(&interface.name)
        || view.links.far(&device.name, &interface.name).is_some()
}

fn shut(view: &View<'_>, device: &DeviceFacts, interface: &Interface, signs: &mut Vec<Sign>) {
    let resource = Resource::Interface(device.name.clone(), interface.name.clone());
    let evidence: Vec<_> = interface
        .enabled
        .iter()
        .map(Cited::cite)
        .chain(interface.up.iter().map(Cited::cite))
        .collect();
    let at = interface
        .last_change
        .as_ref()
        .map_or(view.focus.now, |c| view.ours(&device.name, c.value));
    if view.is_planned(interface.text()) {
        let text = format!(
            "{} {} is shut, and its description says so: \"{}\"",
            device.name,
            interface.name,
            interface.text()
        );
        let described = interface.description.iter().map(Cited::cite);
        signs.push(
            Sign::planned("interface.planned_shut", resource, FaultType::LinkAdminDown, text)
                .cites(evidence)
                .cites(described),
        );
        return;
    }
    let text = format!(
        "{} {} is administratively down although it is in use",
        device.name, interface.name
    );
    signs.push(
        Sign::fault("interface.admin_down", resource, FaultType::LinkAdminDown, text)
            .cites(evidence)
            .at(at),
    );
}

fn down(view: &View<'_>, device: &DeviceFacts, interface: &Interface, signs: &mut Vec<Sign>) {
    let near = (device.name.clone(), interface.name.clone());
    let far = view.links.far(&device.name, &interface.name);
    let opposite = far.and_then(|f| view.interface(f));
    let at = interface
        .last_change
        .as_ref()
        .map_or(view.focus.now, |c| view.ours(&device.name, c.value));
    let own: Vec<_> = interface
        .up
        .iter()
        .map(Cited::cite)
        .chain(interface.enabled.iter().map(Cited::cite))
        .collect();
    let symptom = Sign::symptom(
        "interface.down",
        Resource::Interface(near.0.clone(), near.1.clone()),
        format!("{} {} is down", near.0, near.1),
    );
    signs.push(symptom.cites(own.clone()).at(at));
    if opposite.is_some_and(Interface::is_shut) {
        return;
    }
    let members_out = interface.kind == InterfaceKind::Bundle && interface.members.values().any(|m| m.value);
    let resource = match far {
        Some(far) => Resource::link((&near.0, &near.1), (&far.0, &far.1)),
        None => Resource::Interface(near.0.clone(), near.1.clone()),
    };
    // A link is told once: by its first end, or by the one end that is known to be down.
    if far.is_some_and(|f| *f < near) && opposite.is_some_and(Interface::is_down) {
        return;
    }
    let theirs = opposite
        .and_then(|i| i.up.as_ref())
        .filter(|u| !u.value)
        .map(Cited::cite);
    let sure = if members_out || interface.enabled.is_none() {
        Confidence::Likely
    } else {
        Confidence::Confirmed
    };
    let text = match far {
        Some(far) => format!(
            "the link {} {} - {} {} has no carrier: up by configuration, down in fact",
            near.0, near.1, far.0, far.1
        ),
        None => format!(
            "{} {} has no carrier: up by configuration, down in fact",
            near.0, near.1
        ),
    };
    let sign = Sign::fault("interface.no_carrier", resource, FaultType::LinkDown, text);
    signs.push(
        sign.cites(own)
            .cites(theirs)
            .at(at)
            .sure(sure)
            .severity(Severity::Critical),
    );
}
