//! Rows: what nearly every pane is made of, with selection, scrolling, pinning and search.
//!
//! A pane builds a row only when it is seen. [`ListState`] knows positions and nothing of content.

mod draw;
mod list;

pub use draw::draw_rows;
pub use list::ListState;

use ratatui::text::{Line, Span};

use super::text;
use super::theme::{Role, Theme};
use crate::agent::model::{DeviceName, EvidenceId, FindingId, QuestionId, SessionId};

/// What a row stands for, and where `Enter` leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Link {
    /// Evidence, with the JSON pointer of the cited place.
    Evidence(EvidenceId, String),
    /// A device.
    Device(DeviceName),
    /// A finding.
    Finding(FindingId),
    /// A question.
    Question(QuestionId),
    /// A session.
    Session(SessionId),
    /// Something that folds.
    Fold,
}

/// A span that still knows its role, so that it can be drawn selected or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    text: String,
    role: Role,
}

/// One row: text from the left, optionally text at the right edge.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Row {
    left: Vec<Piece>,
    right: Vec<Piece>,
    /// Shown before the right part only where the left one leaves room.
    soft: Vec<Piece>,
    link: Option<Link>,
    raw: Option<String>,
    heading: bool,
}

impl Row {
    /// An empty row.
    pub fn new() -> Self {
        Self::default()
    }

    /// A row of one piece.
    pub fn text(text: impl Into<String>, role: Role) -> Self {
        Self::new().put(text, role)
    }

    /// Adds text on the left.
    #[must_use]
    pub fn put(mut self, text: impl Into<String>, role: Role) -> Self {
        let text = text.into();
        let text = match text::clean(&text) {
            std::borrow::Cow::Borrowed(_) => text,
            std::borrow::Cow::Owned(clean) => clean,
        };
        self.left.push(Piece { text, role });
        self
    }

    /// Adds a column on the left: cut or padded to `cells`.
    #[must_use]
    pub fn column(self, value: &str, cells: usize, role: Role) -> Self {
        self.put(text::pad(&text::one_line(value), cells), role)
    }

    /// Adds text at the right edge.
    #[must_use]
    pub fn end(mut self, text: impl Into<String>, role: Role) -> Self {
        let text: String = text.into();
        let text = text::clean(&text).replace('\n', " ⏎ ");
        self.right.push(Piece { text, role });
        self
    }

    /// Adds text before the right part that gives way before the left part does.
    #[must_use]
    pub fn soft(mut self, text: impl Into<String>, role: Role) -> Self {
        self.soft.push(Piece {
            text: text::one_line(&text.into()),
            role,
        });
        self
    }

    /// Says what the row stands for.
    #[must_use]
    pub fn link(mut self, link: Link) -> Self {
        self.link = Some(link);
        self
    }

    /// Sets the text that is copied, where it is not simply what is drawn.
    #[must_use]
    pub fn raw(mut self, raw: impl Into<String>) -> Self {
        self.raw = Some(raw.into());
        self
    }

    /// Marks a row that cannot be selected.
    #[must_use]
    pub fn heading(mut self) -> Self {
        self.heading = true;
        self
    }

    /// Where `Enter` leads.
    pub fn target(&self) -> Option<&Link> {
        self.link.as_ref()
    }

    /// The text without decoration, for copying and searching.
    pub fn plain(&self) -> String {
        if let Some(raw) = &self.raw {
            return raw.clone();
        }
        let mut out: String = self.left.iter().map(|p| p.text.as_str()).collect();
        for piece in self.soft.iter().chain(&self.right) {
            out.push_str("  ");
            out.push_str(piece.text.trim());
        }
        out.trim_end().to_owned()
    }

    /// The row as a line of `cells` cells: the right part keeps its place, the left gives way.
    pub fn line(&self, cells: usize, theme: &Theme, selected: bool) -> Line<'static> {
        let style = |role| {
            if selected {
                theme.selected(role)
            } else {
                theme.style(role)
            }
        };
        let measure = |pieces: &[Piece]| pieces.iter().map(|p| text::width(&p.text)).sum::<usize>();
        let left_width = measure(&self.left);
        let soft = left_width + measure(&self.soft) + measure(&self.right) + 2 <= cells;
        let right: Vec<&Piece> = if soft {
            self.soft.iter().chain(&self.right).collect()
        } else {
            self.right.iter().collect()
        };
        let right_width: usize = right.iter().map(|p| text::width(&p.text)).sum();
        let show_right = right_width > 0 && right_width + 8 <= cells;
        let room = if show_right {
            cells - right_width - 1
        } else {
            cells
        };
        let mut spans = Vec::with_capacity(self.left.len() + self.right.len() + 1);
        let mut used = 0;
        for piece in &self.left {
            let w = text::width(&piece.text);
            let fits = used + w <= room && (used + w < room || left_width <= room);
            if fits {
                used += w;
                spans.push(Span::styled(piece.text.clone(), style(piece.role)));
                continue;
            }
            let cut = if left_width > room {
                cut_with_mark(&piece.text, room - used)
            } else {
                piece.text.clone()
            };
            used += text::width(&cut);
            spans.push(Span::styled(cut, style(piece.role)));
            if left_width > room {
                break;
            }
        }
        if show_right || selected {
            let end = if show_right { right_width } else { 0 };
            spans.push(Span::styled(
                " ".repeat(cells.saturating_sub(used + end)),
                style(Role::Text),
            ));
        }
        if show_right {
            spans.extend(right.iter().map(|p| Span::styled(p.text.clone(), style(p.role))));
        }
        Line::from(spans)
    }
}

/// Cuts so that an ellipsis always ends the cut, even when the text itself would just fit.
fn cut_with_mark(value: &str, cells: usize) -> String {
    if cells == 0 {
        return String::new();
    }
    if text::width(value) > cells {
        return text::fit(value, cells);
    }
    let mut cut = text::take(value, cells - 1);
    cut.push('…');
    cut
}

#[cfg(test)]
mod tests {
    use super::super::theme::ThemeSet;
    use super::*;

    fn drawn(row: &Row, cells: usize) -> String {
        let theme = ThemeSet::built_in().unwrap().get("dark").unwrap();
        row.line(cells, &theme, false).to_string()
    }

    #[test]
    fn the_right_part_keeps_its_place_and_the_left_gives_way() {
        let row = Row::text("get_routing_info(xrd-1, bgp)", Role::Text).end("38 ms", Role::Dim);
        assert_eq!(drawn(&row, 40), "get_routing_info(xrd-1, bgp)       38 ms");
        assert_eq!(drawn(&row, 24), "get_routing_info(… 38 ms");
        assert_eq!(
            drawn(&row, 10),
            "get_routi…",
            "too narrow for both: the left stays"
        );
        assert_eq!(row.plain(), "get_routing_info(xrd-1, bgp)  38 ms");
    }

    #[test]
    fn columns_and_cuts_end_in_one_mark() {
        let row = Row::new()
            .column("xrd-1", 8, Role::Accent)
            .put("unreachable", Role::Bad);
        assert_eq!(drawn(&row, 30), "xrd-1   unreachable");
        assert_eq!(drawn(&row, 12), "xrd-1   unr…");
        for cells in 0..30 {
            assert!(text::width(&drawn(&row, cells)) <= cells, "{cells}");
        }
    }
}
