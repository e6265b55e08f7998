//! What a session is opened with.

use serde::{Deserialize, Serialize};

/// The human's words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Query {
    /// The problem as typed, neutralised and capped.
    pub text: String,
    /// Devices named outside the text (`--device`); empty when the text says it all.
    #[serde(default)]
    pub devices: Vec<String>,
    /// A runbook chosen by hand (`--plan`).
    #[serde(default)]
    pub runbook: Option<String>,
}

/// Whether a human must accept the plan before it runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanApproval {
    /// A plan the critic passed runs at once.
    #[default]
    Automatic,
    /// A plan that holds a script is shown first, the script's text with it.
    Scripts,
    /// Every plan version is shown first.
    Ask,
}

/// What becomes of an answer that is already known and fresh.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FreshAnswer {
    /// It is evidence for the plan; the investigation runs all the same.
    #[default]
    Run,
    /// The human chooses.
    Ask,
    /// It is the answer.
    Use,
}

/// Bounds on one session; reaching one is said, never silent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Planner and critic rounds for one plan version.
    pub planning_loops: u32,
    /// Plan versions after the first that assessment may ask for.
    pub retries: u32,
    /// Tool calls in all.
    pub tool_calls: u32,
    /// Seconds from opening to report; open questions stop the clock.
    pub seconds: u32,
    /// Turns the executor may take within one step on one lane.
    pub turns: u32,
    /// How often a transient tool failure is tried again before the human is asked.
    pub transient_retries: u32,
    /// Clarification rounds; each has at most two questions.
    pub clarification_rounds: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            planning_loops: 3,
            retries: 2,
            tool_calls: 200,
            seconds: 600,
            turns: 8,
            transient_retries: 1,
            clarification_rounds: 3,
        }
    }
}

/// In which order results become evidence, and so get their numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceOrder {
    /// As they arrive. Sessions recorded before there was a choice.
    Arrival,
    /// As they were asked for within a turn, whichever answers first: the same session has the same numbers.
    #[default]
    Asked,
}

impl EvidenceOrder {
    fn of_old_journals() -> Self {
        EvidenceOrder::Arrival
    }
}

/// How a session behaves; recorded with it, so a resumed one behaves the same.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// Bounds.
    #[serde(default)]
    pub limits: Limits,
    /// Plan approval.
    #[serde(default)]
    pub plan_approval: PlanApproval,
    /// Name of the reasoner, for the report: `rules` or `model`.
    #[serde(default)]
    pub reasoner: String,
    /// What the tools reach: `lab S`, `lab M`, `network`; shown as context.
    #[serde(default)]
    pub context: String,
    /// Past incidents are neither searched nor remembered.
    #[serde(default)]
    pub without_memory: bool,
    /// What becomes of an answer that is already known and fresh.
    #[serde(default)]
    pub fresh_answer: FreshAnswer,
    /// How old an answer may be to be fresh, seconds.
    #[serde(default)]
    pub fresh_seconds: u32,
    /// Seed for everything that is drawn by chance.
    #[serde(default)]
    pub seed: u64,
    /// One thing is done after another, so that a recorded run and its replay number alike.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub one_at_a_time: bool,
    /// Order of evidence.
    #[serde(default = "EvidenceOrder::of_old_journals")]
    pub evidence: EvidenceOrder,
}
