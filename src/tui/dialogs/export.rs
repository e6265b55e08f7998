//! Export: which form, and whether to a file or to the clipboard.

use crossterm::event::KeyCode;
use ratatui::Frame;

use super::{Dialog, boxed};
use crate::tui::app::{App, Effect, ExportTo};
use crate::tui::keymap::Key;
use crate::tui::rows::Row;
use crate::tui::source::ExportFormat;
use crate::tui::theme::Role;

/// The choices, in the order of the rows.
const CHOICES: [(ExportFormat, ExportTo, char, &str); 6] = [
    (ExportFormat::Markdown, ExportTo::File, 'm', "Markdown to a file"),
    (
        ExportFormat::Html,
        ExportTo::File,
        'h',
        "HTML to a file, one self-contained page",
    ),
    (
        ExportFormat::Json,
        ExportTo::File,
        'j',
        "JSON to a file, evidence included",
    ),
    (
        ExportFormat::Markdown,
        ExportTo::Clipboard,
        'M',
        "Markdown to the clipboard",
    ),
    (
        ExportFormat::Html,
        ExportTo::Clipboard,
        'H',
        "HTML to the clipboard",
    ),
    (
        ExportFormat::Json,
        ExportTo::Clipboard,
        'J',
        "JSON to the clipboard",
    ),
];

/// The export dialog.
#[derive(Debug, Default)]
pub struct Export {
    selected: usize,
}

impl Export {
    /// Draws it.
    pub fn draw(&mut self, app: &App, frame: &mut Frame) -> Option<(u16, u16)> {
        let theme = &app.looks.theme;
        let inside = boxed(frame, theme, "Export", "secrets are redacted · Esc back", (52, 8));
        for (i, ((_, _, key, label), y)) in CHOICES.iter().zip(inside.y..inside.bottom()).enumerate() {
            let row = Row::text(format!(" [{key}] "), Role::Key).put(*label, Role::Text);
            let line = row.line(usize::from(inside.width), theme, i == self.selected);
            frame.buffer_mut().set_line(inside.x, y, &line, inside.width);
        }
        None
    }
}

/// A key while it is in front.
pub fn key(app: &mut App, key: Key) -> Vec<Effect> {
    let Some(Dialog::Export(export)) = app.layers.front_mut().map(|l| &mut l.content) else {
        return Vec::new();
    };
    let last = CHOICES.len() - 1;
    let chosen = match key.code() {
        KeyCode::Up | KeyCode::Char('k') => {
            export.selected = export.selected.saturating_sub(1);
            None
        }
        KeyCode::Down => {
            export.selected = (export.selected + 1).min(last);
            None
        }
        KeyCode::Enter => Some(export.selected),
        _ => key
            .character()
            .and_then(|c| CHOICES.iter().position(|(_, _, k, _)| *k == c)),
    };
    let Some((format, to, ..)) = chosen.map(|i| CHOICES[i]) else {
        return Vec::new();
    };
    app.layers.close();
    match app.tab().session.clone().or_else(|| app.tab().recorded.clone()) {
        Some(id) => vec![Effect::Export(id, format, to)],
        None => {
            app.complain("this recording has no session in the journal to export");
            Vec::new()
        }
    }
}
