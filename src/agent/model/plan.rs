//! Plans: drafts, critiques, settled versions, steps and what the executor does for one.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{DeviceName, FindingId, HypothesisId, SessionId, StepId, Timestamp};

/// A part of a router one can look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Aspect {
    /// Interfaces: state, MTU, description, members.
    Interfaces,
    /// Interface counters over time.
    Counters,
    /// IS-IS: interfaces, adjacencies, levels, authentication.
    Isis,
    /// BGP: sessions, address families, prefixes, policies.
    Bgp,
    /// MPLS: interfaces, labels.
    Mpls,
    /// Segment routing: SRGB, prefix SIDs.
    SegmentRouting,
    /// VRFs: RD, route targets, interfaces, PE-CE sessions.
    Vrf,
    /// Forwarding tables.
    Forwarding,
    /// System: boot time, clock, resources, alarms.
    System,
    /// Logs.
    Logs,
    /// Links to neighbours.
    Topology,
    /// Role and features.
    Profile,
}

impl fmt::Display for Aspect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Aspect::Interfaces => "interfaces",
            Aspect::Counters => "counters",
            Aspect::Isis => "IS-IS",
            Aspect::Bgp => "BGP",
            Aspect::Mpls => "MPLS",
            Aspect::SegmentRouting => "segment routing",
            Aspect::Vrf => "VRFs",
            Aspect::Forwarding => "forwarding",
            Aspect::System => "system",
            Aspect::Logs => "logs",
            Aspect::Topology => "topology",
            Aspect::Profile => "profile",
        })
    }
}

/// Where a step comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "from")]
pub enum Provenance {
    /// A runbook's step (counted from 1).
    Runbook {
        /// Intent of the runbook.
        intent: String,
        /// Which of its steps.
        step: u32,
    },
    /// A passage of the corpus.
    Passage {
        /// File or capability id.
        source: String,
        /// Heading.
        heading: String,
    },
    /// A past incident.
    Incident {
        /// Session.
        session: SessionId,
    },
    /// A finding of this session.
    Finding {
        /// Finding.
        finding: FindingId,
    },
    /// A hypothesis that the step separates from its rivals.
    Hypothesis {
        /// Hypothesis.
        hypothesis: HypothesisId,
    },
    /// The critic asked for it.
    Critic {
        /// Its words.
        missing: String,
    },
    /// The human asked for it.
    Human {
        /// Their words.
        words: String,
    },
    /// The reasoner's own idea.
    Reasoner,
}

/// On what a step runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "over", content = "devices")]
pub enum Scope {
    /// Once for each target, in parallel lanes.
    Targets,
    /// Once for each of these devices, in parallel lanes.
    Devices(Vec<DeviceName>),
    /// Once, for the network as a whole.
    Network,
}

/// What kind of step it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum StepKind {
    /// A small sandboxed script that may call several tools.
    Code {
        /// Starlark source.
        source: String,
    },
    /// Plain words; the reasoner picks tools and arguments.
    Instruction,
    /// Nothing more to look at.
    Conclude,
    /// Clarification is needed from the human.
    Nop {
        /// The question.
        question: String,
    },
}

/// One step of a plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Stable across versions. A draft's own numbers do not matter: the machine numbers when it settles.
    pub id: StepId,
    /// A few words.
    pub title: String,
    /// What to look at, why, what is normal; for a junior engineer.
    pub instruction: String,
    /// Kind.
    #[serde(flatten)]
    pub kind: StepKind,
    /// On what it runs.
    pub scope: Scope,
    /// Parts of the device it is about; may be empty when a model wrote it.
    #[serde(default)]
    pub aspects: Vec<Aspect>,
    /// Where it comes from; never empty.
    pub provenance: Vec<Provenance>,
}

/// What the planner proposes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Draft {
    /// What the plan is to find out.
    pub objective: String,
    /// The runbook it builds on.
    #[serde(default)]
    pub runbook: Option<String>,
    /// `conservative` or `exploratory`, or a reasoner's own word.
    #[serde(default)]
    pub strategy: String,
    /// Steps, in order. For a revision: what is to be done from here on; steps already begun are kept by
    /// the machine, those not begun are replaced by these.
    pub steps: Vec<Step>,
    /// Why this plan.
    pub rationale: String,
}

impl Draft {
    /// The scripts in it: the number of the step, from 1, its title and the source.
    pub fn scripts(&self) -> impl Iterator<Item = (usize, &str, &str)> {
        let steps = self.steps.iter().enumerate();
        steps.filter_map(|(n, step)| match &step.kind {
            StepKind::Code { source } => Some((n + 1, step.title.as_str(), source.as_str())),
            StepKind::Instruction | StepKind::Conclude | StepKind::Nop { .. } => None,
        })
    }
}

/// Something the critic warns of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RiskFlag {
    /// What.
    pub risk: String,
    /// 0..1.
    pub confidence: f64,
}

/// What the critic says of a draft.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Critique {
    /// True: the plan may stand.
    pub pass: bool,
    /// 0..1.
    pub confidence: f64,
    /// What the plan lacks.
    #[serde(default)]
    pub missing: Vec<String>,
    /// What to search before the next draft; a few words each.
    #[serde(default)]
    pub next_search: Vec<String>,
    /// Warnings.
    #[serde(default)]
    pub risk_flags: Vec<RiskFlag>,
}

/// A plan that stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlanVersion {
    /// From 1.
    pub version: u32,
    /// Why there is this version.
    pub reason: String,
    /// What it is to find out.
    pub objective: String,
    /// Runbook.
    #[serde(default)]
    pub runbook: Option<String>,
    /// Strategy.
    #[serde(default)]
    pub strategy: String,
    /// Steps; those done before keep their ids.
    pub steps: Vec<Step>,
    /// When it was settled.
    pub at: Timestamp,
}

/// A call the reasoner proposes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    /// `server.tool`.
    pub tool: String,
    /// Arguments.
    pub arguments: Map<String, Value>,
    /// Why, in a few words.
    pub why: String,
}

/// What the executor does next for a step on a lane.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "do")]
pub enum Action {
    /// Make these calls, side by side.
    Call {
        /// Calls.
        calls: Vec<Proposal>,
    },
    /// The step is done on this lane.
    Finish {
        /// What came of it.
        summary: String,
    },
    /// The step can't be done with the tools at hand.
    GiveUp {
        /// Why; goes into the tool-limitations report.
        limitation: String,
    },
    /// Ask the human (NOP).
    Ask {
        /// Question.
        question: String,
    },
}
