//! The rows of the tree, one function a kind.

use super::super::Cx;
use super::super::words::{glyph, severity};
use super::{arguments, observations as observed};
use crate::agent::model::{CallId, FindingId, LaneId, StepId};
use crate::agent::state::CallRecord;
use crate::tui::rows::{Link, Row};
use crate::tui::text;
use crate::tui::theme::Role;

fn fold_mark(folded: bool) -> &'static str {
    if folded { glyph::FOLDED } else { glyph::UNFOLDED }
}

/// What stands before the plan.
pub(super) fn intake(cx: &Cx, open: bool) -> Row {
    let calls = cx.story.state.execution.calls.values();
    let calls = calls.filter(|c| c.call.step.is_none()).count();
    Row::text(format!("{} ", fold_mark(!open)), Role::Dim)
        .put("0 Intake", Role::Title)
        .put("  inventory and roles", Role::Dim)
        .end(text::plural(calls, "call"), Role::Dim)
        .link(Link::Fold)
}

/// A step. Folded, it says itself what came of it.
pub(super) fn step(cx: &Cx, id: StepId, number: usize, folded: bool) -> Row {
    let state = &cx.story.state;
    let (Some(step), Some(progress)) = (state.planning.step(id), cx.story.step(id)) else {
        return Row::new();
    };
    let device = match progress.lanes.as_slice() {
        [one] => state
            .lane_device(*one)
            .map_or("network", |d| d.as_str())
            .to_owned(),
        many => format!("{} devices", many.len()),
    };
    let (mark, role) = if progress.is_done() {
        (glyph::OK, Role::Ok)
    } else {
        (cx.spinner, Role::Running)
    };
    let row = Row::text(format!("{} ", fold_mark(folded)), Role::Dim)
        .put(format!("{number} {}", step.title), Role::Title)
        .put(format!("  {device}"), Role::Accent)
        .end(format!("{} {mark}", step_time(cx, &progress.lanes, id)), role)
        .link(Link::Fold);
    match (folded, progress.lanes.as_slice()) {
        (true, [one]) => with_summary(row, cx, id, *one),
        _ => row,
    }
}

/// A step on one of several devices. Folded, it says itself what came of it.
pub(super) fn lane(cx: &Cx, step: StepId, lane: LaneId, folded: bool) -> Row {
    let state = &cx.story.state;
    let name = state
        .lane_device(lane)
        .map_or("network", |d| d.as_str())
        .to_owned();
    let run = state.run(lane, step);
    let (mark, role) = match run {
        Some(r) if r.limitation.is_some() => (glyph::WARN, Role::Warn),
        Some(r) if r.summary.is_some() => (glyph::OK, Role::Ok),
        _ => (cx.spinner, Role::Running),
    };
    let row = Row::text(format!("  {} ", fold_mark(folded)), Role::Dim)
        .put(name, Role::Accent)
        .end(format!("{} {mark}", step_time(cx, &[lane], step)), role)
        .link(Link::Fold);
    if folded {
        with_summary(row, cx, step, lane)
    } else {
        row
    }
}

fn with_summary(row: Row, cx: &Cx, step: StepId, lane: LaneId) -> Row {
    let run = cx.story.state.run(lane, step);
    match run.and_then(|r| r.limitation.as_ref().or(r.summary.as_ref())) {
        Some(summary) => row.put(format!("  {}", text::one_line(summary)), Role::Dim),
        None => row,
    }
}

/// A call with its arguments in brief, what went wrong, its evidence and its time.
pub(super) fn call(cx: &Cx, id: CallId) -> Row {
    let Some(record) = cx.story.state.execution.call(id) else {
        return Row::new();
    };
    let name = record.call.tool.rsplit('.').next().unwrap_or(&record.call.tool);
    let row = Row::text("    → ", Role::Dim)
        .put(name.to_owned(), Role::Text)
        .put(format!("({})", arguments(record)), Role::Dim);
    let row = trouble(row, record);
    let evidence = record.evidence.last();
    let mark = evidence.map(ToString::to_string).unwrap_or_default();
    let row = match evidence {
        Some(evidence) => row.link(Link::Evidence(*evidence, String::new())),
        None => row,
    };
    let row = row.end(format!("{mark:<5}"), Role::Accent);
    let Some(outcome) = record.outcome() else {
        return row.end(
            format!("{:>9} {}", running(cx, record), cx.spinner),
            Role::Running,
        );
    };
    let time = text::duration(u64::try_from(outcome.ended_at.since_ms(outcome.started_at)).unwrap_or(0));
    let time = if outcome.cached { "cached".to_owned() } else { time };
    let (mark, role) = match (&outcome.failure, outcome.device_failures.len()) {
        (Some(_), _) => (glyph::BAD, Role::Bad),
        (None, 0) => (glyph::OK, Role::Ok),
        (None, _) => (glyph::WARN, Role::Warn),
    };
    row.end(format!("{time:>9} "), Role::Dim).end(mark, role)
}

/// A finding with the place it cites.
pub(super) fn finding(cx: &Cx, id: FindingId) -> Row {
    let Some(finding) = cx.story.state.finding(id) else {
        return Row::new();
    };
    let (mark, word, role) = severity(finding.severity);
    let past = if finding.past { " (over now)" } else { "" };
    let row = Row::text(format!("      {mark} "), role)
        .put(format!("{}{past}", finding.statement), role)
        .raw(format!("{id} {word}: {}{past}", finding.statement));
    match finding.citations.first() {
        Some(c) => row
            .soft(text::fit_end(&c.pointer, 34), Role::Dim)
            .end(
                format!("  {:<5}           ", c.evidence.to_string()),
                Role::Accent,
            )
            .link(Link::Evidence(c.evidence, c.pointer.clone())),
        None => row.link(Link::Finding(id)),
    }
}

/// Several observations on one row; copied, each has its line.
pub(super) fn observations(cx: &Cx, call: CallId) -> Row {
    let list: Vec<_> = observed(cx.story, call).collect();
    let Some(first) = list.first() else {
        return Row::new();
    };
    let said: Vec<String> = list
        .iter()
        .map(|f| format!("{} info: {}", f.id, f.statement))
        .collect();
    let row = Row::text("      · ", Role::Info)
        .put(text::plural(list.len(), "observation"), Role::Info)
        .put(format!("  {}, …", text::one_line(&first.statement)), Role::Dim)
        .raw(said.join("\n"));
    match first.citations.first() {
        Some(c) => row
            .end(
                format!("  {:<5}           ", c.evidence.to_string()),
                Role::Accent,
            )
            .link(Link::Evidence(c.evidence, c.pointer.clone())),
        None => row,
    }
}

/// What came of a step on a lane.
pub(super) fn summary(cx: &Cx, step: StepId, lane: LaneId) -> Row {
    let Some(run) = cx.story.state.run(lane, step) else {
        return Row::new();
    };
    match (&run.limitation, &run.summary) {
        (Some(limitation), _) => {
            Row::text(format!("    {} ", glyph::WARN), Role::Warn).put(limitation, Role::Warn)
        }
        (None, Some(summary)) => Row::text("    = ", Role::Dim).put(summary, Role::Dim),
        (None, None) => Row::new(),
    }
}

/// What went wrong with a call, after its name.
fn trouble(row: Row, record: &CallRecord) -> Row {
    let Some(outcome) = record.outcome() else {
        return row;
    };
    let row = match (&outcome.failure, outcome.device_failures.len()) {
        (Some(failure), _) => row.put(format!("  {}", failure.kind), Role::Bad),
        (None, 0) => row,
        (None, n) => row.put(
            format!("  {} without answer", text::plural(n, "device")),
            Role::Warn,
        ),
    };
    match record.outcomes.len() {
        0 | 1 => row,
        n => row.put(format!(", tried {n} times"), Role::Warn),
    }
}

/// How long a step took or has taken, over its lanes.
fn step_time(cx: &Cx, lanes: &[LaneId], step: StepId) -> String {
    let spans: Vec<_> = lanes
        .iter()
        .filter_map(|l| cx.story.spans.get(&(*l, step)))
        .collect();
    let from = spans.iter().map(|s| s.from).min();
    let until = spans.iter().map(|s| s.until.unwrap_or(cx.now)).max();
    match (from, until) {
        (Some(from), Some(until)) => text::duration(u64::try_from(until.since_ms(from)).unwrap_or(0)),
        _ => String::new(),
    }
}

/// How long a call without an answer has been under way.
fn running(cx: &Cx, record: &CallRecord) -> String {
    let started = match (record.call.lane, record.call.step) {
        (Some(lane), Some(step)) => cx.story.spans.get(&(lane, step)).map(|s| s.from),
        _ => None,
    };
    let waited = started.map(|s| text::duration(u64::try_from(cx.now.since_ms(s)).unwrap_or(0)));
    cx.story.progress.clone().or(waited).unwrap_or_default()
}
