//! Faults that were mended inside the asked window: only the logs still tell of them. Up now erases nothing.
//!
//! Links and sessions that merely went down and came back are `flaps` and `bgp_flaps`; here a line names the reason.

use std::collections::BTreeMap;

use super::logs::{address_in, in_window, interface_in};
use super::sessions::blamed;
use super::{Pair, Sign, View};
use crate::agent::model::{Citation, Confidence, Severity, Timestamp};
use crate::diagnosis::cited::{Cited, Known};
use crate::diagnosis::expect::says;
use crate::diagnosis::network::{DeviceFacts, LogLine};
use crate::diagnosis::ontology::{FaultType, Resource};

/// What the logs tell of one fault: how often, the last time, and the last lines.
type Told = BTreeMap<(Resource, FaultType), Vec<(Timestamp, Citation)>>;

pub fn detect(view: &View<'_>, signs: &mut Vec<Sign>) {
    let mut told = Told::new();
    for device in view.network.devices() {
        for (at, line) in in_window(view, device) {
            let found = of_interface(view, device, &line.value)
                .or_else(|| of_session(view, device, &line.value))
                .or_else(|| of_device(view, device, &line.value));
            if let Some(key) = found {
                told.entry(key).or_default().push((at, line.cite()));
            }
        }
    }
    for ((resource, fault), lines) in told {
        let Some(last) = lines.iter().map(|(at, _)| *at).max() else {
            continue;
        };
        let text = format!(
            "the log of {} tells of {fault} on {resource} in the window asked about; it is over now",
            resource.device()
        );
        let sign = Sign::fault("log.mended", resource, fault, text)
            .cites(lines.into_iter().rev().take(3).map(|(_, line)| line));
        signs.push(
            sign.at(last)
                .over(true)
                .sure(Confidence::Likely)
                .severity(Severity::Warning),
        );
    }
}

/// A port was shut by hand and is in use again.
fn of_interface(view: &View<'_>, device: &DeviceFacts, line: &LogLine) -> Option<(Resource, FaultType)> {
    if !line.says(&["changed state to administratively down"]) {
        return None;
    }
    let name = interface_in(&line.text)?;
    let interface = device.interfaces.get(name).filter(|i| i.is_up())?;
    let resource = Resource::Interface(device.name.clone(), name.to_owned());
    (!view.is_planned(interface.text())).then_some((resource, FaultType::LinkAdminDown))
}

/// A session was refused for a reason the router names, and stands again.
fn of_session(view: &View<'_>, device: &DeviceFacts, line: &LogLine) -> Option<(Resource, FaultType)> {
    let address = address_in(&line.text)?;
    let words = &view.expect.words;
    let about = |list: &[String]| says(&line.text, list) || says(&line.mnemonic, list);
    let mut pairs = view.sessions().iter();
    let pair: &Pair<'_> = pairs.find(|p| p.near.name == device.name && p.address == address)?;
    if !pair.neighbor.is_up() {
        return None;
    }
    // The end that is at fault sends the notification; the other end only receives it.
    let received = line.says(&["received"]) && !says(&line.mnemonic, &words.max_prefix);
    let fault = if about(&words.password) && blamed(view, pair) {
        FaultType::BgpAuthMismatch
    } else if received {
        return None;
    } else if about(&words.wrong_as) {
        FaultType::BgpRemoteAsWrong
    } else if about(&words.max_prefix) {
        FaultType::BgpMaxPrefix
    } else if about(&words.admin_shutdown) {
        FaultType::BgpAdminShutdown
    } else {
        return None;
    };
    Some((pair.resource(), fault))
}

/// The router complained about itself, and has no reason to any more.
fn of_device(view: &View<'_>, device: &DeviceFacts, line: &LogLine) -> Option<(Resource, FaultType)> {
    let words = &view.expect.words;
    let about = |list: &[String]| says(&line.text, list) || says(&line.mnemonic, list);
    let labels = &device.labels;
    let inside = || {
        let (sid, (block, _)) = labels.prefix_sid.as_ref().zip(labels.srgb.as_ref())?;
        Some(sid.value.index < block.value.size())
    };
    let limit = view.expect.thresholds.system.process_cpu;
    let calm = || {
        let mut all = device
            .system
            .processes
            .iter()
            .map(|(p, _): &(Cited<_>, _)| p.value.cpu);
        !device.system.processes.is_empty() && all.all(|cpu| cpu < limit)
    };
    let fault = if about(&words.label_block_pending) && labels.allocated.is(&true) {
        FaultType::SrgbAllocPending
    } else if about(&words.sid_outside) && inside() == Some(true) {
        FaultType::SidOutOfSrgb
    } else if about(&words.cpu_hog) && calm() {
        FaultType::ProcessHog
    } else {
        return None;
    };
    Some((Resource::Node(device.name.clone()), fault))
}
