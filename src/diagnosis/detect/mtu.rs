//! MTU: two ends that disagree, and links too small for labelled traffic.

use super::{Sign, View};
use crate::agent::model::{Confidence, Severity};
use crate::diagnosis::network::{Counter, End};
use crate::diagnosis::ontology::{FaultType, Resource};

pub fn detect(view: &View<'_>, signs: &mut Vec<Sign>) {
    let sizes = |end: &End| view.interface(end).and_then(|i| i.mtu.as_ref());
    let usual = View::norm(
        view.links
            .iter()
            .flat_map(|(a, b)| [sizes(a), sizes(b)])
            .flatten()
            .map(|m| m.value),
    );
    for (a, b) in view.links.iter() {
        let member = |end: &End| view.interface(end).is_some_and(|i| i.member_of.is_some());
        if member(a) || member(b) {
            continue;
        }
        let (Some(here), Some(there)) = (sizes(a), sizes(b)) else {
            continue;
        };
        if here.value == there.value {
            small(view, a, b, usual, signs);
            continue;
        }
        let odd = |mtu: u64| usual.is_some_and(|u| u != mtu);
        let culprit = match (odd(here.value), odd(there.value)) {
            (true, false) => a,
            (false, true) => b,
            _ if here.value < there.value => a,
            _ => b,
        };
        let (fault, effect) = if adjacent(view, a, b) {
            (
                FaultType::MtuBlackhole,
                "the adjacency is up all the same, so large packets vanish",
            )
        } else {
            (
                FaultType::MtuMismatch,
                "padded hellos don't pass, so no adjacency comes up",
            )
        };
        let text = format!(
            "{} {} has MTU {}, {} {} has {}: {effect}",
            a.0, a.1, here.value, b.0, b.1, there.value
        );
        let resource = Resource::Interface(culprit.0.clone(), culprit.1.clone());
        let oversize = [a, b]
            .into_iter()
            .filter_map(|e| view.interface(e)?.counters.get(&Counter::Oversize)?.last.as_ref());
        let sign = Sign::fault("mtu.ends_differ", resource, fault, text)
            .cites([here.cite(), there.cite()])
            .cites(oversize.filter(|c| c.value > 0).map(|c| c.at_least(1.0)))
            .cites(padding(view, a).into_iter().chain(padding(view, b)));
        signs.push(sign.at(view.focus.now));
    }
}

fn padding(view: &View<'_>, end: &End) -> Option<crate::agent::model::Citation> {
    let isis = view.network.device(&end.0)?.isis.interfaces.get(&end.1)?;
    isis.padding.as_ref().map(|p| p.cite())
}

fn adjacent(view: &View<'_>, a: &End, b: &End) -> bool {
    let has = |end: &End| {
        let isis = view
            .network
            .device(&end.0)
            .and_then(|d| d.isis.interfaces.get(&end.1));
        isis.map(|i| i.has_adjacency())
    };
    match (has(a), has(b)) {
        (None, None) => true,
        (x, y) => x.unwrap_or(false) || y.unwrap_or(false),
    }
}

fn small(view: &View<'_>, a: &End, b: &End, usual: Option<u64>, signs: &mut Vec<Sign>) {
    let (Some(mtu), Some(usual)) = (view.interface(a).and_then(|i| i.mtu.as_ref()), usual) else {
        return;
    };
    let labelled = |end: &End| {
        view.network
            .device(&end.0)
            .is_some_and(|d| d.isis.interfaces.contains_key(&end.1))
    };
    let limit = view.expect.thresholds.mtu.labelled;
    if mtu.value >= limit || usual < limit || !labelled(a) {
        return;
    }
    let text = format!(
        "the link {} {} - {} {} has MTU {} where {usual} is usual: too small for labelled traffic",
        a.0, a.1, b.0, b.1, mtu.value
    );
    let resource = Resource::link((&a.0, &a.1), (&b.0, &b.1));
    let theirs = view.interface(b).and_then(|i| i.mtu.as_ref()).map(|m| m.cite());
    let sign = Sign::fault("mtu.too_small", resource, FaultType::MtuBlackhole, text)
        .cites([mtu.cite()])
        .cites(theirs);
    signs.push(
        sign.at(view.focus.now)
            .sure(Confidence::Likely)
            .severity(Severity::Warning),
    );
}
