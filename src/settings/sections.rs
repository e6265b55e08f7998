//! The sections of the settings: plain types, one per table of `config/default.toml`.
//!
//! No defaults live here: the embedded file holds them all. The doc comments become the descriptions of
//! the JSON schema. Units are in the names: `_s` seconds, `_bytes` bytes.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::model::Model;

/// Noctui's settings.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Who thinks.
    pub reasoner: Reasoner,
    /// Limits of one investigation.
    pub agent: Agent,
    /// What happens to questions that nobody answers.
    pub human: Human,
    /// What may be called, when to ask, and how hard.
    pub tools: Tools,
    /// What is remembered.
    pub memory: Memory,
    /// The log file.
    pub log: Log,
    /// The language model.
    pub model: Model,
    /// The collector.
    pub gnmi: Gnmi,
    /// The terminal.
    pub ui: Ui,
    /// The simulated network.
    pub lab: Lab,
}

/// Who thinks.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reasoner {
    /// "rules" (offline) or "model".
    pub kind: ReasonerKind,
    /// What happens when the model fails.
    pub fallback: Fallback,
    /// Specialists who judge plans beside the critic; each is one more call a draft.
    pub specialists: Vec<String>,
}

/// Which reasoner decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReasonerKind {
    /// The offline expert.
    Rules,
    /// A language model.
    Model,
}

/// Who decides when the model cannot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Fallback {
    /// The rules take that decision.
    Rules,
    /// The human is asked.
    Ask,
}

/// Limits of one investigation.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Agent {
    /// Rounds of planner and critic.
    #[schemars(range(min = 1, max = 10))]
    pub max_loops: u32,
    /// Times an unmet objective goes back to the executor.
    #[schemars(range(max = 10))]
    pub max_retries: u32,
    /// Tool calls.
    #[schemars(range(min = 1))]
    pub max_calls: u32,
    /// Seconds.
    #[schemars(range(min = 1))]
    pub max_seconds: u64,
    /// Turns of the executor for one step on one device.
    #[schemars(range(min = 1, max = 50))]
    pub max_turns: u32,
    /// Retries of a call that failed for a passing reason.
    #[schemars(range(max = 10))]
    pub max_transient_retries: u32,
    /// Rounds of questions.
    #[schemars(range(max = 10))]
    pub max_question_rounds: u32,
    /// Whether a plan waits for approval.
    pub plan_approval: PlanApproval,
}

/// Whether a plan waits for approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PlanApproval {
    /// It runs at once.
    Never,
    /// It waits for the human when it holds a script.
    Scripts,
    /// It waits for the human.
    Ask,
}

/// What happens to questions that nobody answers.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Human {
    /// Without a terminal: "stop" or "defaults".
    pub unattended: Unattended,
    /// Seconds after which a question on the full screen takes its default answer; 0 waits for ever.
    #[schemars(range(max = 86400))]
    pub answer_timeout_s: u64,
}

/// What happens to a question without a human.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Unattended {
    /// The run ends as needs-input.
    Stop,
    /// The question's default answer is taken.
    Defaults,
}

/// What may be called, when to ask, and how hard.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tools {
    /// What may ever be called.
    pub profile: Profile,
    /// When to ask before a call.
    pub approval: Approval,
    /// Exceptions from the policy, first match wins.
    pub rules: Vec<ApprovalRule>,
    /// Seconds a server may take to start.
    #[schemars(range(min = 1))]
    pub start_timeout_s: u64,
    /// Seconds a call may take.
    #[schemars(range(min = 1))]
    pub call_timeout_s: u64,
    /// Largest result handed on whole, in bytes.
    #[schemars(range(min = 1024))]
    pub max_result_bytes: usize,
    /// Identical failures before a call is given up.
    #[schemars(range(min = 1))]
    pub max_identical_failures: u32,
    /// Seconds a read is answered from the cache; 0 turns it off.
    pub cache_ttl_s: u64,
    /// Rates and calls in flight.
    pub limits: Limits,
    /// The circuit breaker.
    pub breaker: Breaker,
}

/// What may ever be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// Only tools known to be read-only are offered.
    ReadOnly,
    /// Every tool is offered; the approval policy decides.
    All,
}

/// When to ask before a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Approval {
    /// Never.
    Never,
    /// For what is not known to be read-only.
    Changes,
    /// For every call.
    Always,
}

/// An exception from the approval policy.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApprovalRule {
    /// Server name, `*` for any part.
    pub server: String,
    /// Tool name, `*` for any part.
    pub tool: String,
    /// Pattern over the JSON text of the arguments, `*` for any part; missing means any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<String>,
    /// What to do with a call that matches.
    pub decision: Ruling,
}

/// What a rule says about a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ruling {
    /// Call without asking.
    Allow,
    /// Ask.
    Ask,
    /// Refuse.
    Deny,
}

/// Rates and calls in flight; a rate of 0 is no limit.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Calls per minute of one tool.
    pub tool_per_minute: u32,
    /// Calls per minute of one server.
    pub server_per_minute: u32,
    /// Calls per minute to one device.
    pub device_per_minute: u32,
    /// Calls per minute altogether.
    pub global_per_minute: u32,
    /// Calls that may come at once.
    #[schemars(range(min = 1))]
    pub burst: u32,
    /// Calls in flight.
    #[schemars(range(min = 1, max = 1024))]
    pub max_in_flight: usize,
    /// Calls in flight to one device.
    #[schemars(range(min = 1, max = 64))]
    pub max_in_flight_per_device: usize,
}

/// The circuit breaker.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Breaker {
    /// Failures in a row that open it.
    #[schemars(range(min = 1))]
    pub failures: u32,
    /// Seconds until one call may try again.
    #[schemars(range(min = 1))]
    pub cooldown_s: u64,
}

/// What is remembered.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Memory {
    /// Whether past incidents are recalled.
    pub enabled: bool,
    /// The database; empty means noctui.db in the data folder.
    pub database: String,
    /// Minutes for which a confirmed answer to the same question counts as fresh; 0 turns that off.
    #[schemars(range(max = 1440))]
    pub fresh_minutes: u32,
    /// What becomes of a fresh answer: "ask", "run" (look anew) or "use".
    pub fresh_answer: FreshAnswer,
}

/// What becomes of an answer that is known and fresh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FreshAnswer {
    /// The human chooses; without one it runs.
    Ask,
    /// It runs, with the answer as evidence for the plan.
    Run,
    /// The answer is used.
    Use,
}

/// The log file.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Log {
    /// Lowest level written.
    pub level: LogLevel,
    /// "text" or "json".
    pub format: LogFormat,
    /// Folder; empty means the state folder.
    pub dir: String,
    /// Daily files kept.
    #[schemars(range(min = 1, max = 365))]
    pub keep_files: usize,
}

/// Levels of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LogLevel {
    /// Failures.
    Error,
    /// And what is suspicious.
    Warn,
    /// And what happens.
    Info,
    /// And why.
    Debug,
    /// And everything.
    Trace,
}

/// Shapes of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LogFormat {
    /// A line for people.
    Text,
    /// A JSON object a line.
    Json,
}

/// The collector.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Gnmi {
    /// The inventory file; empty means inventory.json in the config folder.
    pub inventory: String,
    /// Requests in flight to one device.
    #[schemars(range(min = 1, max = 64))]
    pub max_per_device: usize,
}

/// The terminal.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ui {
    /// Name of a theme.
    pub theme: String,
    /// No animation.
    pub reduced_motion: bool,
    /// Whether the mouse is taken.
    pub mouse: bool,
    /// What rings while the terminal is not looked at.
    pub notify: Vec<Notify>,
}

/// What rings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Notify {
    /// A question waits.
    Question,
    /// A session ended.
    End,
    /// A session broke.
    Failure,
}

/// The simulated network.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lab {
    /// S, M or L.
    pub size: LabSize,
    /// The scenario to start with; empty is healthy.
    pub scenario: String,
    /// Seed of counters and log noise.
    pub seed: u64,
    /// First port of the gNMI targets; 0 takes free ones.
    pub port: u16,
}

/// Sizes of the built-in networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub enum LabSize {
    /// 8 devices.
    S,
    /// 24 devices.
    M,
    /// 96 devices.
    L,
}

/// Names and values that the file leaves open (headers, models per role).
pub type OpenTable = BTreeMap<String, String>;
