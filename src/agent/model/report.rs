//! The end of a session: assessment, prose, outcome; and the notes and figures along the way.

use serde::{Deserialize, Serialize};

use super::Timestamp;

/// What assessment wants next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "next")]
pub enum Next {
    /// Write the report.
    Report,
    /// Plan further checks.
    Retry {
        /// What the executor must do better.
        feedback: String,
    },
}

/// Whether the objective is met.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Assessment {
    /// Met.
    pub objective_met: bool,
    /// Why one thinks so.
    pub reasoning: String,
    /// 0..1.
    pub confidence: f64,
    /// What the tools could not show.
    #[serde(default)]
    pub tool_limitations: Vec<String>,
    /// For the report's reader.
    #[serde(default)]
    pub notes_for_report: Vec<String>,
    /// What next.
    #[serde(flatten)]
    pub next: Next,
}

/// The report in words, written from the verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prose {
    /// One line: the verdict in a sentence.
    pub headline: String,
    /// Markdown; every claim carries `[E7]` marks.
    pub body: String,
}

/// How a session ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "outcome")]
pub enum Outcome {
    /// A verdict stands.
    Reported,
    /// The human stopped it; what was known is reported.
    Stopped,
    /// It could not go on.
    Failed {
        /// What happened and what to do next.
        reason: String,
    },
    /// The query was refused: unknown device, nothing asked.
    Refused {
        /// What is wrong with it and the nearest that would work.
        reason: String,
    },
}

/// Who noted something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoteSource {
    /// The machine: limits, refusals, invalid answers.
    Machine,
    /// The reasoner: repairs, fallbacks.
    Reasoner,
    /// The tools: guard, servers.
    Tools,
    /// Memory and knowledge.
    Memory,
}

/// Something worth telling that is no finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Source.
    pub source: NoteSource,
    /// Text.
    pub text: String,
    /// When.
    pub at: Timestamp,
}

/// What model calls cost; all zero with the rules reasoner.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    /// Role that called: planner, critic, executor, …
    pub role: String,
    /// Model calls.
    pub calls: u32,
    /// Tokens sent.
    pub tokens_in: u64,
    /// Of these, read from the provider's cache.
    pub tokens_cached: u64,
    /// Tokens received.
    pub tokens_out: u64,
    /// Estimated price in millionths of a US dollar.
    pub micro_usd: u64,
    /// Time spent waiting, milliseconds.
    pub millis: u64,
}
