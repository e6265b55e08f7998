//! Two sessions side by side: what was asked, found, and how each ended.

use ratatui::Frame;

use super::{Dialog, boxed};
use crate::agent::model::SessionId;
use crate::tui::app::{App, Effect};
use crate::tui::keymap::Key;
use crate::tui::panes::Sessions;
use crate::tui::rows::{ListState, Row, draw_rows};
use crate::tui::source::SessionRow;
use crate::tui::text;
use crate::tui::theme::Role;

/// The compare dialog.
#[derive(Debug)]
pub struct Compare {
    pair: Vec<SessionRow>,
    list: ListState,
}

impl Compare {
    /// Compares two sessions of the browser.
    pub fn new(sessions: &Sessions, a: &SessionId, b: &SessionId) -> Self {
        let pair = [a, b]
            .into_iter()
            .filter_map(|id| sessions.get(id).cloned())
            .collect();
        Self {
            pair,
            list: ListState::top(),
        }
    }

    /// Scrolls.
    pub fn scroll(&mut self, rows: isize) {
        self.list.scroll(rows);
    }

    fn rows(&self, cells: usize) -> Vec<Row> {
        let [a, b] = self.pair.as_slice() else {
            return vec![Row::text("The sessions are gone.", Role::Dim)];
        };
        let half = cells.saturating_sub(12) / 2;
        let mut rows = Vec::new();
        let fields: [(&str, &str, &str); 4] = [
            ("asked", &a.query, &b.query),
            ("found", &a.found, &b.found),
            ("ended", &a.ended, &b.ended),
            ("session", &a.id.0, &b.id.0),
        ];
        for (label, left, right) in fields {
            let (l, r) = (
                text::wrap(&text::clean(left), half),
                text::wrap(&text::clean(right), half),
            );
            let role = if left == right { Role::Dim } else { Role::Text };
            for i in 0..l.len().max(r.len()) {
                let line = |side: &[String]| side.get(i).cloned().unwrap_or_default();
                rows.push(
                    Row::new()
                        .column(if i == 0 { label } else { "" }, 8, Role::Dim)
                        .column(&line(&l), half, role)
                        .put(" │ ", Role::Rule)
                        .column(&line(&r), half, role),
                );
            }
            rows.push(Row::new());
        }
        let verdict = if a.found == b.found {
            ("Both found the same.", Role::Ok)
        } else {
            ("They differ in what they found.", Role::Warn)
        };
        rows.push(Row::text(verdict.0, verdict.1));
        rows
    }

    /// Draws it.
    pub fn draw(&mut self, app: &App, frame: &mut Frame) -> Option<(u16, u16)> {
        let theme = &app.looks.theme;
        let screen = frame.area();
        let width = screen.width.min(110);
        let rows = self.rows(usize::from(width.saturating_sub(2)));
        let wanted = (width, u16::try_from(rows.len() + 2).unwrap_or(u16::MAX));
        let inside = boxed(frame, theme, "Compare", "Esc close", wanted);
        self.list.set_len(rows.len());
        draw_rows(inside, frame.buffer_mut(), theme, &mut self.list, false, |i| {
            rows[i].clone()
        });
        None
    }
}

/// A key while it is in front.
pub fn key(app: &mut App, key: Key) -> Vec<Effect> {
    use crossterm::event::KeyCode as K;
    let rows = match key.code() {
        K::Up | K::Char('k') => -1,
        K::Down | K::Char('j') => 1,
        _ => return Vec::new(),
    };
    if let Some(Dialog::Compare(compare)) = app.layers.front_mut().map(|l| &mut l.content) {
        compare.scroll(rows);
    }
    Vec::new()
}
