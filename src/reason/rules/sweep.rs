//! The sweep: the whole network in few calls, where a server reads several devices at once.

use super::arguments::{Wish, propose};
use crate::agent::model::{Aspect, Proposal, Purpose, Risk, ToolSpec};
use crate::agent::state::State;

/// Devices a call asks; bounds the size of an answer.
const BATCH: usize = 16;

/// Paths read together, by what they show.
const INTERFACES: &[&str] = &["openconfig-interfaces:interfaces", "openconfig-lacp:lacp"];
const INSTANCES: &[&str] = &[
    "openconfig-network-instance:network-instances/network-instance[name=*]/config",
    "openconfig-network-instance:network-instances/network-instance[name=*]/inter-instance-policies",
    "openconfig-network-instance:network-instances/network-instance[name=*]/interfaces",
    "openconfig-network-instance:network-instances/network-instance[name=*]/table-connections",
    "openconfig-network-instance:network-instances/network-instance[name=*]/mpls/global",
    "openconfig-network-instance:network-instances/network-instance[name=*]/segment-routing",
    "openconfig-network-instance:network-instances/network-instance[name=*]/protocols/protocol/isis/global",
    "openconfig-network-instance:network-instances/network-instance[name=*]/protocols/protocol/isis/interfaces",
    "openconfig-network-instance:network-instances/network-instance[name=*]/protocols/protocol/bgp/global",
    "openconfig-network-instance:network-instances/network-instance[name=*]/protocols/protocol/bgp/neighbors",
];
const SYSTEM: &[&str] = &[
    "openconfig-system:system",
    "openconfig-routing-policy:routing-policy",
    "openconfig-platform:components",
];

/// Counters alone; another path than the sweep's, so no cache answers.
const COUNTERS: &[&str] = &["openconfig-interfaces:interfaces/interface[name=*]/state/counters"];

/// What shows whether routes can be used: the BGP table, answered only to a path that names it.
pub const TABLES: &[&str] =
    &["openconfig-network-instance:network-instances/network-instance[name=*]/protocols/protocol/bgp/rib"];

/// The first read-only tool of a purpose.
pub fn tool(state: &State, purpose: Purpose) -> Option<&ToolSpec> {
    let mut tools = state.intake.tools.iter().flatten();
    tools.find(|t| t.purpose == purpose && t.risk == Risk::ReadOnly)
}

/// True when the network can be read in a few calls.
pub fn is_possible(state: &State) -> bool {
    tool(state, Purpose::GetMany).is_some()
}

/// The calls of the sweep.
pub fn calls(state: &State) -> Vec<Proposal> {
    let Some(get) = tool(state, Purpose::GetMany) else {
        return Vec::new();
    };
    let names: Vec<&str> = state
        .intake
        .devices
        .iter()
        .flatten()
        .map(|d| d.name.as_str())
        .collect();
    let mut calls = Vec::new();
    if let Some(logs) = tool(state, Purpose::LogsMany) {
        let window = state.intake.reading.as_ref().map(|r| r.window);
        for batch in names.chunks(BATCH) {
            calls.push(propose(
                logs,
                &Wish {
                    devices: batch,
                    window,
                    ..Wish::default()
                },
                "logs of the window asked about",
            ));
        }
    }
    for (paths, why) in [
        (INTERFACES, "state of every interface"),
        (INSTANCES, "IS-IS, BGP, labels and VRFs of every router"),
        (SYSTEM, "system, policies and last reloads of every router"),
    ] {
        for batch in names.chunks(BATCH) {
            calls.push(propose(
                get,
                &Wish {
                    devices: batch,
                    paths,
                    ..Wish::default()
                },
                why,
            ));
        }
    }
    calls
}

/// A second reading of all counters, for devices whose counters may still rise.
pub fn counters(state: &State, devices: &[&str]) -> Vec<Proposal> {
    together(state, devices, COUNTERS, "do these counters still rise?")
}

/// What shows whether routes can be used, of several devices at once.
pub fn tables(state: &State, devices: &[&str]) -> Vec<Proposal> {
    together(state, devices, TABLES, "can these routes be used?")
}

fn together(state: &State, devices: &[&str], paths: &[&str], why: &str) -> Vec<Proposal> {
    let Some(get) = tool(state, Purpose::GetMany) else {
        return Vec::new();
    };
    let wish = |batch| Wish {
        devices: batch,
        paths,
        ..Wish::default()
    };
    devices
        .chunks(BATCH)
        .map(|batch| propose(get, &wish(batch), why))
        .collect()
}

/// What the sweep shows.
pub fn covers(state: &State) -> Vec<Aspect> {
    if !is_possible(state) {
        return Vec::new();
    }
    let mut all = vec![
        Aspect::Interfaces,
        Aspect::Isis,
        Aspect::Bgp,
        Aspect::Mpls,
        Aspect::SegmentRouting,
        Aspect::Vrf,
        Aspect::System,
        Aspect::Topology,
        Aspect::Profile,
    ];
    if tool(state, Purpose::LogsMany).is_some() {
        all.push(Aspect::Logs);
    }
    all
}
