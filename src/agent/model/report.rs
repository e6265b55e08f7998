//! The end of a session: assessment, prose, outcome; and the notes and figures along the way.

use std::fmt;

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

impl Note {
    /// How a note of the reasoner ends when it left a decision to the rules.
    pub const LEFT_TO_THE_RULES: &'static str = "the rules decide this";

    /// True when the note tells that a model's decision was left to the rules.
    pub fn tells_of_fallback(&self) -> bool {
        self.source == NoteSource::Reasoner && self.text.ends_with(Self::LEFT_TO_THE_RULES)
    }
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

impl Usage {
    /// The sum of several roles, under the name `all`.
    pub fn sum(roles: &[Usage]) -> Usage {
        let mut all = Usage {
            role: "all".to_owned(),
            ..Usage::default()
        };
        roles.iter().for_each(|usage| all.add(usage));
        all
    }

    /// Adds what another call cost; the role stays.
    pub fn add(&mut self, other: &Usage) {
        self.calls += other.calls;
        self.tokens_in += other.tokens_in;
        self.tokens_cached += other.tokens_cached;
        self.tokens_out += other.tokens_out;
        self.micro_usd += other.micro_usd;
        self.millis += other.millis;
    }
}

/// `planner     2 calls    6523 tokens in (3137 cached)   240 out   12.3 s`, and the price if there is one.
impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = if self.calls == 1 { "call " } else { "calls" };
        write!(
            f,
            "{:<11} {:>3} {word} {:>7} tokens in ({} cached) {:>6} out {:>7.1} s",
            self.role,
            self.calls,
            self.tokens_in,
            self.tokens_cached,
            self.tokens_out,
            self.millis as f64 / 1000.0
        )?;
        if self.micro_usd > 0 {
            write!(f, "  ${:.4}", self.micro_usd as f64 / 1e6)?;
        }
        Ok(())
    }
}
