//! The state of a session: the fold of its events, and the read model of every face.
//!
//! `apply` is the only mutation. Everything the machine needs to know is either here or derived from here,
//! so a state folded from any prefix of a journal can go on.

mod apply;
mod calls;
mod dialogue;
mod execution;
mod intake;
mod planning;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::effect::Effect;
use super::model::{
    Assessment, Evidence, EvidenceId, Finding, FindingId, Hypothesis, Note, Options, Outcome, Perception,
    Prose, Query, StepId, Timestamp, Unobserved, Usage, Verdict,
};
use crate::diagnosis::{Focus, Network};

pub use calls::{CallRecord, Fate};
pub use dialogue::{Asked, Dialogue};
pub use execution::{Execution, Lane, StepRun, Turn};
pub use intake::Intake;
pub use planning::{DraftRecord, Planning};

/// Where a session is in its life.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Understanding the query.
    #[default]
    Intake,
    /// Planner and critic at work.
    Planning,
    /// Steps run.
    Execution,
    /// Judging the result.
    Assessment,
    /// Verdict and report.
    Reporting,
    /// Over.
    Ended,
}

impl Phase {
    /// The word for it on screen.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Intake => "intake",
            Phase::Planning => "planning",
            Phase::Execution => "executing",
            Phase::Assessment => "assessing",
            Phase::Reporting => "reporting",
            Phase::Ended => "ended",
        }
    }
}

/// What is known about the network so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Diagnosed {
    /// Facts, each with its citation.
    pub network: Arc<Network>,
    /// What detectors saw.
    pub findings: Vec<Finding>,
    /// Possible causes, best first.
    pub hypotheses: Vec<Hypothesis>,
    /// Evidence that the single-result detectors have been over.
    pub examined: usize,
    /// Evidence that the comparison detectors have been over.
    pub compared: usize,
    /// Evidence that the ranking has taken into account, once it was made.
    pub ranked_evidence: Option<usize>,
    /// The highest hypothesis id handed out.
    pub last_hypothesis: u32,
    /// The verdict.
    pub verdict: Option<Verdict>,
}

/// Taking stock: after steps, and at the end.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Judgement {
    /// Snapshots, one a step, in order.
    pub perceptions: Vec<(StepId, Perception)>,
    /// Assessments, one an attempt.
    pub assessments: Vec<Assessment>,
    /// Plan versions there were when the last assessment was made.
    pub assessed_version: usize,
    /// What the tools could not do.
    pub limitations: Vec<String>,
}

/// Notes and figures along the way.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ledger {
    /// Notes.
    pub notes: Vec<Note>,
    /// What models cost, summed per role.
    pub usage: Vec<Usage>,
    /// The effect that failed and waits for the human, with the reason.
    pub failed: Option<(Effect, String)>,
    /// Who or what stopped the session, once somebody did.
    pub stopped: Option<String>,
}

/// A session.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct State {
    /// Sequence number of the last event.
    pub seq: u64,
    /// When it was opened.
    pub opened_at: Timestamp,
    /// When the last event happened.
    pub updated_at: Timestamp,
    /// Query; `None` before the session is opened.
    pub query: Option<Query>,
    /// Options.
    pub options: Options,
    /// Phase.
    pub phase: Phase,
    /// Intake: tools, devices, reading, targets.
    pub intake: Intake,
    /// Drafts, critiques and plan versions.
    pub planning: Planning,
    /// Lanes and calls.
    pub execution: Execution,
    /// Evidence, in order of its ids.
    pub evidence: Vec<Arc<Evidence>>,
    /// Facts, findings, hypotheses, verdict.
    pub diagnosed: Diagnosed,
    /// Perceptions and assessments.
    pub judgement: Judgement,
    /// Questions, answers, steering.
    pub dialogue: Dialogue,
    /// Notes and usage.
    pub ledger: Ledger,
    /// Report and outcome.
    pub ending: Ending,
}

/// How it came out.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ending {
    /// The report in words.
    pub prose: Option<Prose>,
    /// Outcome.
    pub outcome: Option<Outcome>,
}

impl State {
    /// Evidence by id.
    pub fn evidence(&self, id: EvidenceId) -> Option<&Evidence> {
        self.evidence.iter().find(|e| e.id == id).map(AsRef::as_ref)
    }

    /// Finding by id.
    pub fn finding(&self, id: FindingId) -> Option<&Finding> {
        self.diagnosed.findings.iter().find(|f| f.id == id)
    }

    /// True once nothing more will happen.
    pub fn is_ended(&self) -> bool {
        self.phase == Phase::Ended
    }

    /// Milliseconds from opening to the last event.
    pub fn elapsed_ms(&self) -> i64 {
        self.updated_at.since_ms(self.opened_at)
    }

    /// What the diagnosis concentrates on: targets, names in the query, window, known roles.
    pub fn focus(&self) -> Focus {
        Focus {
            targets: self.intake.targets.clone().unwrap_or_default(),
            devices: self.intake.devices.iter().flatten().cloned().collect(),
            entities: self
                .intake
                .reading
                .as_ref()
                .map(|r| r.entities.clone())
                .unwrap_or_default(),
            window: self.intake.reading.as_ref().map(|r| r.window),
            wants_change: self.intake.reading.as_ref().is_some_and(|r| r.wants_change),
            now: self.updated_at,
        }
    }

    /// Devices, or parts of them, that could not be seen: calls that failed for good.
    pub fn unobserved(&self) -> Vec<Unobserved> {
        let mut list: Vec<Unobserved> = Vec::new();
        for record in self.execution.calls.values() {
            for (device, reason) in record.unobserved(&self.dialogue) {
                let row = Unobserved { device, reason };
                if !list.contains(&row) {
                    list.push(row);
                }
            }
        }
        list
    }
}
