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

/// What a demo shows, in the order in which it comes.
const TOUR: [&str; 4] = [
    "a plan, criticised before anything runs",
    "read-only checks on all routers at once",
    "a question to you, answered with one key",
    "a verdict in which every claim opens its evidence",
];

/// Draws the welcome in the middle of the body.
pub fn draw(app: &App, frame: &mut Frame, plan: &Arrangement) {
    let Some(body) = plan.welcome else { return };
    let width = CELLS.min(body.width);
    let cells = usize::from(width.saturating_sub(u16::from(body.width < CELLS + 4) * 2));
    let mut rows = rows(app, cells);
    if rows.len() > usize::from(body.height) {
        rows = brief(app, cells);
    }
    let height = u16::try_from(rows.len()).unwrap_or(u16::MAX).min(body.height);
    let indent = u16::from(body.width < CELLS + 4);
    let area = Rect {
        x: body.x + (body.width - width) / 2 + indent,
        y: body.y + (body.height - height) / 3,
        width: width - indent,
        height,
    };
    for (row, y) in rows.iter().zip(area.y..area.bottom()) {
        let line = row.line(usize::from(area.width), &app.looks.theme, false);
        frame.buffer_mut().set_line(area.x, y, &line, area.width);
    }
}

fn wrapped(words: &str, cells: usize, role: Role) -> impl Iterator<Item = Row> {
    text::wrap(words, cells)
        .into_iter()
        .map(move |line| Row::text(line, role))
}

/// Where there is hardly any room: what to do.
fn brief(app: &App, cells: usize) -> Vec<Row> {
    let words = match app.setting.welcome.as_str() {
        "" => "What hurts? Type it above and press Enter; read-only checks do the rest.",
        welcome => welcome,
    };
    wrapped(words, cells, Role::Text).collect()
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
        rows.extend(wrapped(&app.setting.welcome, cells, Role::Text));
        rows.push(Row::new());
    }
    if app.setting.guided {
        rows.push(Row::text("You will see", Role::Dim));
        for (i, what) in TOUR.iter().enumerate() {
            rows.push(Row::text(format!("  {}  ", i + 1), Role::Accent).put(*what, Role::Text));
        }
        rows.push(Row::new());
    } else if !app.setting.examples.is_empty() {
        rows.push(Row::text("For example (↑ brings them into the line)", Role::Dim));
        for example in &app.setting.examples {
            rows.push(Row::text("  ▸ ", Role::Accent).put(example.as_str(), Role::Text));
        }
        rows.push(Row::new());
    }
    rows.extend(keys(app));
    rows
}

fn keys(app: &App) -> [Row; 2] {
    let key = |action| app.looks.keymap.label(action);
    let hint = |row: Row, action: Action, words: &str| {
        row.put(key(action), Role::Key)
            .put(format!(" {words}   "), Role::Dim)
    };
    let line = Row::text("↵", Role::Key)
        .put(" start   ", Role::Dim)
        .put("Tab", Role::Key)
        .put(" complete   ", Role::Dim)
        .put("Esc", Role::Key)
        .put(" leave the line", Role::Dim);
    let row = hint(Row::new(), Action::Go(Go::Sessions), "earlier sessions");
    let row = hint(row, Action::App(Program::Palette), "commands");
    let row = hint(row, Action::App(Program::Help), "keys").put("(after Esc)", Role::Dim);
    [line, row]
}
