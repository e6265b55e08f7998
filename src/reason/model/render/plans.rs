//! Plans: the one that runs with what came of it, the draft to judge, those that were refused, one step.

use std::fmt::Write as _;

use super::{
    super::quote::{clipped, quoted, shortened},
    asked::names,
};
use crate::agent::{
    model::{DeviceName, Draft, LaneId, Scope, Step, StepId, StepKind},
    state::State,
};

/// The current plan with what came of its steps.
pub(in crate::reason::model) fn plan(state: &State) -> String {
    let Some(plan) = state.planning.current() else {
        return String::new();
    };
    let mut text = format!("## Plan version {} ({})", plan.version, plan.strategy);
    for step in &plan.steps {
        let status = if state.step_ended(step) { "done" } else { "open" };
        let _ = write!(text, "\n{} [{status}] {}", step.id, step.title);
        for lane in state.lanes_of(step) {
            let Some(run) = state.run(lane, step.id) else {
                continue;
            };
            let device = state.lane_device(lane).map_or("network", DeviceName::as_str);
            if let Some(summary) = &run.summary {
                let _ = write!(text, "\n  {device}: {}", shortened(summary, 160));
            }
        }
    }
    text
}

/// A draft in full, for the critic.
pub(in crate::reason::model) fn draft(draft: &Draft) -> String {
    let mut text = format!(
        "## The plan to judge ({})\nObjective: {}\n{}",
        draft.strategy, draft.objective, draft.rationale
    );
    for (n, step) in draft.steps.iter().enumerate() {
        let _ = write!(
            text,
            "\n{}. {} {}: {}",
            n + 1,
            scope(&step.scope),
            step.title,
            clipped(&step.instruction, 320)
        );
        if let StepKind::Code { source } = &step.kind {
            let _ = write!(text, "\n{}", quoted("script", source, 2_000));
        }
    }
    text
}

fn scope(scope: &Scope) -> String {
    match scope {
        Scope::Targets => "[each target]".into(),
        Scope::Devices(devices) => format!("[{}]", names(devices)),
        Scope::Network => "[network]".into(),
    }
}

/// Earlier drafts of this version and why they failed; and why a revision is wanted.
pub(in crate::reason::model) fn earlier_drafts(state: &State, draft: u32) -> String {
    let mut text = String::new();
    if let Some(reason) = &state.planning.revision {
        let _ = write!(text, "## A revision is wanted\n{}", clipped(reason, 1_000));
        let feedback = state
            .judgement
            .assessments
            .last()
            .map(|a| a.reasoning.as_str())
            .unwrap_or_default();
        if !feedback.is_empty() {
            let _ = write!(text, "\nThe assessor said: {}", clipped(feedback, 600));
        }
    }
    let until = usize::try_from(draft).unwrap_or(usize::MAX);
    let drafts = state
        .planning
        .drafts
        .iter()
        .enumerate()
        .take(until)
        .skip(state.planning.first_of_version);
    for (n, record) in drafts {
        let (Some(draft), Some(critique)) = (&record.draft, &record.critique) else {
            continue;
        };
        let titles: Vec<&str> = draft.steps.iter().map(|s| s.title.as_str()).collect();
        let _ = write!(
            text,
            "\n## Draft {} was refused by the critic\nIts steps: {}",
            n + 1,
            titles.join("; ")
        );
        for missing in &critique.missing {
            let _ = write!(text, "\nMissing: {}", clipped(missing, 300));
        }
        for flag in &critique.risk_flags {
            let _ = write!(text, "\nRisk: {}", clipped(&flag.risk, 300));
        }
    }
    text.trim_start().to_owned()
}

/// A step and the lane it runs on, for the executor.
pub(in crate::reason::model) fn step(state: &State, lane: LaneId, step: &Step) -> String {
    let place = match state.lane_device(lane) {
        Some(device) => format!("on {device}"),
        None => "on the network as a whole".into(),
    };
    format!(
        "## The step, {place}\n{} {}\n{}",
        step.id,
        step.title,
        clipped(&step.instruction, 1_500)
    )
}

/// The title of a step, for a heading.
pub(in crate::reason::model) fn step_line(state: &State, id: StepId) -> String {
    match state.planning.step(id) {
        Some(step) => format!(
            "## The step that ended\n{} {}: {}",
            step.id,
            step.title,
            shortened(&step.instruction, 300)
        ),
        None => String::new(),
    }
}
