//! The palette: every action by fuzzy name, with its key, and why it cannot be done where it cannot.

use crossterm::event::KeyCode;
use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher};
use ratatui::Frame;
use ratatui::layout::Rect;

use super::{Dialog, boxed};
use crate::tui::action::{Action, Spec};
use crate::tui::app::{App, Effect, LineEdit, why_not};
use crate::tui::keymap::Key;
use crate::tui::rows::{ListState, Row, draw_rows};
use crate::tui::theme::Role;

/// The palette dialog.
#[derive(Debug, Default)]
pub struct Palette {
    edit: LineEdit,
    list: ListState,
}

impl Palette {
    /// Moves the selection.
    pub fn step(&mut self, rows: isize) {
        self.list.step(rows);
    }

    /// Adds text to the search.
    pub fn insert(&mut self, text: &str) {
        self.edit.insert(text);
    }

    /// The actions that match, best first.
    fn hits(&self) -> Vec<&'static Spec> {
        let needle = self.edit.text();
        if needle.is_empty() {
            return Action::TABLE.iter().collect();
        }
        let mut matcher = Matcher::new(Config::DEFAULT);
        let pattern = Pattern::parse(needle, CaseMatching::Ignore, Normalization::Smart);
        let mut buffer = Vec::new();
        let mut hits: Vec<(u32, &Spec)> = Action::TABLE
            .iter()
            .filter_map(|spec| {
                let words = format!("{} {}", spec.id, spec.doc);
                let score =
                    pattern.score(nucleo_matcher::Utf32Str::new(&words, &mut buffer), &mut matcher)?;
                Some((score, spec))
            })
            .collect();
        hits.sort_by_key(|(score, spec)| (std::cmp::Reverse(*score), spec.id));
        hits.into_iter().map(|(_, spec)| spec).collect()
    }

    /// Draws it.
    pub fn draw(&mut self, app: &App, frame: &mut Frame) -> Option<(u16, u16)> {
        let theme = &app.looks.theme;
        let screen = frame.area();
        let inside = boxed(
            frame,
            theme,
            "Command",
            "↵ do · Esc close",
            (screen.width.min(84), screen.height.min(20)),
        );
        if inside.height < 2 || inside.width < 4 {
            return None;
        }
        let (seen, at) = self.edit.view(usize::from(inside.width) - 3);
        let buf = frame.buffer_mut();
        buf.set_string(inside.x, inside.y, ": ", theme.style(Role::Key));
        buf.set_string(inside.x + 2, inside.y, seen, theme.style(Role::Text));
        let hits = self.hits();
        self.list.set_len(hits.len());
        let rows = Rect {
            y: inside.y + 1,
            height: inside.height - 1,
            ..inside
        };
        draw_rows(rows, buf, theme, &mut self.list, true, |i| {
            let spec = hits[i];
            let reason = why_not(app, spec.action);
            let role = if reason.is_some() { Role::Dim } else { Role::Text };
            let row = Row::new().column(spec.id, 22, Role::Accent).put(spec.doc, role);
            match reason {
                Some(reason) => row.end(reason, Role::Warn),
                None => row.end(
                    app.looks
                        .keymap
                        .keys(spec.action)
                        .iter()
                        .map(ToString::to_string)
                        .collect::<Vec<_>>()
                        .join(" "),
                    Role::Key,
                ),
            }
        });
        Some((inside.x + 2 + u16::try_from(at).unwrap_or(0), inside.y))
    }
}

/// A key while the palette is in front.
pub fn key(app: &mut App, key: Key) -> Vec<Effect> {
    let Some(Dialog::Palette(palette)) = app.layers.front_mut().map(|l| &mut l.content) else {
        return Vec::new();
    };
    match key.code() {
        KeyCode::Up => palette.step(-1),
        KeyCode::Down | KeyCode::Tab => palette.step(1),
        KeyCode::PageUp => palette.list.page(-1),
        KeyCode::PageDown => palette.list.page(1),
        KeyCode::Enter => {
            let chosen = palette.hits().get(palette.list.selected()).map(|s| s.action);
            app.layers.close();
            return chosen.map_or_else(Vec::new, |action| crate::tui::app::perform(app, action));
        }
        _ => {
            palette.edit.key(key);
            palette.list.first();
        }
    }
    Vec::new()
}
