//! The traits through which the agent reaches the world. Adapters implement them, tests script them.
//!
//! Every port may fail and none may panic; the driver bounds each call in time and cancels by dropping
//! the future. A request carries the whole state (shared, read-only): what a role needs of it is the
//! adapter's choice.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;

use super::effect::Effect;
use super::event::Recorded;
use super::model::{
    Action, Assessment, CallOutcome, Critique, Draft, Fact, Incident, KnownAnswer, LaneId, Note, Passage,
    Perception, Prose, Reading, SessionId, StepId, Timestamp, ToolCall, ToolSpec, Usage,
};
use super::state::State;

/// Why a port could not do what was asked: one or two lines, with the next step.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PortError(pub String);

/// Where a port tells what it is doing while it does it.
pub trait Reporter: Send + Sync {
    /// Text as it is written by a role (planner, critic, …). May be dropped when screens are slow.
    fn delta(&self, role: &str, text: &str);
    /// Something the session must remember: a repair, a fallback.
    fn note(&self, note: Note);
    /// What a model call cost.
    fn usage(&self, usage: Usage);
    /// Progress of a long call: fraction 0..1 where known, and a few words. May be dropped.
    fn progress(&self, fraction: Option<f64>, text: &str);
}

/// What a reasoner is given: the state, the time, and somebody to tell.
#[derive(Clone)]
pub struct Brief {
    /// The session so far.
    pub state: Arc<State>,
    /// Now.
    pub now: Timestamp,
    /// Whom to tell.
    pub reporter: Arc<dyn Reporter>,
}

/// Thinks: typed in, typed out. Neither implementation is trusted: the machine validates every answer.
#[async_trait]
pub trait Reasoner: Send + Sync {
    /// `rules`, or the model's name.
    fn name(&self) -> String;
    /// Understands the query. Answers to earlier clarifications are in the state.
    async fn read(&self, brief: Brief) -> Result<Reading, PortError>;
    /// Drafts a plan; the critiques of earlier drafts and the retry feedback are in the state.
    async fn plan(&self, brief: Brief, draft: u32) -> Result<Draft, PortError>;
    /// Judges a draft.
    async fn criticise(&self, brief: Brief, draft: u32) -> Result<Critique, PortError>;
    /// Chooses what to do next for a step on a lane.
    async fn act(&self, brief: Brief, lane: LaneId, step: StepId, turn: u32) -> Result<Action, PortError>;
    /// Takes stock after a step.
    async fn perceive(&self, brief: Brief, step: StepId) -> Result<Perception, PortError>;
    /// Judges whether the objective is met.
    async fn assess(&self, brief: Brief) -> Result<Assessment, PortError>;
    /// Writes the report from the verdict in the state.
    async fn write(&self, brief: Brief) -> Result<Prose, PortError>;
}

/// A server's question in the middle of a call (MCP elicitation).
#[derive(Debug, Clone, PartialEq)]
pub struct Elicitation {
    /// Server.
    pub server: String,
    /// Its words, neutralised.
    pub message: String,
    /// JSON Schema of the wanted answer.
    pub schema: Value,
}

/// What a toolbox may use while a call runs.
#[async_trait]
pub trait CallContext: Send + Sync {
    /// Progress of the call.
    fn progress(&self, fraction: Option<f64>, text: &str);
    /// Puts a server's question to the human; `None` when it is declined.
    async fn elicit(&self, elicitation: Elicitation) -> Option<Value>;
}

/// The tools.
#[async_trait]
pub trait Toolbox: Send + Sync {
    /// Every tool that may be offered; waits for servers that are still starting, within bounds.
    async fn list(&self) -> Result<Vec<ToolSpec>, PortError>;
    /// Makes a call. A failure is an outcome, not an error.
    async fn call(&self, call: &ToolCall, context: &dyn CallContext) -> CallOutcome;
}

/// Runs CODE steps. The script sees the tools as functions; every call it makes goes through the agent.
#[async_trait]
pub trait ScriptRunner: Send + Sync {
    /// Runs the script from its beginning with the answers its calls have got so far, until it needs the
    /// next ones ([`Action::Call`]) or ends ([`Action::Finish`], [`Action::GiveUp`]).
    async fn run(&self, brief: Brief, lane: LaneId, step: StepId) -> Result<Action, PortError>;
}

/// Searches runbooks, notes and tool descriptions.
#[async_trait]
pub trait Corpus: Send + Sync {
    /// The best passages for each of the queries, merged, best first, at most `limit`.
    async fn search(&self, queries: &[String], limit: usize) -> Result<Vec<Passage>, PortError>;
}

/// Past incidents.
#[async_trait]
pub trait Recall: Send + Sync {
    /// Incidents like this one, best first.
    async fn similar(&self, state: &State, limit: usize) -> Result<Vec<Incident>, PortError>;
    /// What the humans said is known and holds at `now`.
    async fn facts(&self, now: Timestamp) -> Result<Vec<Fact>, PortError>;
    /// The answer of an earlier session.
    async fn known(&self, session: &SessionId) -> Result<KnownAnswer, PortError>;
    /// Keeps this one.
    async fn remember(&self, session: &SessionId, state: &State) -> Result<(), PortError>;
}

/// Where events are kept.
pub trait Journal: Send + Sync {
    /// Appends, all or nothing, and returns when they are on disk.
    ///
    /// # Errors
    /// When they are not on disk, or another process appended to the session meanwhile.
    fn append(&self, session: &SessionId, events: &[Recorded]) -> Result<(), PortError>;
    /// Events after `seq`, in order.
    ///
    /// # Errors
    /// When the session can't be read.
    fn read(&self, session: &SessionId, after: u64) -> Result<Vec<Recorded>, PortError>;
}

/// The time.
pub trait Clock: Send + Sync {
    /// Now.
    fn now(&self) -> Timestamp;
}

/// Everything a session runs on.
#[derive(Clone)]
pub struct Ports {
    /// Thinks.
    pub reasoner: Arc<dyn Reasoner>,
    /// Calls tools.
    pub toolbox: Arc<dyn Toolbox>,
    /// Runs CODE steps; without one they are refused.
    pub scripts: Option<Arc<dyn ScriptRunner>>,
    /// Searches the corpus.
    pub corpus: Arc<dyn Corpus>,
    /// Remembers.
    pub recall: Arc<dyn Recall>,
    /// Keeps events.
    pub journal: Arc<dyn Journal>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
}

/// The time the effect may take before the driver gives up on it; `None`: the port bounds itself.
pub fn deadline_ms(effect: &Effect) -> Option<u64> {
    match effect {
        Effect::Recall | Effect::Search { .. } | Effect::Remember | Effect::Reuse { .. } => Some(10_000),
        Effect::Script { .. } => Some(60_000),
        Effect::ListTools => Some(60_000),
        Effect::Call { .. } => Some(300_000),
        _ => None,
    }
}
