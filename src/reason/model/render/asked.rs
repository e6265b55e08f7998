//! What was asked: the question, what was said since, the objective, and the devices there are.

use std::fmt::Write as _;

use super::super::quote::clipped;
use crate::agent::{model::DeviceName, state::State};

/// Most devices that are listed.
const MAX_DEVICES: usize = 60;

/// The question, what was asked back, and what the engineer said since.
pub(in crate::reason::model) fn question(state: &State) -> String {
    let Some(query) = &state.query else {
        return String::new();
    };
    let mut text = format!("## Question of the engineer\n{}", clipped(&query.text, 4_000));
    if !query.devices.is_empty() {
        let _ = write!(text, "\nDevices named besides: {}", query.devices.join(", "));
    }
    for (asked, answer) in state.dialogue.clarifications() {
        let _ = write!(
            text,
            "\nAsked: {}\nAnswered: {}",
            clipped(asked, 300),
            answer.unwrap_or("(skipped)")
        );
    }
    for words in &state.dialogue.steering {
        let _ = write!(text, "\nThe engineer added: {}", clipped(words, 1_000));
    }
    text
}

/// Objective, requirement and the devices asked about.
pub(in crate::reason::model) fn objective(state: &State) -> String {
    let Some(reading) = &state.intake.reading else {
        return String::new();
    };
    let targets = match &state.intake.targets {
        Some(targets) => names(targets),
        None => "not resolved yet".into(),
    };
    format!(
        "## Objective\n{}\nThe answer must contain: {}\nDevices asked about: {targets}\nAsked time: the last {} minutes",
        reading.objective,
        reading.result_requirement,
        reading.window.minutes()
    )
}

pub(super) fn names(devices: &[DeviceName]) -> String {
    let shown: Vec<&str> = devices.iter().take(MAX_DEVICES).map(DeviceName::as_str).collect();
    let more = devices.len().saturating_sub(MAX_DEVICES);
    let tail = if more > 0 {
        format!(", and {more} more")
    } else {
        String::new()
    };
    format!("{}{tail}", shown.join(", "))
}

/// The inventory with roles.
pub(in crate::reason::model) fn inventory(state: &State) -> String {
    let Some(devices) = &state.intake.devices else {
        return String::new();
    };
    let rows: Vec<String> = devices
        .iter()
        .take(MAX_DEVICES)
        .map(|d| match state.intake.role(&d.name) {
            Some(role) => format!("{} ({role})", d.name),
            None => d.name.to_string(),
        })
        .collect();
    let more = devices.len().saturating_sub(MAX_DEVICES);
    let tail = if more > 0 {
        format!(", and {more} more of the same naming")
    } else {
        String::new()
    };
    format!(
        "## Inventory ({} devices)\n{}{tail}",
        devices.len(),
        rows.join(", ")
    )
}
