//! Bundles that run on fewer members than they have.

use super::{Sign, View};
use crate::agent::model::{Citation, Severity};
use crate::diagnosis::cited::Cited;
use crate::diagnosis::network::{DeviceFacts, End, Interface, InterfaceKind};
use crate::diagnosis::ontology::{FaultType, Resource};

pub fn detect(view: &View<'_>, signs: &mut Vec<Sign>) {
    let mut told: Vec<End> = Vec::new();
    for device in view.network.devices() {
        for (name, evidence) in missing(device) {
            let near: End = (device.name.clone(), name.clone());
            let far = view.links.far(&device.name, &name).cloned();
            if told.contains(&near) {
                continue;
            }
            let opposite = far.as_ref().and_then(|f| view.interface(f));
            // The end that is shut, or else the end to name first; the other end is the same fault.
            let shut = |i: Option<&Interface>| i.is_some_and(Interface::is_shut);
            let own = device.interfaces.get(&name);
            let place = match &far {
                Some(far) if shut(opposite) && !shut(own) => far.clone(),
                Some(far) if shut(own) && !shut(opposite) => near.clone(),
                Some(far) => view.prefer(&near, far).clone(),
                None => near.clone(),
            };
            let resource = match &far {
                Some(far) => Resource::link((&near.0, &near.1), (&far.0, &far.1)),
                None => Resource::Interface(near.0.clone(), near.1.clone()),
            };
            let both = [Some(&near), far.as_ref()].into_iter().flatten();
            let carried: Vec<Citation> = both.filter_map(|end| carries(view, end)).collect();
            told.push(near.clone());
            told.extend(far.clone());
            let bundle = own
                .and_then(|i| i.member_of.as_ref())
                .map_or("its bundle", |b| b.value.as_str());
            let reason = if shut(view.interface(&place)) {
                " (shut)"
            } else {
                ""
            };
            let ends = [Some(&near), far.as_ref()].into_iter().flatten();
            let theirs: Vec<Citation> = ends
                .filter_map(|end| view.interface(end))
                .flat_map(states)
                .collect();
            let described = view.interface(&place).map_or("", Interface::text);
            let sign = if !reason.is_empty() && view.is_planned(described) {
                let text = format!(
                    "{} {} is shut, and its description says so: \"{described}\"",
                    place.0, place.1
                );
                Sign::planned("bundle.planned_shut", resource, FaultType::LagMemberDown, text)
            } else {
                let text = format!(
                    "{} {} is down{reason}: {bundle} runs without it",
                    place.0, place.1
                );
                Sign::fault("bundle.member_down", resource, FaultType::LagMemberDown, text)
                    .severity(Severity::Warning)
            };
            let at = own
                .and_then(|i| i.last_change.as_ref())
                .map_or(view.focus.now, |c| view.ours(&device.name, c.value));
            signs.push(sign.cites(theirs).cites(evidence).cites(carried).at(at));
        }
    }
}

fn states(interface: &Interface) -> Vec<Citation> {
    interface
        .up
        .iter()
        .map(Cited::cite)
        .chain(interface.enabled.iter().map(Cited::cite))
        .collect()
}

/// Members that don't carry traffic, with what shows it. A bundle none of whose members is left is a link down; one
/// that is down although some are left needs more members than it has.
fn missing(device: &DeviceFacts) -> Vec<(String, Vec<Citation>)> {
    let mut found: Vec<(String, Vec<Citation>)> = Vec::new();
    let told = |bundle: &Interface| {
        let left = bundle.members.values().any(|active| active.value)
            || device
                .interfaces
                .values()
                .any(|i| i.is_up() && i.member_of.as_ref().is_some_and(|b| b.value == bundle.name));
        !bundle.is_down() || !bundle.is_shut() && left
    };
    let bundle_up = |name: &str| device.interfaces.get(name).is_none_or(told);
    for bundle in device
        .interfaces
        .values()
        .filter(|i| i.kind == InterfaceKind::Bundle && told(i))
    {
        for (member, active) in bundle.members.iter().filter(|(_, active)| !active.value) {
            found.push((member.clone(), vec![active.cite()]));
        }
    }
    for port in device.interfaces.values() {
        let Some(bundle) = &port.member_of else { continue };
        let known = found.iter().any(|(name, _)| *name == port.name);
        if (port.is_down() || port.is_shut()) && bundle_up(&bundle.value) && !known {
            found.push((port.name.clone(), states(port)));
        }
    }
    found
}

/// What LACP says of a port.
fn carries(view: &View<'_>, end: &End) -> Option<Citation> {
    let device = view.network.device(&end.0)?;
    let bundle = &device.interfaces.get(&end.1)?.member_of.as_ref()?.value;
    device
        .interfaces
        .get(bundle)?
        .members
        .get(&end.1)
        .map(Cited::cite)
}
