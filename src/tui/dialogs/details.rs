//! A question in full, with everything it concerns, and the same keys to answer it.

use ratatui::Frame;

use super::{Dialog, boxed};
use crate::agent::model::{QuestionId, QuestionKind};
use crate::tui::app::{App, Effect};
use crate::tui::keymap::Key;
use crate::tui::panes::Pane;
use crate::tui::rows::{ListState, Row, draw_rows};
use crate::tui::text;
use crate::tui::theme::Role;

/// The question dialog.
#[derive(Debug)]
pub struct Details {
    question: QuestionId,
    list: ListState,
}

impl Details {
    /// Shows this question.
    pub fn new(question: QuestionId) -> Self {
        Self {
            question,
            list: ListState::top(),
        }
    }

    /// Scrolls.
    pub fn scroll(&mut self, rows: isize) {
        self.list.scroll(rows);
    }

    fn rows(&self, app: &mut App, cells: usize) -> Vec<Row> {
        let index = app.active.min(app.tabs.len() - 1);
        let mut rows: Vec<Row> = app.with_cx(|cx, panes| {
            panes.needs.show(self.question);
            let area = ratatui::layout::Rect::new(0, 0, u16::try_from(cells).unwrap_or(80), 100);
            panes.needs.prepare(cx, area);
            (0..panes.needs.list().len())
                .map(|i| panes.needs.row(cx, i))
                .collect()
        });
        let tab = &app.tabs[index];
        let asked = tab.story.state.dialogue.question(self.question);
        let call = asked.and_then(|a| match &a.question.kind {
            QuestionKind::ToolFailure { call, .. }
            | QuestionKind::Approval { call }
            | QuestionKind::Elicitation { call, .. } => tab.story.state.execution.call(*call),
            _ => None,
        });
        if let Some(record) = call {
            rows.push(Row::new());
            rows.push(Row::text(" The call in full", Role::Title));
            for line in text::wrap(&record.call.why, cells.saturating_sub(12)) {
                rows.push(Row::text(" why      ", Role::Dim).put(line, Role::Text));
            }
            let arguments = serde_json::to_string_pretty(&record.call.arguments).unwrap_or_default();
            for line in arguments.lines() {
                rows.push(Row::text("   ", Role::Dim).put(line, Role::JsonString));
            }
            for (i, outcome) in record.outcomes.iter().enumerate() {
                let failure = outcome.failure.as_ref();
                let words =
                    failure.map_or_else(|| "answered".to_owned(), |f| format!("{}: {}", f.kind, f.message));
                for line in text::wrap(&words, cells.saturating_sub(12)) {
                    rows.push(Row::text(format!(" try {:<5}", i + 1), Role::Dim).put(line, Role::Text));
                }
            }
        }
        rows
    }

    /// Draws it.
    pub fn draw(&mut self, app: &mut App, frame: &mut Frame) -> Option<(u16, u16)> {
        let screen = frame.area();
        let width = screen.width.min(100);
        let rows = self.rows(app, usize::from(width.saturating_sub(2)));
        let height = u16::try_from(rows.len() + 2).unwrap_or(u16::MAX);
        let theme = &app.looks.theme;
        let inside = boxed(
            frame,
            theme,
            "Question",
            "Esc closes and answers nothing",
            (width, height),
        );
        self.list.set_len(rows.len());
        draw_rows(inside, frame.buffer_mut(), theme, &mut self.list, false, |i| {
            rows[i].clone()
        });
        None
    }
}

/// A key while the question is in front that answers nothing.
pub fn key(app: &mut App, key: Key) -> Vec<Effect> {
    use crossterm::event::KeyCode as K;
    let rows = match key.code() {
        K::Up | K::Char('k') => -1,
        K::Down | K::Char('j') => 1,
        K::PageUp => -10,
        K::PageDown => 10,
        _ => return Vec::new(),
    };
    if let Some(Dialog::Question(details)) = app.layers.front_mut().map(|l| &mut l.content) {
        details.scroll(rows);
    }
    Vec::new()
}
