//! Symptoms that nothing explains still point somewhere: a cause by elimination, said as such.

use crate::agent::model::{Aspect, Check, Confidence, DeviceName, Severity};
use crate::diagnosis::cited::Known;
use crate::diagnosis::detect::{Sign, View};
use crate::diagnosis::network::Level;
use crate::diagnosis::ontology::{FaultType, Resource};

use super::reach::Reachability;

/// For each unexplained symptom, the cause it points to.
pub fn guesses(
    view: &View<'_>,
    reach: &Reachability,
    signs: &[Sign],
    by: &[Option<usize>],
) -> Vec<(usize, Sign)> {
    let open = signs
        .iter()
        .enumerate()
        .filter(|(i, s)| s.fault.is_none() && !s.is_remark() && by[*i].is_none());
    open.filter_map(|(index, symptom)| Some((index, guess(view, reach, symptom)?)))
        .collect()
}

fn guess(view: &View<'_>, reach: &Reachability, symptom: &Sign) -> Option<Sign> {
    match symptom.detector {
        "bgp.session_down" => session(view, reach, symptom),
        "isis.adjacency_missing" => adjacency(view, symptom),
        "interface.down" => carrier(view, symptom),
        _ => None,
    }
}

fn session(view: &View<'_>, reach: &Reachability, symptom: &Sign) -> Option<Sign> {
    let Resource::Session(near, address) = &symptom.resource else {
        return None;
    };
    let pairs = view.sessions();
    let pair = pairs
        .iter()
        .find(|p| p.near.name == *near && p.address == address)?;
    // One guess for both ends.
    let resource = match (pair.far, &pair.back) {
        (Some(far), Some((back, theirs))) if theirs.is_down() => {
            let asked = |name: &str| !view.focus.targets.is_empty() && view.focus.targets(name);
            let key = |name: &str, reflects: bool| (!asked(name), reflects, name.to_owned());
            if key(near, pair.near.reflects()) <= key(&far.name, far.reflects()) {
                symptom.resource.clone()
            } else {
                Resource::Session(far.name.clone(), (*back).to_owned())
            }
        }
        _ => symptom.resource.clone(),
    };
    let both_keyed = pair.neighbor.authenticated.is(&true)
        && pair.back.as_ref().is_some_and(|(_, n)| n.authenticated.is(&true));
    let agree = pair
        .far
        .zip(pair.neighbor.remote_as.known())
        .is_some_and(|(f, asn)| f.bgp.asn.known() == Some(asn));
    let routed = pair
        .far
        .is_some_and(|f| reach.joined(pair.near, f) && f.isis.listed.is_some());
    let by_elimination = both_keyed && agree && routed;
    let (sure, how) = if by_elimination {
        (
            Confidence::Likely,
            "everything that can be read agrees on both ends; passwords can't be read, so they are what is left",
        )
    } else {
        (Confidence::Inconclusive, "nothing that was read explains it")
    };
    let devices = std::iter::once(near.as_str()).chain(pair.far.map(|f| f.name.as_str()));
    let check = Check {
        instruction: format!(
            "read the logs of both ends about the session of {near} to {address}: refused segments, notifications"
        ),
        aspects: vec![Aspect::Logs, Aspect::Bgp],
        devices: devices.map(DeviceName::from).collect(),
    };
    let text = format!("{}: {how}", symptom.statement);
    let sign = Sign::fault("bgp.unexplained", resource, FaultType::BgpAuthMismatch, text);
    Some(
        sign.cites(symptom.citations.clone())
            .at(symptom.at)
            .sure(sure)
            .check(check),
    )
}

/// Everything else that keeps two ends apart was read and agrees: what is left is the key, which is never shown.
fn only_the_key_is_left(view: &View<'_>, a: &(String, String), b: &(String, String)) -> bool {
    let read = |end: &(String, String)| {
        let interface = view.interface(end)?;
        let isis = &view.network.device(&end.0)?.isis;
        let circuit = isis.interfaces.get(&end.1)?;
        let keyed = circuit.authenticated.is(&true) || isis.authenticated.is(&true);
        let active = circuit.passive.is(&false) && !circuit.enabled.is(&false);
        let fits = interface.is_up() && active && keyed;
        fits.then(|| Some((*interface.mtu.known()?, isis.level_on(&end.1)?, isis.area()?)))?
    };
    match (read(a), read(b)) {
        (Some((mtu, level, area)), Some((other, theirs, beyond))) => {
            mtu == other && level.shares(theirs) && (level != Level::L1 || area == beyond)
        }
        _ => false,
    }
}

fn adjacency(view: &View<'_>, symptom: &Sign) -> Option<Sign> {
    let Resource::Link(a, b) = &symptom.resource else {
        return None;
    };

    let check = Check {
        instruction: format!(
            "compare {} {} and {} {}: MTU, levels, authentication, and what their logs say",
            a.0, a.1, b.0, b.1
        ),
        aspects: vec![Aspect::Isis, Aspect::Interfaces, Aspect::Logs],
        devices: vec![DeviceName::from(a.0.as_str()), DeviceName::from(b.0.as_str())],
    };
    let (sure, how) = if only_the_key_is_left(view, a, b) {
        (
            Confidence::Likely,
            "everything that can be read agrees on both ends; keys can't be read, so they are what is left",
        )
    } else {
        (
            Confidence::Inconclusive,
            "nothing that was read explains it; authentication can't be read in full",
        )
    };
    let text = format!("{}: {how}", symptom.statement);
    let sign = Sign::fault(
        "isis.unexplained",
        symptom.resource.clone(),
        FaultType::IsisAuthMismatch,
        text,
    );
    Some(
        sign.cites(symptom.citations.clone())
            .at(symptom.at)
            .sure(sure)
            .check(check),
    )
}

fn carrier(view: &View<'_>, symptom: &Sign) -> Option<Sign> {
    let Resource::Interface(device, name) = &symptom.resource else {
        return None;
    };
    let resource = match view.links.far(device, name) {
        Some(far) => Resource::link((device, name), (&far.0, &far.1)),
        None => symptom.resource.clone(),
    };
    let sign = Sign::fault(
        "interface.unexplained",
        resource,
        FaultType::LinkDown,
        symptom.statement.clone(),
    );
    Some(
        sign.cites(symptom.citations.clone())
            .at(symptom.at)
            .sure(Confidence::Likely)
            .severity(Severity::Warning),
    )
}
