//! Segment routing: SRGB, allocation, prefix SIDs.

use std::collections::BTreeMap;

use super::{Sign, View};
use crate::agent::model::{Confidence, Severity};
use crate::diagnosis::cited::{Cited, Known};
use crate::diagnosis::network::{Block, DeviceFacts};
use crate::diagnosis::ontology::{FaultType, Resource};

pub fn detect(view: &View<'_>, signs: &mut Vec<Sign>) {
    let blocks = view
        .network
        .devices()
        .filter_map(|d| d.labels.srgb.as_ref())
        .map(|(b, _)| b.value);
    let usual = View::norm(blocks);
    for device in view.network.devices() {
        disabled(view, device, signs);
        block(view, device, usual, signs);
        pending(view, device, signs);
        missing(view, device, signs);
        outside(view, device, signs);
    }
    duplicates(view, signs);
}

fn node(device: &DeviceFacts) -> Resource {
    Resource::Node(device.name.clone())
}

fn disabled(view: &View<'_>, device: &DeviceFacts, signs: &mut Vec<Sign>) {
    let Some(off) = device.labels.segment_routing.as_ref().filter(|s| !s.value) else {
        return;
    };
    let on = view
        .network
        .devices()
        .filter(|d| d.labels.segment_routing.is(&true))
        .count();
    if on == 0 {
        return;
    }
    let text = format!(
        "segment routing is off on {}; it is on on {on} other routers",
        device.name
    );
    let others = view
        .network
        .devices()
        .filter_map(|d| d.labels.segment_routing.as_ref())
        .filter(|s| s.value)
        .take(1);
    let sign = Sign::fault("sr.disabled", node(device), FaultType::SrDisabled, text);
    signs.push(
        sign.cites([off.cite()])
            .cites(others.map(Cited::cite))
            .at(view.focus.now),
    );
}

fn block(view: &View<'_>, device: &DeviceFacts, usual: Option<Block>, signs: &mut Vec<Sign>) {
    let Some((block, citations)) = &device.labels.srgb else {
        return;
    };
    let Some(usual) = usual.filter(|u| *u != block.value) else {
        return;
    };
    let same = view
        .network
        .devices()
        .filter(|d| d.labels.srgb.as_ref().is_some_and(|(b, _)| b.value == usual));
    let others: Vec<&DeviceFacts> = same.collect();
    let text = format!(
        "{} has SRGB {}-{}, {} other routers have {}-{}: label stacks of absolute labels that cross it break",
        device.name,
        block.value.lower,
        block.value.upper,
        others.len(),
        usual.lower,
        usual.upper
    );
    let theirs = others
        .first()
        .and_then(|d| d.labels.srgb.as_ref())
        .map(|(_, c)| c.clone())
        .unwrap_or_default();
    let sign = Sign::fault("sr.srgb_differs", node(device), FaultType::SrgbMismatch, text);
    signs.push(
        sign.cites(citations.iter().cloned())
            .cites(theirs)
            .at(view.focus.now),
    );
}

fn pending(view: &View<'_>, device: &DeviceFacts, signs: &mut Vec<Sign>) {
    let waiting = device
        .labels
        .allocated
        .as_ref()
        .filter(|a| !a.value)
        .map(Cited::cite);
    let alarm = device.system.alarms.iter().find(|a| {
        let text = a.value.text.to_ascii_lowercase();
        (text.contains("srgb") || text.contains("label"))
            && (text.contains("pending") || text.contains("alloc"))
    });
    let evidence: Vec<_> = waiting.into_iter().chain(alarm.map(Cited::cite)).collect();
    if evidence.is_empty() {
        return;
    }
    let text = format!(
        "{} still waits for its configured SRGB: the label manager has not allocated it",
        device.name
    );
    let sign = Sign::fault("sr.srgb_pending", node(device), FaultType::SrgbAllocPending, text);
    signs.push(sign.cites(evidence).at(view.focus.now));
}

fn missing(view: &View<'_>, device: &DeviceFacts, signs: &mut Vec<Sign>) {
    let Some(place) = device.labels.no_prefix_sid.as_ref() else {
        return;
    };
    let with = view
        .network
        .devices()
        .filter(|d| d.labels.prefix_sid.is_some())
        .count();
    if with == 0 || device.labels.segment_routing.is(&false) {
        return;
    }
    let text = format!(
        "the loopback of {} has no prefix SID; {with} other routers have one",
        device.name
    );
    let sign = Sign::fault(
        "sr.prefix_sid_missing",
        node(device),
        FaultType::PrefixSidMissing,
        text,
    );
    signs.push(sign.cites([place.clone()]).at(view.focus.now));
}

fn outside(view: &View<'_>, device: &DeviceFacts, signs: &mut Vec<Sign>) {
    let (Some(sid), Some((block, bounds))) = (&device.labels.prefix_sid, &device.labels.srgb) else {
        return;
    };
    if sid.value.index < block.value.size() {
        return;
    }
    let text = format!(
        "prefix SID index {} of {} lies outside its SRGB {}-{} of {} labels",
        sid.value.index,
        device.name,
        block.value.lower,
        block.value.upper,
        block.value.size()
    );
    let sign = Sign::fault("sr.sid_outside", node(device), FaultType::SidOutOfSrgb, text);
    signs.push(
        sign.cites([sid.cite()])
            .cites(bounds.iter().cloned())
            .at(view.focus.now),
    );
}

fn duplicates(view: &View<'_>, signs: &mut Vec<Sign>) {
    let mut owners: BTreeMap<u64, Vec<&DeviceFacts>> = BTreeMap::new();
    for device in view.network.devices() {
        if let Some(sid) = &device.labels.prefix_sid {
            owners.entry(sid.value.index).or_default().push(device);
        }
    }
    // Where indexes follow the loopbacks, the one that leaves the pattern is to blame.
    let gap = |d: &DeviceFacts| {
        let sid = d.labels.prefix_sid.as_ref()?;
        Some(i64::from(u32::from(d.loopback()?)) - i64::try_from(sid.value.index).ok()?)
    };
    let pattern = View::norm(view.network.devices().filter_map(gap));
    for (index, devices) in owners.iter().filter(|(_, d)| d.len() > 1) {
        let strange: Vec<&&DeviceFacts> = devices
            .iter()
            .filter(|d| pattern.is_some() && gap(d) != pattern)
            .collect();
        let blamed = match strange.as_slice() {
            [one] => *one,
            _ => devices
                .iter()
                .find(|d| view.focus.targets(&d.name))
                .unwrap_or(&devices[0]),
        };
        let names: Vec<&str> = devices.iter().map(|d| d.name.as_str()).collect();
        let text = format!("{} have the same prefix SID index {index}", names.join(" and "));
        let evidence = devices
            .iter()
            .filter_map(|d| d.labels.prefix_sid.as_ref())
            .map(Cited::cite);
        let sure = if strange.len() == 1 {
            Confidence::Confirmed
        } else {
            Confidence::Likely
        };
        let sign = Sign::fault(
            "sr.prefix_sid_twice",
            node(blamed),
            FaultType::PrefixSidDuplicate,
            text,
        );
        signs.push(
            sign.cites(evidence)
                .at(view.focus.now)
                .sure(sure)
                .severity(Severity::Critical),
        );
    }
}
