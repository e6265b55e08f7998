//! The first screen: what this is, what to type, and nothing else.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::arrange::Arrangement;
use crate::tui::action::{Action, App as Program, Go};
use crate::tui::app::App;
use crate::tui::rows::Row;
use crate::tui::text;
use crate::tui::theme::Role;

/// The widest the words run.
const CELLS: u16 = 76;

/// Draws the welcome in the middle of the body.
pub fn draw(app: &App, frame: &mut Frame, plan: &Arrangement) {
    let Some(body) = plan.welcome else { return };
    let rows = rows(app, usize::from(CELLS.min(body.width.saturating_sub(4))));
    let width = CELLS.min(body.width);
    let height = u16::try_from(rows.len()).unwrap_or(u16::MAX).min(body.height);
    let area = Rect {
        x: body.x + (body.width - width) / 2,
        y: body.y + (body.height - height) / 3,
        width,
        height,
    };
    for (row, y) in rows.iter().zip(area.y..area.bottom()) {
        let line = row.line(usize::from(width), &app.looks.theme, false);
        frame.buffer_mut().set_line(area.x, y, &line, width);
    }
}

fn rows(app: &App, cells: usize) -> Vec<Row> {
    let mut rows = vec![
        Row::text("☾ noctui", Role::TitleFocus),
        Row::text(
            "What hurts? Type it in the line above; read-only checks do the rest.",
            Role::Text,
        ),
        Row::new(),
    ];
    if !app.setting.welcome.is_empty() {
        for line in text::wrap(&app.setting.welcome, cells) {
            rows.push(Row::text(line, Role::Text));
        }
        rows.push(Row::new());
    }
    if !app.setting.examples.is_empty() {
        rows.push(Row::text("For example (↑ brings them into the line)", Role::Dim));
        for example in &app.setting.examples {
            rows.push(Row::text("  ▸ ", Role::Accent).put(example.as_str(), Role::Text));
        }
        rows.push(Row::new());
    }
    let key = |action| app.looks.keymap.label(action);
    let hint = |row: Row, action: Action, words: &str| {
        row.put(key(action), Role::Key)
            .put(format!(" {words}   "), Role::Dim)
    };
    let row = Row::text("↵", Role::Key)
        .put(" start   ", Role::Dim)
        .put("Tab", Role::Key)
        .put(" complete   ", Role::Dim);
    rows.push(row.put("Esc", Role::Key).put(" leave the line", Role::Dim));
    let row = hint(Row::new(), Action::Go(Go::Sessions), "earlier sessions");
    let row = hint(row, Action::App(Program::Palette), "commands");
    rows.push(hint(row, Action::App(Program::Help), "keys").put("(after Esc)", Role::Dim));
    rows
}
