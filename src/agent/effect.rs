//! What the agent wants done in the world, as data.
//!
//! An effect is its own name: the driver keeps those running that the machine lists as outstanding, and a
//! reply is matched to the effect it answers. What an effect needs beyond its name it reads from the state.

use serde::{Deserialize, Serialize};

use super::model::{
    Action, Assessment, CallId, CallOutcome, Critique, Device, Draft, Fact, Incident, KnownAnswer, LaneId,
    Passage, Perception, Prose, Reading, SessionId, StepId, ToolSpec,
};

/// Something to be done by a port.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "effect")]
pub enum Effect {
    /// List the tools.
    ListTools,
    /// Understand the query. `round` counts the clarifications that went before.
    Read {
        /// Round, from 0.
        round: u32,
    },
    /// Look for similar incidents.
    Recall,
    /// Search the corpus before this draft.
    Search {
        /// Draft, counted through the session.
        draft: u32,
    },
    /// Draft a plan.
    Plan {
        /// Draft, counted through the session.
        draft: u32,
    },
    /// Criticise a draft.
    Criticise {
        /// Draft, counted through the session.
        draft: u32,
    },
    /// Choose what to do next for a step on a lane.
    Act {
        /// Lane.
        lane: LaneId,
        /// Step.
        step: StepId,
        /// Turn within the step, from 0.
        turn: u32,
    },
    /// Run the script of a CODE step on a lane.
    Script {
        /// Lane.
        lane: LaneId,
        /// Step.
        step: StepId,
        /// Calls the script has got answers for; each new one runs it again with one answer more.
        turn: u32,
    },
    /// Make a call.
    Call {
        /// Call.
        call: CallId,
        /// Attempt, from 0.
        attempt: u32,
    },
    /// Take stock after a step.
    Perceive {
        /// Step.
        step: StepId,
    },
    /// Judge whether the objective is met.
    Assess {
        /// Attempt, from 0.
        attempt: u32,
    },
    /// Write the report.
    Write,
    /// Keep the incident for later sessions.
    Remember,
    /// Fetch the answer of an earlier session.
    Reuse {
        /// That session.
        session: SessionId,
    },
}

/// What a port brought back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "reply", content = "content")]
pub enum Reply {
    /// For [`Effect::ListTools`].
    Tools(Vec<ToolSpec>),
    /// For [`Effect::Read`].
    Reading(Box<Reading>),
    /// For [`Effect::Recall`].
    Recalled {
        /// Incidents, best first.
        incidents: Vec<Incident>,
        /// What is known and holds now.
        facts: Vec<Fact>,
    },
    /// For [`Effect::Search`].
    Passages(Vec<Passage>),
    /// For [`Effect::Plan`].
    Draft(Box<Draft>),
    /// For [`Effect::Criticise`].
    Critique(Critique),
    /// For [`Effect::Act`] and [`Effect::Script`].
    Action(Action),
    /// For [`Effect::Call`].
    Outcome(Box<CallOutcome>),
    /// For [`Effect::Perceive`].
    Perception(Box<Perception>),
    /// For [`Effect::Assess`].
    Assessment(Assessment),
    /// For [`Effect::Write`].
    Prose(Prose),
    /// For [`Effect::Remember`].
    Remembered,
    /// For [`Effect::Reuse`].
    Known(Box<KnownAnswer>),
}

/// A list of devices read from an inventory tool's answer.
///
/// Accepts the shapes that inventories come in: `{"devices": [{"name", "ip_address"|"address", "nos", "role"}]}`,
/// the same below `data`, or the bare list.
pub fn read_devices(value: &serde_json::Value) -> Option<Vec<Device>> {
    let list = ["/devices", "/data/devices", ""]
        .iter()
        .find_map(|pointer| value.pointer(pointer).and_then(serde_json::Value::as_array))?;
    let text = |row: &serde_json::Value, keys: &[&str]| {
        keys.iter()
            .find_map(|key| row.get(key).and_then(|v| v.as_str()))
            .map(str::to_owned)
    };
    let devices = list
        .iter()
        .filter_map(|row| {
            let name = text(row, &["name", "device_name", "hostname"])
                .or_else(|| row.as_str().map(str::to_owned))?;
            Some(Device {
                name: name.into(),
                address: text(row, &["ip_address", "address"]),
                nos: text(row, &["nos"]),
                role: row.get("role").and_then(|role| read_role(role.as_str()?)),
            })
        })
        .collect();
    Some(devices)
}

/// A role from the words that tools use for it.
pub fn read_role(text: &str) -> Option<super::model::Role> {
    use super::model::Role;
    match text.to_ascii_uppercase().as_str() {
        "PE" => Some(Role::Pe),
        "P" => Some(Role::P),
        "RR" => Some(Role::Rr),
        "CE" => Some(Role::Ce),
        _ => None,
    }
}
