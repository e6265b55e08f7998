//! What happened when, drawn against the window that was asked about.
//!
//! Findings stand where the network says they happened, not where they were read: a flap half an hour ago
//! lies half an hour to the left.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::words::{severity, time_of_day};
use super::{Cx, Pane};
use crate::agent::model::{Finding, Severity, Timestamp, Window};
use crate::tui::rows::{Link, ListState, Row};
use crate::tui::text;
use crate::tui::theme::Role;

/// Lines of the picture above the rows: axis, marks, labels, gap.
const PICTURE: u16 = 4;

/// The timeline pane.
#[derive(Debug, Default)]
pub struct Timeline {
    list: ListState,
    /// Findings by time: index into the story's.
    order: Vec<usize>,
    key: u64,
}

/// The stretch the picture shows: the asked window, widened to what happened.
fn stretch(cx: &Cx, findings: &[Finding]) -> Option<(Window, Window)> {
    let asked = cx.story.state.intake.reading.as_ref()?.window;
    // A little of what lies before and after; what is far away stands at the edge.
    let margin = asked.until.since_ms(asked.from).clamp(60_000, 86_400_000) / 4;
    let near = |at: Timestamp| {
        at.0 >= asked.from.0.saturating_sub(margin) && at.0 <= asked.until.0.saturating_add(margin)
    };
    let times = || findings.iter().map(|f| f.at).filter(|at| near(*at));
    let from = times().min().unwrap_or(asked.from).min(asked.from);
    let until = times().max().unwrap_or(asked.until).max(asked.until);
    Some((asked, Window { from, until }))
}

/// The column of a moment in a picture `cells` wide.
fn column(at: Timestamp, shown: Window, cells: u16) -> u16 {
    let span = shown.until.since_ms(shown.from).max(1);
    let part = at.since_ms(shown.from).clamp(0, span);
    // Times come from devices and may be absurd: wide enough for any product.
    let column = i128::from(part) * i128::from(cells.saturating_sub(1)) / i128::from(span);
    u16::try_from(column).unwrap_or(0)
}

impl Timeline {
    fn picture(&self, cx: &Cx, area: Rect, buf: &mut Buffer) {
        let findings = &cx.story.state.diagnosed.findings;
        let Some((asked, shown)) = stretch(cx, findings) else {
            return;
        };
        let style = |role| cx.theme.style(role);
        let (left, right) = (
            column(asked.from, shown, area.width),
            column(asked.until, shown, area.width),
        );
        for x in 0..area.width {
            let inside = (left..=right).contains(&x);
            let (mark, role) = if inside {
                ("━", Role::Accent)
            } else {
                ("─", Role::Rule)
            };
            buf.set_string(area.x + x, area.y + 1, mark, style(role));
        }
        for (x, mark) in [(left, "┣"), (right, "┫")] {
            buf.set_string(area.x + x, area.y + 1, mark, style(Role::Accent));
        }
        let mut worst: Vec<Option<Severity>> = vec![None; usize::from(area.width)];
        // What has no time of its own lies nowhere on the axis.
        for finding in findings.iter().filter(|f| f.at.0 > 0) {
            let cell = &mut worst[usize::from(column(finding.at, shown, area.width))];
            *cell = (*cell).max(Some(finding.severity));
        }
        for (x, worst) in (area.x..).zip(worst) {
            if let Some(worst) = worst {
                let (mark, _, role) = severity(worst);
                buf.set_string(x, area.y, mark, style(role));
            }
        }
        let from = time_of_day(asked.from);
        let until = format!("{} UTC", time_of_day(asked.until));
        buf.set_stringn(
            area.x + left,
            area.y + 2,
            &from,
            usize::from(area.width - left),
            style(Role::Dim),
        );
        let width = u16::try_from(text::width(&until)).unwrap_or(0);
        let x = (area.x + right + 1).saturating_sub(width).max(area.x + left + 10);
        if x + width <= area.right() {
            buf.set_string(x, area.y + 2, &until, style(Role::Dim));
        }
    }
}

impl Pane for Timeline {
    fn title(&self, cx: &Cx) -> (String, String) {
        let window = cx.story.state.intake.reading.as_ref().map(|r| r.window);
        let note = window.map(|w| {
            format!(
                "asked about {}",
                text::duration(u64::try_from(w.minutes()).unwrap_or(0) * 60_000)
            )
        });
        ("Timeline".to_owned(), note.unwrap_or_default())
    }

    fn prepare(&mut self, cx: &Cx, _: Rect) {
        if cx.story.versions.knowledge != self.key {
            self.key = cx.story.versions.knowledge;
            let findings = &cx.story.state.diagnosed.findings;
            self.order = (0..findings.len()).collect();
            // What has no time of its own comes last.
            self.order
                .sort_by_key(|i| (findings[*i].at.0 <= 0, findings[*i].at));
        }
        self.list.set_len(self.order.len());
    }

    fn draw(&mut self, cx: &Cx, area: Rect, buf: &mut Buffer) {
        self.prepare(cx, area);
        if area.height < PICTURE + 2 || area.width < 24 || cx.story.state.intake.reading.is_none() {
            self.draw_list(cx, area, buf);
            return;
        }
        self.picture(cx, area, buf);
        let rows = Rect {
            y: area.y + PICTURE,
            height: area.height - PICTURE,
            ..area
        };
        self.draw_list(cx, rows, buf);
    }

    fn row(&self, cx: &Cx, index: usize) -> Row {
        let Some(finding) = self
            .order
            .get(index)
            .and_then(|i| cx.story.state.diagnosed.findings.get(*i))
        else {
            return Row::new();
        };
        let (mark, _, role) = severity(finding.severity);
        // What was read after the question was put is the present, not something outside the window.
        let inside = cx
            .story
            .state
            .intake
            .reading
            .as_ref()
            .is_none_or(|r| r.window.from <= finding.at);
        // Some things have no time of their own: a configuration just is.
        let known = finding.at.0 > 0;
        let time = if known {
            time_of_day(finding.at)
        } else {
            "always".to_owned()
        };
        let row = Row::text(format!("{time:<8}  "), Role::Dim)
            .put(format!("{mark} "), role)
            .column(finding.resource.device(), 10, Role::Accent)
            .put(finding.statement.as_str(), role);
        let row = if finding.past {
            row.end("over now  ", Role::Info)
        } else {
            row
        };
        let row = if inside || !known {
            row
        } else {
            row.end("before the window  ", Role::Dim)
        };
        match finding.citations.first() {
            Some(c) => row
                .end(c.evidence.to_string(), Role::Accent)
                .link(Link::Evidence(c.evidence, c.pointer.clone())),
            None => row,
        }
    }

    fn list(&self) -> &ListState {
        &self.list
    }

    fn list_mut(&mut self) -> &mut ListState {
        &mut self.list
    }

    fn empty(&self, _: &Cx) -> String {
        "Findings appear here at the time they happened.".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_find_their_column() {
        let shown = Window {
            from: Timestamp(0),
            until: Timestamp(1_000),
        };
        assert_eq!(column(Timestamp(0), shown, 11), 0);
        assert_eq!(column(Timestamp(500), shown, 11), 5);
        assert_eq!(column(Timestamp(1_000), shown, 11), 10);
        assert_eq!(column(Timestamp(9_000), shown, 11), 10);
        let moment = Window {
            from: Timestamp(5),
            until: Timestamp(5),
        };
        assert_eq!(column(Timestamp(5), moment, 11), 0);
    }
}
