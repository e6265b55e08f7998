//! Earlier sessions: what each was asked, what it found and how it ended.

use ratatui::layout::Rect;

use super::words::glyph;
use super::{Cx, Pane};
use crate::agent::model::SessionId;
use crate::tui::rows::{Link, ListState, Row};
use crate::tui::source::SessionRow;
use crate::tui::text;
use crate::tui::theme::Role;

/// The sessions pane. Its rows come from the desk, not from a story.
#[derive(Debug, Default)]
pub struct Sessions {
    list: ListState,
    rows: Vec<SessionRow>,
    visible: Vec<usize>,
    loaded: bool,
    marked: Option<SessionId>,
    /// Cells of the column of names.
    column: usize,
    filter: String,
}

impl Sessions {
    /// Takes a fresh list.
    pub fn set(&mut self, rows: Vec<SessionRow>) {
        self.rows = rows;
        self.loaded = true;
        self.refilter();
    }

    /// Shows only sessions whose name, query or finding contains `text`.
    pub fn filter(&mut self, text: &str) {
        self.filter = text.to_lowercase();
        self.refilter();
    }

    fn refilter(&mut self) {
        let hit = |r: &SessionRow| {
            let name = r.name.as_deref().unwrap_or_default();
            format!("{name} {} {} {}", r.query, r.found, r.id)
                .to_lowercase()
                .contains(&self.filter)
        };
        self.visible = (0..self.rows.len()).filter(|i| hit(&self.rows[*i])).collect();
        self.list.set_len(self.visible.len());
    }

    /// A session by its id.
    pub fn get(&self, id: &SessionId) -> Option<&SessionRow> {
        self.rows.iter().find(|r| r.id == *id)
    }

    /// The selected session.
    pub fn selected(&self) -> Option<&SessionRow> {
        self.rows.get(*self.visible.get(self.list.selected())?)
    }

    /// Marks the selected session for comparison; with one marked already, returns both, the older mark first.
    pub fn mark(&mut self) -> Option<(SessionId, SessionId)> {
        let id = self.selected()?.id.clone();
        match self.marked.take() {
            Some(other) if other != id => Some((other, id)),
            Some(_) => None,
            None => {
                self.marked = Some(id);
                None
            }
        }
    }
}

/// `2026-11-22 02:13` in UTC.
fn date(at: crate::agent::model::Timestamp) -> String {
    jiff::Timestamp::from_millisecond(at.0)
        .map_or_else(|_| String::new(), |t| t.strftime("%Y-%m-%d %H:%M").to_string())
}

impl Pane for Sessions {
    fn title(&self, _: &Cx) -> (String, String) {
        let note = match (self.loaded, self.filter.is_empty()) {
            (false, _) => String::new(),
            (true, true) => self.rows.len().to_string(),
            (true, false) => format!("{} of {}", self.visible.len(), self.rows.len()),
        };
        ("Sessions".to_owned(), note)
    }

    fn prepare(&mut self, _: &Cx, area: Rect) {
        self.column = (usize::from(area.width) * 3 / 8).clamp(12, 70);
        self.list.set_len(self.visible.len());
    }

    fn row(&self, _: &Cx, index: usize) -> Row {
        let Some(row) = self.visible.get(index).and_then(|i| self.rows.get(*i)) else {
            return Row::new();
        };
        let marked = self.marked.as_ref() == Some(&row.id);
        let mark = if marked {
            "◆ "
        } else if row.open {
            "◐ "
        } else {
            "  "
        };
        let name = row.name.as_deref().unwrap_or(&row.query);
        Row::text(mark, Role::Running)
            .put(format!("{}  ", date(row.opened)), Role::Dim)
            .column(name, self.column, Role::Text)
            .put("  ", Role::Dim)
            .put(
                text::one_line(&row.found),
                if row.found.is_empty() {
                    Role::Dim
                } else {
                    Role::Accent
                },
            )
            .end(row.ended.clone(), if row.open { Role::Warn } else { Role::Dim })
            .link(Link::Session(row.id.clone()))
            .raw(format!(
                "{} {} {} {} {}",
                row.id,
                date(row.opened),
                name,
                row.found,
                row.ended
            ))
    }

    fn list(&self) -> &ListState {
        &self.list
    }

    fn list_mut(&mut self) -> &mut ListState {
        &mut self.list
    }

    fn empty(&self, _: &Cx) -> String {
        match (self.loaded, self.filter.is_empty()) {
            (false, _) => format!("{} reading the journal", glyph::OPEN),
            (true, true) => "No sessions yet: ask something.".to_owned(),
            (true, false) => "No session matches.".to_owned(),
        }
    }
}
