//! Help: the keys that work where the user is, from the live keymap; greyed with the reason where they do not.

use ratatui::Frame;

use super::boxed;
use crate::tui::action::{Action, Context};
use crate::tui::app::{App, Effect, why_not};
use crate::tui::keymap::Key;
use crate::tui::rows::{ListState, Row, draw_rows};
use crate::tui::theme::Role;

/// The help dialog.
#[derive(Debug)]
pub struct Help {
    contexts: Vec<Context>,
    list: ListState,
}

impl Help {
    /// Help for these contexts first, then for all others.
    pub fn new(contexts: Vec<Context>) -> Self {
        Self {
            contexts,
            list: ListState::top(),
        }
    }

    /// Scrolls.
    pub fn scroll(&mut self, rows: isize) {
        self.list.scroll(rows);
    }

    fn rows(&self, app: &App) -> Vec<Row> {
        let mut order = self.contexts.clone();
        order.extend(Context::ALL.into_iter().filter(|c| !self.contexts.contains(c)));
        let mut rows = Vec::new();
        for context in order {
            let here = self.contexts.contains(&context);
            if !rows.is_empty() {
                rows.push(Row::new());
            }
            let title = Row::text(context.title(), if here { Role::TitleFocus } else { Role::Title });
            rows.push(if here {
                title
            } else {
                title.put("  not where you are", Role::Dim)
            });
            for spec in Action::TABLE.iter().filter(|s| s.context == context) {
                let keys = app.looks.keymap.keys(spec.action);
                let keys = keys.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
                let reason = if here { why_not(app, spec.action) } else { None };
                let role = if reason.is_some() { Role::Dim } else { Role::Text };
                let row = Row::text("  ", Role::Dim)
                    .column(if keys.is_empty() { "—" } else { &keys }, 16, Role::Key)
                    .put(spec.doc, role);
                rows.push(match reason {
                    Some(reason) => row.put(format!("  ({reason})"), Role::Warn),
                    None => row,
                });
            }
        }
        rows
    }

    /// Draws it.
    pub fn draw(&mut self, app: &App, frame: &mut Frame) -> Option<(u16, u16)> {
        let screen = frame.area();
        let theme = &app.looks.theme;
        let inside = boxed(
            frame,
            theme,
            "Keys",
            "↑↓ scroll · Esc close",
            (screen.width.min(92), screen.height.saturating_sub(2)),
        );
        let rows = self.rows(app);
        self.list.set_len(rows.len());
        draw_rows(inside, frame.buffer_mut(), theme, &mut self.list, false, |i| {
            rows[i].clone()
        });
        None
    }
}

/// A key while help is in front.
pub fn key(app: &mut App, key: Key) -> Vec<Effect> {
    use crossterm::event::KeyCode as K;
    let page = isize::try_from(app.size.1 / 2).unwrap_or(10);
    let rows = match key.code() {
        K::Up | K::Char('k') => -1,
        K::Down | K::Char('j') => 1,
        K::PageUp => -page,
        K::PageDown | K::Char(' ') => page,
        K::Home | K::Char('g') => isize::MIN / 2,
        K::End | K::Char('G') => isize::MAX / 2,
        _ => return Vec::new(),
    };
    if let Some(layer) = app.layers.front_mut() {
        layer.content.scroll(rows);
    }
    Vec::new()
}
