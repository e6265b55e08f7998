//! `openconfig-mpls` and `openconfig-segment-routing`.

use super::super::cursor::{Cursor, Reads};
use crate::agent::model::Aspect;
use crate::diagnosis::network::{Block, DeviceFacts};

pub fn read_mpls(device: &mut DeviceFacts, at: &Cursor<'_>) {
    device.seen.insert(Aspect::Mpls);
    let Some(global) = at.child("global") else { return };
    if let Some(attributes) = global.child("interface-attributes") {
        if attributes.is_real() {
            device.labels.listed = Some(attributes.citation());
        }
        for entry in attributes.list("interface") {
            let id = entry
                .child("interface-id")
                .or_else(|| entry.leaf("interface-id"))
                .and_then(|c| c.text());
            if let (Some(name), Some(on)) = (id, entry.leaf("mpls-enabled").cited_flag()) {
                device.labels.interfaces.insert(name, on);
            }
        }
    } else if global.is_real() {
        device.labels.listed = Some(global.lacks("interface-attributes"));
    }
    for block in global.list("reserved-label-blocks/reserved-label-block") {
        let id = block
            .child("local-id")
            .or_else(|| block.leaf("local-id"))
            .and_then(|c| c.text());
        if id.is_some_and(|id| id.to_ascii_lowercase().contains("srgb")) {
            srgb(device, &block);
        }
    }
}

fn srgb(device: &mut DeviceFacts, block: &Cursor<'_>) {
    let bound =
        |container: &str, leaf: &str| block.child(container).and_then(|c| c.child(leaf)).cited_whole();
    let pair = |container: &str| Some((bound(container, "lower-bound")?, bound(container, "upper-bound")?));
    let configured = pair("config");
    let allocated = pair("state");
    let (lower, upper) = match configured.clone().or_else(|| allocated.clone()) {
        Some(pair) => pair,
        None => return,
    };
    let value = Block {
        lower: lower.value,
        upper: upper.value,
    };
    device.labels.srgb = Some((lower.with(value), vec![lower.cite(), upper.cite()]));
    if let (Some(_), None, Some(state)) = (
        configured,
        allocated,
        block.child("state").filter(|s| s.is_real()),
    ) {
        let mut fact = state.fact(false);
        fact.citation = state.lacks("lower-bound");
        device.labels.allocated = Some(fact);
    }
}

pub fn read_segment_routing(device: &mut DeviceFacts, at: &Cursor<'_>) {
    for entry in at.list("srgbs/srgb") {
        if let Some(pending) = entry.leaf("allocation-pending").cited_flag() {
            device.labels.allocated = Some(pending.with(!pending.value));
        } else if let Some(size) = entry.leaf("size").cited_whole() {
            device.labels.allocated = Some(size.with(size.value > 0));
        }
    }
}
