//! Taking stock after a step, and judging at the end whether another look would tell anything.

use super::{Parts, planning};
use crate::agent::model::{
    Assessment, Entities, Goal, Hypothesis, Next, Perception, Standing, StepId, Timestamp,
};
use crate::agent::state::State;
use crate::diagnosis::ontology::Resource;

/// Stock after a step.
pub fn perceive(state: &State, step: StepId, now: Timestamp) -> Perception {
    let reading = state.intake.reading.as_ref();
    let title = state
        .planning
        .step(step)
        .map_or_else(String::new, |s| s.title.clone());
    let supported: Vec<&Hypothesis> = state
        .diagnosed
        .hypotheses
        .iter()
        .filter(|h| h.standing == Standing::Supported)
        .collect();
    let summary = match supported.as_slice() {
        [] => "Nothing out of order so far.".to_owned(),
        some => some
            .iter()
            .take(2)
            .map(|h| format!("{} on {}.", h.fault, h.resource))
            .collect::<Vec<_>>()
            .join(" "),
    };
    let confidence = supported
        .iter()
        .map(|h| h.confidence.probability())
        .fold(0.5, f64::max);
    let last_tool = state
        .execution
        .calls
        .values()
        .next_back()
        .map(|r| r.call.tool.clone());
    Perception {
        entities: entities(state),
        result_requirement: reading.map_or_else(String::new, |r| r.result_requirement.clone()),
        original_goal: Goal {
            achieved: false,
            reasoning: "the plan has not been walked to its end".to_owned(),
        },
        local_goal: Goal {
            achieved: true,
            reasoning: format!("\"{title}\" was looked at on every lane"),
        },
        last_tool,
        solution_summary: summary,
        confidence,
        human_input: state
            .dialogue
            .clarifications()
            .last()
            .and_then(|(_, words)| words.map(str::to_owned)),
        replan: None,
        at: now,
    }
}

/// Names that matter: those of the query, and those of supported hypotheses.
fn entities(state: &State) -> Entities {
    let mut entities = state
        .intake
        .reading
        .as_ref()
        .map(|r| r.entities.clone())
        .unwrap_or_default();
    for hypothesis in state
        .diagnosed
        .hypotheses
        .iter()
        .filter(|h| h.standing == Standing::Supported)
    {
        let add = |list: &mut Vec<String>, name: &str| {
            if list.iter().all(|n| n != name) {
                list.push(name.to_owned());
            }
        };
        for device in hypothesis.resource.devices() {
            add(&mut entities.devices, device);
        }
        match &hypothesis.resource {
            Resource::Interface(_, name) => add(&mut entities.interfaces, name),
            Resource::Session(_, peer) => add(&mut entities.peers, peer),
            Resource::Vrf(_, name) => add(&mut entities.vrfs, name),
            Resource::Node(_) | Resource::Link(..) => {}
        }
    }
    entities
}

/// The judgement at the end of a plan.
pub fn assess(state: &State, parts: Parts) -> Assessment {
    let open = planning::open(state);
    let unobserved = state.unobserved();
    let supported: Vec<&Hypothesis> = state
        .diagnosed
        .hypotheses
        .iter()
        .filter(|h| h.standing == Standing::Supported)
        .collect();
    let limitations: Vec<String> = unobserved
        .iter()
        .map(|u| format!("{}: {}", u.device, u.reason))
        .collect();
    let retry = parts.checks && !open.is_empty() && state.planning.revisions < state.options.limits.retries;
    let next = if retry {
        let names: Vec<String> = open
            .iter()
            .take(4)
            .map(|h| format!("{} on {}", h.fault, h.resource))
            .collect();
        let more = open.len().saturating_sub(4);
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        Next::Retry {
            feedback: format!("a further look separates {}{more}", names.join(", ")),
        }
    } else {
        Next::Report
    };
    let reasoning = match (supported.len(), open.len()) {
        (0, 0) => "everything asked about was looked at and nothing is out of order".to_owned(),
        (0, n) => format!("no cause yet; {n} possibilities are open"),
        (s, 0) => format!("{s} causes stand and explain what was seen"),
        (s, n) => format!("{s} causes stand; {n} possibilities are open"),
    };
    let least = supported
        .iter()
        .map(|h| h.confidence.probability())
        .fold(0.9, f64::min);
    let confidence = if unobserved.is_empty() {
        least
    } else {
        (least - 0.2).max(0.1)
    };
    Assessment {
        objective_met: !retry,
        reasoning,
        confidence,
        tool_limitations: limitations,
        notes_for_report: open
            .iter()
            .take(5)
            .map(|h| format!("open: {} on {}", h.fault, h.resource))
            .collect(),
        next,
    }
}
