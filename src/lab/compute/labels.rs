//! SR-MPLS: who may use which index, what happens to a label at a hop, whether a label path holds end to end.

use std::collections::HashMap;

use super::graph::{Edge, FAR, Paths};
use super::moment::{Base, Moment};
use super::situation::Situation;
use crate::lab::network::DeviceId;
use crate::lab::state::{LabelEntry, LabelOperation, Next};

/// A device's claim on a prefix-SID index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sid {
    None,
    Held(u32),
    /// Another device with a lower loopback holds the index.
    Lost(u32),
}

/// Claims of all devices.
pub(super) fn sids(situation: &Situation) -> Vec<Sid> {
    let claims: Vec<Option<u32>> = situation
        .configs
        .iter()
        .enumerate()
        .map(|(d, c)| {
            let announced = c
                .isis
                .as_ref()
                .is_some_and(|i| i.interfaces.contains_key("Loopback0"));
            c.sr.prefix_sid
                .filter(|_| c.sr.enabled && announced && !situation.node_dark(d))
        })
        .collect();
    let mut holder: HashMap<u32, DeviceId> = HashMap::new();
    for (device, index) in claims.iter().enumerate() {
        if let Some(index) = index {
            let entry = holder.entry(*index).or_insert(device);
            if situation.configs[device].loopback < situation.configs[*entry].loopback {
                *entry = device;
            }
        }
    }
    let status = claims.iter().enumerate().map(|(device, claim)| match claim {
        None => Sid::None,
        Some(index) if holder.get(index) == Some(&device) => Sid::Held(*index),
        Some(index) => Sid::Lost(*index),
    });
    status.collect()
}

/// Devices that claim the same index as `device`.
pub(super) fn rivals(situation: &Situation, device: DeviceId) -> Vec<DeviceId> {
    let index = situation.configs[device].sr.prefix_sid;
    let same = |d: &DeviceId| {
        *d != device && situation.configs[*d].sr.enabled && situation.configs[*d].sr.prefix_sid == index
    };
    (0..situation.configs.len())
        .filter(same)
        .filter(|_| index.is_some())
        .collect()
}

/// The block the label manager gave.
pub(super) fn allocated(situation: &Situation, device: DeviceId) -> Option<(u32, u32)> {
    let sr = &situation.configs[device].sr;
    (sr.enabled && !situation.srgb_pending(device)).then_some(sr.srgb)
}

/// Label of an index in a block.
pub(super) fn label_of(block: (u32, u32), index: u32) -> Option<u32> {
    block.0.checked_add(index).filter(|label| *label <= block.1)
}

/// What a device does with a packet for `target` (index `index`) that leaves over `edge`.
pub(super) fn operation(
    base: &Base,
    moment: &Moment,
    tail: DeviceId,
    edge: Edge,
    target: DeviceId,
    index: u32,
) -> LabelOperation {
    let situation = &moment.situation;
    let (_, interface) = base.wiring.links[edge.link][edge.side];
    let config = &situation.configs[tail];
    let forwards = config
        .mpls
        .interfaces
        .get(&config.interfaces[interface].name)
        .copied()
        .unwrap_or(false);
    let (_, far) = base.wiring.links[edge.link][1 - edge.side];
    let far_config = &situation.configs[edge.to];
    let takes = far_config
        .mpls
        .interfaces
        .get(&far_config.interfaces[far].name)
        .copied()
        .unwrap_or(false);
    match allocated(situation, edge.to).and_then(|block| label_of(block, index)) {
        Some(label) if forwards && takes => {
            if edge.to == target {
                LabelOperation::Pop
            } else {
                LabelOperation::Swap(label)
            }
        }
        _ => LabelOperation::Unlabelled,
    }
}

/// A labelled packet from the source of `paths` gets to `target`, whichever equal-cost path it takes.
pub(super) fn path_holds(
    base: &Base,
    moment: &Moment,
    sids: &[Sid],
    paths: &Paths,
    target: DeviceId,
) -> bool {
    let Sid::Held(index) = sids[target] else {
        return false;
    };
    if paths.source == target {
        return true;
    }
    let usable = moment.situation.configs[paths.source].sr.enabled && paths.distance[target] != FAR;
    usable
        && moment
            .graph
            .edges_to(paths, target)
            .into_iter()
            .all(|(tail, edge)| {
                operation(base, moment, tail, edge, target, index) != LabelOperation::Unlabelled
            })
}

/// Label table of the source of `paths`: one row an index and next hop.
pub(super) fn entries(base: &Base, moment: &Moment, sids: &[Sid], paths: &Paths) -> Vec<LabelEntry> {
    let me = paths.source;
    let Some(block) = allocated(&moment.situation, me) else {
        return Vec::new();
    };
    let mut all = Vec::new();
    for (target, sid) in sids.iter().enumerate() {
        let Sid::Held(index) = *sid else { continue };
        let Some(label) = label_of(block, index).filter(|_| target != me && moment.graph.advertised[target])
        else {
            continue;
        };
        for edge in &paths.first[target] {
            all.push(LabelEntry {
                label,
                prefix: moment.situation.configs[target].loopback,
                operation: operation(base, moment, me, *edge, target, index),
                next: next(base, moment, *edge),
                vrf: None,
            });
        }
    }
    all.sort_by(|a, b| (a.label, &a.next).cmp(&(b.label, &b.next)));
    all
}

/// The next hop an edge stands for.
pub(super) fn next(base: &Base, moment: &Moment, edge: Edge) -> Next {
    let (tail, interface) = base.wiring.links[edge.link][edge.side];
    let (head, far) = base.wiring.links[edge.link][1 - edge.side];
    Next {
        address: moment.situation.configs[head].interfaces[far]
            .address
            .map(|(a, _)| a),
        interface: Some(moment.situation.configs[tail].interfaces[interface].name.clone()),
    }
}
