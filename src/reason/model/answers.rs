//! What each role must answer: flat types with every field required, small enough for a small model.
//!
//! They are the schema the provider enforces and the type the answer is read into; turning them into the
//! agent's vocabulary, after validation, is `accept`'s work.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::agent::model::{Aspect, Role};

/// An answer of one role.
pub(super) trait Answer: serde::de::DeserializeOwned + JsonSchema + Send {
    /// The schema's name towards the provider.
    const NAME: &'static str;

    /// The schema as JSON.
    fn schema() -> serde_json::Value {
        serde_json::Value::from(schemars::schema_for!(Self))
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct ReadAnswer {
    /// One of the listed intents, or a short name of its own.
    pub intent: String,
    /// One sentence: what must be found out.
    pub objective: String,
    /// What the answer must contain.
    pub result_requirement: String,
    /// Device names exactly as the question writes them.
    pub devices: Vec<String>,
    /// Roles the question asks about, such as all PEs.
    pub roles: Vec<RoleName>,
    /// Name patterns with an asterisk, exactly as the question writes them.
    pub patterns: Vec<String>,
    /// The question is about the whole network.
    pub whole_network: bool,
    pub vrfs: Vec<String>,
    pub interfaces: Vec<String>,
    /// Lower case: bgp, isis, mpls, sr, vpn.
    pub protocols: Vec<String>,
    /// Peer addresses.
    pub peers: Vec<String>,
    /// How many minutes before now the asked stretch of time begins; 60 when nothing is said.
    pub minutes_back: u32,
    /// The question asks for a change.
    pub wants_change: bool,
    /// At most two questions to the engineer, when the question can't be understood without.
    pub unclear: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum RoleName {
    Pe,
    P,
    Rr,
    Ce,
}

impl From<RoleName> for Role {
    fn from(name: RoleName) -> Self {
        match name {
            RoleName::Pe => Self::Pe,
            RoleName::P => Self::P,
            RoleName::Rr => Self::Rr,
            RoleName::Ce => Self::Ce,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct PlanAnswer {
    /// Two or three sentences of thought before the plan.
    pub thinking: String,
    pub objective: String,
    pub strategy: Strategy,
    pub steps: Vec<StepAnswer>,
    /// Why this plan.
    pub rationale: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Strategy {
    Conservative,
    Exploratory,
}

impl Strategy {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Conservative => "conservative",
            Self::Exploratory => "exploratory",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct StepAnswer {
    /// A few words.
    pub title: String,
    /// What to look at, why, what is normal.
    pub instruction: String,
    pub kind: KindName,
    /// The script of a code step, the question of a clarify step, otherwise empty.
    pub source: String,
    pub over: Over,
    /// Only with over = devices.
    pub devices: Vec<String>,
    pub aspects: Vec<AspectName>,
    /// What the step rests on: runbook:2, passage:1, incident:1, F3, H1, critic, human, own.
    pub because: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum KindName {
    Instruction,
    Code,
    Clarify,
    Conclude,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Over {
    Targets,
    Devices,
    Network,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum AspectName {
    Interfaces,
    Counters,
    Isis,
    Bgp,
    Mpls,
    SegmentRouting,
    Vrf,
    Forwarding,
    System,
    Logs,
    Topology,
    Profile,
}

impl From<AspectName> for Aspect {
    fn from(name: AspectName) -> Self {
        match name {
            AspectName::Interfaces => Self::Interfaces,
            AspectName::Counters => Self::Counters,
            AspectName::Isis => Self::Isis,
            AspectName::Bgp => Self::Bgp,
            AspectName::Mpls => Self::Mpls,
            AspectName::SegmentRouting => Self::SegmentRouting,
            AspectName::Vrf => Self::Vrf,
            AspectName::Forwarding => Self::Forwarding,
            AspectName::System => Self::System,
            AspectName::Logs => Self::Logs,
            AspectName::Topology => Self::Topology,
            AspectName::Profile => Self::Profile,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct CritiqueAnswer {
    /// Two or three sentences of thought before the verdict.
    pub thinking: String,
    pub verdict: PassFail,
    /// 0 to 1.
    pub confidence: f64,
    /// What the plan lacks.
    pub missing: Vec<String>,
    /// At most three searches of at most three words.
    pub next_search: Vec<String>,
    pub risk_flags: Vec<RiskAnswer>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum PassFail {
    Pass,
    Fail,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct RiskAnswer {
    pub risk: String,
    /// 0 to 1.
    pub confidence: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct PerceiveAnswer {
    pub local_goal_achieved: bool,
    pub local_reasoning: String,
    pub original_goal_achieved: bool,
    pub original_reasoning: String,
    /// What is known so far, in two sentences, with citations such as [E3].
    pub summary: String,
    /// 0 to 1.
    pub confidence: f64,
    /// A reason to change the plan now, otherwise empty.
    pub replan: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct AssessAnswer {
    pub objective_met: bool,
    pub reasoning: String,
    /// 0 to 1.
    pub confidence: f64,
    pub tool_limitations: Vec<String>,
    pub notes_for_report: Vec<String>,
    pub next: NextName,
    /// With next = retry: what must be done better; otherwise empty.
    pub feedback: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum NextName {
    Report,
    Retry,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct ProseAnswer {
    /// The verdict in one line.
    pub headline: String,
    /// Markdown; every claim with its citation, such as [E3].
    pub body: String,
}

impl Answer for ReadAnswer {
    const NAME: &'static str = "reading";
}
impl Answer for PlanAnswer {
    const NAME: &'static str = "plan";
}
impl Answer for CritiqueAnswer {
    const NAME: &'static str = "critique";
}
impl Answer for PerceiveAnswer {
    const NAME: &'static str = "perception";
}
impl Answer for AssessAnswer {
    const NAME: &'static str = "assessment";
}
impl Answer for ProseAnswer {
    const NAME: &'static str = "report";
}
