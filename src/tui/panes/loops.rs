//! Planner and critic, loop by loop: draft, search, verdict, what is missing, risks, text as it streams.

use ratatui::layout::Rect;

use super::words::glyph;
use super::{Cx, Pane, Prose};
use crate::agent::model::Critique;
use crate::agent::state::DraftRecord;
use crate::tui::rows::{ListState, Row};
use crate::tui::text::plural;
use crate::tui::theme::Role;

/// Width of the column that says who speaks.
const WHO: usize = 9;

/// The loops pane.
#[derive(Debug)]
pub struct Loops {
    list: ListState,
    rows: Prose,
    key: (u64, u16),
}

impl Default for Loops {
    fn default() -> Self {
        Self {
            list: ListState::tail(),
            rows: Prose::default(),
            key: (0, 0),
        }
    }
}

fn who(name: &str) -> String {
    crate::tui::text::pad(name, WHO)
}

impl Loops {
    fn build_draft(&mut self, number: usize, limit: u32, record: &DraftRecord, cells: usize) {
        self.rows
            .push(Row::text(format!("loop {number}/{limit}"), Role::Title));
        if let Some(passages) = &record.passages {
            let best = passages
                .first()
                .map(|p| format!(", best: {}", p.heading))
                .unwrap_or_default();
            let words = format!("{} found{best}", plural(passages.len(), "passage"));
            self.rows
                .wrapped((&who("search"), Role::Search), &words, Role::Dim, cells);
        }
        if let Some(draft) = &record.draft {
            let strategy = if draft.strategy.is_empty() {
                String::new()
            } else {
                format!(", {}", draft.strategy)
            };
            let head = format!("{}{strategy}", plural(draft.steps.len(), "step"));
            self.rows
                .wrapped((&who("planner"), Role::Planner), &head, Role::Text, cells);
            self.rows
                .wrapped((&" ".repeat(WHO), Role::Dim), &draft.rationale, Role::Dim, cells);
        }
        if let Some(critique) = &record.critique {
            self.build_critique(critique, cells);
        }
    }

    fn build_critique(&mut self, critique: &Critique, cells: usize) {
        let (mark, word, role) = if critique.pass {
            (glyph::OK, "pass", Role::Ok)
        } else {
            (glyph::BAD, "fail", Role::Bad)
        };
        self.rows.push(
            Row::text(who("critic"), Role::Critic)
                .put(format!("{mark} {word}"), role)
                .put(format!("  {:.2}", critique.confidence), Role::Dim),
        );
        let indent = " ".repeat(WHO);
        for missing in &critique.missing {
            self.rows.wrapped(
                (&format!("{indent}missing  "), Role::Warn),
                missing,
                Role::Text,
                cells,
            );
        }
        for search in &critique.next_search {
            self.rows.wrapped(
                (&format!("{indent}search   "), Role::Search),
                search,
                Role::Text,
                cells,
            );
        }
        for flag in &critique.risk_flags {
            let words = format!("{} ({:.2})", flag.risk, flag.confidence);
            self.rows.wrapped(
                (&format!("{indent}{} risk   ", glyph::WARN), Role::Warn),
                &words,
                Role::Text,
                cells,
            );
        }
    }
}

impl Pane for Loops {
    fn title(&self, cx: &Cx) -> (String, String) {
        let drafts = cx.story.state.planning.drafts.len();
        (
            "Planner ⇄ Critic".to_owned(),
            if drafts > 0 {
                plural(drafts, "draft")
            } else {
                String::new()
            },
        )
    }

    fn prepare(&mut self, cx: &Cx, area: Rect) {
        let key = (cx.story.versions.planning, area.width);
        if key == self.key {
            return;
        }
        self.key = key;
        self.rows.clear();
        let cells = usize::from(area.width);
        let planning = &cx.story.state.planning;
        let limit = cx.story.state.options.limits.planning_loops;
        let mut number = 0;
        let mut critiqued = false;
        for record in &planning.drafts {
            // A passed critique ends a round of loops; the next draft starts a new one.
            number = if critiqued { 1 } else { number + 1 };
            critiqued = record.critique.as_ref().is_some_and(|c| c.pass);
            self.build_draft(number, limit, record, cells);
        }
        for (role, words) in &cx.story.live {
            let color = if role == "critic" {
                Role::Critic
            } else {
                Role::Planner
            };
            self.rows
                .wrapped((&who(role), color), words, Role::Running, cells);
        }
        self.list.set_len(self.rows.len());
    }

    fn row(&self, _: &Cx, index: usize) -> Row {
        self.rows.row(index)
    }

    fn list(&self) -> &ListState {
        &self.list
    }

    fn list_mut(&mut self) -> &mut ListState {
        &mut self.list
    }

    fn empty(&self, _: &Cx) -> String {
        "The planner drafts, the critic objects, at most three times; then a plan stands.".to_owned()
    }
}
