//! Rivals of what was found: causes the same symptom could have had, and what speaks against them.

use crate::agent::model::{Confidence, Hypothesis, HypothesisId, Standing};
use crate::diagnosis::cited::Known;
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

fn ruled_out(resource: Resource, fault: FaultType, reasoning: String) -> Hypothesis {
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
        check: None,
    }
}

fn session(pair: &Pair<'_>) -> Vec<Hypothesis> {
    let Some(far) = pair.far else { return Vec::new() };
    let mut all = Vec::new();
    let mut out = |fault, why: String| all.push(ruled_out(pair.resource(), fault, why));
    let remote = pair.neighbor.remote_as.known();
    if remote.is_some() && remote == far.bgp.asn.known() {
        out(
            FaultType::BgpRemoteAsWrong,
            format!("{} expects the AS that {} has", pair.near.name, far.name),
        );
    }
    if pair.neighbor.enabled.is(&true) && pair.back.as_ref().is_some_and(|(_, n)| n.enabled.is(&true)) {
        out(
            FaultType::BgpAdminShutdown,
            "the session is not shut on either end".to_owned(),
        );
    }
    let own = pair.neighbor.authenticated.known();
    let keys = own.is_some()
        && pair
            .back
            .as_ref()
            .is_some_and(|(_, n)| n.authenticated.known() == own && own == Some(&false));
    if keys {
        out(
            FaultType::BgpAuthMismatch,
            "neither end has a password".to_owned(),
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
    if x.is_up() && y.is_up() {
        all.push(ruled_out(
            link(),
            FaultType::LinkDown,
            "both ends of the link are up".to_owned(),
        ));
    }
    let mtu = |i: &Interface| i.mtu.known().copied();
    if mtu(x).is_some() && mtu(x) == mtu(y) {
        all.push(ruled_out(
            link(),
            FaultType::MtuMismatch,
            "both ends have the same MTU".to_owned(),
        ));
    }
    let level = |end: &(String, String)| view.network.device(&end.0).and_then(|d| d.isis.level_on(&end.1));
    if let (Some(la), Some(lb)) = (level(a), level(b))
        && la.shares(lb)
    {
        all.push(ruled_out(
            link(),
            FaultType::IsisLevelMismatch,
            format!("both ends run {}", la.name()),
        ));
    }
    all
}
