//! Links that went down and came back inside the asked window: once is an outage, several times is flapping.

use std::collections::BTreeMap;

use super::logs::{in_window, link_down};
use super::{Sign, View};
use crate::agent::model::{Citation, Confidence, Severity, Timestamp};
use crate::diagnosis::cited::Cited;
use crate::diagnosis::network::{Counter, End, InterfaceKind};
use crate::diagnosis::ontology::{FaultType, Resource};

#[derive(Default)]
struct History {
    downs: Vec<(Timestamp, Citation)>,
    /// The same events as the other end, or another layer, tells them.
    echoes: Vec<Citation>,
    by_hand: bool,
}

pub fn detect(view: &View<'_>, signs: &mut Vec<Sign>) {
    let mut links: BTreeMap<(End, Option<End>), History> = BTreeMap::new();
    for device in view.network.devices() {
        for (at, line) in in_window(view, device) {
            let Some((name, by_hand)) = link_down(&line.value) else {
                continue;
            };
            let physical = InterfaceKind::of(name);
            if !matches!(physical, InterfaceKind::Physical | InterfaceKind::Bundle) {
                continue;
            }
            let near: End = (device.name.clone(), name.to_owned());
            let far = view.links.far(&device.name, name).cloned();
            let key = match far {
                Some(far) if far < near => (far, Some(near)),
                far => (near, far),
            };
            let history = links.entry(key).or_default();
            // Both ends log the same event within moments: count it once.
            let known = history.downs.iter().any(|(t, _)| t.since_ms(at).abs() < 4_000);
            history.by_hand |= by_hand;
            if known {
                history.echoes.push(line.cite());
            } else {
                history.downs.push((at, line.cite()));
            }
        }
    }
    for ((near, far), mut history) in links {
        history.downs.sort_by_key(|(at, _)| *at);
        one(view, &near, far.as_ref(), &history, signs);
    }
}

fn one(view: &View<'_>, near: &End, far: Option<&End>, history: &History, signs: &mut Vec<Sign>) {
    let ends = || std::iter::once(near).chain(far);
    let down_now = ends()
        .filter_map(|e| view.interface(e))
        .any(|i| i.is_down() || i.is_shut());
    let member = ends()
        .filter_map(|e| view.interface(e))
        .any(|i| i.member_of.is_some());
    let count = history.downs.len();
    let Some((last, _)) = history.downs.last() else {
        return;
    };
    let enough = view.expect.thresholds.flaps.link_downs;
    let flapping = count >= enough;
    if !flapping && (down_now || history.by_hand) {
        return;
    }
    let resource = match far {
        Some(far) => Resource::link((&near.0, &near.1), (&far.0, &far.1)),
        None => Resource::Interface(near.0.clone(), near.1.clone()),
    };
    let fault = if flapping {
        FaultType::LinkFlap
    } else if member {
        FaultType::LagMemberDown
    } else {
        FaultType::LinkDown
    };
    let detector = if flapping {
        "interface.flapped"
    } else {
        "interface.was_down"
    };
    let now = if down_now {
        "and is down now"
    } else {
        "and is up now"
    };
    let times = if count == 1 {
        "once".to_owned()
    } else {
        format!("{count} times")
    };
    let text = format!(
        "{} {} went down {times} in the window asked about {now}",
        near.0, near.1
    );
    let transitions = ends()
        .filter_map(|e| {
            view.interface(e)?
                .counters
                .get(&Counter::Transitions)?
                .last
                .as_ref()
        })
        .filter(|c| c.value as usize >= count)
        .map(|c| c.at_least(count as f64));
    let up = ends()
        .filter_map(|e| view.interface(e)?.up.as_ref())
        .map(Cited::cite);
    let sure = if flapping {
        Confidence::Confirmed
    } else {
        Confidence::Likely
    };
    let sign = Sign::fault(detector, resource, fault, text)
        .cites(history.downs.iter().rev().take(4).map(|(_, c)| c.clone()))
        .cites(history.echoes.iter().rev().take(4).cloned())
        .cites(transitions)
        .cites(up);
    signs.push(
        sign.at(*last)
            .over(!down_now)
            .sure(sure)
            .severity(Severity::Warning),
    );
}
