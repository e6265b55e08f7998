//! Scenario files: what is broken, what is asked, what the truth is.
//!
//! Parsed and checked against the network they name. Nothing of a truth is ever shown to who diagnoses.

mod builtin;
pub mod draw;
mod predicate;
mod resource;

#[cfg(test)]
mod tests;

pub use builtin::builtin;
pub use predicate::{Op, Predicate, PredicateError};
pub use resource::{FAULT_TYPES, Resource};

use serde::{Deserialize, Serialize};

use super::Lab;
use super::fault::{Fault, FaultError};
use super::network::{self, Network, NetworkError};

/// A scenario.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// e.g. `D01`, or `D01-M` for its twin in the medium network. The letter is the group.
    pub id: String,
    /// `S`, `M` or `L`.
    pub size: String,
    /// Name of a built-in network.
    pub network: String,
    /// What the engineer types.
    pub query: String,
    #[serde(rename = "fault", default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<Fault>,
    pub truth: Truth,
    #[serde(default)]
    pub human: Human,
    #[serde(default)]
    pub budget: Budget,
}

/// What a perfect verdict says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Truth {
    /// Something is wrong.
    pub anomaly: bool,
    #[serde(default)]
    pub causes: Vec<Cause>,
    /// Predicates (see [`Predicate`]) a verdict must stand on.
    #[serde(default)]
    pub required_evidence: Vec<String>,
    /// Fault types nobody may claim here.
    #[serde(default)]
    pub forbidden_claims: Vec<String>,
}

/// One root cause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cause {
    pub resource: String,
    #[serde(rename = "type")]
    pub fault_type: String,
}

/// What is expected of the scripted human.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expect {
    /// No question should be asked.
    #[default]
    None,
    /// A clarification should be asked; `answer` answers it.
    Clarify,
    /// A failed tool should be put to the human; `answer` is the choice.
    ToolFailure,
    /// An approval should be asked; `answer` is yes or no.
    Approve,
}

/// The scripted human.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Human {
    pub expect: Expect,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
}

/// What a run may spend.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    pub tool_calls: u32,
    pub seconds: u32,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            tool_calls: 40,
            seconds: 180,
        }
    }
}

/// A scenario that can't be used.
#[derive(Debug, thiserror::Error)]
pub enum ScenarioError {
    #[error("scenario file {file}: {reason}\n  see config/lab/scenarios/D01.toml for every key")]
    Parse { file: String, reason: String },
    #[error("scenario {id}: {source}")]
    Network { id: String, source: Box<NetworkError> },
    #[error("scenario {id}: {source}")]
    Fault { id: String, source: Box<FaultError> },
    #[error("scenario {id}: {what}\n  {hint}")]
    Invalid { id: String, what: String, hint: String },
}

impl Scenario {
    /// Parses a scenario and checks it: its network exists, its faults fit, its truth names things that exist.
    ///
    /// # Errors
    /// [`ScenarioError`] naming the file or scenario and what to correct.
    pub fn parse(text: &str, origin: &str) -> Result<Self, ScenarioError> {
        let scenario: Self = toml::from_str(text).map_err(|e| ScenarioError::Parse {
            file: origin.to_string(),
            reason: e.to_string().trim().replace('\n', "; "),
        })?;
        scenario.check()?;
        Ok(scenario)
    }

    /// Letter of the group, e.g. `D`.
    pub fn group(&self) -> &str {
        self.id.get(..1).unwrap_or_default()
    }

    /// A lab with the faults of the scenario. `epoch_ms` is the time `at_s` counts from: the moment the query is asked.
    ///
    /// # Errors
    /// [`ScenarioError`] when network or faults don't fit.
    pub fn lab(&self, seed: u64, epoch_ms: i64) -> Result<Lab, ScenarioError> {
        let mut lab = Lab::new(self.built()?, seed, epoch_ms);
        for fault in &self.faults {
            lab.inject(fault.clone()).map_err(|source| ScenarioError::Fault {
                id: self.id.clone(),
                source: Box::new(source),
            })?;
        }
        Ok(lab)
    }

    fn built(&self) -> Result<Network, ScenarioError> {
        network::builtin(&self.network).map_err(|source| ScenarioError::Network {
            id: self.id.clone(),
            source: Box::new(source),
        })
    }

    fn check(&self) -> Result<(), ScenarioError> {
        let network = self.built()?;
        if network.size != self.size {
            return Err(self.invalid(
                format!("size {} but {} is {}", self.size, self.network, network.size),
                "correct size or network",
            ));
        }
        for fault in &self.faults {
            let compiled = fault.compile(&network, 0);
            compiled.map_err(|source| ScenarioError::Fault {
                id: self.id.clone(),
                source: Box::new(source),
            })?;
        }
        self.check_truth(&network)
    }

    /// The truth names things that exist, and does not contradict itself.
    fn check_truth(&self, network: &Network) -> Result<(), ScenarioError> {
        let truth = &self.truth;
        for cause in &truth.causes {
            if let Err(what) = Resource::parse(&cause.resource).and_then(|r| r.check(network)) {
                return Err(self.invalid(
                    format!("truth: {what}"),
                    "write node/N, interface/N/IF, link/N:IF--N:IF, session/N--PEER or vrf/N/NAME",
                ));
            }
        }
        let types = truth.causes.iter().map(|c| &c.fault_type);
        for name in types.chain(&truth.forbidden_claims) {
            if !FAULT_TYPES.contains(&name.as_str()) {
                let what = format!("no fault type \"{name}\"");
                return Err(self.invalid(what, "see the list in docs/lab.md"));
            }
        }
        for text in &truth.required_evidence {
            let parsed = Predicate::parse(text).map_err(|e| e.to_string());
            let known = parsed.and_then(|p| {
                let id = network.id(&p.device);
                id.map(|_| ()).ok_or(format!("no device \"{}\"", p.device))
            });
            if let Err(what) = known {
                return Err(self.invalid(
                    format!("evidence \"{text}\": {what}"),
                    "write e.g. xrd-1 bgp neighbor 100.100.100.107 state != ESTABLISHED",
                ));
            }
        }
        if truth.anomaly == truth.causes.is_empty() {
            return Err(self.invalid(
                "anomaly and causes disagree".into(),
                "a healthy truth has no causes, any other has some",
            ));
        }
        Ok(())
    }

    fn invalid(&self, what: String, hint: &str) -> ScenarioError {
        ScenarioError::Invalid {
            id: self.id.clone(),
            what,
            hint: hint.into(),
        }
    }
}
