//! What is known: findings, hypotheses, evidence, what could not be seen, and the verdict.

use std::fmt::Write as _;

use super::super::quote::{clipped, quoted, shortened};
use crate::agent::{
    model::{CallId, DeviceName, Evidence, Finding, Origin, Severity, Standing, Statement, Verdict},
    state::State,
};

/// Most findings and pieces of evidence that are listed.
const MAX_FINDINGS: usize = 40;
const MAX_HYPOTHESES: usize = 6;
const MAX_EVIDENCE: usize = 40;

/// Findings, most severe first as far as they fit, quoted: their statements hold device text. What is no more
/// than worth knowing about a device that nobody asked about is counted only.
pub(in crate::reason::model) fn findings(state: &State, about: Option<&DeviceName>) -> String {
    let targets = state.intake.targets.as_deref().unwrap_or_default();
    let on = |f: &Finding, device: &DeviceName| f.resource.devices().contains(&device.as_str());
    let telling = |f: &&&Finding| f.severity > Severity::Info || targets.iter().any(|d| on(f, d));
    let relevant = |f: &&Finding| about.is_none_or(|d| on(f, d));
    let all: Vec<&Finding> = state.diagnosed.findings.iter().filter(relevant).collect();
    let mut shown: Vec<&Finding> = all.iter().filter(telling).copied().collect();
    shown.sort_by_key(|f| (std::cmp::Reverse(f.severity), f.id));
    shown.truncate(MAX_FINDINGS);
    let rows: Vec<String> = shown.iter().map(|f| finding(f)).collect();
    if all.is_empty() {
        return "## Findings\nnone so far".into();
    }
    let more = all.len() - shown.len();
    let tail = if more > 0 {
        format!("\nand {more} lesser ones")
    } else {
        String::new()
    };
    if rows.is_empty() {
        return format!("## Findings\nnone of weight{tail}");
    }
    format!(
        "## Findings\n{}{tail}",
        quoted("findings of the detectors", &rows.join("\n"), 12_000)
    )
}

fn finding(f: &Finding) -> String {
    let mut cited: Vec<String> = f.citations.iter().map(|c| format!("[{}]", c.evidence)).collect();
    cited.dedup();
    let fault = f.fault.map_or_else(String::new, |fault| format!(" {fault}"));
    let past = if f.past { " (over now)" } else { "" };
    let severity = format!("{:?}", f.severity).to_lowercase();
    format!(
        "[{}] {severity} {}{fault}{past}: {} {}",
        f.id,
        f.resource,
        f.statement,
        cited.join("")
    )
}

/// Hypotheses, best first.
pub(in crate::reason::model) fn hypotheses(state: &State) -> String {
    let rows: Vec<String> = state
        .diagnosed
        .hypotheses
        .iter()
        .take(MAX_HYPOTHESES)
        .map(|h| {
            let standing = match h.standing {
                Standing::Open => "open",
                Standing::Supported => "supported",
                Standing::Consequence => "consequence of another",
                Standing::RuledOut => "ruled out",
            };
            let check = h.check.as_ref().map_or_else(String::new, |c| {
                format!(" Check: {}", clipped(&c.instruction, 120))
            });
            // a reason that a finding states already is named by its number
            let finding = state
                .diagnosed
                .findings
                .iter()
                .find(|f| f.statement == h.reasoning);
            let why = finding.map_or_else(|| clipped(&h.reasoning, 200), |f| format!("[{}].", f.id));
            format!(
                "{} {} at {}, {standing}, weight {:.2}, {}: {why}{check}",
                h.id, h.fault, h.resource, h.weight, h.confidence
            )
        })
        .collect();
    if rows.is_empty() {
        String::new()
    } else {
        format!("## Hypotheses\n{}", quoted("hypotheses", &rows.join("\n"), 6_000))
    }
}

/// The list of evidence: what can be cited and read.
pub(in crate::reason::model) fn evidence_list(state: &State) -> String {
    let skip = state.evidence.len().saturating_sub(MAX_EVIDENCE);
    let rows: Vec<String> = state
        .evidence
        .iter()
        .skip(skip)
        .map(|e| evidence_line(e))
        .collect();
    if rows.is_empty() {
        "## Evidence\nnone so far".into()
    } else {
        format!("## Evidence\n{}", rows.join("\n"))
    }
}

fn evidence_line(e: &Evidence) -> String {
    let size = e.value.to_string().len();
    let cut = if e.truncated { ", cut" } else { "" };
    match &e.origin {
        Origin::Tool { tool, arguments, .. } => {
            format!(
                "[{}] {tool} {} ({size} bytes{cut})",
                e.id,
                shortened(&arguments.to_string(), 90)
            )
        }
        Origin::Session { session, tool, .. } => {
            format!(
                "[{}] {tool} as session {session} read it ({size} bytes{cut})",
                e.id
            )
        }
        Origin::Human { tool, .. } => format!(
            "[{}] given by the engineer in place of {tool} ({size} bytes)",
            e.id
        ),
    }
}

/// The text of a piece of evidence, or of the place in it that `pointer` names.
pub(in crate::reason::model) fn evidence_text(evidence: &Evidence, pointer: &str, limit: usize) -> String {
    match evidence.value.pointer(pointer) {
        Some(value) => quoted(&format!("{} {pointer}", evidence.id), &value.to_string(), limit),
        None => format!("{} has nothing at {pointer:?}", evidence.id),
    }
}

/// What was read for a step on a lane: each call with its evidence, or why it failed.
pub(in crate::reason::model) fn call_result(state: &State, call: CallId) -> (String, bool) {
    let Some(record) = state.execution.call(call) else {
        return ("unknown call".into(), true);
    };
    let failure = record.outcome().and_then(|o| o.failure.as_ref());
    if let Some(failure) = failure {
        return (
            quoted("failure", &format!("{}: {}", failure.kind, failure.message), 300),
            true,
        );
    }
    let mut text = String::new();
    for id in &record.evidence {
        let Some(evidence) = state.evidence(*id) else {
            continue;
        };
        let seen: Vec<String> = state
            .diagnosed
            .findings
            .iter()
            .filter(|f| f.citations.iter().any(|c| c.evidence == *id))
            .map(finding)
            .collect();
        if seen.is_empty() {
            let _ = writeln!(text, "[{id}] no detector objected. It begins:");
            text.push_str(&evidence_text(evidence, "", 500));
        } else {
            let _ = writeln!(text, "[{id}]");
            text.push_str(&quoted("findings of the detectors", &seen.join("\n"), 3_000));
        }
    }
    if text.is_empty() {
        ("no answer yet".into(), false)
    } else {
        (text, false)
    }
}

/// What could not be seen.
pub(in crate::reason::model) fn unobserved(state: &State) -> String {
    let mut rows: Vec<String> = state
        .unobserved()
        .iter()
        .map(|u| format!("{}: {}", u.device, clipped(&u.reason, 200)))
        .collect();
    rows.extend(state.judgement.limitations.iter().map(|l| clipped(l, 200)));
    if rows.is_empty() {
        String::new()
    } else {
        format!(
            "## Not observed\n{}",
            quoted("not observed", &rows.join("\n"), 3_000)
        )
    }
}

/// The settled verdict in full, for the reporter.
pub(in crate::reason::model) fn verdict(verdict: &Verdict) -> String {
    let word = if verdict.anomaly {
        "something is wrong"
    } else {
        "nothing wrong was found"
    };
    let mut text = format!("{word}, {}", verdict.confidence);
    for cause in &verdict.causes {
        let mut cited: Vec<String> = cause
            .citations
            .iter()
            .map(|c| format!("[{}]", c.evidence))
            .collect();
        cited.dedup();
        let _ = write!(
            text,
            "\nCause: {} at {}, {}: {} {}",
            cause.fault,
            cause.resource,
            cause.confidence,
            cause.statement,
            cited.join("")
        );
        if !cause.consequences.is_empty() {
            let ids: Vec<String> = cause.consequences.iter().map(|f| format!("[{f}]")).collect();
            let _ = write!(text, "\n  consequences: {}", ids.join(""));
        }
        if let Some(change) = &cause.suggested_change {
            let _ = write!(text, "\n  suggested change, for the engineer to make: {change}");
        }
    }
    let lists = [
        ("Seen and not explained", &Statement::lines(&verdict.unexplained)),
        ("Ruled out", &Statement::lines(&verdict.ruled_out)),
        ("Remark", &Statement::lines(&verdict.remarks)),
        ("Would change the verdict", &verdict.would_change),
    ];
    for (label, list) in lists {
        for item in list {
            let _ = write!(text, "\n{label}: {}", clipped(item, 400));
        }
    }
    for u in &verdict.unobserved {
        let _ = write!(text, "\nNot observed: {}: {}", u.device, clipped(&u.reason, 200));
    }
    format!("## The verdict\n{}", quoted("verdict", &text, 10_000))
}
