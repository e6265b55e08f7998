//! What an established session lacks: client flag, address family, routes past policy, usable next hops.

use super::{Pair, Sign, View};
use crate::agent::model::{Aspect, Check, Citation, Claim, Confidence, DeviceName, Role, Severity};
use crate::diagnosis::cited::{Cited, Known};
use crate::diagnosis::network::{Afi, Neighbor};
use crate::diagnosis::ontology::FaultType;

pub fn detect(view: &View<'_>, signs: &mut Vec<Sign>) {
    for pair in view.sessions() {
        client(view, pair, signs);
        for (name, afi) in &pair.neighbor.afis {
            family(view, pair, name, afi, signs);
            policy(view, pair, name, afi, signs);
            next_hop(view, pair, name, afi, signs);
        }
        absent_family(view, pair, signs);
        unlike_others(view, pair, signs);
    }
}

fn at(pair: &Pair<'_>) -> String {
    format!("{} to {}", pair.near.name, pair.address)
}

/// A reflector that does not treat a neighbour as client, where its other neighbours are.
fn client(view: &View<'_>, pair: &Pair<'_>, signs: &mut Vec<Sign>) {
    let elsewhere = is_client_elsewhere(view, pair);
    // A router that reflects for nobody any more is told by its neighbours' other sessions.
    let reflector = view.role(pair.near) == Some(Role::Rr) || pair.near.reflects() || elsewhere;
    let far_reflects = pair
        .far
        .is_some_and(|f| view.role(f) == Some(Role::Rr) || f.reflects());
    if !reflector || far_reflects || !pair.vrf.is_empty() {
        return;
    }
    let internal =
        pair.neighbor.remote_as.known() == pair.neighbor.local_as.known().or(pair.near.bgp.asn.known());
    let off: Vec<_> = pair
        .neighbor
        .afis
        .iter()
        .filter(|(_, a)| a.rr_client.is(&false))
        .collect();
    let Some(_) = off
        .first()
        .filter(|_| internal || pair.neighbor.remote_as.is_none())
    else {
        return;
    };
    // Where neighbours are in groups, only those of the same group are alike: reflectors are no clients of each other.
    let group = pair.neighbor.group.known();
    let siblings = pair
        .near
        .bgp
        .neighbors
        .values()
        .filter(|n| group.is_none() || n.group.known() == group)
        .filter(|n| n.afis.values().any(|a| a.rr_client.is(&true)))
        .count();
    if siblings == 0 && !elsewhere {
        return;
    }
    let who = pair.far.map_or(pair.address, |f| f.name.as_str());
    let text = format!(
        "{} does not reflect routes for {who}: it is no route-reflector client, {siblings} other neighbours are",
        pair.near.name
    );
    let sign = Sign::fault(
        "bgp.client_flag",
        pair.resource(),
        FaultType::RrClientFlagMissing,
        text,
    );
    let other = pair
        .near
        .bgp
        .neighbors
        .values()
        .flat_map(|n| n.afis.values())
        .find_map(|a| a.rr_client.as_ref().filter(|c| c.value));
    signs.push(
        sign.cites(
            off.iter()
                .filter_map(|(_, a)| a.rr_client.as_ref())
                .map(Cited::cite),
        )
        .cites(other.map(Cited::cite))
        .at(view.focus.now)
        .severity(Severity::Warning),
    );
}

/// Another router treats the same neighbour, in a group of the same name, as its client.
fn is_client_elsewhere(view: &View<'_>, pair: &Pair<'_>) -> bool {
    let far = pair.far.map(|f| &f.name);
    far.is_some()
        && view
            .sessions()
            .iter()
            .filter(|p| p.far.map(|f| &f.name) == far && p.near.name != pair.near.name)
            .filter(|p| p.neighbor.group.known() == pair.neighbor.group.known())
            .any(|p| p.neighbor.afis.values().any(|a| a.rr_client.is(&true)))
}

/// An address family that is off at this end and on at the other, or on here and not negotiated.
fn family(view: &View<'_>, pair: &Pair<'_>, name: &str, afi: &Afi, signs: &mut Vec<Sign>) {
    if pair.neighbor.is_shut() {
        return;
    }
    let theirs = pair.back.as_ref().map(|(_, n)| n.afis.get(name));
    let on_there = theirs.is_some_and(|a| a.is_some_and(|a| a.enabled.is(&true)));
    let make = |text: String| {
        Sign::fault(
            "bgp.family_inactive",
            pair.resource(),
            FaultType::AfiNotActive,
            text,
        )
        .at(view.focus.now)
    };
    if let Some(off) = afi.enabled.as_ref().filter(|e| !e.value) {
        let text = format!(
            "{name} is off on the session of {}{}",
            at(pair),
            if on_there { ", the other end has it on" } else { "" }
        );
        let other = theirs.flatten().and_then(|a| a.enabled.as_ref());
        signs.push(
            make(text)
                .cites([off.cite()])
                .cites(other.map(Cited::cite))
                .cites(afi.active.iter().map(Cited::cite)),
        );
        return;
    }
    let Some(inactive) = afi.active.as_ref().filter(|a| !a.value && pair.neighbor.is_up()) else {
        return;
    };
    let explained = theirs.is_some_and(|a| a.is_none_or(|a| a.enabled.is(&false)));
    if !explained {
        let text = format!(
            "{name} is configured on the session of {} but not negotiated",
            at(pair)
        );
        signs.push(make(text).cites([inactive.cite()]).sure(Confidence::Likely));
    }
}

/// A family that most internal sessions have and neither end of this one lists.
fn unlike_others(view: &View<'_>, pair: &Pair<'_>, signs: &mut Vec<Sign>) {
    let Some((_, back)) = &pair.back else { return };
    let listed = |n: &Neighbor| n.afis.values().any(|a| a.enabled.is(&true));
    let others = || {
        view.sessions()
            .iter()
            .filter(|p| p.back.is_some() && listed(p.neighbor))
    };
    let all = others().count();
    let mut families: Vec<&str> = others()
        .flat_map(|p| p.neighbor.afis.keys().map(String::as_str))
        .collect();
    families.sort_unstable();
    families.dedup();
    for name in families {
        let having = |p: &&Pair<'_>| p.neighbor.afis.contains_key(name);
        let lacking = !pair.neighbor.afis.contains_key(name) && !back.afis.contains_key(name);
        if !lacking || others().filter(having).count() * 2 <= all {
            continue;
        }
        let text = format!(
            "{name} is configured on neither end of the session of {}; most other sessions have it",
            at(pair)
        );
        let example = others()
            .find(having)
            .and_then(|p| p.neighbor.afis[name].enabled.as_ref());
        let sign = Sign::fault(
            "bgp.family_absent",
            pair.resource(),
            FaultType::AfiNotActive,
            text,
        );
        signs.push(
            sign.cites(example.map(Cited::cite))
                .cites(pair.neighbor.state.iter().map(Cited::cite))
                .at(view.focus.now)
                .sure(Confidence::Likely),
        );
    }
}

/// A family that the other end has and this end does not list at all.
fn absent_family(view: &View<'_>, pair: &Pair<'_>, signs: &mut Vec<Sign>) {
    let Some((_, back)) = &pair.back else { return };
    if pair.neighbor.afis.is_empty() || pair.neighbor.afis.values().all(|a| a.enabled.is_none()) {
        return;
    }
    for (name, theirs) in back
        .afis
        .iter()
        .filter(|(name, a)| a.enabled.is(&true) && !pair.neighbor.afis.contains_key(*name))
    {
        let text = format!(
            "{name} is not configured on the session of {}, the other end has it on",
            at(pair)
        );
        let sign = Sign::fault(
            "bgp.family_absent",
            pair.resource(),
            FaultType::AfiNotActive,
            text,
        );
        signs.push(
            sign.cites(pair.neighbor.families.clone().map(|place| Citation {
                claim: Claim::Lacks(name.to_ascii_uppercase()),
                ..place
            }))
            .cites(theirs.enabled.iter().chain(&theirs.active).map(Cited::cite))
            .cites(pair.neighbor.state.iter().map(Cited::cite))
            .at(view.focus.now),
        );
    }
}

/// Routes come in and none passes: by a policy that rejects everything.
fn policy(view: &View<'_>, pair: &Pair<'_>, name: &str, afi: &Afi, signs: &mut Vec<Sign>) {
    let applied = afi.import_policy.as_ref();
    let rejects = applied
        .and_then(|p| pair.near.policies.get(&p.value))
        .filter(|accepts| !accepts.value);
    let received = afi.received.as_ref().filter(|r| r.value > 0);
    let none = afi.accepted.as_ref().filter(|a| a.value == 0);
    let make = |text: String| {
        Sign::fault(
            "bgp.policy_drops",
            pair.resource(),
            FaultType::ImportPolicyDropsAll,
            text,
        )
        .at(view.focus.now)
    };
    if let (Some(rejects), Some(applied)) = (rejects, applied) {
        let text = format!(
            "import policy {} on the session of {} rejects every {name} route",
            applied.value,
            at(pair)
        );
        signs.push(
            make(text)
                .cites([applied.cite(), rejects.cite()])
                .cites(received.map(Cited::cite))
                .cites(none.map(Cited::cite)),
        );
        return;
    }
    if !pair.neighbor.is_up() {
        return;
    }
    let policies_known = applied.is_some_and(|p| pair.near.policies.contains_key(&p.value));
    if let (Some(received), Some(none), false) = (received, none, policies_known) {
        let text = format!(
            "{} receives {} {name} routes and accepts none",
            at(pair),
            received.value
        );
        signs.push(
            make(text)
                .cites([received.cite(), none.cite()])
                .sure(Confidence::Likely),
        );
    }
}

/// A router with external neighbours that passes their next hop on unchanged.
fn next_hop(view: &View<'_>, pair: &Pair<'_>, name: &str, afi: &Afi, signs: &mut Vec<Sign>) {
    let Some(off) = afi.next_hop_self.as_ref().filter(|n| !n.value) else {
        return;
    };
    let own = pair.neighbor.local_as.known().or(pair.near.bgp.asn.known());
    let internal = pair.neighbor.remote_as.known() == own;
    if !internal
        || !pair.vrf.is_empty()
        || !name.starts_with("ipv4")
        || pair.near.reflects()
        || view.role(pair.near) == Some(Role::Rr)
    {
        return;
    }
    let external = pair
        .near
        .bgp
        .neighbors
        .iter()
        .any(|((vrf, _), n)| vrf.is_empty() && n.remote_as.known().is_some_and(|r| Some(r) != own));
    let elsewhere = view.sessions().iter().any(|p| {
        p.vrf.is_empty() && !p.near.reflects() && p.neighbor.afis.values().any(|a| a.next_hop_self.is(&true))
    });
    if !external || !elsewhere {
        return;
    }
    let text = format!(
        "{} passes external next hops on unchanged (no next-hop-self): the core has no route to them",
        at(pair)
    );
    let lost: Vec<_> = view
        .network
        .devices()
        .flat_map(|d| d.bgp.lost.iter())
        .take(2)
        .map(Cited::cite)
        .collect();
    let check = Check {
        instruction: format!(
            "read the BGP tables behind {}: are there paths whose next hop does not resolve?",
            at(pair)
        ),
        aspects: vec![Aspect::Forwarding],
        devices: pair
            .far
            .iter()
            .map(|f| DeviceName::from(f.name.as_str()))
            .collect(),
    };
    let unseen = lost.is_empty();
    let sign = Sign::fault(
        "bgp.next_hop",
        pair.resource(),
        FaultType::NextHopUnreachable,
        text,
    )
    .cites([off.cite()])
    .cites(lost);
    let sign = if unseen {
        sign.sure(Confidence::Likely).check(check)
    } else {
        sign
    };
    signs.push(sign.at(view.focus.now));
}
