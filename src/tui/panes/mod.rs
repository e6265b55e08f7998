//! The panes: one file each. A pane turns the story into rows; it changes nothing and does no I/O.

mod devices;
mod evidence;
mod json;
mod log;
mod loops;
mod map;
mod needs;
mod plan;
mod report;
mod sessions;
mod sheet;
mod steps;
mod timeline;
mod tools;
mod verdict;
mod words;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

pub use devices::{Devices, Show, Sort};
pub use evidence::EvidencePane;
pub use log::Log;
pub use loops::Loops;
pub use map::MapPane;
pub use needs::{Needs, answer_key};
pub use plan::Plan;
pub use report::Report;
pub use sessions::Sessions;
pub use sheet::{Prose, ProsePane, Sheet, Stamp};
pub use steps::Steps;
pub use timeline::Timeline;
pub use tools::{Tools, server_health};
pub use verdict::VerdictPane;
pub use words::{confidence, glyph, provenance};

use super::keymap::Keymap;
use super::rows::{ListState, Row, draw_rows};
use super::story::Story;
use super::text;
use super::theme::{Role, Theme};
use crate::agent::model::Timestamp;

/// Which pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PaneId {
    /// Plan and its versions.
    Plan,
    /// Planner and critic.
    Loops,
    /// Steps, calls and findings.
    Steps,
    /// Devices.
    Devices,
    /// Evidence inspector.
    Evidence,
    /// Topology.
    Map,
    /// Timeline.
    Timeline,
    /// Verdict and hypotheses.
    Verdict,
    /// Report.
    Report,
    /// Servers and tools.
    Tools,
    /// Earlier sessions.
    Sessions,
    /// Chronicle.
    Log,
    /// Questions.
    Needs,
}

/// What a pane is drawn with.
pub struct Cx<'a> {
    /// The session.
    pub story: &'a Story,
    /// Looks.
    pub theme: &'a Theme,
    /// Keys, for hints.
    pub keymap: &'a Keymap,
    /// The time for running clocks: now when live, the place of the scrubber in a replay.
    pub now: Timestamp,
    /// The spinner's present glyph; still when motion is off or nothing moves.
    pub spinner: &'static str,
    /// Whether the keys go to this pane.
    pub focused: bool,
    /// Whether questions take answers already, and if not how many keys were swallowed.
    pub armed: Armed,
}

/// Whether a question takes answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Armed {
    /// It does.
    Yes,
    /// Not yet: the keyboard has to be quiet first.
    Waiting {
        /// Keys swallowed meanwhile.
        swallowed: u32,
    },
}

/// A pane made of rows.
pub trait Pane {
    /// Its title, and a short remark beside it.
    fn title(&self, cx: &Cx) -> (String, String);
    /// Brings the index up to date for this story and width. Cheap when nothing changed.
    fn prepare(&mut self, cx: &Cx, area: Rect);
    /// Builds one row; called only for rows that are seen, copied or searched.
    fn row(&self, cx: &Cx, index: usize) -> Row;
    /// Position.
    fn list(&self) -> &ListState;
    /// Position, to change.
    fn list_mut(&mut self) -> &mut ListState;
    /// What to say when there is no row.
    fn empty(&self, cx: &Cx) -> String;

    /// Draws into `area`, which is inside the borders.
    fn draw(&mut self, cx: &Cx, area: Rect, buf: &mut Buffer) {
        self.prepare(cx, area);
        self.draw_list(cx, area, buf);
    }

    /// Draws the rows, or what stands for them.
    fn draw_list(&mut self, cx: &Cx, area: Rect, buf: &mut Buffer) {
        if self.list().is_empty() {
            draw_empty(&self.empty(cx), cx.theme, area, buf);
            return;
        }
        let mut list = std::mem::take(self.list_mut());
        draw_rows(area, buf, cx.theme, &mut list, cx.focused, |i| self.row(cx, i));
        *self.list_mut() = list;
    }

    /// The whole pane as plain text, for copying.
    fn plain(&self, cx: &Cx) -> String {
        let rows: Vec<String> = (0..self.list().len()).map(|i| self.row(cx, i).plain()).collect();
        rows.join("\n")
    }
}

/// Quiet words in an empty pane.
fn draw_empty(words: &str, theme: &Theme, area: Rect, buf: &mut Buffer) {
    let lines = text::wrap(words, usize::from(area.width.saturating_sub(2)));
    for (line, y) in lines.iter().zip(area.y..area.bottom()) {
        buf.set_stringn(
            area.x + 1,
            y,
            line,
            usize::from(area.width),
            theme.style(Role::Dim),
        );
    }
}
