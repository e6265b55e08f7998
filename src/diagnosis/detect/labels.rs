//! MPLS that is off on an interface where labelled traffic is expected.

use super::{Sign, View};
use crate::agent::model::Severity;
use crate::diagnosis::cited::Cited;
use crate::diagnosis::network::{DeviceFacts, InterfaceKind};
use crate::diagnosis::ontology::{FaultType, Resource};

pub fn detect(view: &View<'_>, signs: &mut Vec<Sign>) {
    for device in view.network.devices() {
        let Some(listed) = &device.labels.listed else {
            continue;
        };
        // A router without MPLS at all may be meant so, unless those it is linked to expect labels.
        let none = device.labels.interfaces.values().all(|on| !on.value);
        let expected = |name: &str| {
            let far = view.links.far(&device.name, name);
            let on = far.and_then(|f| view.network.device(&f.0)?.labels.interfaces.get(&f.1));
            on.is_some_and(|on| on.value)
        };
        for name in circuits(device).filter(|name| !none || expected(name)) {
            let entry = device.labels.interfaces.get(name);
            if entry.is_some_and(|on| on.value) {
                continue;
            }
            let text = format!(
                "MPLS is off on {} {name}, a core interface: labelled traffic that would take it breaks",
                device.name
            );
            let resource = Resource::Interface(device.name.clone(), name.to_owned());
            let evidence = entry.map(Cited::cite).unwrap_or_else(|| listed.clone());
            let sign = Sign::fault(
                "mpls.interface_off",
                resource,
                FaultType::MplsDisabledInterface,
                text,
            );
            signs.push(
                sign.cites([evidence])
                    .at(view.focus.now)
                    .severity(Severity::Critical),
            );
        }
    }
}

/// Interfaces of the core: in IS-IS, not passive by role, no loopbacks.
fn circuits(device: &DeviceFacts) -> impl Iterator<Item = &str> {
    device.isis.interfaces.iter().filter_map(|(name, isis)| {
        let core = matches!(
            InterfaceKind::of(name),
            InterfaceKind::Physical | InterfaceKind::Bundle
        );
        (core && isis.enabled.as_ref().is_none_or(|e| e.value)).then_some(name.as_str())
    })
}
