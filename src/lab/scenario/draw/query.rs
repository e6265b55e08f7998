//! Words for a case: what somebody on call would type. They name a place where it hurts, never the fault.

use super::breakage::{Breakage, Draw, Scene, Topic};

/// Seconds the reasoner looks back on when a query says nothing, less a margin.
const UNSAID_S: i64 = 3_300;

const LINK: &[&str] = &[
    "Traffic through {d} suffers, please find out why",
    "Users behind {d} report loss and delay",
    "Check the interfaces of {d}",
    "Something is off around {d}",
    "Which of the links of {d} is not what it should be?",
];
const ROUTING: &[&str] = &[
    "Check IS-IS on {d}",
    "Traffic near {d} takes odd paths",
    "Is {d} still connected redundantly?",
    "The IGP around {d} does not look right",
    "Latency via {d} went up since the last change",
];
const LABELS: &[&str] = &[
    "Labelled traffic via {d} is lost now and then",
    "Check MPLS and SR on {d}",
    "VPN flows that cross {d} break, plain IP works",
    "Are the label tables of {d} sound?",
];
const SESSIONS: &[&str] = &[
    "Check BGP on {d}",
    "BGP of {d} is not as it should be",
    "Routes are missing on {d}",
    "Peering trouble at {d}",
    "{d} sees fewer routes than it should, why?",
];
const CUSTOMER: &[&str] = &[
    "Customers at {d} complain",
    "A customer site behind {d} has trouble",
    "Check the VPNs on {d}",
    "Some VRF on {d} is not right, which?",
];
const ROUTER: &[&str] = &[
    "How is {d} doing?",
    "Monitoring shows {d} in red",
    "{d} behaves strangely",
    "Can you look at {d}? The night shift was not happy with it",
];
const GENERAL: &[&str] = &[
    "Anything wrong with {d}?",
    "Give me a health check of {d}",
    "Please look into {d}",
    "What is going on at {d}?",
];
const FAR: &[&str] = &[
    "{d} misses something it should get from elsewhere",
    "Not everything is reachable from {d}",
    "Users at {d} can't reach some places",
    "Check {d}, it complains about others",
];
const VRF: &[&str] = &[
    "{v} has trouble between its sites",
    "Customer {v} opened a ticket, please investigate",
    "{v}: one site is not like the others",
    "Troubleshoot VRF {v}",
];
const NETWORK: &[&str] = &[
    "Is the network all right?",
    "Something is wrong in the network, find it",
    "Give me a health check of all routers",
    "Are there any problems right now?",
    "Customers complain, nobody knows where it comes from",
];
const PAST: &[&str] = &[
    "What happened at {d}",
    "There was an outage near {d}. What was it",
    "{d} was unstable for a while, why",
    "Alarms came and went on {d}",
];
const PAST_NETWORK: &[&str] = &[
    "Was there any instability in the network",
    "Something happened in the network",
];

fn own(topic: Topic) -> &'static [&'static str] {
    match topic {
        Topic::Link => LINK,
        Topic::Routing => ROUTING,
        Topic::Labels => LABELS,
        Topic::Sessions => SESSIONS,
        Topic::Customer => CUSTOMER,
        Topic::Router => ROUTER,
    }
}

fn filled(draw: &mut Draw<'_>, forms: &[&str], mark: &str, name: &str) -> Option<String> {
    Some(draw.dice.pick(forms)?.replace(mark, name))
}

/// The words for these breakages; for none, those of somebody who only wants to be sure of `calm`.
pub(super) fn words(draw: &mut Draw<'_>, broken: &[Breakage], calm: Option<&str>) -> Option<String> {
    let over = broken.iter().filter_map(|b| b.over).max();
    if let Some(began) = over {
        return past(draw, broken, began);
    }
    match broken {
        [] => match calm.filter(|_| draw.dice.chance(65)) {
            Some(device) => filled(draw, GENERAL, "{d}", device),
            None => draw.dice.pick(NETWORK).map(str::to_owned),
        },
        [one] => single(draw, &one.scene),
        [one, rest @ ..] => {
            let last = rest.last()?;
            several(draw, &one.scene, &last.scene)
        }
    }
}

fn single(draw: &mut Draw<'_>, scene: &Scene) -> Option<String> {
    let near = draw.dice.pick(&scene.near)?;
    match draw.dice.below(20) {
        0..=7 => filled(draw, own(scene.topic), "{d}", &near),
        8..=10 => filled(draw, GENERAL, "{d}", &near),
        11..=13 => match draw.dice.pick(&scene.far) {
            Some(far) => filled(draw, FAR, "{d}", &far),
            None => filled(draw, GENERAL, "{d}", &near),
        },
        14..=16 => match &scene.vrf {
            Some(vrf) => filled(draw, VRF, "{v}", vrf),
            None => filled(draw, own(scene.topic), "{d}", &near),
        },
        _ => draw.dice.pick(NETWORK).map(str::to_owned),
    }
}

fn several(draw: &mut Draw<'_>, one: &Scene, other: &Scene) -> Option<String> {
    let (a, b) = (draw.dice.pick(&one.near)?, draw.dice.pick(&other.near)?);
    match draw.dice.below(10) {
        0..=3 if a != b => {
            let first = draw.dice.pick(&["Trouble at", "Tickets about", "Look at"])?;
            Some(format!("{first} {a} and {b}"))
        }
        0..=6 => filled(draw, own(one.topic), "{d}", &a),
        7 => filled(draw, GENERAL, "{d}", &b),
        _ => draw.dice.pick(NETWORK).map(str::to_owned),
    }
}

/// Words that look back far enough.
fn past(draw: &mut Draw<'_>, broken: &[Breakage], began_s: i64) -> Option<String> {
    let scene = &broken.iter().find(|b| b.over.is_some())?.scene;
    let near = draw.dice.pick(&scene.near)?;
    let body = if draw.dice.chance(80) {
        filled(draw, PAST, "{d}", &near)?
    } else {
        draw.dice.pick(PAST_NETWORK)?.to_owned()
    };
    let hours = began_s / 3_600 + 1;
    let when = match hours {
        1 if began_s < UNSAID_S => draw
            .dice
            .pick(&[" in the last hour?", "?", " during the past 60 minutes?"])?
            .to_owned(),
        1 => " in the last 2 hours?".to_owned(),
        n => draw.dice.pick(&[
            format!(" in the last {n} hours?"),
            format!(" during the past {} minutes?", n * 60),
        ])?,
    };
    Some(format!("{body}{when}"))
}
