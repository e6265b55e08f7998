//! Markdown as rows: what reports and help pages use of it, in the theme's roles.
//!
//! No colours, no widgets: headings, paragraphs, lists, quotes, code, tables and rules become [`Row`]s of
//! a given width, and `[E7]` marks become links to the evidence.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::rows::{Link, Row};
use super::text;
use super::theme::Role;
use crate::agent::model::EvidenceId;

/// The rows of a Markdown text at a width of `cells`.
pub fn rows(source: &str, cells: usize) -> Vec<Row> {
    let mut page = Page {
        cells: cells.max(8),
        ..Page::default()
    };
    for event in Parser::new_ext(source, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH) {
        page.take(event);
    }
    page.flush();
    while page.rows.last().is_some_and(|r| r.plain().is_empty()) {
        page.rows.pop();
    }
    page.rows
}

#[derive(Default)]
struct Page {
    cells: usize,
    rows: Vec<Row>,
    words: String,
    heading: Option<HeadingLevel>,
    /// The next number of each open list; `None` for bullets.
    lists: Vec<Option<u64>>,
    item: Option<String>,
    quote: usize,
    code: bool,
    table: Vec<Vec<String>>,
    in_table: bool,
}

impl Page {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.open(&tag),
            Event::End(tag) => self.close(tag),
            Event::Text(t) if self.code => {
                for line in t.lines() {
                    self.rows
                        .push(Row::text("  ", Role::Dim).put(line, Role::JsonString).raw(line));
                }
            }
            Event::Text(t) => self.words.push_str(&t),
            Event::Code(t) => self.words.push_str(&t),
            Event::SoftBreak => self.words.push(' '),
            Event::HardBreak => self.words.push('\n'),
            Event::Html(t) | Event::InlineHtml(t) => self.words.push_str(&t),
            Event::Rule => {
                self.flush();
                self.rows
                    .push(Row::text("─".repeat(self.cells.min(40)), Role::Rule));
            }
            Event::FootnoteReference(_)
            | Event::TaskListMarker(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_) => {}
        }
    }

    fn open(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::Heading { level, .. } => {
                self.flush();
                self.gap();
                self.heading = Some(*level);
            }
            Tag::Paragraph if self.item.is_none() && self.quote == 0 => self.gap(),
            Tag::List(start) => {
                self.flush();
                if self.lists.is_empty() {
                    self.gap();
                }
                self.lists.push(*start);
            }
            Tag::Item => {
                let depth = self.lists.len().saturating_sub(1);
                let mark = match self.lists.last_mut() {
                    Some(Some(n)) => {
                        *n += 1;
                        format!("{}{}. ", "  ".repeat(depth), *n - 1)
                    }
                    _ => format!("{}• ", "  ".repeat(depth)),
                };
                self.item = Some(mark);
            }
            Tag::BlockQuote(_) => {
                self.gap();
                self.quote += 1;
            }
            Tag::CodeBlock(_) => {
                self.flush();
                self.gap();
                self.code = true;
            }
            Tag::Table(_) => {
                self.gap();
                self.in_table = true;
                self.table.clear();
            }
            Tag::TableHead | Tag::TableRow => self.table.push(Vec::new()),
            _ => {}
        }
    }

    fn close(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) | TagEnd::Paragraph | TagEnd::Item => {
                self.flush();
                self.heading = None;
                if tag == TagEnd::Item {
                    self.item = None;
                }
            }
            TagEnd::List(_) => {
                self.lists.pop();
            }
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.quote = self.quote.saturating_sub(1);
            }
            TagEnd::CodeBlock => self.code = false,
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.words);
                if let Some(row) = self.table.last_mut() {
                    row.push(cell);
                }
            }
            TagEnd::Table => self.draw_table(),
            _ => {}
        }
    }

    fn gap(&mut self) {
        if self.rows.last().is_some_and(|r| !r.plain().is_empty()) {
            self.rows.push(Row::new());
        }
    }

    fn flush(&mut self) {
        if self.words.is_empty() || self.in_table {
            return;
        }
        let words = std::mem::take(&mut self.words);
        let (lead, role) = match (self.heading, &mut self.item, self.quote) {
            (Some(HeadingLevel::H1), ..) => (String::new(), Role::TitleFocus),
            (Some(_), ..) => (String::new(), Role::Title),
            (None, Some(mark), _) => {
                let blank = " ".repeat(text::width(mark));
                (std::mem::replace(mark, blank), Role::Text)
            }
            (None, None, 0) => (String::new(), Role::Text),
            (None, None, _) => ("│ ".to_owned(), Role::Dim),
        };
        let indent = text::width(&lead);
        for (i, line) in text::wrap(&text::clean(&words), self.cells.saturating_sub(indent).max(4))
            .into_iter()
            .enumerate()
        {
            let first = if i == 0 || self.quote > 0 {
                lead.clone()
            } else {
                " ".repeat(indent)
            };
            self.rows.push(marked(Row::text(first, Role::Dim), &line, role));
        }
    }

    fn draw_table(&mut self) {
        self.in_table = false;
        let table = std::mem::take(&mut self.table);
        let columns = table.iter().map(Vec::len).max().unwrap_or(0);
        if columns == 0 {
            return;
        }
        let mut widths: Vec<usize> = (0..columns)
            .map(|c| {
                table
                    .iter()
                    .filter_map(|r| r.get(c))
                    .map(|t| text::width(t))
                    .max()
                    .unwrap_or(0)
            })
            .collect();
        // The widest column gives way until the table fits.
        while widths.iter().sum::<usize>() + 2 * columns > self.cells {
            let Some(widest) = widths.iter_mut().max().filter(|w| **w > 4) else {
                break;
            };
            *widest -= 1;
        }
        for (i, cells) in table.iter().enumerate() {
            let role = if i == 0 { Role::Title } else { Role::Text };
            let mut row = Row::new();
            for (c, w) in widths.iter().enumerate() {
                row = row.column(cells.get(c).map_or("", String::as_str), *w + 2, role);
            }
            self.rows.push(row);
            if i == 0 {
                self.rows.push(Row::text(
                    "─".repeat(widths.iter().sum::<usize>() + 2 * columns - 2),
                    Role::Rule,
                ));
            }
        }
    }
}

/// Puts a line into a row with its `[E7]` marks set off; the first one is where `Enter` leads.
fn marked(mut row: Row, line: &str, role: Role) -> Row {
    let mut rest = line;
    let mut linked = false;
    while let Some((start, end, id)) = next_mark(rest) {
        row = row.put(&rest[..start], role).put(&rest[start..end], Role::Accent);
        if !linked {
            row = row.link(Link::Evidence(id, String::new()));
            linked = true;
        }
        rest = &rest[end..];
    }
    row.put(rest, role)
}

/// The next `[E7]` in a text: where it starts and ends, and its id.
fn next_mark(text: &str) -> Option<(usize, usize, EvidenceId)> {
    let mut from = 0;
    while let Some(start) = text[from..].find("[E").map(|i| i + from) {
        let digits: String = text[start + 2..]
            .chars()
            .take_while(char::is_ascii_digit)
            .collect();
        let end = start + 2 + digits.len();
        if text[end..].starts_with([']', ',', ' '])
            && let Ok(id) = digits.parse()
        {
            let close = text[end..].find(']').map_or(end, |i| end + i + 1);
            return Some((start, close, EvidenceId(id)));
        }
        from = start + 2;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_reads_well() {
        let source = "# Verdict\n\nThe session is **down** [E7].\n\n- one\n- two that is rather long\n  - inner\n\n1. first\n\n| dev | state |\n|---|---|\n| xrd-1 | ACTIVE |\n\n```\nno shutdown\n```\n\n> said\n";
        let lines: Vec<String> = rows(source, 24).iter().map(Row::plain).collect();
        assert_eq!(
            lines,
            [
                "Verdict",
                "",
                "The session is down",
                "[E7].",
                "",
                "• one",
                "• two that is rather",
                "  long",
                "  • inner",
                "",
                "1. first",
                "",
                "dev    state",
                "─────────────",
                "xrd-1  ACTIVE",
                "",
                "no shutdown",
                "",
                "│ said"
            ]
        );
    }

    #[test]
    fn marks_link_to_evidence() {
        let all = rows("see [E12] and [Ex] [E3, E4]", 60);
        assert_eq!(
            all[0].target(),
            Some(&Link::Evidence(EvidenceId(12), String::new()))
        );
        assert_eq!(all[0].plain(), "see [E12] and [Ex] [E3, E4]");
    }
}
