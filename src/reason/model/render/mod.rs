//! The state as each role sees it: only the fields it needs, compact, with everything foreign quoted.
//!
//! No clock times are written, so the same investigation asks the same questions and a cassette can answer
//! them. Pure text; the prompts say what to do with it. `asked`, `known`, `plans` and `sources` hold the
//! sections by subject, `offer` the tools as a provider is told of them.

mod asked;
mod known;
mod offer;
mod plans;
mod sources;

pub(super) use asked::{inventory, objective, question};
pub(super) use known::{
    call_result, evidence_list, evidence_text, findings, hypotheses, unobserved, verdict,
};
pub(super) use offer::lean_schema;
pub(super) use plans::{draft, earlier_drafts, plan, step, step_line};
pub(super) use sources::{Detail, incident, incidents, passage, passages, runbook, tools};

use crate::agent::state::State;

/// Joins what is not empty.
pub(super) fn page(sections: impl IntoIterator<Item = String>) -> String {
    let sections: Vec<String> = sections.into_iter().filter(|s| !s.trim().is_empty()).collect();
    sections.join("\n\n")
}

/// Findings and hypotheses; nothing before anything was read.
pub(super) fn known(state: &State) -> String {
    if state.evidence.is_empty() && state.diagnosed.findings.is_empty() {
        return String::new();
    }
    page([findings(state, None), hypotheses(state)])
}
