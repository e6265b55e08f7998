//! Clicks and the wheel: they go to the pane under the pointer.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

use super::msg::Effect;
use super::{App, command};
use crate::tui::panes::{Pane, PaneId};

/// Rows a notch of the wheel scrolls.
const NOTCH: isize = 3;

/// Takes in a mouse event.
pub fn act(app: &mut App, event: MouseEvent) -> Vec<Effect> {
    if !app.layers.is_empty() {
        return wheel_in_dialog(app, event);
    }
    let at = Position::new(event.column, event.row);
    let hit = app
        .tab()
        .drawn
        .iter()
        .rev()
        .find(|(_, area)| area.contains(at))
        .copied();
    let Some((id, area)) = hit else {
        if event.kind == MouseEventKind::Down(MouseButton::Left) && event.row == 1 {
            app.query.focused = true;
        }
        return Vec::new();
    };
    match event.kind {
        MouseEventKind::ScrollUp => scroll(app, id, -NOTCH),
        MouseEventKind::ScrollDown => scroll(app, id, NOTCH),
        MouseEventKind::Down(MouseButton::Left) => return click(app, id, area, event.row),
        _ => {}
    }
    Vec::new()
}

fn scroll(app: &mut App, id: PaneId, rows: isize) {
    if id == PaneId::Map {
        app.tab_mut().panes.map.zoom(if rows < 0 { 1.25 } else { 0.8 });
        return;
    }
    match app.tab_mut().panes.get_mut(id) {
        Some(pane) => pane.list_mut().scroll(rows),
        None => app.sessions.list_mut().scroll(rows),
    }
}

/// Focuses the pane and selects the row; a click on the selected row opens it. A click never answers.
fn click(app: &mut App, id: PaneId, area: ratatui::layout::Rect, row: u16) -> Vec<Effect> {
    app.query.focused = false;
    let again = app.focus() == id;
    app.tab_mut().focus = id;
    let Some(line) = row.checked_sub(area.y + 1) else {
        return Vec::new();
    };
    let opened = command::with_pane(app, |_, pane| {
        let list = pane.list_mut();
        let index = list.offset() + usize::from(line);
        let same = again && list.selected() == index;
        if index < list.len() {
            list.select(index);
        }
        same
    });
    if opened && id != PaneId::Needs {
        command::open(app)
    } else {
        Vec::new()
    }
}

fn wheel_in_dialog(app: &mut App, event: MouseEvent) -> Vec<Effect> {
    let rows = match event.kind {
        MouseEventKind::ScrollUp => -NOTCH,
        MouseEventKind::ScrollDown => NOTCH,
        _ => return Vec::new(),
    };
    if let Some(layer) = app.layers.front_mut() {
        layer.content.scroll(rows);
    }
    Vec::new()
}
