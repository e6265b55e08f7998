//! BGP sessions that are down: the symptom, and what on either end explains it.

use super::logs::{in_window, session_down};
use super::{Pair, Sign, View};
use crate::agent::model::{Aspect, Check, Citation, Confidence, DeviceName, Timestamp};
use crate::diagnosis::cited::{Cited, Known};
use crate::diagnosis::expect::says;
use crate::diagnosis::network::{DeviceFacts, Neighbor};
use crate::diagnosis::ontology::{FaultType, Resource};

pub fn detect(view: &View<'_>, signs: &mut Vec<Sign>) {
    for pair in view.sessions() {
        if pair.neighbor.is_shut() {
            shut(view, pair, signs);
        }
        if !pair.neighbor.is_down() {
            continue;
        }
        let told = signs.len();
        signs.push(symptom(view, pair));
        if pair.neighbor.is_shut() || pair.back.as_ref().is_some_and(|(_, n)| n.is_shut()) {
            continue;
        }
        let found = no_family(view, pair)
            .or_else(|| remote_as(view, pair))
            .or_else(|| max_prefix(view, pair))
            .or_else(|| password(view, pair));
        match found {
            Some(sign) => signs.push(sign),
            None if pair.far.is_none() && is_external(pair) => signs.push(customer(view, pair)),
            None => {}
        }
        debug_assert!(signs.len() > told);
    }
}

fn is_external(pair: &Pair<'_>) -> bool {
    let local = pair.neighbor.local_as.known().or(pair.near.bgp.asn.known());
    !pair.vrf.is_empty()
        || pair
            .neighbor
            .remote_as
            .known()
            .is_some_and(|remote| Some(remote) != local)
}

fn place(pair: &Pair<'_>) -> String {
    match pair.vrf {
        "" => format!("{} to {}", pair.near.name, pair.address),
        vrf => format!("{} to {} in {vrf}", pair.near.name, pair.address),
    }
}

fn state(neighbor: &Neighbor) -> Vec<Citation> {
    let down = neighbor.state.iter().flat_map(|s| [s.cite()]);
    down.collect()
}

fn symptom(view: &View<'_>, pair: &Pair<'_>) -> Sign {
    let word = pair.neighbor.state.known().map_or("down", String::as_str);
    let text = format!("the BGP session of {} is {word}", place(pair));
    let not_up = pair.neighbor.state.as_ref().map(|s| match &s.citation.claim {
        crate::agent::model::Claim::Contains(_) => s.cite(),
        _ => s.differs("ESTABLISHED"),
    });
    let sign = Sign::symptom("bgp.session_down", pair.resource(), text).cites(not_up);
    sign.cites(pair.neighbor.reasons.iter().map(Cited::cite).take(2))
        .at(view.focus.now)
}

fn shut(view: &View<'_>, pair: &Pair<'_>, signs: &mut Vec<Sign>) {
    let description = pair.neighbor.description.as_ref();
    let evidence: Vec<Citation> = pair
        .neighbor
        .enabled
        .iter()
        .map(Cited::cite)
        .chain(state(pair.neighbor))
        .collect();
    if let Some(planned) = description.filter(|d| view.is_planned(&d.value)) {
        let text = format!(
            "the session of {} is shut, and its description says so: \"{}\"",
            place(pair),
            planned.value
        );
        signs.push(
            Sign::planned(
                "bgp.planned_shut",
                pair.resource(),
                FaultType::BgpAdminShutdown,
                text,
            )
            .cites(evidence)
            .cites([planned.cite()]),
        );
        return;
    }
    let text = format!("the BGP session of {} is shut down by configuration", place(pair));
    let sign = Sign::fault("bgp.shut", pair.resource(), FaultType::BgpAdminShutdown, text);
    signs.push(sign.cites(evidence).at(view.focus.now));
}

/// No address family at all is configured, where other neighbours of the router have some.
fn no_family(view: &View<'_>, pair: &Pair<'_>) -> Option<Sign> {
    let others = pair.near.bgp.neighbors.values();
    let example = others
        .flat_map(|n| n.afis.values())
        .find_map(|a| a.enabled.as_ref())?;
    if !pair.neighbor.afis.is_empty() || pair.neighbor.enabled.is_none() {
        return None;
    }
    let text = format!("the BGP session of {} has no address family", place(pair));
    let sign = Sign::fault("bgp.no_family", pair.resource(), FaultType::AfiNotActive, text);
    Some(
        sign.cites(state(pair.neighbor))
            .cites(pair.neighbor.reasons.iter().map(Cited::cite).take(2))
            .cites([example.cite()])
            .at(view.focus.now),
    )
}

fn remote_as(view: &View<'_>, pair: &Pair<'_>) -> Option<Sign> {
    let wanted = pair.neighbor.remote_as.as_ref()?;
    let text = |actual: &str| format!("{} expects AS {}, {actual}", place(pair), wanted.value);
    let make = |text: String| {
        Sign::fault(
            "bgp.remote_as",
            pair.resource(),
            FaultType::BgpRemoteAsWrong,
            text,
        )
        .at(view.focus.now)
    };
    if let Some(far) = pair.far {
        let local = pair
            .back
            .as_ref()
            .and_then(|(_, n)| n.local_as.as_ref())
            .or(far.bgp.asn.as_ref());
        if let Some(actual) = local {
            return (actual.value != wanted.value).then(|| {
                make(text(&format!("but {} is in AS {}", far.name, actual.value)))
                    .cites([wanted.cite(), actual.cite()])
                    .cites(state(pair.neighbor))
            });
        }
    }
    let group = pair.neighbor.group.known();
    let siblings = pair.near.bgp.neighbors.iter().filter(|((vrf, address), n)| {
        vrf == pair.vrf && address != pair.address && group.is_some() && n.group.known() == group
    });
    let others: Vec<&Cited<u64>> = siblings.filter_map(|(_, n)| n.remote_as.as_ref()).collect();
    if let Some(usual) = View::norm(
        others
            .iter()
            .map(|o| o.value)
            .chain(others.iter().map(|o| o.value)),
    )
    .filter(|u| *u != wanted.value)
    {
        let shown = others.iter().find(|o| o.value == usual).map(|o| o.cite());
        let text = text(&format!("its other neighbours of that group AS {usual}"));
        return Some(
            make(text)
                .cites([wanted.cite()])
                .cites(shown)
                .cites(state(pair.neighbor))
                .sure(Confidence::Likely),
        );
    }
    let said = reason(view, pair, &view.expect.words.wrong_as);
    (!said.is_empty()).then(|| {
        make(text("and the peer is in another one"))
            .cites([wanted.cite()])
            .cites(said)
            .cites(state(pair.neighbor))
    })
}

/// What this end says about the session that holds one of the words: reasons first, then log lines.
fn reason(view: &View<'_>, pair: &Pair<'_>, words: &[String]) -> Vec<Citation> {
    let own = pair
        .neighbor
        .reasons
        .iter()
        .filter(|r| says(&r.value, words))
        .map(Cited::cite);
    let lines = in_window(view, pair.near)
        .filter(|(_, l)| {
            mentions(&l.value.text, pair.address)
                && (says(&l.value.text, words) || says(&l.value.mnemonic, words))
        })
        .map(|(_, l)| l.cite());
    own.chain(lines.take(2)).collect()
}

/// The text names this very address, not one that begins with it.
fn mentions(text: &str, address: &str) -> bool {
    text.match_indices(address)
        .any(|(at, _)| !text[at + address.len()..].starts_with(|c: char| c.is_ascii_digit()))
}

fn max_prefix(view: &View<'_>, pair: &Pair<'_>) -> Option<Sign> {
    let words = &view.expect.words.max_prefix;
    let said = reason(view, pair, words);
    if said.is_empty() {
        return None;
    }
    // Both ends know of it; the end that has the limit, or that sent the notification, is the place.
    let limit = pair.neighbor.afis.values().find_map(|a| a.max_prefixes.as_ref());
    let theirs = pair
        .back
        .as_ref()
        .is_some_and(|(_, n)| n.afis.values().any(|a| a.max_prefixes.is_some()));
    if limit.is_none() && theirs {
        return None;
    }
    let text = format!(
        "the BGP session of {} was closed because the peer sent more prefixes than allowed",
        place(pair)
    );
    let sign = Sign::fault("bgp.max_prefix", pair.resource(), FaultType::BgpMaxPrefix, text);
    Some(
        sign.cites(said)
            .cites(limit.map(Cited::cite))
            .cites(state(pair.neighbor))
            .at(view.focus.now),
    )
}

fn password(view: &View<'_>, pair: &Pair<'_>) -> Option<Sign> {
    let words = &view.expect.words.password;
    let own = pair.neighbor.authenticated.as_ref();
    let back = pair.back.as_ref().and_then(|(_, n)| n.authenticated.as_ref());
    let make = |text: String| {
        Sign::fault("bgp.password", pair.resource(), FaultType::BgpAuthMismatch, text).at(view.focus.now)
    };
    if let (Some(x), Some(y)) = (own, back)
        && x.value != y.value
    {
        let usual = usual_password(view);
        if x.value == usual {
            return None;
        }
        let text = format!(
            "{} {} a password, the other end {}",
            place(pair),
            has(x.value),
            has(y.value)
        );
        return Some(make(text).cites([x.cite(), y.cite()]).cites(state(pair.neighbor)));
    }
    let said = reason(view, pair, words);
    let heard = pair
        .far
        .zip(pair.back.as_ref())
        .map(|(far, (address, neighbor))| {
            let other = Pair {
                near: far,
                vrf: "",
                address,
                neighbor,
                far: Some(pair.near),
                back: Some((pair.address, pair.neighbor)),
            };
            reason(view, &other, words)
        });
    let heard = heard.unwrap_or_default();
    if said.is_empty() && heard.is_empty() {
        return None;
    }
    if !blamed(view, pair) {
        return None;
    }
    let text = format!(
        "the two ends of the BGP session of {} use different passwords",
        place(pair)
    );
    Some(make(text).cites(said).cites(heard).cites(state(pair.neighbor)))
}

fn has(password: bool) -> &'static str {
    if password { "has" } else { "has not" }
}

fn usual_password(view: &View<'_>) -> bool {
    let internal = view
        .sessions()
        .iter()
        .filter(|p| p.vrf.is_empty() && p.far.is_some());
    View::norm(internal.filter_map(|p| p.neighbor.authenticated.known().copied())).unwrap_or(true)
}

/// A change was committed on the device shortly before it lost the session.
fn changed(view: &View<'_>, device: &DeviceFacts, address: &str) -> bool {
    let shows = view.expect.thresholds.commit.shows_s * 1000;
    let lost: Vec<Timestamp> = in_window(view, device)
        .filter(|(_, l)| session_down(&l.value) == Some(address))
        .map(|(at, _)| at)
        .collect();
    let words = &view.expect.words.commit;
    in_window(view, device)
        .filter(|(_, l)| says(&l.value.mnemonic, words) || says(&l.value.text, words))
        .any(|(at, _)| lost.iter().any(|down| (0..=shows).contains(&down.since_ms(at))))
}

/// Passwords are never shown. Of two ends, the one that was changed shortly before is to blame; then the one with
/// more sessions that fail like this; then the one asked about; then the one that serves fewer sessions, where a
/// slip is likelier.
pub(super) fn blamed(view: &View<'_>, pair: &Pair<'_>) -> bool {
    let Some(far) = pair.far else { return true };
    let down = |d: &DeviceFacts| {
        d.bgp
            .neighbors
            .iter()
            .filter(|((v, _), n)| v.is_empty() && n.is_down())
            .count()
    };
    let all = |d: &DeviceFacts| d.bgp.neighbors.iter().filter(|((v, _), _)| v.is_empty()).count();
    let asked = |name: &str| !view.focus.targets.is_empty() && view.focus.targets(name);
    let back = pair.back.as_ref().map_or("", |(address, _)| *address);
    let key = |d: &DeviceFacts, address: &str| {
        (
            !changed(view, d, address),
            std::cmp::Reverse(down(d)),
            !asked(&d.name),
            all(d),
            d.name.clone(),
        )
    };
    key(pair.near, pair.address) < key(far, back)
}

fn customer(view: &View<'_>, pair: &Pair<'_>) -> Sign {
    let text = format!(
        "the customer session of {} is down and nothing on this side explains it",
        place(pair)
    );
    let check = Check {
        instruction: format!(
            "read the logs of {} about {}: notifications say which side closed the session",
            pair.near.name, pair.address
        ),
        aspects: vec![Aspect::Logs],
        devices: vec![DeviceName::from(pair.near.name.as_str())],
    };
    let sign = Sign::fault(
        "bgp.customer_down",
        Resource::Session(pair.near.name.clone(), pair.address.to_owned()),
        FaultType::PeCeBgpDown,
        text,
    );
    sign.cites(symptom(view, pair).citations)
        .cites(port(pair))
        .at(view.focus.now)
        .check(check)
}

/// The state of the port the customer is behind: up, or the port would be the cause.
fn port(pair: &Pair<'_>) -> Option<Citation> {
    let ip = pair.address.parse().ok()?;
    let reaches = |i: &&crate::diagnosis::network::Interface| i.addresses.iter().any(|a| a.value.reaches(ip));
    pair.near
        .interfaces
        .values()
        .find(reaches)?
        .up
        .as_ref()
        .map(Cited::cite)
}
