//! What the executor does: steps, the lanes they run on, calls and what they showed.
//!
//! What ended without anything to tell folds itself; a key unfolds it. The index is kept a step at a time, so
//! that a long session costs what moves in it, not what it holds.

mod brief;
mod row;

use std::collections::{HashMap, HashSet};

use ratatui::layout::Rect;

use super::{Cx, Pane};
use crate::agent::model::{CallId, EvidenceId, FindingId, LaneId, Severity, Step, StepId};
use crate::tui::rows::{ListState, Row};
use crate::tui::story::Story;
use crate::tui::text;

pub(super) use brief::arguments;

/// More findings that are mere observations than this stand on one row.
const LOOSE: usize = 2;

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
    /// Several observations that the call above brought.
    Observations(CallId),
    /// What came of a step on a lane.
    Summary(StepId, LaneId),
}

/// Something to select, whatever hides it.
#[derive(Debug, Clone, Copy)]
enum Wanted {
    Finding(FindingId),
    Evidence(EvidenceId),
}

/// The rows of one step and what they were made for.
#[derive(Debug)]
struct Segment {
    made_for: [usize; 5],
    items: Vec<Item>,
}

/// The steps pane.
#[derive(Debug)]
pub struct Steps {
    list: ListState,
    items: Vec<Item>,
    segments: HashMap<StepId, Segment>,
    /// What the user turned round: unfolded where it folds itself, folded where it does not.
    turned: HashSet<(u32, Option<u32>)>,
    folds: u64,
    wanted: Option<Wanted>,
    key: (u64, u64),
}

impl Default for Steps {
    fn default() -> Self {
        Self {
            list: ListState::tail(),
            items: Vec::new(),
            segments: HashMap::new(),
            turned: HashSet::new(),
            folds: 0,
            wanted: None,
            key: (u64::MAX, 0),
        }
    }
}

/// The key under which intake folds.
const INTAKE: (u32, Option<u32>) = (u32::MAX, None);

impl Steps {
    /// Folds or unfolds the selected step or lane.
    pub fn fold(&mut self, story: &Story, fold: bool) {
        let (key, folded) = match self.items.get(self.list.selected()) {
            Some(Item::Step(step, _)) => ((step.0, None), self.is_folded(story, *step, None)),
            Some(Item::Lane(step, lane)) => {
                ((step.0, Some(lane.0)), self.is_folded(story, *step, Some(*lane)))
            }
            Some(Item::Intake) => (INTAKE, !self.intake_open(story)),
            _ => return,
        };
        if folded != fold {
            self.turn(key);
        }
    }

    fn turn(&mut self, key: (u32, Option<u32>)) {
        if !self.turned.remove(&key) {
            self.turned.insert(key);
        }
        self.folds += 1;
    }

    /// Changes with every fold.
    pub fn folds(&self) -> u64 {
        self.folds
    }

    /// Selects the row of a finding, and unfolds what hides it.
    pub fn show_finding(&mut self, finding: FindingId) {
        self.wanted = Some(Wanted::Finding(finding));
    }

    /// Selects the call that brought a piece of evidence, and unfolds what hides it.
    pub fn show_evidence(&mut self, evidence: EvidenceId) {
        self.wanted = Some(Wanted::Evidence(evidence));
    }

    /// Whether a step, or a lane of it, shows only its own row.
    fn is_folded(&self, story: &Story, step: StepId, lane: Option<LaneId>) -> bool {
        let by_itself = match lane {
            Some(lane) => is_quiet(story, step, lane),
            None => {
                let lanes = story.step(step).map_or(&[][..], |p| &p.lanes);
                let empty = |l: &LaneId| {
                    story.state.run(*l, step).is_some_and(|run| {
                        run.summary.is_some()
                            && run.limitation.is_none()
                            && run.turns.iter().all(|t| t.calls.is_empty())
                    })
                };
                !lanes.is_empty() && lanes.iter().all(empty)
            }
        };
        self.turned.contains(&(step.0, lane.map(|l| l.0))) != by_itself
    }

    /// Intake is open until a plan stands; then folding it turns the other way round.
    fn intake_open(&self, story: &Story) -> bool {
        self.turned.contains(&INTAKE) == story.state.planning.current().is_some()
    }

    fn index(&mut self, story: &Story) {
        let mut items = Vec::with_capacity(self.items.len() + 16);
        let state = &story.state;
        let mut early = state
            .execution
            .calls
            .values()
            .filter(|c| c.call.step.is_none())
            .peekable();
        if early.peek().is_some() {
            items.push(Item::Intake);
            if self.intake_open(story) {
                early.for_each(|record| push_call(&mut items, story, record.call.id));
            }
        }
        let steps = state.planning.current().map_or(&[][..], |p| &p.steps);
        for (i, step) in steps.iter().enumerate() {
            let Some(progress) = story.step(step.id).filter(|p| p.started > 0) else {
                continue;
            };
            let found = state.diagnosed.findings.len();
            let made_for = [
                i,
                progress.ended,
                progress.lanes.len(),
                self.folds as usize,
                found,
            ];
            let kept = self
                .segments
                .get(&step.id)
                .filter(|s| progress.is_done() && s.made_for == made_for);
            if let Some(segment) = kept {
                items.extend_from_slice(&segment.items);
                continue;
            }
            let from = items.len();
            self.push_step(&mut items, story, step, i + 1);
            let segment = Segment {
                made_for,
                items: items[from..].to_vec(),
            };
            self.segments.insert(step.id, segment);
        }
        self.items = items;
    }

    fn push_step(&self, items: &mut Vec<Item>, story: &Story, step: &Step, number: usize) {
        let Some(progress) = story.step(step.id) else {
            return;
        };
        let begun = |l: &&LaneId| story.state.run(**l, step.id).is_some();
        let lanes: Vec<LaneId> = progress.lanes.iter().filter(begun).copied().collect();
        if lanes.is_empty() {
            return;
        }
        items.push(Item::Step(step.id, number));
        if self.is_folded(story, step.id, None) {
            return;
        }
        for lane in &lanes {
            if lanes.len() > 1 {
                items.push(Item::Lane(step.id, *lane));
                if self.is_folded(story, step.id, Some(*lane)) {
                    continue;
                }
            }
            push_lane(items, story, step.id, *lane);
        }
    }

    /// Keeps the eye on the row it was on when rows above it came or went.
    fn settle(&mut self, before: Option<Item>) {
        if let Some(item) = before
            && !self.list.follows()
            && let Some(row) = self.items.iter().position(|i| *i == item)
        {
            self.list.moved_to(row);
        }
        self.list.set_len(self.items.len());
    }

    /// Unfolds what hides something that is to be shown.
    fn unfold_for(&mut self, story: &Story, wanted: Wanted) {
        let Some(call) = call_of(story, wanted) else {
            return;
        };
        let Some(record) = story.state.execution.call(call) else {
            return;
        };
        match (record.call.step, record.call.lane) {
            (Some(step), lane) => {
                if self.is_folded(story, step, None) {
                    self.turn((step.0, None));
                }
                let several = story.step(step).is_some_and(|p| p.lanes.len() > 1);
                if let Some(lane) = lane.filter(|l| several && self.is_folded(story, step, Some(*l))) {
                    self.turn((step.0, Some(lane.0)));
                }
            }
            (None, _) if !self.intake_open(story) => self.turn(INTAKE),
            (None, _) => {}
        }
    }

    fn select(&mut self, story: &Story, wanted: Wanted) {
        let call = call_of(story, wanted);
        let exact = |item: &Item| match (item, wanted) {
            (Item::Finding(_, own), Wanted::Finding(id)) => *own == id,
            (Item::Call(own), Wanted::Evidence(_)) => Some(*own) == call,
            _ => false,
        };
        let near = |item: &Item| matches!(item, Item::Observations(own) if Some(*own) == call);
        let row = self.items.iter().position(exact);
        if let Some(row) = row.or_else(|| self.items.iter().position(near)) {
            self.list.select(row);
        }
    }
}

/// The call that brought something.
fn call_of(story: &Story, wanted: Wanted) -> Option<CallId> {
    match wanted {
        Wanted::Finding(id) => story
            .by_call
            .iter()
            .find(|(_, findings)| findings.contains(&id))
            .map(|(call, _)| *call),
        Wanted::Evidence(id) => {
            let calls = &story.state.execution.calls;
            calls
                .values()
                .find(|c| c.evidence.contains(&id))
                .map(|c| c.call.id)
        }
    }
}

/// Whether a step ended on a lane with nothing to tell: no failure, no limitation, no finding that matters.
fn is_quiet(story: &Story, step: StepId, lane: LaneId) -> bool {
    let Some(run) = story.state.run(lane, step) else {
        return false;
    };
    let loud = |call: &CallId| {
        let record = story.state.execution.call(*call);
        let failed = record
            .and_then(|r| r.outcome())
            .is_none_or(|o| o.failure.is_some() || !o.device_failures.is_empty());
        failed || story.severity_of(*call).is_some_and(|s| s > Severity::Info)
    };
    run.summary.is_some() && run.limitation.is_none() && !run.turns.iter().flat_map(|t| &t.calls).any(loud)
}

fn push_lane(items: &mut Vec<Item>, story: &Story, step: StepId, lane: LaneId) {
    let Some(run) = story.state.run(lane, step) else {
        return;
    };
    for call in run.turns.iter().flat_map(|t| &t.calls) {
        push_call(items, story, *call);
    }
    if run.summary.is_some() {
        items.push(Item::Summary(step, lane));
    }
}

fn push_call(items: &mut Vec<Item>, story: &Story, call: CallId) {
    items.push(Item::Call(call));
    let findings = story.by_call.get(&call).map_or(&[][..], Vec::as_slice);
    let together = observations(story, call).count() > LOOSE;
    for finding in findings {
        let mere = story
            .state
            .finding(*finding)
            .is_some_and(|f| f.severity == Severity::Info);
        if !(mere && together) {
            items.push(Item::Finding(call, *finding));
        }
    }
    if together {
        items.push(Item::Observations(call));
    }
}

/// What a call brought that is worth noting and no more.
fn observations(story: &Story, call: CallId) -> impl Iterator<Item = &crate::agent::model::Finding> {
    let ids = story.by_call.get(&call).into_iter().flatten();
    ids.filter_map(|id| story.state.finding(*id))
        .filter(|f| f.severity == Severity::Info)
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
        let wanted = self.wanted.take();
        if let Some(wanted) = wanted {
            self.unfold_for(cx.story, wanted);
        }
        let key = (cx.story.versions.work, self.folds);
        if key != self.key {
            self.key = key;
            let before = self.items.get(self.list.selected()).copied();
            self.index(cx.story);
            self.settle(before);
        }
        if let Some(wanted) = wanted {
            self.select(cx.story, wanted);
        }
    }

    fn row(&self, cx: &Cx, index: usize) -> Row {
        match self.items.get(index) {
            Some(Item::Intake) => row::intake(cx, self.intake_open(cx.story)),
            Some(Item::Step(id, number)) => row::step(cx, *id, *number, self.is_folded(cx.story, *id, None)),
            Some(Item::Lane(step, lane)) => {
                row::lane(cx, *step, *lane, self.is_folded(cx.story, *step, Some(*lane)))
            }
            Some(Item::Call(id)) => row::call(cx, *id),
            Some(Item::Finding(_, id)) => row::finding(cx, *id),
            Some(Item::Observations(call)) => row::observations(cx, *call),
            Some(Item::Summary(step, lane)) => row::summary(cx, *step, *lane),
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
