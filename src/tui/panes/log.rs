//! The chronicle: every event in a line.

use ratatui::layout::Rect;

use super::words::{entry, time_of_day};
use super::{Cx, Pane};
use crate::tui::rows::{ListState, Row};
use crate::tui::text;
use crate::tui::theme::Role;

/// The log pane.
#[derive(Debug)]
pub struct Log {
    list: ListState,
}

impl Default for Log {
    fn default() -> Self {
        Self {
            list: ListState::tail(),
        }
    }
}

impl Pane for Log {
    fn title(&self, cx: &Cx) -> (String, String) {
        ("Log".to_owned(), text::plural(cx.story.chronicle.len(), "event"))
    }

    fn prepare(&mut self, cx: &Cx, _: Rect) {
        self.list.set_len(cx.story.chronicle.len());
    }

    fn row(&self, cx: &Cx, index: usize) -> Row {
        let Some(line) = cx.story.chronicle.get(index) else {
            return Row::new();
        };
        let (glyph, role) = entry(line.kind);
        Row::text(format!("{:>6}  ", line.seq), Role::Dim)
            .put(format!("{}  ", time_of_day(line.at)), Role::Dim)
            .put(format!("{glyph} "), role)
            .put(&*line.text, if role == Role::Dim { Role::Text } else { role })
    }

    fn list(&self) -> &ListState {
        &self.list
    }

    fn list_mut(&mut self) -> &mut ListState {
        &mut self.list
    }

    fn empty(&self, _: &Cx) -> String {
        "Nothing has happened yet.".to_owned()
    }
}
