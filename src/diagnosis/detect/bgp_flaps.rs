//! Sessions that were lost and came back inside the asked window.

use std::collections::BTreeMap;

use super::logs::{in_window, session_down};
use super::{Sign, View};
use crate::agent::model::{Citation, Confidence, Severity, Timestamp};
use crate::diagnosis::cited::Cited;
use crate::diagnosis::expect::says;
use crate::diagnosis::ontology::{FaultType, Resource};

#[derive(Default)]
struct History {
    downs: Vec<(Timestamp, Citation)>,
    expired: usize,
    sent: usize,
    /// Times the other side ended it, or fell silent.
    by_peer: usize,
}

pub fn detect(view: &View<'_>, signs: &mut Vec<Sign>) {
    let mut sessions: BTreeMap<(String, String), History> = BTreeMap::new();
    for device in view.network.devices() {
        for (at, line) in in_window(view, device) {
            let Some(address) = session_down(&line.value) else {
                continue;
            };
            let history = sessions
                .entry((device.name.clone(), address.to_owned()))
                .or_default();
            history.downs.push((at, line.cite()));
            let silent = says(&line.value.text, &view.expect.words.hold_time);
            history.by_peer +=
                usize::from(silent || line.value.says(&["received"]) || line.value.says(&["peer closed"]));
            if silent {
                history.expired += 1;
                history.sent += usize::from(line.value.says(&["sent"]));
            }
        }
    }
    for ((device, address), history) in &sessions {
        // The end whose timer ran out sends the notification; the other end tells the same story.
        let back = mirror(view, device, address).and_then(|key| Some((sessions.get(&key)?, key)));
        let other_is_source = back.as_ref().is_some_and(|(other, key)| {
            let rank = |h: &History| (h.sent, h.expired, h.downs.len());
            rank(other) > rank(history) || (rank(other) == rank(history) && key.0 < *device)
        });
        one(view, device, address, history, other_is_source, signs);
    }
}

/// The far end's key for the session.
fn mirror(view: &View<'_>, device: &str, address: &str) -> Option<(String, String)> {
    let far = view.owner(address)?;
    let near = view.network.device(device)?;
    let ours = far
        .bgp
        .neighbors
        .keys()
        .find(|(vrf, a)| vrf.is_empty() && view.owner(a).is_some_and(|d| d.name == near.name))?;
    Some((far.name.clone(), ours.1.clone()))
}

fn one(
    view: &View<'_>,
    device: &str,
    address: &str,
    history: &History,
    other_is_source: bool,
    signs: &mut Vec<Sign>,
) {
    let count = history.downs.len();
    let Some((last, _)) = history.downs.iter().max_by_key(|(at, _)| *at) else {
        return;
    };
    let facts = view.network.device(device);
    let neighbor = facts
        .and_then(|d| d.bgp.neighbors.iter().find(|((_, a), _)| a == address))
        .map(|(_, n)| n);
    let up_now = neighbor.is_none_or(|n| n.is_up());
    if !up_now && history.expired < view.expect.thresholds.flaps.session_downs {
        return;
    }
    let resource = Resource::Session(device.to_owned(), address.to_owned());
    let evidence: Vec<Citation> = history
        .downs
        .iter()
        .rev()
        .take(3)
        .map(|(_, c)| c.clone())
        .collect();
    let now = if up_now { "is up now" } else { "is down now" };
    let state = neighbor.and_then(|n| n.state.as_ref()).map(Cited::cite);
    let enough = history.expired >= view.expect.thresholds.flaps.session_downs;
    if enough && !other_is_source {
        let text = format!(
            "the BGP session of {device} to {address} was lost {} times on its hold timer and {now}",
            history.expired
        );
        let transitions = neighbor
            .and_then(|n| n.transitions.as_ref())
            .filter(|t| t.value >= 2)
            .map(|t| t.at_least(2.0));
        let sign = Sign::fault("bgp.hold_timer", resource, FaultType::BgpFlapHoldtimer, text)
            .cites(evidence)
            .cites(state)
            .cites(transitions);
        signs.push(sign.at(*last).over(up_now).severity(Severity::Warning));
    } else if up_now && history.by_peer > 0 && is_customer(view, device, address) {
        let text = format!("the customer session of {device} to {address} was lost and {now}");
        let transitions = neighbor
            .and_then(|n| n.transitions.as_ref())
            .filter(|t| t.value >= 2)
            .map(|t| t.at_least(2.0));
        let sign = Sign::fault("bgp.customer_was_down", resource, FaultType::PeCeBgpDown, text)
            .cites(evidence)
            .cites(state)
            .cites(transitions);
        signs.push(
            sign.at(*last)
                .over(true)
                .sure(Confidence::Likely)
                .severity(Severity::Warning),
        );
    } else {
        let text = format!(
            "the BGP session of {device} to {address} went down {count} times in the window asked about and {now}"
        );
        let sign = Sign::symptom("bgp.went_down", resource, text)
            .cites(evidence)
            .cites(state);
        signs.push(sign.at(*last).over(up_now).sure(Confidence::Likely));
    }
}

/// The neighbour is a router in a VRF that is none of ours.
fn is_customer(view: &View<'_>, device: &str, address: &str) -> bool {
    let neighbors = view
        .network
        .device(device)
        .into_iter()
        .flat_map(|d| d.bgp.neighbors.keys());
    neighbors
        .into_iter()
        .any(|(vrf, a)| a == address && !vrf.is_empty())
}
