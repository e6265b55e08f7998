//! Draws the model. Changes nothing but caches and scroll positions, and notes where panes lie for the mouse.

mod arrange;
mod chrome;
mod guide;
mod welcome;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::symbols::merge::MergeStrategy;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Widget};

use super::app::App;
use super::dialogs;
use super::panes::{Cx, Pane, PaneId};
use super::text;
use super::theme::{Role, Theme};

pub use arrange::{Arrangement, Mode, arrange};

/// Draws one frame.
pub fn draw(app: &mut App, frame: &mut Frame) {
    let screen = frame.area();
    frame
        .buffer_mut()
        .set_style(screen, app.looks.theme.style(Role::Canvas));
    let needs_height = app.with_cx(|cx, panes| panes.needs.height(cx, screen.width.saturating_sub(2)));
    let hero = hero_height(app, screen);
    let plan = arrange(screen, app, needs_height, hero);
    app.tab_mut().drawn = plan.panes.clone();
    let cursor = match plan.mode {
        Mode::TooSmall => {
            too_small(frame, &app.looks.theme);
            return;
        }
        _ => chrome::draw(app, frame, &plan),
    };
    if plan.welcome.is_some() {
        welcome::draw(app, frame, &plan);
    }
    guide::draw(app, frame, plan.guide);
    draw_panes(app, frame, &plan);
    chrome::draw_suggestions(app, frame, &plan);
    let over = dialogs::draw(app, frame);
    let wanted = if app.layers.is_empty() { cursor } else { over };
    if let Some((x, y)) = wanted.filter(|(x, y)| *x < screen.right() && *y < screen.bottom()) {
        frame.set_cursor_position((x, y));
    }
}

/// Rows the verdict wants on the overview, without its frame; 0 while none stands.
fn hero_height(app: &mut App, screen: Rect) -> u16 {
    let wide = screen.width >= arrange::WIDE;
    let width = if wide { screen.width * 3 / 5 } else { screen.width };
    let area = Rect {
        width: width.saturating_sub(2),
        ..screen
    };
    app.with_cx(|cx, panes| {
        if cx.story.state.diagnosed.verdict.is_none() && cx.story.state.ending.outcome.is_none() {
            return 0;
        }
        panes.verdict.prepare(cx, area);
        u16::try_from(panes.verdict.hero_rows()).unwrap_or(u16::MAX)
    })
}

fn draw_panes(app: &mut App, frame: &mut Frame, plan: &Arrangement) {
    let focus = app.focus();
    let typing = app.query.focused;
    // The focused pane is drawn last, so that its frame lies over its neighbours'.
    let mut order = plan.panes.clone();
    order.sort_by_key(|(id, _)| *id == focus);
    for (id, area) in order {
        let focused = id == focus && !typing;
        if id == PaneId::Sessions {
            let mut sessions = std::mem::take(&mut app.sessions);
            app.with_cx(|cx, _| draw_pane(cx, &mut sessions, focused, area, frame));
            app.sessions = sessions;
            continue;
        }
        app.with_cx(|cx, panes| {
            if let Some(pane) = panes.get_mut(id) {
                draw_pane(cx, pane, focused, area, frame);
            }
        });
    }
}

fn draw_pane(cx: &Cx, pane: &mut dyn Pane, focused: bool, area: Rect, frame: &mut Frame) {
    let cx = Cx { focused, ..*cx };
    let inside = framed(&cx, pane, area, frame);
    if inside.width > 0 && inside.height > 0 {
        pane.draw(&cx, inside, frame.buffer_mut());
        retitle(&cx, pane, area, frame);
    }
}

/// Draws a pane's frame and returns its inside.
fn framed(cx: &Cx, pane: &dyn Pane, area: Rect, frame: &mut Frame) -> Rect {
    let rule = cx
        .theme
        .style(if cx.focused { Role::RuleFocus } else { Role::Rule });
    let block = Block::bordered()
        .border_style(rule)
        .merge_borders(MergeStrategy::Exact);
    let inside = block.inner(area);
    block.render(area, frame.buffer_mut());
    draw_title(cx, pane, area, frame);
    inside
}

/// A pane knows its counts only after it was prepared: the title is written again.
fn retitle(cx: &Cx, pane: &dyn Pane, area: Rect, frame: &mut Frame) {
    draw_title(cx, pane, area, frame);
}

fn draw_title(cx: &Cx, pane: &dyn Pane, area: Rect, frame: &mut Frame) {
    let (title, note) = pane.title(cx);
    let room = usize::from(area.width.saturating_sub(4));
    let style = |role| cx.theme.style(role);
    let needs = title.starts_with("Needs you");
    let title_style: Style = match (needs, cx.focused) {
        (true, _) => style(Role::Alert),
        (false, true) => style(Role::TitleFocus),
        (false, false) => style(Role::Title),
    };
    let mut spans = vec![Span::styled(
        format!(" {} ", text::fit(&title, room)),
        title_style,
    )];
    let left = room.saturating_sub(text::width(&title) + 2);
    if !note.is_empty() && left > 4 {
        spans.push(Span::styled(
            format!("{} ", text::fit(&text::one_line(&note), left)),
            style(Role::Dim),
        ));
    }
    if area.width > 4 {
        frame
            .buffer_mut()
            .set_line(area.x + 1, area.y, &Line::from(spans), area.width - 2);
    }
}

fn too_small(frame: &mut Frame, theme: &Theme) {
    let area = frame.area();
    let words = format!("noctui needs 40x10, this is {}x{}", area.width, area.height);
    let lines = text::wrap(&words, usize::from(area.width));
    for (line, y) in lines.iter().zip(area.y..area.bottom()) {
        frame
            .buffer_mut()
            .set_string(area.x, y, line, theme.style(Role::Warn));
    }
}
