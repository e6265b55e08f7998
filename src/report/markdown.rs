//! The report in Markdown: verdict, evidence, what was ruled out, how it went.

use std::fmt::Write;

use super::{clock, duration, headline};
use crate::agent::model::{Cause, Citation, Claim, Origin, SessionId, Statement, Usage, Verdict};
use crate::agent::state::State;

pub(super) fn write(session: &SessionId, state: &State) -> String {
    let mut out = String::new();
    let query = state.query.as_ref().map_or("", |q| q.text.as_str());
    let _ = writeln!(out, "# {}\n", headline(state));
    let _ = writeln!(out, "> {}\n", query.replace('\n', " "));
    if let Some(prose) = &state.ending.prose
        && !prose.body.trim().is_empty()
    {
        let _ = writeln!(out, "{}\n", prose.body.trim());
    }
    if let Some(verdict) = &state.diagnosed.verdict {
        write_verdict(&mut out, state, verdict);
    }
    write_plan(&mut out, state);
    write_evidence(&mut out, state);
    write_usage(&mut out, &state.ledger.usage);
    let _ = writeln!(
        out,
        "---\nSession {session} · {} · {} · {} tool calls · {} · reasoner {}",
        state.options.context,
        clock(state.opened_at),
        state.execution.attempts(),
        duration(state.elapsed_ms()),
        state.options.reasoner,
    );
    out
}

fn write_verdict(out: &mut String, state: &State, verdict: &Verdict) {
    let _ = writeln!(out, "## Verdict\n");
    if verdict.causes.is_empty() {
        let word = if verdict.anomaly {
            "Something is wrong; no cause could be named."
        } else {
            "No fault found."
        };
        let _ = writeln!(out, "{word} ({})\n", verdict.confidence);
    }
    for cause in &verdict.causes {
        write_cause(out, state, cause);
    }
    let section = |out: &mut String, title: &str, rows: &[String]| {
        if !rows.is_empty() {
            let _ = writeln!(out, "### {title}\n");
            for row in rows {
                let _ = writeln!(out, "- {row}");
            }
            out.push('\n');
        }
    };
    section(
        out,
        "Seen and not explained",
        &Statement::lines(&verdict.unexplained),
    );
    section(out, "Ruled out", &Statement::lines(&verdict.ruled_out));
    let unobserved: Vec<String> = verdict
        .unobserved
        .iter()
        .map(|u| format!("{}: {}", u.device, u.reason))
        .collect();
    section(out, "Not observed", &unobserved);
    section(out, "Remarks", &Statement::lines(&verdict.remarks));
    section(out, "What would change this verdict", &verdict.would_change);
}

fn write_cause(out: &mut String, state: &State, cause: &Cause) {
    let _ = writeln!(
        out,
        "### {} · {} · `{}`\n",
        cause.confidence, cause.fault, cause.resource
    );
    let _ = writeln!(out, "{}\n", cause.statement);
    for citation in &cause.citations {
        let _ = writeln!(out, "- {}", cite(citation));
    }
    for id in &cause.consequences {
        if let Some(finding) = state.finding(*id) {
            let _ = writeln!(out, "- consequence {id}: {}", finding.statement);
        }
    }
    if let Some(change) = &cause.suggested_change {
        let _ = writeln!(out, "\nSuggested change, for you to make:\n\n```\n{change}\n```");
    }
    out.push('\n');
}

/// A citation in words: `[E7] /data/… equals "IDLE"`.
pub(super) fn cite(citation: &Citation) -> String {
    let place = if citation.pointer.is_empty() {
        "the result"
    } else {
        &citation.pointer
    };
    cite_at(place, citation)
}

/// The same with the place said in other words.
pub(super) fn cite_at(place: &str, citation: &Citation) -> String {
    let claim = match &citation.claim {
        Claim::Equals(value) => format!("is {value}"),
        Claim::Differs(value) => format!("is not {value}"),
        Claim::Lacks(text) => format!("does not hold \"{text}\""),
        Claim::Contains(text) => format!("contains \"{text}\""),
        Claim::AtLeast(bound) => format!("is at least {bound}"),
        Claim::AtMost(bound) => format!("is at most {bound}"),
        Claim::Absent => "is absent".to_owned(),
        Claim::Present => "is present".to_owned(),
    };
    format!("[{}] `{place}` {claim}", citation.evidence)
}

fn write_plan(out: &mut String, state: &State) {
    let Some(plan) = state.planning.current() else {
        return;
    };
    let _ = writeln!(out, "## Plan v{}\n\n{}\n", plan.version, plan.objective);
    for step in &plan.steps {
        let _ = writeln!(out, "1. **{}** ({})", step.title, step.id);
        for lane in state.lanes_of(step) {
            let Some(run) = state.run(lane, step.id) else {
                continue;
            };
            let device = state.lane_device(lane).map_or("network", |d| d.as_str());
            let calls: Vec<String> = run
                .turns
                .iter()
                .flat_map(|t| &t.calls)
                .map(ToString::to_string)
                .collect();
            let summary = run.summary.as_deref().unwrap_or("not finished");
            let _ = writeln!(out, "   - {device}: {summary} {}", calls.join(" "));
        }
    }
    out.push('\n');
}

fn write_evidence(out: &mut String, state: &State) {
    if state.evidence.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "## Evidence\n\n| id | from | devices | read at |\n|---|---|---|---|"
    );
    for evidence in &state.evidence {
        let from = match &evidence.origin {
            Origin::Tool { call, tool, .. } => format!("{tool} ({call})"),
            Origin::Human { call, tool } => format!("supplied by hand for {tool} ({call})"),
            Origin::Session {
                session,
                evidence,
                tool,
            } => format!("{tool} ({evidence} of session {session})"),
        };
        let devices = match evidence.devices.as_slice() {
            [] => "all".to_owned(),
            few if few.len() <= 4 => few.iter().map(|d| d.as_str()).collect::<Vec<_>>().join(", "),
            many => format!("{} devices", many.len()),
        };
        let _ = writeln!(
            out,
            "| {} | {from} | {devices} | {} |",
            evidence.id,
            clock(evidence.at)
        );
    }
    out.push('\n');
}

/// What each role of the model was asked and cost. Nothing for the rules.
fn write_usage(out: &mut String, usage: &[Usage]) {
    if usage.is_empty() {
        return;
    }
    out.push_str("## Model calls\n\n| role | calls | tokens in | cached | tokens out | seconds | price |\n|---|--:|--:|--:|--:|--:|--:|\n");
    for u in usage.iter().chain([&Usage::sum(usage)]) {
        let price = if u.micro_usd > 0 {
            format!("${:.4}", u.micro_usd as f64 / 1e6)
        } else {
            "-".to_owned()
        };
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} | {:.1} | {price} |",
            u.role,
            u.calls,
            u.tokens_in,
            u.tokens_cached,
            u.tokens_out,
            u.millis as f64 / 1000.0
        );
    }
    out.push('\n');
}
