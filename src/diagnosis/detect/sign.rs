//! A sign: what a detector saw, before it has a number.

use crate::agent::model::{Check, Citation, Confidence, Finding, FindingId, Severity, Timestamp};
use crate::diagnosis::ontology::{FaultType, Resource};

/// What a detector saw.
#[derive(Debug, Clone, PartialEq)]
pub struct Sign {
    /// Detector, e.g. `bgp.session_down`.
    pub detector: &'static str,
    /// What it is about.
    pub resource: Resource,
    /// The fault it is a direct sign of; `None` for a symptom or a remark.
    pub fault: Option<FaultType>,
    /// Of a remark: the fault it would be, were it not planned. It explains what follows from it all the same.
    pub planned: Option<FaultType>,
    /// Severity.
    pub severity: Severity,
    /// One plain sentence.
    pub statement: String,
    /// Evidence.
    pub citations: Vec<Citation>,
    /// When.
    pub at: Timestamp,
    /// Over now.
    pub past: bool,
    /// How sure the detector is, by itself.
    pub sure: Confidence,
    /// What would settle it.
    pub check: Option<Check>,
}

impl Sign {
    /// A direct sign of a fault.
    pub fn fault(detector: &'static str, resource: Resource, fault: FaultType, statement: String) -> Self {
        Self {
            detector,
            resource,
            fault: Some(fault),
            planned: None,
            severity: Severity::Critical,
            statement,
            citations: Vec::new(),
            at: Timestamp::default(),
            past: false,
            sure: Confidence::Confirmed,
            check: None,
        }
    }

    /// A symptom.
    pub fn symptom(detector: &'static str, resource: Resource, statement: String) -> Self {
        Self {
            fault: None,
            severity: Severity::Warning,
            sure: Confidence::Likely,
            ..Self::fault(detector, resource, FaultType::LinkDown, statement)
        }
    }

    /// Something worth telling that is no anomaly.
    pub fn remark(detector: &'static str, resource: Resource, statement: String) -> Self {
        Self {
            severity: Severity::Info,
            ..Self::symptom(detector, resource, statement)
        }
    }

    /// Work somebody announced: told, not blamed.
    pub fn planned(detector: &'static str, resource: Resource, fault: FaultType, statement: String) -> Self {
        Self {
            planned: Some(fault),
            ..Self::remark(detector, resource, statement)
        }
    }

    /// What it is a sign of, planned or not.
    pub fn kind(&self) -> Option<FaultType> {
        self.fault.or(self.planned)
    }

    /// With evidence.
    pub fn cites(mut self, citations: impl IntoIterator<Item = Citation>) -> Self {
        for citation in citations {
            if !self.citations.contains(&citation) {
                self.citations.push(citation);
            }
        }
        self
    }

    /// At a time.
    pub fn at(mut self, at: Timestamp) -> Self {
        self.at = at;
        self
    }

    /// Over, or not.
    pub fn over(mut self, past: bool) -> Self {
        self.past = past;
        self
    }

    /// As sure as this.
    pub fn sure(mut self, sure: Confidence) -> Self {
        self.sure = sure;
        self
    }

    /// As bad as this.
    pub fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// With a check that would settle it.
    pub fn check(mut self, check: Check) -> Self {
        self.check = Some(check);
        self
    }

    /// True for what is only told, never blamed.
    pub fn is_remark(&self) -> bool {
        self.fault.is_none() && self.severity == Severity::Info
    }

    /// True when it is the sign behind a finding.
    pub fn is(&self, finding: &Finding) -> bool {
        self.detector == finding.detector && self.resource == finding.resource && self.fault == finding.fault
    }

    /// As a finding; the machine hands out its number.
    pub fn finding(&self) -> Finding {
        Finding {
            id: FindingId(0),
            detector: self.detector.to_owned(),
            resource: self.resource.clone(),
            fault: self.fault,
            severity: self.severity,
            statement: self.statement.clone(),
            citations: self.citations.clone(),
            at: self.at,
            past: self.past,
        }
    }
}
