//! The strip: investigations when there are several, then pages.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::tui::action::{Action, Go};
use crate::tui::app::{App, Page};
use crate::tui::panes::PaneId;
use crate::tui::text;
use crate::tui::theme::Role;

/// The pages of the strip, in order, with the action that shows each.
const PAGES: [(Go, &str, Page); 13] = [
    (Go::Overview, "Overview", Page::Overview),
    (Go::Plan, "Plan", Page::Alone(PaneId::Plan)),
    (Go::Steps, "Steps", Page::Alone(PaneId::Steps)),
    (Go::Devices, "Devices", Page::Alone(PaneId::Devices)),
    (Go::Evidence, "Evidence", Page::Alone(PaneId::Evidence)),
    (Go::Map, "Map", Page::Alone(PaneId::Map)),
    (Go::Timeline, "Timeline", Page::Alone(PaneId::Timeline)),
    (Go::Verdict, "Verdict", Page::Alone(PaneId::Verdict)),
    (Go::Report, "Report", Page::Alone(PaneId::Report)),
    (Go::Loops, "Loops", Page::Alone(PaneId::Loops)),
    (Go::Tools, "Tools", Page::Alone(PaneId::Tools)),
    (Go::Sessions, "Sessions", Page::Alone(PaneId::Sessions)),
    (Go::Log, "Log", Page::Alone(PaneId::Log)),
];

/// The strip: investigations when there are several, then pages.
pub(super) fn draw(app: &App, area: Rect, buf: &mut Buffer) {
    let theme = &app.looks.theme;
    let mut spans: Vec<Span<'static>> = vec![Span::raw(" ")];
    if app.tabs.len() > 1 {
        for (i, tab) in app.tabs.iter().enumerate() {
            let role = if i == app.active { Role::Badge } else { Role::Dim };
            spans.push(Span::styled(
                format!(" {} ", text::fit(&text::one_line(&tab.title()), 18)),
                theme.style(role),
            ));
            let waiting = tab.waiting();
            if waiting > 0 {
                spans.push(Span::styled(format!(" ? {waiting} "), theme.style(Role::Alert)));
            }
            spans.push(Span::raw(" "));
        }
        spans.push(Span::styled("│ ", theme.style(Role::Rule)));
    }
    let used: usize = spans.iter().map(Span::width).sum();
    let room = usize::from(area.width).saturating_sub(used);
    spans.extend(pages(app, room));
    buf.set_line(area.x, area.y, &Line::from(spans), area.width);
}

/// The pages with their keys: all, or as many around the present one as there is room for.
fn pages(app: &App, room: usize) -> Vec<Span<'static>> {
    let theme = &app.looks.theme;
    let keys = |go| app.looks.keymap.keys(Action::Go(go));
    let key = |go| keys(go).first().map(ToString::to_string).unwrap_or_default();
    let here = PAGES
        .iter()
        .position(|(_, _, page)| *page == app.tab().page)
        .unwrap_or(0);
    let cells: Vec<usize> = PAGES
        .iter()
        .map(|(go, name, _)| text::width(&key(*go)) + 1 + name.len())
        .collect();
    let gap = if cells.iter().sum::<usize>() + 2 * PAGES.len() <= room {
        2
    } else {
        1
    };
    let fits = |range: &std::ops::Range<usize>| {
        let marks = 2 * (usize::from(range.start > 0) + usize::from(range.end < PAGES.len()));
        cells[range.clone()].iter().map(|c| c + gap).sum::<usize>() + marks <= room + gap
    };
    let mut shown = 0..PAGES.len();
    while shown.len() > 1 && !fits(&shown) {
        if shown.end - 1 > here {
            shown.end -= 1;
        } else {
            shown.start += 1;
        }
    }
    let mut spans = Vec::new();
    if shown.start > 0 {
        spans.push(Span::styled("… ", theme.style(Role::Dim)));
    }
    for (i, (go, name, _)) in PAGES.iter().enumerate().take(shown.end).skip(shown.start) {
        let (k, n) = if i == here {
            (Role::TitleFocus, Role::TitleFocus)
        } else {
            (Role::Key, Role::Dim)
        };
        spans.push(Span::styled(key(*go), theme.style(k)));
        spans.push(Span::styled(
            format!(" {name}{}", " ".repeat(gap)),
            theme.style(n),
        ));
    }
    if shown.end < PAGES.len() {
        spans.push(Span::styled("…", theme.style(Role::Dim)));
    }
    spans
}
