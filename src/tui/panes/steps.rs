//! What the executor does: steps, the lanes they run on, calls and what they showed.

use std::collections::HashSet;

use ratatui::layout::Rect;

use super::words::{glyph, severity};
use super::{Cx, Pane};
use crate::agent::model::{CallId, EvidenceId, FindingId, LaneId, Severity, Step, StepId};
use crate::agent::state::CallRecord;
use crate::tui::rows::{Link, ListState, Row};
use crate::tui::story::Story;
use crate::tui::text;
use crate::tui::theme::Role;

/// One row of the tree. Small, because a long session has tens of thousands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Item {
    /// Calls before any plan: inventory and profiles.
    Intake,
    /// A step.
    Step(StepId, usize),
    /// A step on one of several lanes.
    Lane(StepId, LaneId),
    /// A call.
    Call(CallId),
    /// A finding that the call above showed.
    Finding(CallId, FindingId),
    /// What came of a step on a lane.
    Summary(StepId, LaneId),
}

/// The steps pane.
#[derive(Debug)]
pub struct Steps {
    list: ListState,
    items: Vec<Item>,
    folded: HashSet<(u32, Option<u32>)>,
    folds: u64,
    key: (u64, u64),
}

impl Default for Steps {
    fn default() -> Self {
        Self {
            list: ListState::tail(),
            items: Vec::new(),
            folded: HashSet::new(),
            folds: 0,
            key: (u64::MAX, 0),
        }
    }
}

impl Steps {
    /// Folds or unfolds the selected step or lane.
    pub fn fold(&mut self, fold: bool) {
        let key = match self.items.get(self.list.selected()) {
            Some(Item::Step(step, _)) => (step.0, None),
            Some(Item::Lane(step, lane)) => (step.0, Some(lane.0)),
            Some(Item::Intake) => {
                let key = (u32::MAX, None);
                if !self.folded.remove(&key) {
                    self.folded.insert(key);
                }
                self.folds += 1;
                return;
            }
            _ => return,
        };
        let changed = if fold {
            self.folded.insert(key)
        } else {
            self.folded.remove(&key)
        };
        self.folds += u64::from(changed);
    }

    /// Changes with every fold.
    pub fn folds(&self) -> u64 {
        self.folds
    }

    /// Selects the row of a finding, and unfolds what hides it.
    pub fn show_finding(&mut self, finding: FindingId) {
        self.folded.clear();
        self.folds += 1;
        if let Some(row) = self
            .items
            .iter()
            .position(|i| matches!(i, Item::Finding(_, f) if *f == finding))
        {
            self.list.select(row);
        }
    }

    /// Selects the call that brought a piece of evidence.
    pub fn show_evidence(&mut self, story: &Story, evidence: EvidenceId) {
        let brought = |id: &CallId| {
            story
                .state
                .execution
                .call(*id)
                .is_some_and(|c| c.evidence.contains(&evidence))
        };
        if let Some(row) = self
            .items
            .iter()
            .position(|i| matches!(i, Item::Call(c) if brought(c)))
        {
            self.list.select(row);
        }
    }

    fn is_folded(&self, step: u32, lane: Option<u32>) -> bool {
        self.folded.contains(&(step, lane))
    }

    /// Intake is open until a plan stands; then folding it turns the other way round.
    fn intake_open(&self, story: &Story) -> bool {
        self.is_folded(u32::MAX, None) == story.state.planning.current().is_some()
    }

    fn index(&mut self, story: &Story) {
        self.items.clear();
        let state = &story.state;
        let early: Vec<&CallRecord> = state
            .execution
            .calls
            .values()
            .filter(|c| c.call.step.is_none())
            .collect();
        if !early.is_empty() {
            self.items.push(Item::Intake);
            if self.intake_open(story) {
                for record in early {
                    self.push_call(story, record.call.id);
                }
            }
        }
        let Some(plan) = state.planning.current() else {
            return;
        };
        for (i, step) in plan.steps.iter().enumerate() {
            let Some(progress) = story.step(step.id).filter(|p| p.started > 0) else {
                continue;
            };
            let begun = |l: &&LaneId| state.run(**l, step.id).is_some();
            let lanes: Vec<LaneId> = progress.lanes.iter().filter(begun).copied().collect();
            if lanes.is_empty() {
                continue;
            }
            self.items.push(Item::Step(step.id, i + 1));
            if self.is_folded(step.id.0, None) {
                continue;
            }
            for lane in &lanes {
                if lanes.len() > 1 {
                    self.items.push(Item::Lane(step.id, *lane));
                }
                if !self.is_folded(step.id.0, Some(lane.0)) {
                    self.push_lane(story, step, *lane);
                }
            }
        }
    }

    fn push_lane(&mut self, story: &Story, step: &Step, lane: LaneId) {
        let Some(run) = story.state.run(lane, step.id) else {
            return;
        };
        for turn in &run.turns {
            for call in &turn.calls {
                self.push_call(story, *call);
            }
        }
        if run.summary.is_some() {
            self.items.push(Item::Summary(step.id, lane));
        }
    }

    fn push_call(&mut self, story: &Story, call: CallId) {
        self.items.push(Item::Call(call));
        for finding in story.by_call.get(&call).into_iter().flatten() {
            self.items.push(Item::Finding(call, *finding));
        }
    }

    fn step_row(&self, cx: &Cx, id: StepId, number: usize) -> Row {
        let state = &cx.story.state;
        let Some(step) = state.planning.step(id) else {
            return Row::new();
        };
        let Some(progress) = cx.story.step(id) else {
            return Row::new();
        };
        let lanes = &progress.lanes;
        let device = match lanes.as_slice() {
            [one] => state
                .lane_device(*one)
                .map_or("network", |d| d.as_str())
                .to_owned(),
            many => format!("{} devices", many.len()),
        };
        let fold = if self.is_folded(id.0, None) {
            glyph::FOLDED
        } else {
            glyph::UNFOLDED
        };
        let ended = progress.is_done();
        let (mark, role) = if ended {
            (glyph::OK, Role::Ok)
        } else {
            (cx.spinner, Role::Running)
        };
        Row::text(format!("{fold} "), Role::Dim)
            .put(format!("{number} {}", step.title), Role::Title)
            .put(format!("  {device}"), Role::Accent)
            .end(format!("{} {mark}", step_time(cx, lanes, id)), role)
            .link(Link::Fold)
    }

    fn lane_row(&self, cx: &Cx, step: StepId, lane: LaneId) -> Row {
        let state = &cx.story.state;
        let fold = if self.is_folded(step.0, Some(lane.0)) {
            glyph::FOLDED
        } else {
            glyph::UNFOLDED
        };
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
        Row::text(format!("  {fold} "), Role::Dim)
            .put(name, Role::Accent)
            .end(format!("{} {mark}", step_time(cx, &[lane], step)), role)
            .link(Link::Fold)
    }

    fn call_row(cx: &Cx, id: CallId) -> Row {
        let Some(record) = cx.story.state.execution.call(id) else {
            return Row::new();
        };
        let name = record.call.tool.rsplit('.').next().unwrap_or(&record.call.tool);
        let row = Row::text("    → ", Role::Dim)
            .put(name.to_owned(), Role::Text)
            .put(format!("({})", arguments(record)), Role::Dim);
        let row = call_trouble(row, record);
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

    fn finding_row(cx: &Cx, id: FindingId) -> Row {
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

    fn summary_row(cx: &Cx, step: StepId, lane: LaneId) -> Row {
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
}

/// What went wrong with a call, after its name.
fn call_trouble(row: Row, record: &CallRecord) -> Row {
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

/// The values of a call's arguments in a line.
pub(super) fn arguments(record: &CallRecord) -> String {
    let list: Vec<String> = record.call.arguments.values().map(brief).collect();
    text::one_line(&list.join(", "))
}

/// A value in a few characters: of a list its first two items and how many more there are.
fn brief(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(s) => s.clone(),
        serde_json::Value::Array(items) => {
            let mut parts: Vec<String> = items.iter().take(2).map(brief).collect();
            if items.len() > 2 {
                parts.push(format!("+{}", items.len() - 2));
            }
            parts.join(" ")
        }
        other => other.to_string(),
    }
}

impl Pane for Steps {
    fn title(&self, cx: &Cx) -> (String, String) {
        let findings = &cx.story.state.diagnosed.findings;
        let loud = findings.iter().filter(|f| f.severity > Severity::Info).count();
        let calls = cx.story.state.execution.calls.len();
        let note = match (calls, loud) {
            (0, _) => String::new(),
            (_, 0) => text::plural(calls, "call"),
            _ => format!(
                "{}, {}",
                text::plural(calls, "call"),
                text::plural(loud, "finding")
            ),
        };
        ("Steps".to_owned(), note)
    }

    fn prepare(&mut self, cx: &Cx, _: Rect) {
        let key = (cx.story.versions.work, self.folds);
        if key != self.key {
            self.key = key;
            self.index(cx.story);
            self.list.set_len(self.items.len());
        }
    }

    fn row(&self, cx: &Cx, index: usize) -> Row {
        match self.items.get(index) {
            Some(Item::Intake) => {
                let calls = cx
                    .story
                    .state
                    .execution
                    .calls
                    .values()
                    .filter(|c| c.call.step.is_none())
                    .count();
                let fold = if self.intake_open(cx.story) {
                    glyph::UNFOLDED
                } else {
                    glyph::FOLDED
                };
                Row::text(format!("{fold} "), Role::Dim)
                    .put("0 Intake", Role::Title)
                    .put("  inventory and roles", Role::Dim)
                    .end(text::plural(calls, "call"), Role::Dim)
                    .link(Link::Fold)
            }
            Some(Item::Step(id, number)) => self.step_row(cx, *id, *number),
            Some(Item::Lane(step, lane)) => self.lane_row(cx, *step, *lane),
            Some(Item::Call(id)) => Self::call_row(cx, *id),
            Some(Item::Finding(_, id)) => Self::finding_row(cx, *id),
            Some(Item::Summary(step, lane)) => Self::summary_row(cx, *step, *lane),
            None => Row::new(),
        }
    }

    fn list(&self) -> &ListState {
        &self.list
    }

    fn list_mut(&mut self) -> &mut ListState {
        &mut self.list
    }

    fn empty(&self, cx: &Cx) -> String {
        if cx.story.state.query.is_none() {
            "Calls and what they showed appear here, one line each. Enter opens the full result.".to_owned()
        } else {
            format!("{} {}", cx.spinner, cx.story.activity())
        }
    }
}
