//! Draws what goes wrong with BGP sessions: PE to reflector from either end, among reflectors, to customers and transit.

use super::breakage::{Breakage, Draw, SessionEnd, op, set};
use crate::lab::fault::Fault;
use crate::lab::network::Role;

const SPEAKERS: [Role; 2] = [Role::Pe, Role::Rr];

/// An internal session from one of its ends; the PE's end twice as often as the reflector's.
fn internal(draw: &mut Draw<'_>) -> Option<SessionEnd> {
    match draw.dice.below(7) {
        0..=3 => draw.internal(&[Role::Pe], &[Role::Rr]),
        4 | 5 => draw.internal(&[Role::Rr], &[Role::Pe]),
        _ => draw.internal(&SPEAKERS, &SPEAKERS),
    }
}

fn any(draw: &mut Draw<'_>) -> Option<SessionEnd> {
    match draw.dice.below(10) {
        0 | 1 => draw.external(false),
        2 => draw.external(true),
        _ => internal(draw),
    }
}

fn down(end: &SessionEnd) -> String {
    format!("{} state != ESTABLISHED", end.subject())
}

fn made(kind: &str, end: &SessionEnd, fault: Fault, evidence: String) -> Breakage {
    Breakage::one(kind, end.resource(), end.at(fault), evidence, end.scene())
}

pub(super) fn remote_as(draw: &mut Draw<'_>) -> Option<Breakage> {
    let end = any(draw)?;
    let began = draw.began();
    let wrong = draw.dice.pick(&[101, 200, 1_000, 64_999, 65_100, 65_535])?;
    let change = set("bgp.neighbor.remote_as", &end.device, began, wrong);
    let evidence = format!("{} remote-as == {wrong}", end.subject());
    let mut made = made("bgp_remote_as_wrong", &end, change, evidence);
    made.evidence.push(down(&end));
    Some(match draw.mended() {
        Some(when) => made.mended(when, &format!("sent to neighbor {} 2/2", end.address)),
        None => made,
    })
}

pub(super) fn password(draw: &mut Draw<'_>) -> Option<Breakage> {
    let end = any(draw)?;
    let key = draw.dice.pick(&["mistyped", "old-session-key", ""])?;
    let began = draw.began();
    let change = set("bgp.neighbor.password", &end.device, began, key);
    let evidence = down(&end);
    if end.peer.is_none() && key.is_empty() {
        return None;
    }
    let made = made("bgp_auth_mismatch", &end, change, evidence);
    Some(match draw.mended() {
        Some(when) => made.mended(when, &format!("digest from {}", end.address)),
        None => made,
    })
}

pub(super) fn shut(draw: &mut Draw<'_>) -> Option<Breakage> {
    let end = any(draw)?;
    let began = draw.began();
    let change = set("bgp.neighbor.shutdown", &end.device, began, true);
    let shut = |end: &SessionEnd| format!("{} shutdown == true", end.subject());
    let one = made("bgp_admin_shutdown", &end, change.clone(), shut(&end));
    if let Some(when) = draw.mended() {
        return Some(one.mended(when, &format!("neighbor {} Down - Admin. shutdown", end.address)));
    }
    let Some(other) = draw.other_end(&end).filter(|_| draw.dice.chance(12)) else {
        return Some(one);
    };
    let there = other.at(set("bgp.neighbor.shutdown", &other.device, began - 30, true));
    Some(one.also("bgp_admin_shutdown", other.resource(), there, shut(&other)))
}

/// A limit below what comes in, or more coming in than the limit.
pub(super) fn too_many(draw: &mut Draw<'_>) -> Option<Breakage> {
    let began = draw.began();
    let (end, fault) = match draw.dice.below(5) {
        0 | 1 => {
            let end = draw.external(false)?;
            let change = set("bgp.neighbor.max_prefix", &end.device, began, 1);
            (end, change)
        }
        2 => {
            let end = internal(draw)?;
            let change = Fault {
                afi: Some(draw.dice.pick(&["ipv4".to_owned(), "vpnv4".to_owned()])?),
                ..set("bgp.neighbor.max_prefix", &end.device, began, 1)
            };
            (end, change)
        }
        n => {
            let transit = n == 3;
            let end = draw.external(transit)?;
            let base = if transit { 1_000 } else { 100 };
            let flood = Fault {
                count: u32::try_from(draw.dice.between(base + 50, base * 6)).ok(),
                ..op("edge.prefixes", &end.device, began)
            };
            (end, flood)
        }
    };
    let mut made = made("bgp_max_prefix", &end, fault, down(&end));
    made.evidence.push(format!(
        "{} reason contains maximum number of prefixes",
        end.subject()
    ));
    Some(match draw.mended() {
        Some(when) => made.mended(when, &format!("prefixes received from {} exceeds", end.address)),
        None => made,
    })
}

/// Reflectors that don't reflect for a PE: one, or all it has.
pub(super) fn client(draw: &mut Draw<'_>) -> Option<Breakage> {
    let end = draw.internal(&[Role::Rr], &[Role::Pe])?;
    let began = draw.began();
    let family = draw
        .dice
        .pick(&[None, None, Some("vpnv4".to_owned()), Some("ipv4".to_owned())])?;
    let shown = family.clone().unwrap_or_else(|| "vpnv4".to_owned());
    let change = |device: &str| Fault {
        afi: family.clone(),
        ..set("bgp.neighbor.rr_client", device, began, false)
    };
    let flag = |end: &SessionEnd| format!("{} afi {shown} rr-client == false", end.subject());
    let one = made("rr_client_flag_missing", &end, change(&end.device), flag(&end));
    if !draw.dice.chance(20) {
        return Some(one);
    }
    let other = draw.internal(&[Role::Rr], &[Role::Pe])?;
    let there = other.at(change(&other.device));
    let twice = other.device == end.device && other.address == end.address;
    (!twice).then(|| one.also("rr_client_flag_missing", other.resource(), there, flag(&other)))
}

pub(super) fn family(draw: &mut Draw<'_>) -> Option<Breakage> {
    let end = if draw.dice.chance(12) {
        draw.external(false)?
    } else {
        internal(draw)?
    };
    let families: &[&str] = match end.peer {
        Some(_) => &["vpnv4", "vpnv4", "ipv4"],
        None => &["ipv4"],
    };
    let family = draw.dice.pick(families)?;
    let began = draw.began();
    let change = Fault {
        afi: Some(family.to_owned()),
        ..set("bgp.neighbor.afi", &end.device, began, false)
    };
    let absent = |end: &SessionEnd| format!("{} afi {family} configured == false", end.subject());
    let one = made("afi_not_active", &end, change.clone(), absent(&end));
    let Some(other) = draw.other_end(&end).filter(|_| draw.dice.chance(12)) else {
        return Some(one);
    };
    let there = other.at(Fault {
        device: other.device.clone(),
        ..change
    });
    Some(one.also("afi_not_active", other.resource(), there, absent(&other)))
}

/// A policy that rejects everything, applied to a session or changed under all that use it.
pub(super) fn policy(draw: &mut Draw<'_>) -> Option<Breakage> {
    let began = draw.began();
    let end = any(draw)?;
    let family = if end.peer.is_some() && draw.dice.chance(35) {
        draw.dice
            .pick(&[Some("vpnv4".to_owned()), Some("ipv4".to_owned())])?
    } else {
        None
    };
    let shown = match (&family, &end.peer) {
        (Some(family), _) => family.clone(),
        (None, Some(_)) => "vpnv4".to_owned(),
        (None, None) => "ipv4".to_owned(),
    };
    let change = Fault {
        afi: family,
        ..set("bgp.neighbor.import_policy", &end.device, began, "DROP-ALL")
    };
    let applied = format!("{} afi {shown} import-policy == DROP-ALL", end.subject());
    let none = format!("{} afi {shown} accepted == 0", end.subject());
    let mut made = made("import_policy_drops_all", &end, change, applied);
    made.evidence.push(none);
    Some(made)
}

/// A PE with a transit peer that passes next hops on which nobody else has a route to.
pub(super) fn next_hop(draw: &mut Draw<'_>) -> Option<Breakage> {
    let transit = draw.external(true)?;
    let began = draw.began();
    let to_reflectors: Vec<String> = draw
        .config(&transit.device)?
        .bgp
        .as_ref()?
        .neighbors
        .keys()
        .filter(|a| draw.network.by_loopback(**a).is_some())
        .map(ToString::to_string)
        .collect();
    let mut ends = to_reflectors.into_iter().map(|address| SessionEnd {
        device: transit.device.clone(),
        peer: address
            .parse()
            .ok()
            .and_then(|a| draw.network.by_loopback(a))
            .map(|id| draw.network.devices[id].name.clone()),
        address,
        vrf: None,
    });
    let change = Fault {
        afi: Some("ipv4".to_owned()),
        ..set("bgp.neighbor.next_hop_self", &transit.device, began, false)
    };
    let flag = |end: &SessionEnd| format!("{} afi ipv4 next-hop-self == false", end.subject());
    let first = ends.next()?;
    let rest: Vec<SessionEnd> = ends.collect();
    let mut all = made("next_hop_unreachable", &first, change.clone(), flag(&first));
    if draw.dice.chance(60) {
        for end in rest {
            all = all.also(
                "next_hop_unreachable",
                end.resource(),
                end.at(change.clone()),
                flag(&end),
            );
        }
    }
    Some(all)
}

pub(super) fn hold_timer(draw: &mut Draw<'_>) -> Option<Breakage> {
    let end = any(draw)?;
    let count = draw.dice.between(2, 8);
    let began = draw.dice.between(count * 100 + 500, 6_800);
    let window = if draw.dice.chance(20) {
        began + 200
    } else {
        draw.dice.between(count * 90, began - 300)
    };
    let flaps = Fault {
        count: u32::try_from(count).ok(),
        window_s: Some(window),
        ..op("bgp.session_flap", &end.device, -began)
    };
    let evidence = format!("{} transitions > {}", end.subject(), count - 1);
    Some(made("bgp_flap_holdtimer", &end, flaps, evidence).over(began))
}
