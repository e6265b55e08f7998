//! From what was seen to what is wrong: findings, hypotheses, the verdict.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Aspect, Citation, DeviceName, FindingId, HypothesisId, Statement, Timestamp};
use crate::diagnosis::ontology::{FaultType, Resource};

/// How much a finding matters by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Degraded, or wrong without effect so far.
    Warning,
    /// Service is affected.
    Critical,
}

/// Something a detector saw in the evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Its number; the machine hands it out.
    pub id: FindingId,
    /// The detector, e.g. `bgp.session_not_established`.
    pub detector: String,
    /// What it is about.
    pub resource: Resource,
    /// The fault it is a direct sign of; `None` for a mere symptom.
    #[serde(default)]
    pub fault: Option<FaultType>,
    /// Severity.
    pub severity: Severity,
    /// One plain sentence.
    pub statement: String,
    /// Evidence; never empty.
    pub citations: Vec<Citation>,
    /// When it happened, where the evidence says so; otherwise when it was read.
    pub at: Timestamp,
    /// True when it is over now and lies in the past of the asked window.
    #[serde(default)]
    pub past: bool,
}

/// How sure a statement is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Confidence {
    /// Something points there, not enough to act on. Stated probability 0.3.
    Inconclusive,
    /// Best explanation, one step short of proof. Stated probability 0.6.
    Likely,
    /// Seen directly and consistent with everything else. Stated probability 0.9.
    Confirmed,
}

impl Confidence {
    /// The probability this word stands for.
    pub fn probability(self) -> f64 {
        match self {
            Confidence::Inconclusive => 0.3,
            Confidence::Likely => 0.6,
            Confidence::Confirmed => 0.9,
        }
    }
}

impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Confidence::Inconclusive => "INCONCLUSIVE",
            Confidence::Likely => "LIKELY",
            Confidence::Confirmed => "CONFIRMED",
        })
    }
}

/// Where a hypothesis stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Possible; a check could tell.
    Open,
    /// The evidence supports it as a cause.
    Supported,
    /// True, but a consequence of another one.
    Consequence,
    /// The evidence speaks against it.
    RuledOut,
}

/// A possible cause.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hypothesis {
    /// Its number; the machine hands it out and keeps it for the same (resource, fault).
    pub id: HypothesisId,
    /// Where.
    pub resource: Resource,
    /// What.
    pub fault: FaultType,
    /// Standing.
    pub standing: Standing,
    /// Weight among its rivals, 0..1.
    pub weight: f64,
    /// How sure, if it were the verdict now.
    pub confidence: Confidence,
    /// Findings that speak for it.
    pub supports: Vec<FindingId>,
    /// Findings that it explains as consequences.
    pub explains: Vec<FindingId>,
    /// One sentence on why it stands where it stands.
    pub reasoning: String,
    /// Evidence of that sentence.
    #[serde(default)]
    pub citations: Vec<Citation>,
    /// The check that would confirm or refute it; `None` when nothing more can be read.
    #[serde(default)]
    pub check: Option<Check>,
}

/// A look that separates a hypothesis from its rivals.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// What to look at, in words.
    pub instruction: String,
    /// The parts of the device to read.
    pub aspects: Vec<Aspect>,
    /// The devices to read.
    pub devices: Vec<DeviceName>,
}

/// One cause in the verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cause {
    /// Where.
    pub resource: Resource,
    /// What.
    pub fault: FaultType,
    /// How sure.
    pub confidence: Confidence,
    /// One plain sentence.
    pub statement: String,
    /// Evidence; never empty.
    pub citations: Vec<Citation>,
    /// Findings that follow from it.
    #[serde(default)]
    pub consequences: Vec<FindingId>,
    /// The change a human would make; printed, never sent.
    #[serde(default)]
    pub suggested_change: Option<String>,
}

/// A device or part that could not be seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unobserved {
    /// Device.
    pub device: DeviceName,
    /// What is missing and why.
    pub reason: String,
}

/// The answer, typed; the prose is written from it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// True when something is wrong.
    pub anomaly: bool,
    /// How sure, as a whole.
    pub confidence: Confidence,
    /// Causes; empty when healthy or when none could be named.
    pub causes: Vec<Cause>,
    /// What was seen and could not be put down to a cause.
    #[serde(default)]
    pub unexplained: Vec<Statement>,
    /// Hypotheses that were looked at and ruled out, each with the reason.
    #[serde(default)]
    pub ruled_out: Vec<Statement>,
    /// What could not be seen.
    #[serde(default)]
    pub unobserved: Vec<Unobserved>,
    /// Remarks: planned work, old counters, instructions found in device text.
    #[serde(default)]
    pub remarks: Vec<Statement>,
    /// What would change this verdict.
    #[serde(default)]
    pub would_change: Vec<String>,
}
