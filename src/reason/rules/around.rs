//! Looking around where no tool reads several routers at once: who is read, in what order, how far the
//! budget goes.
//!
//! First what shows most for every router, the routers asked about before the others; then what those answers
//! make worth asking. The whole network is one step, so that nothing depends on which router answers first.

use super::aspects::purpose;
use super::calls;
use crate::agent::model::{Aspect, DeviceName, Proposal, Severity};
use crate::agent::state::State;
use crate::diagnosis;

/// Calls kept back for checks, and for calls that must be made again.
const RESERVE: u32 = 8;
/// Routers looked at one by one, at most.
const ROUTERS: usize = 128;
/// Routers whose logs are read because a symptom touches them, at most.
const TOUCHED: usize = 6;

/// The calls of a turn; the first two turns look around, those after them have nothing to add.
pub fn calls(state: &State, wanted: &[Aspect], turn: u32) -> Vec<Proposal> {
    let (targets, others) = routers(state);
    let mut asked: Vec<(Aspect, &DeviceName)> = Vec::new();
    let mut add = |aspect: Aspect, devices: &[&'_ DeviceName]| {
        let same = |a: Aspect| purpose(a) == purpose(aspect);
        for device in devices {
            let known = asked
                .iter()
                .any(|(a, d)| same(*a) && d.as_str() == device.as_str());
            if !known && let Some(device) = find(state, device) {
                asked.push((aspect, device));
            }
        }
    };
    if turn == 0 {
        for aspect in [Aspect::Isis, Aspect::Interfaces] {
            add(aspect, &targets);
            add(aspect, &others);
        }
    } else {
        let own = with_vrfs(state, &targets);
        let theirs = with_vrfs(state, &others);
        for aspect in wanted {
            match aspect {
                Aspect::Vrf => {
                    add(Aspect::Vrf, &own);
                    add(Aspect::Vrf, &theirs);
                }
                Aspect::Mpls | Aspect::SegmentRouting => {
                    add(Aspect::Mpls, &targets);
                    add(Aspect::Mpls, &others);
                }
                Aspect::Logs | Aspect::System => add(*aspect, &targets),
                _ => {}
            }
        }
        add(Aspect::Logs, &touched(state));
        // What is compared across the network, as far as the budget goes.
        add(Aspect::Mpls, &targets);
        add(Aspect::Mpls, &others);
        add(Aspect::Vrf, &own);
        add(Aspect::Vrf, &theirs);
    }
    let limit = state.options.limits.tool_calls;
    let left = limit.saturating_sub(state.execution.attempts() + RESERVE);
    let all = asked.into_iter().flat_map(|(aspect, device)| {
        let open = !super::executor::is_seen(state, device, aspect);
        open.then(|| calls::of_device(state, device.as_str(), &[aspect]))
            .into_iter()
            .flatten()
    });
    all.take(usize::try_from(left).unwrap_or(usize::MAX)).collect()
}

fn find<'a>(state: &'a State, name: &DeviceName) -> Option<&'a DeviceName> {
    let mut devices = state.intake.devices.iter().flatten().map(|d| &d.name);
    devices.find(|d| *d == name)
}

/// Routers asked about, and the others, in the order of the inventory.
fn routers(state: &State) -> (Vec<&DeviceName>, Vec<&DeviceName>) {
    let asked = state.intake.targets.as_deref().unwrap_or_default();
    let all = state.intake.devices.iter().flatten().map(|d| &d.name);
    let (targets, others): (Vec<_>, Vec<_>) = all.partition(|d| asked.contains(d));
    let room = ROUTERS.saturating_sub(targets.len());
    (
        targets.into_iter().take(ROUTERS).collect(),
        others.into_iter().take(room).collect(),
    )
}

/// Those that serve customers, as far as their sessions, interfaces or role tell.
fn with_vrfs<'a>(state: &State, devices: &[&'a DeviceName]) -> Vec<&'a DeviceName> {
    let serves = |name: &DeviceName| {
        state.diagnosed.network.device(name.as_str()).is_none_or(|d| {
            d.bgp.neighbors.keys().any(|(vrf, _)| !vrf.is_empty())
                || d.interfaces.values().any(|i| i.vrf.is_some())
                || d.isis.listed.is_none() && !d.is_silent()
        })
    };
    devices.iter().copied().filter(|d| serves(d)).collect()
}

/// Routers that what was found so far is about.
fn touched(state: &State) -> Vec<&DeviceName> {
    let findings = diagnosis::examine(&state.diagnosed.network, None, &state.focus());
    let telling = findings.iter().filter(|f| f.severity > Severity::Info);
    let names = telling.flat_map(|f| f.resource.devices());
    let mut found: Vec<&DeviceName> = Vec::new();
    for name in names {
        let known = find(state, &DeviceName::from(name)).filter(|d| !found.contains(d));
        found.extend(known);
    }
    found.truncate(TOUCHED);
    found
}
