//! Draws the visible rows of a list.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::{ListState, Row};
use crate::tui::text;
use crate::tui::theme::{Role, Theme};

/// Draws the rows that fit into `area`. `row` is asked only for rows that are seen. The selection shows
/// when `focused`; the last line gives way to "n new ↓" while the view is pinned.
pub fn draw_rows(
    area: Rect,
    buf: &mut Buffer,
    theme: &Theme,
    list: &mut ListState,
    focused: bool,
    row: impl Fn(usize) -> Row,
) {
    let height = usize::from(area.height);
    let width = usize::from(area.width);
    if height == 0 || width == 0 {
        return;
    }
    list.set_page(height);
    let needle = list.find.clone().filter(|f| !f.is_empty());
    for (i, y) in (list.offset()..list.len().min(list.offset() + height)).zip(area.y..) {
        let built = row(i);
        let selected = focused && i == list.selected() && !built.heading;
        let mut line = built.line(width, theme, selected);
        if let Some(needle) = &needle {
            line = highlight(line, needle, theme);
        }
        buf.set_line(area.x, y, &line, area.width);
    }
    if list.unseen() > 0 {
        let note = format!(" {} new ↓ ", list.unseen());
        let w = u16::try_from(text::width(&note)).unwrap_or(0).min(area.width);
        buf.set_stringn(
            area.right() - w,
            area.bottom() - 1,
            note,
            usize::from(w),
            theme.style(Role::Badge),
        );
    }
}

/// Marks every occurrence of `needle`, regardless of case.
fn highlight(line: Line<'static>, needle: &str, theme: &Theme) -> Line<'static> {
    let needle = needle.to_lowercase();
    let mut spans = Vec::with_capacity(line.spans.len());
    for span in line.spans {
        let lower = span.content.to_lowercase();
        // Lower-casing can change lengths in a few scripts; then the marks would be off, so leave it.
        if lower.len() != span.content.len() || !lower.contains(&needle) {
            spans.push(span);
            continue;
        }
        let mut at = 0;
        for (start, hit) in lower.match_indices(&needle) {
            let end = start + hit.len();
            if !span.content.is_char_boundary(start) || !span.content.is_char_boundary(end) {
                continue;
            }
            spans.push(Span::styled(span.content[at..start].to_owned(), span.style));
            spans.push(Span::styled(
                span.content[start..end].to_owned(),
                theme.style(Role::Match),
            ));
            at = end;
        }
        spans.push(Span::styled(span.content[at..].to_owned(), span.style));
    }
    Line::from(spans)
}
