//! The state as each role sees it: only the fields it needs, compact, with everything foreign quoted.
//!
//! No clock times are written, so the same investigation asks the same questions and a cassette can answer
//! them. Pure text; the prompts say what to do with it.

use std::fmt::Write as _;

use super::{
    Runbook,
    quote::{clipped, quoted},
};
use crate::agent::{
    model::{
        DeviceName, Draft, Evidence, Finding, LaneId, Origin, Scope, Standing, Step, StepId, StepKind,
        Verdict,
    },
    state::State,
};

/// Most devices, findings, passages and so on that are listed.
const MAX_DEVICES: usize = 60;
const MAX_FINDINGS: usize = 40;
const MAX_PASSAGES: usize = 5;
const MAX_INCIDENTS: usize = 3;
const MAX_EVIDENCE: usize = 40;
/// Characters of a passage, and of a tool's description.
const PASSAGE: usize = 700;
const DESCRIPTION: usize = 140;

/// Joins what is not empty.
pub(super) fn page(sections: impl IntoIterator<Item = String>) -> String {
    let sections: Vec<String> = sections.into_iter().filter(|s| !s.trim().is_empty()).collect();
    sections.join("\n\n")
}

/// The question, what was asked back, and what the engineer said since.
pub(super) fn question(state: &State) -> String {
    let Some(query) = &state.query else {
        return String::new();
    };
    let mut text = format!("## Question of the engineer\n{}", clipped(&query.text, 4_000));
    if !query.devices.is_empty() {
        let _ = write!(text, "\nDevices named besides: {}", query.devices.join(", "));
    }
    for (asked, answer) in state.dialogue.clarifications() {
        let _ = write!(
            text,
            "\nAsked: {}\nAnswered: {}",
            clipped(asked, 300),
            answer.unwrap_or("(skipped)")
        );
    }
    for words in &state.dialogue.steering {
        let _ = write!(text, "\nThe engineer added: {}", clipped(words, 1_000));
    }
    text
}

/// Objective, requirement and the devices asked about.
pub(super) fn objective(state: &State) -> String {
    let Some(reading) = &state.intake.reading else {
        return String::new();
    };
    let targets = match &state.intake.targets {
        Some(targets) => names(targets),
        None => "not resolved yet".into(),
    };
    format!(
        "## Objective\n{}\nThe answer must contain: {}\nDevices asked about: {targets}\nAsked time: the last {} minutes",
        reading.objective,
        reading.result_requirement,
        reading.window.minutes()
    )
}

fn names(devices: &[DeviceName]) -> String {
    let shown: Vec<&str> = devices.iter().take(MAX_DEVICES).map(DeviceName::as_str).collect();
    let more = devices.len().saturating_sub(MAX_DEVICES);
    let tail = if more > 0 {
        format!(", and {more} more")
    } else {
        String::new()
    };
    format!("{}{tail}", shown.join(", "))
}

/// The inventory with roles.
pub(super) fn inventory(state: &State) -> String {
    let Some(devices) = &state.intake.devices else {
        return String::new();
    };
    let rows: Vec<String> = devices
        .iter()
        .take(MAX_DEVICES)
        .map(|d| match state.intake.role(&d.name) {
            Some(role) => format!("{} ({role})", d.name),
            None => d.name.to_string(),
        })
        .collect();
    let more = devices.len().saturating_sub(MAX_DEVICES);
    let tail = if more > 0 {
        format!(", and {more} more of the same naming")
    } else {
        String::new()
    };
    format!(
        "## Inventory ({} devices)\n{}{tail}",
        devices.len(),
        rows.join(", ")
    )
}

/// Tools by name with their arguments.
pub(super) fn tools(state: &State) -> String {
    let rows: Vec<String> = state
        .intake
        .tools
        .iter()
        .flatten()
        .map(|tool| {
            let arguments: Vec<&str> = tool.input_schema["properties"]
                .as_object()
                .into_iter()
                .flatten()
                .map(|(name, _)| name.as_str())
                .collect();
            let description = tool.description.lines().next().unwrap_or_default();
            format!(
                "{}({}): {}",
                tool.id,
                arguments.join(", "),
                clipped(description, DESCRIPTION)
            )
        })
        .collect();
    if rows.is_empty() {
        String::new()
    } else {
        format!("## Tools\n{}", quoted("tools", &rows.join("\n"), 8_000))
    }
}

/// The runbook of an intent, its steps numbered as plans cite them.
pub(super) fn runbook(runbook: Option<&Runbook>) -> String {
    let Some(runbook) = runbook else {
        return String::new();
    };
    let mut text = format!(
        "## Runbook {}\n{}",
        runbook.intent,
        clipped(&runbook.description, 400)
    );
    for (n, step) in runbook.steps.iter().enumerate() {
        let _ = write!(text, "\nrunbook:{} {}", n + 1, clipped(step, 500));
    }
    text
}

/// What the corpus had for a draft, numbered as plans cite it.
pub(super) fn passages(state: &State, draft: u32) -> String {
    let passages = state
        .planning
        .draft(draft)
        .and_then(|d| d.passages.as_deref())
        .unwrap_or_default();
    let rows: Vec<String> = passages
        .iter()
        .take(MAX_PASSAGES)
        .enumerate()
        .map(|(n, p)| {
            quoted(
                &format!("passage:{} {} / {}", n + 1, p.source, p.heading),
                &p.text,
                PASSAGE,
            )
        })
        .collect();
    if rows.is_empty() {
        String::new()
    } else {
        format!("## From the handbook\n{}", rows.join("\n"))
    }
}

/// How many passages of a draft can be cited.
pub(super) fn passage_count(state: &State, draft: u32) -> usize {
    let passages = state
        .planning
        .draft(draft)
        .and_then(|d| d.passages.as_deref())
        .unwrap_or_default();
    passages.len().min(MAX_PASSAGES)
}

/// Similar incidents, numbered as plans cite them.
pub(super) fn incidents(state: &State) -> String {
    let rows: Vec<String> = state
        .intake
        .incidents
        .iter()
        .flatten()
        .take(MAX_INCIDENTS)
        .enumerate()
        .map(|(n, i)| {
            quoted(
                &format!("incident:{}", n + 1),
                &format!("{}\n{}", i.query, i.summary),
                400,
            )
        })
        .collect();
    if rows.is_empty() {
        String::new()
    } else {
        format!("## Similar incidents of the past\n{}", rows.join("\n"))
    }
}

pub(super) fn incident_count(state: &State) -> usize {
    state
        .intake
        .incidents
        .as_ref()
        .map_or(0, |i| i.len().min(MAX_INCIDENTS))
}

/// Findings, most severe first as far as they fit, quoted: their statements hold device text.
pub(super) fn findings(state: &State, about: Option<&DeviceName>) -> String {
    let relevant = |f: &&Finding| about.is_none_or(|d| f.resource.devices().contains(&d.as_str()));
    let mut findings: Vec<&Finding> = state.diagnosed.findings.iter().filter(relevant).collect();
    findings.sort_by_key(|f| (std::cmp::Reverse(f.severity), f.id));
    let rows: Vec<String> = findings.iter().take(MAX_FINDINGS).map(|f| finding(f)).collect();
    if rows.is_empty() {
        return "## Findings\nnone so far".into();
    }
    let more = findings.len().saturating_sub(MAX_FINDINGS);
    let tail = if more > 0 {
        format!("\nand {more} lesser ones")
    } else {
        String::new()
    };
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
pub(super) fn hypotheses(state: &State) -> String {
    let rows: Vec<String> = state
        .diagnosed
        .hypotheses
        .iter()
        .take(8)
        .map(|h| {
            let standing = match h.standing {
                Standing::Open => "open",
                Standing::Supported => "supported",
                Standing::Consequence => "consequence of another",
                Standing::RuledOut => "ruled out",
            };
            let check = h
                .check
                .as_ref()
                .map_or_else(String::new, |c| format!(" Check: {}", c.instruction));
            format!(
                "{} {} at {}, {standing}, weight {:.2}, {}: {}{check}",
                h.id, h.fault, h.resource, h.weight, h.confidence, h.reasoning
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
pub(super) fn evidence_list(state: &State) -> String {
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
                clipped(&arguments.to_string(), 120)
            )
        }
        Origin::Human { tool, .. } => format!(
            "[{}] given by the engineer in place of {tool} ({size} bytes)",
            e.id
        ),
    }
}

/// The text of a piece of evidence, or of the place in it that `pointer` names.
pub(super) fn evidence_text(evidence: &Evidence, pointer: &str, limit: usize) -> String {
    match evidence.value.pointer(pointer) {
        Some(value) => quoted(&format!("{} {pointer}", evidence.id), &value.to_string(), limit),
        None => format!("{} has nothing at {pointer:?}", evidence.id),
    }
}

/// The current plan with what came of its steps.
pub(super) fn plan(state: &State) -> String {
    let Some(plan) = state.planning.current() else {
        return String::new();
    };
    let mut text = format!("## Plan version {} ({})", plan.version, plan.strategy);
    for step in &plan.steps {
        let status = if state.step_ended(step) { "done" } else { "open" };
        let _ = write!(text, "\n{} [{status}] {}", step.id, step.title);
        for lane in state.lanes_of(step) {
            let Some(run) = state.run(lane, step.id) else {
                continue;
            };
            let device = state.lane_device(lane).map_or("network", DeviceName::as_str);
            if let Some(summary) = &run.summary {
                let _ = write!(text, "\n  {device}: {}", clipped(summary, 200));
            }
        }
    }
    text
}

/// A draft in full, for the critic.
pub(super) fn draft(draft: &Draft) -> String {
    let mut text = format!(
        "## The plan to judge ({})\nObjective: {}\n{}",
        draft.strategy, draft.objective, draft.rationale
    );
    for (n, step) in draft.steps.iter().enumerate() {
        let _ = write!(
            text,
            "\n{}. {} {}: {}",
            n + 1,
            scope(&step.scope),
            step.title,
            clipped(&step.instruction, 600)
        );
        if let StepKind::Code { source } = &step.kind {
            let _ = write!(text, "\n{}", quoted("script", source, 2_000));
        }
    }
    text
}

fn scope(scope: &Scope) -> String {
    match scope {
        Scope::Targets => "[each target]".into(),
        Scope::Devices(devices) => format!("[{}]", names(devices)),
        Scope::Network => "[network]".into(),
    }
}

/// Earlier drafts of this version and why they failed; and why a revision is wanted.
pub(super) fn earlier_drafts(state: &State, draft: u32) -> String {
    let mut text = String::new();
    if let Some(reason) = &state.planning.revision {
        let _ = write!(text, "## A revision is wanted\n{}", clipped(reason, 1_000));
        let feedback = state
            .judgement
            .assessments
            .last()
            .map(|a| a.reasoning.as_str())
            .unwrap_or_default();
        if !feedback.is_empty() {
            let _ = write!(text, "\nThe assessor said: {}", clipped(feedback, 600));
        }
    }
    let until = usize::try_from(draft).unwrap_or(usize::MAX);
    let drafts = state
        .planning
        .drafts
        .iter()
        .enumerate()
        .take(until)
        .skip(state.planning.first_of_version);
    for (n, record) in drafts {
        let (Some(draft), Some(critique)) = (&record.draft, &record.critique) else {
            continue;
        };
        let titles: Vec<&str> = draft.steps.iter().map(|s| s.title.as_str()).collect();
        let _ = write!(
            text,
            "\n## Draft {} was refused by the critic\nIts steps: {}",
            n + 1,
            titles.join("; ")
        );
        for missing in &critique.missing {
            let _ = write!(text, "\nMissing: {}", clipped(missing, 300));
        }
        for flag in &critique.risk_flags {
            let _ = write!(text, "\nRisk: {}", clipped(&flag.risk, 300));
        }
    }
    text.trim_start().to_owned()
}

/// A step and the lane it runs on, for the executor.
pub(super) fn step(state: &State, lane: LaneId, step: &Step) -> String {
    let place = match state.lane_device(lane) {
        Some(device) => format!("on {device}"),
        None => "on the network as a whole".into(),
    };
    format!(
        "## The step, {place}\n{} {}\n{}",
        step.id,
        step.title,
        clipped(&step.instruction, 1_500)
    )
}

/// What was read for a step on a lane: each call with its evidence, or why it failed.
pub(super) fn call_result(state: &State, call: crate::agent::model::CallId) -> (String, bool) {
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
pub(super) fn unobserved(state: &State) -> String {
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
pub(super) fn verdict(verdict: &Verdict) -> String {
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
        ("Ruled out", &verdict.ruled_out),
        ("Remark", &verdict.remarks),
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

/// The title of a step, for a heading.
pub(super) fn step_line(state: &State, id: StepId) -> String {
    match state.planning.step(id) {
        Some(step) => format!(
            "## The step that ended\n{} {}: {}",
            step.id,
            step.title,
            clipped(&step.instruction, 600)
        ),
        None => String::new(),
    }
}
