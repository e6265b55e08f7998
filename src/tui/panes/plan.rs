//! The plan: its steps and where they stand, its versions, and two versions side by side.

use super::words::{glyph, provenance};
use super::{Cx, ProsePane, Sheet, Stamp};
use crate::agent::model::{PlanVersion, Step, StepKind};
use crate::tui::rows::Row;
use crate::tui::story::Story;
use crate::tui::text;
use crate::tui::theme::Role;

/// From this width on a step shows its instruction.
const ROOMY: usize = 84;

/// The plan pane.
#[derive(Debug, Default)]
pub struct Plan {
    sheet: Sheet,
    /// Which version is shown, counted back from the newest.
    back: usize,
    diff: bool,
}

impl Plan {
    /// Shows an older or newer version.
    pub fn turn(&mut self, story: &Story, older: bool) {
        let last = story.state.planning.versions.len().saturating_sub(1);
        self.back = if older {
            (self.back + 1).min(last)
        } else {
            self.back.saturating_sub(1)
        };
    }

    /// Switches the comparison with the version before on or off.
    pub fn toggle_diff(&mut self) {
        self.diff = !self.diff;
    }

    /// The version on show and the one before it.
    fn versions<'a>(&self, story: &'a Story) -> Option<(&'a PlanVersion, Option<&'a PlanVersion>)> {
        let versions = &story.state.planning.versions;
        let index = versions
            .len()
            .checked_sub(1 + self.back.min(versions.len().saturating_sub(1)))?;
        Some((&versions[index], index.checked_sub(1).map(|i| &versions[i])))
    }

    fn build_steps(&mut self, cx: &Cx, plan: &PlanVersion, before: Option<&PlanVersion>, cells: usize) {
        if cells >= ROOMY {
            self.sheet
                .rows
                .wrapped(("", Role::Dim), &plan.objective, Role::Dim, cells);
            self.sheet.rows.wrapped(
                ("why v", Role::Dim),
                &format!("{}: {}", plan.version, plan.reason),
                Role::Dim,
                cells,
            );
            self.sheet.rows.gap();
        }
        for (i, step) in plan.steps.iter().enumerate() {
            let (mark, role) = standing(cx, step);
            let fresh = before.is_some_and(|b| !b.steps.iter().any(|s| s.id == step.id));
            let title = format!("{:>2} {}", i + 1, step.title);
            let mut row = Row::text(format!("{mark} "), role)
                .put(title, if role == Role::Ok { Role::Dim } else { Role::Text });
            if fresh {
                row = row.put(" +new", Role::Info);
            }
            self.sheet.rows.push(row.end(done(cx.story, step), Role::Dim));
            if cells >= ROOMY {
                self.sheet
                    .rows
                    .wrapped(("     ", Role::Dim), &step.instruction, Role::Text, cells);
                let from = format!("{} · {}", kind(&step.kind), provenance(&step.provenance));
                self.sheet
                    .rows
                    .wrapped(("     ", Role::Dim), &from, Role::Dim, cells);
            }
        }
        if cells < ROOMY && self.back == 0 && plan.version > 1 {
            self.sheet
                .rows
                .wrapped(("   ↳ ", Role::Info), &plan.reason, Role::Dim, cells);
        }
    }

    fn build_diff(&mut self, new: &PlanVersion, old: &PlanVersion, cells: usize) {
        let half = cells.saturating_sub(3) / 2;
        let head = |v: &PlanVersion| format!("v{} {}", v.version, v.reason);
        self.sheet.rows.push(
            Row::new()
                .column(&head(old), half, Role::Dim)
                .put(" │ ", Role::Rule)
                .column(&head(new), half, Role::Accent),
        );
        let known = |plan: &PlanVersion, step: &Step| plan.steps.iter().find(|s| s.id == step.id).cloned();
        for step in &old.steps {
            let (left, right) = match known(new, step) {
                None => (
                    (format!("- {}", step.title), Role::Bad),
                    (String::new(), Role::Dim),
                ),
                Some(now) if now.instruction == step.instruction && now.scope == step.scope => (
                    (format!("  {}", step.title), Role::Dim),
                    (format!("  {}", now.title), Role::Dim),
                ),
                Some(now) => (
                    (format!("~ {}", step.title), Role::Warn),
                    (format!("~ {}", now.title), Role::Warn),
                ),
            };
            self.push_pair(left, right, half);
        }
        for step in new.steps.iter().filter(|s| known(old, s).is_none()) {
            let right = format!("+ {} ({})", step.title, provenance(&step.provenance));
            self.push_pair((String::new(), Role::Dim), (right, Role::Ok), half);
        }
    }

    fn push_pair(&mut self, left: (String, Role), right: (String, Role), half: usize) {
        self.sheet.rows.push(
            Row::new()
                .column(&left.0, half, left.1)
                .put(" │ ", Role::Rule)
                .column(&right.0, half, right.1),
        );
    }
}

/// Where a step stands: glyph and role.
fn standing(cx: &Cx, step: &Step) -> (&'static str, Role) {
    let over = cx.story.state.is_ended();
    match cx.story.step(step.id).filter(|p| p.started > 0) {
        None if over => (glyph::SKIPPED, Role::Unknown),
        None => (glyph::OPEN, Role::Dim),
        Some(p) if p.started > p.ended && over => (glyph::SKIPPED, Role::Unknown),
        Some(p) if !p.is_done() && !over => (cx.spinner, Role::Running),
        Some(p) if p.limited > 0 => (glyph::WARN, Role::Warn),
        Some(_) => (glyph::OK, Role::Ok),
    }
}

/// How many of a step's lanes are done, where it has several; its time where it has one.
fn done(story: &Story, step: &Step) -> String {
    let Some(progress) = story.step(step.id) else {
        return String::new();
    };
    match progress.lanes.as_slice() {
        [] => String::new(),
        [lane] => {
            let span = story
                .spans
                .get(&(*lane, step.id))
                .and_then(|s| Some(s.until?.since_ms(s.from)));
            span.map(|ms| text::duration(u64::try_from(ms).unwrap_or(0)))
                .unwrap_or_default()
        }
        all => format!("{}/{}", progress.ended, all.len()),
    }
}

fn kind(kind: &StepKind) -> &'static str {
    match kind {
        StepKind::Code { .. } => "CODE",
        StepKind::Instruction => "instruction",
        StepKind::Conclude => "CONCLUDE",
        StepKind::Nop { .. } => "NOP",
    }
}

impl ProsePane for Plan {
    fn title(&self, cx: &Cx) -> (String, String) {
        let versions = cx.story.state.planning.versions.len();
        let note = match self.versions(cx.story) {
            Some((plan, _)) if self.diff => format!("v{} against the one before", plan.version),
            Some((plan, _)) if versions > 1 => format!("v{} of {versions}", plan.version),
            Some((plan, _)) => plan.runbook.clone().unwrap_or_default(),
            None => String::new(),
        };
        ("Plan".to_owned(), note)
    }

    fn stamp(&self, cx: &Cx) -> Stamp {
        let spin = cx.spinner.chars().next().map_or(0, u64::from);
        let v = cx.story.versions;
        [v.planning + v.work, spin, self.back as u64, u64::from(self.diff)]
    }

    fn fill(&mut self, cx: &Cx, cells: usize) {
        match self.versions(cx.story) {
            Some((new, Some(old))) if self.diff => self.build_diff(new, old, cells),
            Some((plan, before)) => self.build_steps(cx, plan, before, cells),
            None => {}
        }
    }

    fn sheet(&self) -> &Sheet {
        &self.sheet
    }

    fn sheet_mut(&mut self) -> &mut Sheet {
        &mut self.sheet
    }

    fn empty(&self, cx: &Cx) -> String {
        match cx.story.state.query {
            None => "The plan appears here.".to_owned(),
            Some(_) if cx.story.state.is_ended() => "There was no plan.".to_owned(),
            Some(_) => format!("{} no plan yet", cx.spinner),
        }
    }
}
