//! Reading the query: what is asked of what, in which stretch of time, and what a good answer holds.

use super::intent::{intent, wants_change};
use super::words::words;
use super::{names, targets, window};
use crate::agent::model::{Entities, Intent, Reading, Targets, Timestamp};
use crate::agent::state::State;

/// Understands the query, with what was clarified since.
pub fn read(state: &State, now: Timestamp) -> Reading {
    let query = state.query.as_ref();
    let asked = query.map_or("", |q| q.text.as_str());
    let clarified: Vec<&str> = state
        .dialogue
        .clarifications()
        .into_iter()
        .filter_map(|(_, words)| words)
        .collect();
    let text = std::iter::once(asked)
        .chain(clarified.iter().copied())
        .collect::<Vec<_>>()
        .join(" ; ");
    let inventory: Vec<&str> = state
        .intake
        .devices
        .iter()
        .flatten()
        .map(|d| d.name.as_str())
        .collect();
    let entities = names::entities(&text, &inventory);
    let targets = if clarified.is_empty() {
        targets::targets(&text, &entities, &inventory)
    } else {
        targets::clarified(&text, &clarified, &entities, &inventory)
    };
    let intent = query
        .and_then(|q| q.runbook.clone())
        .unwrap_or_else(|| intent(&text, &entities, &targets).to_owned());
    Reading {
        objective: objective(asked, &targets),
        result_requirement: requirement(&intent, &entities),
        intent: Intent(intent),
        targets,
        window: window::window(&text, now),
        wants_change: wants_change(asked),
        entities,
        unclear: unclear(&text, &clarified),
    }
}

/// The one thing to ask when the words say nothing of a network at all.
fn unclear(text: &str, clarified: &[&str]) -> Vec<String> {
    if clarified.is_empty() && says_nothing(text) {
        vec!["What hurts, and where? Name a symptom, a device, a customer or a link.".to_owned()]
    } else {
        Vec::new()
    }
}

/// A greeting, a thank-you, a question about the program.
fn says_nothing(text: &str) -> bool {
    const IDLE: [&str; 37] = [
        "a", "and", "are", "bye", "can", "cheers", "day", "do", "evening", "fine", "good", "great", "hello",
        "help", "hey", "hi", "hola", "how", "i", "is", "me", "morning", "nice", "ok", "okay", "please",
        "test", "testing", "thank", "thanks", "there", "this", "what", "who", "yes", "you", "your",
    ];
    let lower = text.to_ascii_lowercase();
    let list = words(&lower);
    !list.is_empty() && list.iter().all(|w| IDLE.contains(w))
}

fn objective(text: &str, targets: &Targets) -> String {
    let whom = match targets {
        Targets::Names(names) => names.join(", "),
        Targets::Roles(roles) => roles
            .iter()
            .map(|r| format!("{r} routers"))
            .collect::<Vec<_>>()
            .join(", "),
        Targets::Patterns(patterns) => patterns.join(", "),
        Targets::All | Targets::Unclear => "the network".to_owned(),
    };
    let asked: String = text.trim().chars().take(200).collect();
    format!("Find out what is wrong, if anything, on {whom}: {asked}")
}

fn requirement(intent: &str, entities: &Entities) -> String {
    let subject = match intent {
        "check_bgp_neighbors" => "every BGP session with its state",
        "check_interface_status" => "every interface in use with its state and counters",
        "check_mpls_state" => "label blocks, prefix SIDs and MPLS on every core interface",
        "troubleshoot_vpn_vrf" => "the VRF's route targets, interfaces, customer sessions and routes",
        _ => "the state of interfaces, IS-IS, BGP, labels, VRFs and the system",
    };
    let names = entities
        .vrfs
        .iter()
        .chain(&entities.interfaces)
        .chain(&entities.peers)
        .cloned()
        .collect::<Vec<_>>();
    let about = if names.is_empty() {
        String::new()
    } else {
        format!(" ({})", names.join(", "))
    };
    format!(
        "{subject}{about}; the faulty resource and the kind of fault, each with evidence; or that nothing is wrong"
    )
}

#[cfg(test)]
mod tests;
