//! What follows from what: one rule a kind of cause.

use crate::agent::model::Confidence;
use crate::diagnosis::detect::{Sign, View, names};
use crate::diagnosis::network::{DeviceFacts, End, Interface, InterfaceKind};
use crate::diagnosis::ontology::{FaultType, Resource};

use super::is_open;
use super::reach::Reachability;

/// For every sign the sign that explains it, if one does. Where several do, the widest.
pub fn all(view: &View<'_>, reach: &Reachability, signs: &[Sign]) -> Vec<Option<usize>> {
    (0..signs.len())
        .map(|effect| {
            let sign = &signs[effect];
            if sign.is_remark() || is_open(sign) {
                return None;
            }
            let mut causes: Vec<usize> = (0..signs.len())
                .filter(|cause| {
                    *cause != effect && signs[*cause].kind().is_some() && !is_open(&signs[*cause])
                })
                .filter(|cause| {
                    rank(&signs[*cause]) < rank(sign) && explains(view, reach, &signs[*cause], sign)
                })
                .collect();
            causes.sort_by_key(|cause| (rank(&signs[*cause]), *cause));
            causes.first().copied()
        })
        .collect()
}

/// Causes come before what they cause: a sign is only ever explained by one of a lower rank.
fn rank(sign: &Sign) -> u8 {
    use FaultType as F;
    match sign.kind() {
        None => 10,
        Some(F::NodeDown) => 0,
        Some(F::UnexpectedReload | F::MgmtUnreachable) => 1,
        Some(F::LinkAdminDown) => 2,
        Some(F::LinkFlap) => 3,
        Some(F::LagMemberDown) => 4,
        Some(F::LinkDown | F::SrDisabled) => 5,
        Some(F::MtuMismatch | F::SrgbMismatch | F::VrfWrongInterface) => 6,
        Some(F::SrgbAllocPending | F::RdDuplicate) => 6,
        Some(F::PeCeBgpDown | F::BgpFlapHoldtimer | F::NextHopUnreachable) => 9,
        Some(_) if sign.sure == Confidence::Inconclusive => 9,
        Some(F::SidOutOfSrgb | F::PrefixSidMissing | F::MplsDisabledInterface) => 8,
        Some(_) => 7,
    }
}

fn explains(view: &View<'_>, reach: &Reachability, cause: &Sign, effect: &Sign) -> bool {
    use FaultType as F;
    let Some(fault) = cause.kind() else { return false };
    if cause.past && !effect.past && fault != F::LinkFlap && fault != F::BgpFlapHoldtimer {
        // What is over explains what happened then, not what is missing now.
        return false;
    }
    match fault {
        F::NodeDown => follows_death(effect) && touches(view, effect, cause.resource.device()),
        F::MgmtUnreachable => effect.detector == "device.silent" && effect.resource == cause.resource,
        F::UnexpectedReload => unsettled(view, cause, effect),
        F::LinkAdminDown | F::LinkDown | F::LinkFlap | F::LagMemberDown => link(view, reach, cause, effect),
        F::MtuMismatch | F::IsisAuthMismatch | F::IsisLevelMismatch | F::IsisPassiveInterface => {
            adjacency(view, cause, effect) || cut_off(view, reach, effect)
        }
        F::IsisDuplicateSystemId => {
            // Two routers write over each other's link state: paths across the core break anywhere.
            effect.detector == "isis.adjacency_missing" && touches(view, effect, cause.resource.device())
                || is_session(effect) && is_internal(view, effect)
        }
        F::LoopbackNotAdvertised => is_session(effect) && touches(view, effect, cause.resource.device()),
        F::IsisOverloadStuck => cut_off(view, reach, effect),
        F::SrDisabled => {
            cause.resource.device() == effect.resource.device()
                && matches!(
                    effect.fault,
                    Some(F::PrefixSidMissing | F::SrgbMismatch | F::SidOutOfSrgb | F::SrgbAllocPending)
                )
        }
        F::SrgbMismatch => effect.resource == cause.resource && effect.fault == Some(F::SidOutOfSrgb),
        F::VrfWrongInterface => {
            is_session(effect) && over(view, &ends(&cause.resource), effect)
                || adjacency(view, cause, effect)
                || cut_off(view, reach, effect)
        }
        F::BgpRemoteAsWrong
        | F::BgpAuthMismatch
        | F::BgpAdminShutdown
        | F::BgpMaxPrefix
        | F::BgpFlapHoldtimer
        | F::PeCeBgpDown
        | F::AfiNotActive => is_session(effect) && same_session(view, &cause.resource, &effect.resource),
        _ => false,
    }
}

/// What a dead router brings about around it. A setting that is wrong stays wrong.
fn follows_death(effect: &Sign) -> bool {
    use FaultType as F;
    matches!(
        effect.fault,
        None | Some(
            F::LinkDown
                | F::LinkFlap
                | F::LagMemberDown
                | F::PeCeBgpDown
                | F::BgpFlapHoldtimer
                | F::MgmtUnreachable
                | F::UnexpectedReload
        )
    )
}

fn is_session(sign: &Sign) -> bool {
    matches!(sign.resource, Resource::Session(..))
        && (sign.fault.is_none()
            || matches!(
                sign.fault,
                Some(FaultType::PeCeBgpDown | FaultType::BgpFlapHoldtimer | FaultType::AfiNotActive)
            ))
}

/// A session between two routers of ours.
fn is_internal(view: &View<'_>, sign: &Sign) -> bool {
    matches!(&sign.resource, Resource::Session(_, address) if peer(view, address).is_some())
}

fn ends(resource: &Resource) -> Vec<End> {
    match resource {
        Resource::Interface(device, interface) => vec![(device.clone(), interface.clone())],
        Resource::Link(a, b) => vec![a.clone(), b.clone()],
        _ => Vec::new(),
    }
}

/// Ends with their opposites.
fn both_ends(view: &View<'_>, resource: &Resource) -> Vec<End> {
    let mut all = ends(resource);
    for end in ends(resource) {
        all.extend(view.links.far(&end.0, &end.1).cloned());
    }
    all.sort();
    all.dedup();
    all
}

fn peer<'a>(view: &View<'a>, address: &str) -> Option<&'a DeviceFacts> {
    view.owner(address)
}

/// The sign is about the device, a link to it or a session with it.
fn touches(view: &View<'_>, sign: &Sign, device: &str) -> bool {
    if sign.resource.devices().contains(&device)
        || both_ends(view, &sign.resource).iter().any(|e| e.0 == device)
    {
        return true;
    }
    match &sign.resource {
        Resource::Interface(..) | Resource::Link(..) => {
            ends(&sign.resource).iter().any(|e| view.faces(e, device))
        }
        Resource::Session(near, address) => {
            peer(view, address).is_some_and(|d| d.name == device) || {
                let neighbor = view.network.device(near).and_then(|d| d.bgp.neighbor(address));
                neighbor
                    .and_then(|n| n.description.as_ref())
                    .is_some_and(|d| names(&d.value, device))
            }
        }
        _ => false,
    }
}

/// Links and sessions of a device change around its reload.
fn unsettled(view: &View<'_>, reload: &Sign, effect: &Sign) -> bool {
    let settle = view.expect.thresholds.reload.settle_s * 1000;
    let moving = matches!(
        effect.fault,
        Some(
            FaultType::LinkFlap
                | FaultType::LinkDown
                | FaultType::LagMemberDown
                | FaultType::BgpFlapHoldtimer
                | FaultType::PeCeBgpDown
        )
    ) || effect.detector == "bgp.went_down";
    moving
        && effect.past
        && effect.at.since_ms(reload.at).abs() <= settle
        && touches(view, effect, reload.resource.device())
}

fn link(view: &View<'_>, reach: &Reachability, cause: &Sign, effect: &Sign) -> bool {
    let mine = both_ends(view, &cause.resource);
    let about = |sign: &Sign| both_ends(view, &sign.resource).iter().any(|e| mine.contains(e));
    let down = matches!(effect.fault, Some(FaultType::LinkDown | FaultType::LagMemberDown))
        || effect.detector.starts_with("interface.");
    if down && about(effect) {
        return true;
    }
    if is_loopback(&cause.resource) {
        return is_session(effect) && touches(view, effect, cause.resource.device());
    }
    if cause.past && cause.fault != Some(FaultType::LinkFlap) {
        return effect.past && is_session(effect) && over(view, &mine, effect);
    }
    if cause.fault == Some(FaultType::LinkFlap) && effect.past && is_session(effect) {
        let near = effect.at.since_ms(cause.at).abs() <= 300_000;
        return over(view, &mine, effect) || near && mine.iter().any(|e| touches(view, effect, &e.0));
    }
    if cause.past {
        return false;
    }
    let bundle: Vec<End> = mine
        .iter()
        .filter_map(|e| Some((e.0.clone(), view.interface(e)?.member_of.as_ref()?.value.clone())))
        .collect();
    if down
        && both_ends(view, &effect.resource)
            .iter()
            .any(|e| bundle.contains(e))
    {
        return true;
    }
    adjacency(view, cause, effect)
        || is_session(effect) && over(view, &mine, effect)
        || cut_off(view, reach, effect)
}

fn is_loopback(resource: &Resource) -> bool {
    matches!(resource, Resource::Interface(_, name) if InterfaceKind::of(name) == InterfaceKind::Loopback)
}

/// The adjacency that is missing is on that link, or on a link of that node.
fn adjacency(view: &View<'_>, cause: &Sign, effect: &Sign) -> bool {
    if effect.detector != "isis.adjacency_missing" {
        return false;
    }
    let theirs = both_ends(view, &effect.resource);
    match &cause.resource {
        Resource::Node(name) => theirs.iter().any(|e| e.0 == *name),
        other => both_ends(view, other).iter().any(|e| theirs.contains(e)),
    }
}

/// The session runs over one of these interfaces: the neighbour's address lies in its subnet.
fn over(view: &View<'_>, ends: &[End], effect: &Sign) -> bool {
    let Resource::Session(near, address) = &effect.resource else {
        return false;
    };
    let Ok(ip) = address.parse() else { return false };
    let direct = |i: &Interface| i.addresses.iter().any(|a| a.value.reaches(ip));
    ends.iter()
        .any(|e| e.0 == *near && view.interface(e).is_some_and(direct))
}

/// The two ends of the session no longer reach one another through the core.
fn cut_off(view: &View<'_>, reach: &Reachability, effect: &Sign) -> bool {
    let Resource::Session(near, address) = &effect.resource else {
        return false;
    };
    if effect.detector != "bgp.session_down" {
        return false;
    }
    match (view.network.device(near), peer(view, address)) {
        (Some(near), Some(far)) => !reach.joined(near, far),
        _ => false,
    }
}

fn same_session(view: &View<'_>, a: &Resource, b: &Resource) -> bool {
    let (Resource::Session(near, address), Resource::Session(other, back)) = (a, b) else {
        return false;
    };
    let is = |name: &str, address: &str| peer(view, address).is_some_and(|d| d.name == name);
    a == b || near != other && is(other, address) && is(near, back)
}
