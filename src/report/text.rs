//! The report for a terminal: what is wrong, where, how sure, on what evidence, what to do.

use std::fmt::Write;

use super::markdown::{cite, cite_at};
use super::{duration, headline};
use crate::agent::model::{Citation, SessionId, Statement, Usage, Verdict};
use crate::agent::state::State;

/// Citations shown for one cause; the others are in the Markdown and JSON reports.
const CITATIONS: usize = 4;

/// The longest place that is shown whole, in characters; longer ones are whole in Markdown and JSON.
const PLACE: usize = 60;

/// Segments of a longer place that are shown.
const SEGMENTS: usize = 4;

pub(super) fn write(session: &SessionId, state: &State) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{}\n", headline(state));
    if let Some(verdict) = &state.diagnosed.verdict {
        write_verdict(&mut out, state, verdict);
    }
    let _ = writeln!(
        out,
        "{} tool calls in {}, {} pieces of evidence, {} plan version{}, reasoner {}.",
        state.execution.attempts(),
        duration(state.elapsed_ms()),
        state.evidence.len(),
        state.planning.versions.len(),
        if state.planning.versions.len() == 1 {
            ""
        } else {
            "s"
        },
        state.options.reasoner,
    );
    write_usage(&mut out, &state.ledger.usage);
    let _ = writeln!(out, "Whole story: noctui sessions show {session}");
    out
}

/// What each role of the model was asked and cost. Nothing for the rules.
fn write_usage(out: &mut String, usage: &[Usage]) {
    if usage.is_empty() {
        return;
    }
    out.push_str("Model calls\n");
    for usage in usage.iter().chain([&Usage::sum(usage)]) {
        let _ = writeln!(out, "  {usage}");
    }
}

fn write_verdict(out: &mut String, state: &State, verdict: &Verdict) {
    for cause in &verdict.causes {
        let _ = writeln!(out, "{} {}\n  {}", cause.confidence, cause.resource, cause.fault);
        wrap(out, &cause.statement, "  ");
        for citation in cause.citations.iter().take(CITATIONS) {
            let _ = writeln!(out, "  {}", brief(citation));
        }
        let more = cause.citations.len().saturating_sub(CITATIONS);
        if more > 0 {
            let _ = writeln!(out, "  and {more} more citations");
        }
        for id in &cause.consequences {
            if let Some(finding) = state.finding(*id) {
                wrap(out, &format!("explains {id}: {}", finding.statement), "  ");
            }
        }
        if let Some(change) = &cause.suggested_change {
            let _ = writeln!(out, "  A change for you to make (nothing was sent):");
            for line in change.lines() {
                let _ = writeln!(out, "    {line}");
            }
        }
        out.push('\n');
    }
    let unobserved: Vec<String> = verdict
        .unobserved
        .iter()
        .map(|u| format!("{}: {}", u.device, u.reason))
        .collect();
    let sections = [
        ("Seen and not explained", &Statement::lines(&verdict.unexplained)),
        ("Ruled out", &Statement::lines(&verdict.ruled_out)),
        ("Not observed", &unobserved),
        ("Remarks", &Statement::lines(&verdict.remarks)),
        ("What would change this verdict", &verdict.would_change),
    ];
    for (title, rows) in sections {
        if rows.is_empty() {
            continue;
        }
        let _ = writeln!(out, "{title}");
        for row in rows {
            wrap(out, row, "  ");
        }
        out.push('\n');
    }
}

/// A citation that fits a line: of a long place, the device and what is at its end.
fn brief(citation: &Citation) -> String {
    let pointer = citation.pointer.as_str();
    if pointer.chars().count() <= PLACE {
        return cite(citation);
    }
    let segments: Vec<&str> = pointer.split('/').collect();
    let end = segments[segments.len().saturating_sub(SEGMENTS)..].join("/");
    let device = segments
        .iter()
        .position(|segment| *segment == "devices")
        .and_then(|index| segments.get(index + 1));
    let place = match device {
        Some(device) => format!("{device} …/{end}"),
        None => format!("…/{end}"),
    };
    cite_at(&place, citation)
}

/// Wraps at 100 columns, on spaces; one long word stays whole.
fn wrap(out: &mut String, text: &str, indent: &str) {
    let mut width = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if width == 0 {
            out.push_str(indent);
            width = indent.len();
        } else if width + 1 + length > 100 {
            let _ = write!(out, "\n{indent}");
            width = indent.len();
        } else {
            out.push(' ');
            width += 1;
        }
        out.push_str(word);
        width += length;
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::model::{Claim, EvidenceId};

    fn citation(pointer: &str) -> Citation {
        Citation {
            evidence: EvidenceId(5),
            pointer: pointer.to_owned(),
            claim: Claim::Equals(65001.into()),
        }
    }

    #[test]
    fn a_long_place_is_said_by_its_device_and_its_end() {
        assert_eq!(brief(&citation("/data/peer-as")), "[E5] `/data/peer-as` is 65001");
        let long = format!(
            "/data/devices/xrd-1/data/{}/neighbor/0/state/peer-as",
            "x".repeat(60)
        );
        assert_eq!(
            brief(&citation(&long)),
            "[E5] `xrd-1 …/neighbor/0/state/peer-as` is 65001"
        );
        let bare = format!("/data/{}/neighbor/0/state/peer-as", "x".repeat(60));
        assert_eq!(
            brief(&citation(&bare)),
            "[E5] `…/neighbor/0/state/peer-as` is 65001"
        );
    }
}
