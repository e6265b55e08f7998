//! The baseline without correlation: every finding that names a fault is taken for a cause.

use crate::agent::model::{Cause, Confidence, Severity, Verdict};
use crate::agent::state::State;

/// A verdict that takes findings at their word.
pub fn verdict(state: &State) -> Option<Verdict> {
    let told = state.diagnosed.verdict.as_ref()?;
    let causes: Vec<Cause> = state
        .diagnosed
        .findings
        .iter()
        .filter(|f| f.severity != Severity::Info)
        .filter_map(|finding| {
            Some(Cause {
                resource: finding.resource.clone(),
                fault: finding.fault?,
                confidence: Confidence::Likely,
                statement: finding.statement.clone(),
                citations: finding.citations.clone(),
                consequences: Vec::new(),
                suggested_change: None,
            })
        })
        .collect();
    let anomaly = state
        .diagnosed
        .findings
        .iter()
        .any(|f| f.severity != Severity::Info);
    Some(Verdict {
        anomaly,
        causes,
        ..told.clone()
    })
}
