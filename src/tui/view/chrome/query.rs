//! The query line with its ghost and completions.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::{Clear, Widget};

use super::super::arrange::Arrangement;
use crate::tui::action::{Action, Go, Typing};
use crate::tui::app::App;
use crate::tui::text;
use crate::tui::theme::Role;

/// The query line; returns the cursor's place when it has the keys.
pub(super) fn draw(app: &App, area: Rect, buf: &mut Buffer) -> Option<(u16, u16)> {
    let theme = &app.looks.theme;
    let focused = app.query.focused;
    let bar = if focused { Role::Accent } else { Role::Rule };
    buf.set_string(area.x, area.y, " ▌", theme.style(bar));
    let (x, room) = (area.x + 3, usize::from(area.width.saturating_sub(4)));
    let typed = app.query.edit.text();
    if !focused && typed.is_empty() {
        let words = app.tab().story.query();
        let (words, role) = if words.is_empty() {
            (
                format!("{} to ask", app.looks.keymap.label(Action::Go(Go::Ask))),
                Role::Dim,
            )
        } else {
            (text::one_line(words), Role::Title)
        };
        buf.set_string(x, area.y, text::fit(&words, room), theme.style(role));
        return None;
    }
    if typed.is_empty() {
        let words = if app.tab().is_running() {
            let new = app.looks.keymap.label(Action::Typing(Typing::NewTab));
            format!("tell the planner something; {new} starts another investigation")
        } else {
            "what hurts? for example: BGP to the RR is flapping on xrd-2".to_owned()
        };
        buf.set_string(x, area.y, text::fit(&words, room), theme.style(Role::Dim));
        return focused.then_some((x, area.y));
    }
    let (seen, at) = app.query.edit.view(room);
    let end = text::width(&seen);
    buf.set_string(x, area.y, seen, theme.style(Role::Text));
    if let Some(ghost) = app.query.ghost().filter(|_| focused) {
        let ghost = text::take(ghost, room.saturating_sub(end));
        buf.set_string(
            x + u16::try_from(end).unwrap_or(0),
            area.y,
            ghost,
            theme.style(Role::Dim),
        );
    }
    focused.then_some((x + u16::try_from(at).unwrap_or(0), area.y))
}

/// The completions, in a small box under the query line.
pub fn draw_suggestions(app: &App, frame: &mut Frame, plan: &Arrangement) {
    let (words, chosen) = app.query.suggestions();
    if !app.query.focused || words.is_empty() {
        return;
    }
    let theme = &app.looks.theme;
    let widest = words.iter().map(|w| text::width(w)).max().unwrap_or(8);
    let width = u16::try_from(widest + 2)
        .unwrap_or(20)
        .min(plan.query.width.saturating_sub(3));
    let height = u16::try_from(words.len())
        .unwrap_or(1)
        .min(frame.area().height.saturating_sub(plan.query.y + 2));
    let area = Rect {
        x: plan.query.x + 3,
        y: plan.query.y + 1,
        width,
        height,
    };
    let buf = frame.buffer_mut();
    Clear.render(area, buf);
    for ((i, word), y) in words.iter().enumerate().zip(area.y..area.bottom()) {
        let role = if Some(i) == chosen {
            Role::Match
        } else {
            Role::Badge
        };
        buf.set_string(
            area.x,
            y,
            text::pad(&format!(" {word}"), usize::from(width)),
            theme.style(role),
        );
    }
}
