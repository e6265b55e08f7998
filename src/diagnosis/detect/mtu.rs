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
        let resource = Resource::link((&a.0, &a.1), (&b.0, &b.1));
        let oversize = [a, b]
            .into_iter()
            .filter_map(|e| view.interface(e)?.counters.get(&Counter::Oversize)?.last.as_ref());
        let sign = Sign::fault("mtu.ends_differ", resource, fault, text)
            .cites([here.cite(), there.cite()])
            .cites(oversize.filter(|c| c.value > 0).map(|c| c.cite()))
            .cites([a, b].into_iter().filter_map(|e| adjacency(view, e)))
            .cites(padding(view, a).into_iter().chain(padding(view, b)));
        signs.push(sign.at(view.focus.now));
    }
}

fn padding(view: &View<'_>, end: &End) -> Option<crate::agent::model::Citation> {
    let isis = view.network.device(&end.0)?.isis.interfaces.get(&end.1)?;
    isis.padding.as_ref().map(|p| p.cite())
}

/// What shows the adjacency of an end, or that there is none.
fn adjacency(view: &View<'_>, end: &End) -> Option<crate::agent::model::Citation> {
    let isis = view.network.device(&end.0)?.isis.interfaces.get(&end.1)?;
    let up = isis.adjacencies.iter().find(|a| a.value.up).map(|a| a.cite());
    up.or_else(|| isis.listed.clone())
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
