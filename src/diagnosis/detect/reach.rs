//! Devices that don't answer: down, or only out of reach of management? Their neighbours know.

use super::{Sign, View, names};
use crate::agent::model::{Aspect, Check, Citation, Confidence, DeviceName};
use crate::diagnosis::cited::Cited;
use crate::diagnosis::network::{Interface, Reach};
use crate::diagnosis::ontology::{FaultType, Resource};

pub fn detect(view: &View<'_>, signs: &mut Vec<Sign>) {
    for device in view.network.devices() {
        let Some(last) = device.last_reach().filter(|_| device.is_silent()) else {
            continue;
        };
        let Reach::Silent(reason) = &last.value else {
            continue;
        };
        let node = Resource::Node(device.name.clone());
        let answered = device.reach.iter().any(|r| r.value == Reach::Answered);
        let text = format!("{} does not answer: {reason}", device.name);
        signs.push(
            Sign::symptom("device.silent", node.clone(), text)
                .cites([last.cite()])
                .at(last.at),
        );
        if answered {
            continue;
        }
        let (alive, dead) = neighbours(view, &device.name);
        let name = &device.name;
        let sign = if !alive.is_empty() {
            let text =
                format!("{name} does not answer management, but its neighbours still see it: it forwards");
            Sign::fault("device.management_lost", node, FaultType::MgmtUnreachable, text)
                .cites([last.cite()])
                .cites(alive.into_iter().take(3))
        } else if !dead.is_empty() {
            let text = format!("{name} is down: it does not answer and no neighbour sees it any more");
            Sign::fault("device.down", node, FaultType::NodeDown, text)
                .cites([last.cite()])
                .cites(dead.into_iter().take(4))
        } else {
            let check = Check {
                instruction: format!(
                    "read interfaces and adjacencies of the neighbours of {name}: do they still see it?"
                ),
                aspects: vec![Aspect::Interfaces, Aspect::Isis, Aspect::Bgp],
                devices: view
                    .focus
                    .devices
                    .iter()
                    .map(|d| d.name.clone())
                    .filter(|d: &DeviceName| d.as_str() != name)
                    .take(12)
                    .collect(),
            };
            let text = format!("{name} does not answer management; whether it forwards is not known");
            Sign::fault("device.unclear", node, FaultType::MgmtUnreachable, text)
                .cites([last.cite()])
                .sure(Confidence::Inconclusive)
                .check(check)
        };
        signs.push(sign.at(last.at));
    }
}

/// What the neighbours say: signs of life, and signs of death.
fn neighbours(view: &View<'_>, name: &str) -> (Vec<Citation>, Vec<Citation>) {
    let (mut alive, mut dead) = (Vec::new(), Vec::new());
    for other in view.network.devices().filter(|d| d.name != name) {
        let faces = |i: &&Interface| view.faces(&(other.name.clone(), i.name.clone()), name);
        for interface in other.interfaces.values().filter(faces) {
            let circuit = other.isis.interfaces.get(&interface.name);
            match circuit {
                Some(isis) if isis.has_adjacency() => {
                    alive.extend(isis.adjacencies.iter().filter(|a| a.value.up).map(Cited::cite));
                }
                Some(isis) if isis.is_active() => {
                    dead.extend(interface.up.iter().filter(|u| !u.value).map(Cited::cite));
                    dead.extend(isis.listed.iter().cloned());
                }
                _ => dead.extend(
                    interface
                        .up
                        .iter()
                        .filter(|u| !u.value && interface.member_of.is_none())
                        .map(Cited::cite),
                ),
            }
        }
        for neighbor in other
            .bgp
            .neighbors
            .values()
            .filter(|n| names(n.description.as_ref().map_or("", |d| &d.value), name))
        {
            if neighbor.is_up() {
                alive.extend(neighbor.state.iter().map(Cited::cite));
            } else {
                dead.extend(neighbor.state.iter().map(|s| s.cite()));
            }
        }
    }
    // Nothing is alive through a link that is down: one session still held by its timer is no sign of life.
    (alive, dead)
}
