//! How a query is read, and what perception says as the investigation goes on.

use serde::{Deserialize, Serialize};

use super::{DeviceName, Role, Timestamp, Window};

/// What the human wants; also the name of the runbook that serves it, where there is one.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Intent(pub String);

/// Which devices a query is about, before the inventory was asked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "by", content = "value")]
pub enum Targets {
    /// The devices named.
    Names(Vec<String>),
    /// Every device of these roles.
    Roles(Vec<Role>),
    /// Every device whose name matches one of these patterns (`xrd-*`).
    Patterns(Vec<String>),
    /// The whole network.
    All,
    /// The query does not say; a question unless the inventory has one device only.
    #[default]
    Unclear,
}

/// Names found in a query.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entities {
    /// Devices.
    #[serde(default)]
    pub devices: Vec<String>,
    /// VRFs.
    #[serde(default)]
    pub vrfs: Vec<String>,
    /// Interfaces, full names.
    #[serde(default)]
    pub interfaces: Vec<String>,
    /// Protocols: `bgp`, `isis`, `mpls`, `sr`, …
    #[serde(default)]
    pub protocols: Vec<String>,
    /// Peer addresses.
    #[serde(default)]
    pub peers: Vec<String>,
}

/// The query as it was understood.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    /// Intent.
    pub intent: Intent,
    /// One sentence: what must be found out.
    pub objective: String,
    /// What the answer must contain.
    pub result_requirement: String,
    /// Devices asked about.
    pub targets: Targets,
    /// Names in the query.
    #[serde(default)]
    pub entities: Entities,
    /// The stretch of time asked about.
    pub window: Window,
    /// The human asks for a change; only a diagnosis is offered.
    #[serde(default)]
    pub wants_change: bool,
    /// What must be asked before anything runs; at most two questions.
    #[serde(default)]
    pub unclear: Vec<String>,
}

/// Whether a goal is met, and why one thinks so.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Goal {
    /// Met.
    pub achieved: bool,
    /// Why.
    pub reasoning: String,
}

/// A snapshot of the investigation after a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Perception {
    /// Names that matter by now.
    #[serde(default)]
    pub entities: Entities,
    /// What the answer must contain.
    pub result_requirement: String,
    /// The goal of the query.
    pub original_goal: Goal,
    /// The goal of the step just done.
    pub local_goal: Goal,
    /// The last tool that was used.
    #[serde(default)]
    pub last_tool: Option<String>,
    /// What is known so far, in two sentences.
    pub solution_summary: String,
    /// 0..1.
    pub confidence: f64,
    /// What the human said last, if anything.
    #[serde(default)]
    pub human_input: Option<String>,
    /// A reason to change the plan now; `None` to go on.
    #[serde(default)]
    pub replan: Option<String>,
    /// When it was taken.
    pub at: Timestamp,
}

impl Reading {
    /// The devices named, as device names.
    pub fn named_devices(&self) -> Vec<DeviceName> {
        self.entities
            .devices
            .iter()
            .map(|name| DeviceName::from(name.as_str()))
            .collect()
    }
}
