//! The report in words, from the verdict and nothing else.

use std::fmt::Write as _;

use crate::agent::model::{Cause, EvidenceId, Prose, Statement, Verdict};
use crate::agent::state::State;

/// Consequences named under a cause, at most.
const CONSEQUENCES: usize = 8;

/// Writes the report.
pub fn write(state: &State) -> Prose {
    let Some(verdict) = &state.diagnosed.verdict else {
        return Prose {
            headline: "No verdict was reached.".to_owned(),
            body: String::new(),
        };
    };
    Prose {
        headline: headline(verdict),
        body: body(state, verdict),
    }
}

fn headline(verdict: &Verdict) -> String {
    match verdict.causes.as_slice() {
        [] if verdict.anomaly => "Something is wrong, but its cause could not be named.".to_owned(),
        [] if verdict.unobserved.is_empty() => "Nothing is out of order.".to_owned(),
        [] => "Nothing that could be read is out of order; parts could not be read.".to_owned(),
        [one] => format!("{}: {} on {}", one.confidence, one.fault, one.resource),
        many => {
            let names: Vec<String> = many
                .iter()
                .take(3)
                .map(|c| format!("{} on {}", c.fault, c.resource))
                .collect();
            let more = if many.len() > 3 {
                format!(" and {} more", many.len() - 3)
            } else {
                String::new()
            };
            format!("{} causes: {}{more}", many.len(), names.join("; "))
        }
    }
}

fn marks<'a>(ids: impl Iterator<Item = &'a EvidenceId>) -> String {
    let mut seen: Vec<&EvidenceId> = ids.collect();
    seen.sort_unstable();
    seen.dedup();
    seen.iter()
        .map(|id| format!("[{id}]"))
        .collect::<Vec<_>>()
        .join(" ")
}

fn body(state: &State, verdict: &Verdict) -> String {
    let mut text = String::new();
    if let Some(reading) = &state.intake.reading {
        let _ = writeln!(text, "{}.\n", reading.objective.trim_end_matches('.'));
    }
    if verdict.causes.is_empty() && verdict.unexplained.is_empty() {
        let all = state.evidence.iter().map(|e| &e.id);
        let _ = writeln!(
            text,
            "{} routers were looked at; nothing that was read is out of order. {}\n",
            state.diagnosed.network.devices().count(),
            marks(all)
        );
    }
    for cause in &verdict.causes {
        describe(state, cause, &mut text);
    }
    section(
        &mut text,
        "Seen and not explained",
        &Statement::lines(&verdict.unexplained),
    );
    section(&mut text, "Ruled out", &Statement::lines(&verdict.ruled_out));
    let unobserved: Vec<String> = verdict
        .unobserved
        .iter()
        .map(|u| format!("{}: {}", u.device, u.reason))
        .collect();
    section(&mut text, "Could not be seen", &unobserved);
    section(&mut text, "Remarks", &Statement::lines(&verdict.remarks));
    section(&mut text, "What would change this verdict", &verdict.would_change);
    text.trim_end().to_owned()
}

fn describe(state: &State, cause: &Cause, text: &mut String) {
    let _ = writeln!(
        text,
        "### {} · {} · {}\n",
        cause.fault, cause.resource, cause.confidence
    );
    let _ = writeln!(
        text,
        "{} {}\n",
        sentence(&cause.statement),
        marks(cause.citations.iter().map(|c| &c.evidence))
    );
    let effects: Vec<&str> = cause
        .consequences
        .iter()
        .filter_map(|id| state.finding(*id))
        .map(|f| f.statement.as_str())
        .collect();
    if !effects.is_empty() {
        let _ = writeln!(text, "It explains:\n");
        for effect in effects.iter().take(CONSEQUENCES) {
            let _ = writeln!(text, "- {effect}");
        }
        if effects.len() > CONSEQUENCES {
            let _ = writeln!(text, "- and {} more", effects.len() - CONSEQUENCES);
        }
        text.push('\n');
    }
    if let Some(change) = &cause.suggested_change {
        let _ = writeln!(text, "Suggested change, for a human to make: `{change}`\n");
    }
}

fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first: String = chars
        .next()
        .map(|c| c.to_uppercase().collect())
        .unwrap_or_default();
    format!("{first}{}.", chars.as_str().trim_end_matches('.'))
}

fn section(text: &mut String, title: &str, lines: &[String]) {
    if lines.is_empty() {
        return;
    }
    let _ = writeln!(text, "### {title}\n");
    for line in lines {
        let _ = writeln!(text, "- {line}");
    }
    text.push('\n');
}
