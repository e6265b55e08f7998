//! Panes of prose: rows that are made beforehand for a width and kept until something changes.
//!
//! Such a pane says what its rows depend on and how they are made; lists, keys of caches and drawing are here.

use ratatui::layout::Rect;

use super::{Cx, Pane};
use crate::tui::rows::{ListState, Row};
use crate::tui::text;
use crate::tui::theme::Role;

/// Row text that is wrapped beforehand.
#[derive(Debug, Clone, Default)]
pub struct Prose {
    rows: Vec<Row>,
}

impl Prose {
    /// Starts anew.
    pub fn clear(&mut self) {
        self.rows.clear();
    }

    /// Adds a finished row.
    pub fn push(&mut self, row: Row) {
        self.rows.push(row);
    }

    /// Adds finished rows.
    pub fn extend(&mut self, rows: Vec<Row>) {
        self.rows.extend(rows);
    }

    /// Adds the rows of another.
    pub fn append(&mut self, other: Prose) {
        self.rows.extend(other.rows);
    }

    /// Adds an empty row.
    pub fn gap(&mut self) {
        self.rows.push(Row::new());
    }

    /// Adds `words`, wrapped to `cells`, after a first piece; the following lines are indented under it.
    pub fn wrapped(&mut self, lead: (&str, Role), words: &str, role: Role, cells: usize) {
        self.wrapped_with(lead, words, role, cells, |row| row);
    }

    /// The same with a change to every row, such as a link.
    pub fn wrapped_with(
        &mut self,
        lead: (&str, Role),
        words: &str,
        role: Role,
        cells: usize,
        change: impl Fn(Row) -> Row,
    ) {
        let indent = text::width(lead.0);
        let lines = text::wrap(&text::clean(words), cells.saturating_sub(indent).max(8));
        for (i, line) in lines.iter().enumerate() {
            let first = if i == 0 {
                lead.0.to_owned()
            } else {
                " ".repeat(indent)
            };
            self.rows
                .push(change(Row::text(first, lead.1).put(line.as_str(), role)));
        }
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// A row.
    pub fn row(&self, index: usize) -> Row {
        self.rows.get(index).cloned().unwrap_or_default()
    }
}

/// What the rows of a sheet depend on besides the width, as numbers.
pub type Stamp = [u64; 4];

/// Rows made beforehand, where one stands in them, and what they were made for.
#[derive(Debug, Default)]
pub struct Sheet {
    /// Position.
    pub list: ListState,
    /// The rows.
    pub rows: Prose,
    made_for: Option<(Stamp, u16)>,
}

impl Sheet {
    /// A sheet that follows its end.
    pub fn tail() -> Self {
        Self {
            list: ListState::tail(),
            ..Self::default()
        }
    }
}

/// A pane that shows a sheet.
pub trait ProsePane {
    /// Its title, and a short remark beside it.
    fn title(&self, cx: &Cx) -> (String, String);
    /// What the rows depend on.
    fn stamp(&self, cx: &Cx) -> Stamp;
    /// Makes the rows anew, for so many cells; the sheet is empty.
    fn fill(&mut self, cx: &Cx, cells: usize);
    /// The sheet.
    fn sheet(&self) -> &Sheet;
    /// The sheet, to change.
    fn sheet_mut(&mut self) -> &mut Sheet;
    /// What to say when there is no row.
    fn empty(&self, cx: &Cx) -> String;
    /// The whole as plain text, where that is not simply its rows.
    fn whole(&self, _cx: &Cx) -> Option<String> {
        None
    }
}

impl<T: ProsePane> Pane for T {
    fn title(&self, cx: &Cx) -> (String, String) {
        ProsePane::title(self, cx)
    }

    fn prepare(&mut self, cx: &Cx, area: Rect) {
        let wanted = Some((self.stamp(cx), area.width));
        if self.sheet().made_for == wanted {
            return;
        }
        self.sheet_mut().made_for = wanted;
        self.sheet_mut().rows.clear();
        self.fill(cx, usize::from(area.width));
        let sheet = self.sheet_mut();
        sheet.list.set_len(sheet.rows.len());
    }

    fn row(&self, _: &Cx, index: usize) -> Row {
        self.sheet().rows.row(index)
    }

    fn list(&self) -> &ListState {
        &self.sheet().list
    }

    fn list_mut(&mut self) -> &mut ListState {
        &mut self.sheet_mut().list
    }

    fn empty(&self, cx: &Cx) -> String {
        ProsePane::empty(self, cx)
    }

    fn plain(&self, cx: &Cx) -> String {
        self.whole(cx).unwrap_or_else(|| {
            let rows: Vec<String> = (0..self.sheet().rows.len())
                .map(|i| self.sheet().rows.row(i).plain())
                .collect();
            rows.join("\n")
        })
    }
}
