//! Fault ontology, detectors, correlation and verdict: from tool results to a cited cause. Pure.

pub mod ontology;

use crate::agent::model::{
    Confidence, Device, DeviceName, Entities, Evidence, Finding, Hypothesis, Timestamp, Unobserved, Verdict,
    Window,
};

/// What the diagnosis concentrates on.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Focus {
    /// The devices asked about.
    pub targets: Vec<DeviceName>,
    /// The inventory.
    pub devices: Vec<Device>,
    /// Names in the query.
    pub entities: Entities,
    /// The stretch of time asked about.
    pub window: Option<Window>,
    /// The human asked for a change.
    pub wants_change: bool,
    /// Now.
    pub now: Timestamp,
}

/// The observed network.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Network {}

impl Network {
    /// Takes in what the evidence says.
    pub fn learn(&mut self, _evidence: &Evidence) {}
}

/// What detectors see: in one result, or (with `None`) across all of them.
pub fn examine(_network: &Network, _evidence: Option<&Evidence>, _focus: &Focus) -> Vec<Finding> {
    Vec::new()
}

/// Possible causes, best first.
pub fn rank(_network: &Network, _findings: &[Finding], _focus: &Focus) -> Vec<Hypothesis> {
    Vec::new()
}

/// The answer.
pub fn verdict(
    _network: &Network,
    findings: &[Finding],
    _hypotheses: &[Hypothesis],
    unobserved: &[Unobserved],
    _focus: &Focus,
) -> Verdict {
    Verdict {
        anomaly: !findings.is_empty(),
        confidence: Confidence::Inconclusive,
        causes: Vec::new(),
        ruled_out: Vec::new(),
        unobserved: unobserved.to_vec(),
        remarks: Vec::new(),
        would_change: Vec::new(),
    }
}
