//! Rivals of what was found: causes the same symptom could have had, and what speaks against them.

use crate::agent::model::{Citation, Confidence, Hypothesis, HypothesisId, Standing};
use crate::diagnosis::cited::{Cited, Known};
use crate::diagnosis::detect::{Pair, View};
use crate::diagnosis::network::Interface;
use crate::diagnosis::ontology::{FaultType, Resource};

use super::Judged;

/// Ruled-out hypotheses for the symptoms there are.
pub fn rivals(view: &View<'_>, judged: &Judged) -> Vec<Hypothesis> {
    let mut all = Vec::new();
    let pairs = view.sessions();
    for sign in &judged.signs {
        match &sign.resource {
            Resource::Session(near, address) if sign.detector == "bgp.session_down" => {
                let pair = pairs
                    .iter()
                    .find(|p| p.near.name == *near && p.address == address);
                all.extend(pair.into_iter().flat_map(session));
            }
            Resource::Link(a, b) if sign.detector == "isis.adjacency_missing" => {
                all.extend(adjacency(view, a, b));
            }
            _ => {}
        }
    }
    all
}

fn ruled_out(resource: Resource, fault: FaultType, reasoning: String, against: Vec<Citation>) -> Hypothesis {
    Hypothesis {
        id: HypothesisId(0),
        resource,
        fault,
        standing: Standing::RuledOut,
        weight: 0.0,
        confidence: Confidence::Likely,
        supports: Vec::new(),
        explains: Vec::new(),
        reasoning,
        citations: against,
        check: None,
    }
}

/// What stands in these places, as far as it was read.
fn cited<const N: usize>(places: [Option<Citation>; N]) -> Vec<Citation> {
    places.into_iter().flatten().collect()
}

fn place<T>(fact: Option<&Cited<T>>) -> Option<Citation> {
    fact.map(Cited::cite)
}

fn session(pair: &Pair<'_>) -> Vec<Hypothesis> {
    let Some(far) = pair.far else { return Vec::new() };
    let back = pair.back.as_ref().map(|(_, n)| *n);
    let mut all = Vec::new();
    let mut out = |fault, why: String, against| all.push(ruled_out(pair.resource(), fault, why, against));
    let remote = pair.neighbor.remote_as.known();
    if remote.is_some() && remote == far.bgp.asn.known() {
        out(
            FaultType::BgpRemoteAsWrong,
            format!("{} expects the AS that {} has", pair.near.name, far.name),
            cited([
                place(pair.neighbor.remote_as.as_ref()),
                place(far.bgp.asn.as_ref()),
            ]),
        );
    }
    let enabled = back.and_then(|n| n.enabled.as_ref());
    if pair.neighbor.enabled.is(&true) && enabled.is_some_and(|e| e.value) {
        out(
            FaultType::BgpAdminShutdown,
            "the session is not shut on either end".to_owned(),
            cited([place(pair.neighbor.enabled.as_ref()), place(enabled)]),
        );
    }
    let (own, theirs) = (
        pair.neighbor.authenticated.as_ref(),
        back.and_then(|n| n.authenticated.as_ref()),
    );
    if own.is_some_and(|a| !a.value) && theirs.is_some_and(|a| !a.value) {
        out(
            FaultType::BgpAuthMismatch,
            "neither end has a password".to_owned(),
            cited([place(own), place(theirs)]),
        );
    }
    all
}

fn adjacency(view: &View<'_>, a: &(String, String), b: &(String, String)) -> Vec<Hypothesis> {
    let link = || Resource::link((&a.0, &a.1), (&b.0, &b.1));
    let (Some(x), Some(y)) = (view.interface(a), view.interface(b)) else {
        return Vec::new();
    };
    let mut all = Vec::new();
    let mut out = |fault, why: String, against| all.push(ruled_out(link(), fault, why, against));
    if x.is_up() && y.is_up() {
        out(
            FaultType::LinkDown,
            "both ends of the link are up".to_owned(),
            cited([place(x.up.as_ref()), place(y.up.as_ref())]),
        );
    }
    let mtu = |i: &Interface| i.mtu.known().copied();
    if mtu(x).is_some() && mtu(x) == mtu(y) {
        out(
            FaultType::MtuMismatch,
            "both ends have the same MTU".to_owned(),
            cited([place(x.mtu.as_ref()), place(y.mtu.as_ref())]),
        );
    }
    let isis = |end: &(String, String)| view.network.device(&end.0).map(|d| &d.isis);
    let level = |end: &(String, String)| isis(end).and_then(|i| i.level_on(&end.1));
    let shown = |end: &(String, String)| {
        let isis = isis(end)?;
        let own = isis.interfaces.get(&end.1).and_then(|i| i.level.as_ref());
        own.or(isis.level.as_ref()).map(Cited::cite)
    };
    if let (Some(la), Some(lb)) = (level(a), level(b))
        && la.shares(lb)
    {
        out(
            FaultType::IsisLevelMismatch,
            "the levels of both ends meet".to_owned(),
            cited([shown(a), shown(b)]),
        );
    }
    all
}
