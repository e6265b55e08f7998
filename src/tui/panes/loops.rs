//! Planner and critic, loop by loop: draft, search, verdict, what is missing, risks, text as it streams.

use super::words::glyph;
use super::{Cx, ProsePane, Sheet, Stamp};
use crate::agent::model::Critique;
use crate::agent::state::DraftRecord;
use crate::tui::rows::Row;
use crate::tui::text::plural;
use crate::tui::theme::Role;

/// Width of the column that says who speaks.
const WHO: usize = 9;

/// The loops pane.
#[derive(Debug)]
pub struct Loops {
    sheet: Sheet,
}

impl Default for Loops {
    fn default() -> Self {
        Self { sheet: Sheet::tail() }
    }
}

fn who(name: &str) -> String {
    crate::tui::text::pad(name, WHO)
}

impl Loops {
    fn build_draft(&mut self, number: usize, limit: u32, record: &DraftRecord, cells: usize) {
        self.sheet
            .rows
            .push(Row::text(format!("loop {number}/{limit}"), Role::Title));
        if let Some(passages) = &record.passages {
            let best = passages
                .first()
                .map(|p| format!(", best: {}", p.heading))
                .unwrap_or_default();
            let words = format!("{} found{best}", plural(passages.len(), "passage"));
            self.sheet
                .rows
                .wrapped((&who("search"), Role::Search), &words, Role::Dim, cells);
        }
        if let Some(draft) = &record.draft {
            let strategy = if draft.strategy.is_empty() {
                String::new()
            } else {
                format!(", {}", draft.strategy)
            };
            let head = format!("{}{strategy}", plural(draft.steps.len(), "step"));
            self.sheet
                .rows
                .wrapped((&who("planner"), Role::Planner), &head, Role::Text, cells);
            self.sheet
                .rows
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
        self.sheet.rows.push(
            Row::text(who("critic"), Role::Critic)
                .put(format!("{mark} {word}"), role)
                .put(format!("  {:.2}", critique.confidence), Role::Dim),
        );
        let indent = " ".repeat(WHO);
        for missing in &critique.missing {
            self.sheet.rows.wrapped(
                (&format!("{indent}missing  "), Role::Warn),
                missing,
                Role::Text,
                cells,
            );
        }
        for search in &critique.next_search {
            self.sheet.rows.wrapped(
                (&format!("{indent}search   "), Role::Search),
                search,
                Role::Text,
                cells,
            );
        }
        for flag in &critique.risk_flags {
            let words = format!("{} ({:.2})", flag.risk, flag.confidence);
            self.sheet.rows.wrapped(
                (&format!("{indent}{} risk   ", glyph::WARN), Role::Warn),
                &words,
                Role::Text,
                cells,
            );
        }
    }
}

impl ProsePane for Loops {
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

    fn stamp(&self, cx: &Cx) -> Stamp {
        [cx.story.versions.planning, 0, 0, 0]
    }

    fn fill(&mut self, cx: &Cx, cells: usize) {
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
            self.sheet
                .rows
                .wrapped((&who(role), color), words, Role::Running, cells);
        }
    }

    fn sheet(&self) -> &Sheet {
        &self.sheet
    }

    fn sheet_mut(&mut self) -> &mut Sheet {
        &mut self.sheet
    }

    fn empty(&self, _: &Cx) -> String {
        "The planner drafts, the critic objects, at most three times; then a plan stands.".to_owned()
    }
}
