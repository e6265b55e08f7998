//! Calls that show aspects of devices, with whatever tools there are.

use super::arguments::{Wish, propose, takes};
use super::aspects::purpose;
use super::sweep::{TABLES, tool};
use crate::agent::model::{Aspect, Proposal, Purpose};
use crate::agent::state::State;

/// Interfaces looked at in detail on one device, at most.
const DETAILS: usize = 6;

/// Calls that show these aspects of one device. Nothing for what no tool shows.
pub fn of_device(state: &State, device: &str, aspects: &[Aspect]) -> Vec<Proposal> {
    let reading = state.intake.reading.as_ref();
    let devices = [device];
    let mut calls: Vec<Proposal> = Vec::new();
    for aspect in aspects {
        let Some(tool) = tool(state, purpose(*aspect)) else {
            continue;
        };
        let wish = Wish {
            devices: &devices,
            window: reading.map(|r| r.window),
            interface: None,
            vrf: None,
            paths: &[],
        };
        let wish = match tool.purpose {
            Purpose::Get => Wish {
                paths: TABLES,
                ..wish
            },
            _ => wish,
        };
        let call = propose(tool, &wish, &format!("{aspect} of {device}"));
        if !calls
            .iter()
            .any(|c| c.tool == call.tool && c.arguments == call.arguments)
        {
            calls.push(call);
        }
    }
    calls
}

/// Aspects that no tool shows.
pub fn unserved(state: &State, aspects: &[Aspect]) -> Vec<Aspect> {
    let shown = super::sweep::covers(state);
    let known = |a: &Aspect| shown.contains(a) || tool(state, purpose(*a)).is_some();
    aspects
        .iter()
        .filter(|a| !known(a) && !matches!(a, Aspect::Counters | Aspect::Forwarding))
        .copied()
        .collect()
}

/// Calls that look at the counters of a device again, or at interfaces one by one where only that shows them.
pub fn counters(state: &State, device: &str, interfaces: &[String]) -> Vec<Proposal> {
    let devices = [device];
    let why = format!("do the counters of {device} still rise?");
    if let Some(tool) = tool(state, Purpose::Counters) {
        let interface = match interfaces {
            [one] => Some(one.as_str()),
            _ => None,
        };
        return vec![propose(
            tool,
            &Wish {
                devices: &devices,
                interface,
                ..Wish::default()
            },
            &why,
        )];
    }
    details(state, device, interfaces)
}

/// Calls that look at interfaces one by one, where a tool does that.
pub fn details(state: &State, device: &str, interfaces: &[String]) -> Vec<Proposal> {
    let Some(tool) = tool(state, Purpose::Interfaces).filter(|t| takes(t, "interface")) else {
        return Vec::new();
    };
    let devices = [device];
    interfaces
        .iter()
        .take(DETAILS)
        .map(|name| {
            let wish = Wish {
                devices: &devices,
                interface: Some(name),
                ..Wish::default()
            };
            propose(tool, &wish, &format!("details of {name} on {device}"))
        })
        .collect()
}
