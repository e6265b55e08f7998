//! A line of text: search, filter, rename.

use crossterm::event::KeyCode;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::widgets::{Clear, Widget};

use super::Dialog;
use crate::agent::model::SessionId;
use crate::tui::app::{App, Effect, LineEdit, find, with_pane};
use crate::tui::keymap::Key;
use crate::tui::panes::PaneId;
use crate::tui::text;
use crate::tui::theme::Role;

/// What the line is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PromptFor {
    /// Searching the focused pane; in the sessions browser it filters.
    Find,
    /// Naming a session.
    Rename(SessionId),
}

/// The prompt: a line at the bottom of the screen.
#[derive(Debug)]
pub struct Prompt {
    label: &'static str,
    target: PromptFor,
    edit: LineEdit,
}

impl Prompt {
    /// A prompt with text in it.
    pub fn new(label: &'static str, target: PromptFor, initial: &str) -> Self {
        Self {
            label,
            target,
            edit: LineEdit::with(initial),
        }
    }

    /// Whether it searches.
    pub fn is_find(&self) -> bool {
        self.target == PromptFor::Find
    }

    /// Inserts pasted text.
    pub fn insert(&mut self, pasted: &str) {
        self.edit.insert(pasted);
    }

    /// Draws it over the footer.
    pub fn draw(&mut self, app: &App, frame: &mut Frame) -> Option<(u16, u16)> {
        let theme = &app.looks.theme;
        let screen = frame.area();
        if screen.height == 0 || screen.width < 12 {
            return None;
        }
        let area = Rect {
            y: screen.bottom() - 1,
            height: 1,
            ..screen
        };
        let buf = frame.buffer_mut();
        Clear.render(area, buf);
        buf.set_style(area, theme.style(Role::Canvas));
        let label = format!(" {} / ", self.label);
        let start = u16::try_from(text::width(&label)).unwrap_or(0);
        buf.set_string(area.x, area.y, label, theme.style(Role::Key));
        let (seen, at) = self.edit.view(usize::from(area.width.saturating_sub(start + 1)));
        buf.set_string(area.x + start, area.y, seen, theme.style(Role::Text));
        Some((area.x + start + u16::try_from(at).unwrap_or(0), area.y))
    }
}

/// A key while the prompt is in front. Searching shows its hits while one types.
pub fn key(app: &mut App, key: Key) -> Vec<Effect> {
    let Some(Dialog::Prompt(prompt)) = app.layers.front_mut().map(|l| &mut l.content) else {
        return Vec::new();
    };
    if key.code() == KeyCode::Enter {
        let target = prompt.target.clone();
        let text = prompt.edit.text().trim().to_owned();
        app.layers.close();
        return match target {
            PromptFor::Find => Vec::new(),
            PromptFor::Rename(id) if !text.is_empty() => vec![Effect::Rename(id, text)],
            PromptFor::Rename(_) => Vec::new(),
        };
    }
    prompt.edit.key(key);
    if prompt.is_find() {
        let needle = prompt.edit.text().to_owned();
        search(app, &needle);
    }
    Vec::new()
}

fn search(app: &mut App, needle: &str) {
    if app.focus() == PaneId::Sessions {
        app.sessions.filter(needle);
        return;
    }
    with_pane(app, |_, pane| pane.list_mut().find = Some(needle.to_owned()));
    if !needle.is_empty() {
        find(app, 0);
    }
}

/// Esc out of a search forgets it.
pub fn abandon_find(app: &mut App) {
    if app.focus() == PaneId::Sessions {
        app.sessions.filter("");
    } else {
        with_pane(app, |_, pane| pane.list_mut().find = None);
    }
}
