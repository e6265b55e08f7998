//! What frames the panes: status bar, query line, strip of pages, footer.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget};

use super::arrange::Arrangement;
use crate::tui::action::{
    Action, Answering, App as Program, Context, Go, List, Look, Map, Replay, Sessions, Spec, Typing,
};
use crate::tui::app::{App, Page, contexts, why_not};
use crate::tui::panes::{PaneId, server_health};
use crate::tui::rows::Row;
use crate::tui::source::ServerHealth;
use crate::tui::story::Story;
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

/// Draws the frame. Returns where the cursor belongs when the query line has it.
pub fn draw(app: &mut App, frame: &mut Frame, plan: &Arrangement) -> Option<(u16, u16)> {
    let buf = frame.buffer_mut();
    status(app, plan.status, buf);
    let cursor = query(app, plan.query, buf);
    if plan.strip.height > 0 {
        strip(app, plan.strip, buf);
    }

    footer(app, plan.footer, buf);
    cursor
}

/// Who runs where, how it does, and how far it is.
fn status(app: &App, area: Rect, buf: &mut Buffer) {
    let theme = &app.looks.theme;
    let story = &app.tab().story;
    let lab = is_lab(app);
    let base = theme.style(if lab { Role::Lab } else { Role::Production });
    buf.set_style(area, base);
    let sep = || Span::styled("  ·  ", base);
    let plain = |text: String| Span::styled(text, base);
    let mut left = vec![Span::styled(
        " ☾ noctui ",
        base.add_modifier(ratatui::style::Modifier::BOLD),
    )];
    let context = if story.state.options.context.is_empty() {
        &app.setting.context
    } else {
        &story.state.options.context
    };
    left.push(plain(format!(
        " {}",
        if lab {
            context.clone()
        } else {
            format!("PRODUCTION {context}")
        }
    )));
    if !story.devices.is_empty() {
        left.extend([sep(), plain(text::plural(story.devices.len(), "device"))]);
    }
    if let Some(servers) = servers(story) {
        left.extend([sep(), plain(servers)]);
    }
    let reasoner = if story.state.options.reasoner.is_empty() {
        &app.setting.reasoner
    } else {
        &story.state.options.reasoner
    };
    if !reasoner.is_empty() {
        left.extend([sep(), plain(reasoner.clone())]);
    }
    let mut right = Vec::new();
    if !app.setting.profile.is_empty() && area.width >= 64 {
        right.push(plain(format!(" {}   ", app.setting.profile)));
    }
    let waiting: usize = app.tabs.iter().map(crate::tui::app::Tab::waiting).sum();
    if waiting > 0 {
        right.push(Span::styled(format!(" ? {waiting} "), theme.style(Role::Alert)));
        right.push(plain(" ".to_owned()));
    }
    right.push(plain(format!("{} {}", mark(app), story.activity())));
    if area.width >= 50 {
        right.push(plain(elapsed(app)));
    }
    ends(area, buf, left, right);
}

/// Whether the status bar shows a lab.
fn is_lab(app: &App) -> bool {
    let story = &app.tab().story;
    let context = &app.setting.context;
    if story.state.query.is_some() {
        story.is_lab()
    } else {
        context.is_empty() || context.starts_with("lab") || context.starts_with("demo")
    }
}

fn servers(story: &Story) -> Option<String> {
    let tools = story.state.intake.tools.as_ref().map_or(0, Vec::len);
    if story.servers.is_empty() {
        return (tools > 0).then(|| text::plural(tools, "tool"));
    }
    let one = |s: &crate::tui::source::ServerRow| {
        let (glyph, word, _) = server_health(s.health);
        if s.health == ServerHealth::Ready {
            format!("{glyph} {}", s.name)
        } else {
            format!("{glyph} {} {word}", s.name)
        }
    };
    let names: Vec<String> = story.servers.iter().take(3).map(one).collect();
    Some(format!("{}  {}", names.join(" "), text::plural(tools, "tool")))
}

/// The glyph before the activity.
fn mark(app: &App) -> &'static str {
    let story = &app.tab().story;
    if app.tab().opening || story.is_busy() {
        return app.spinner();
    }
    match () {
        () if !story.waiting().is_empty() => "·",
        () if story.state.is_ended() => "■",
        () if story.state.dialogue.paused => "‖",
        () => "○",
    }
}

fn elapsed(app: &App) -> String {
    let story = &app.tab().story;
    if story.state.query.is_none() {
        return " ".to_owned();
    }
    let until = if story.state.is_ended() {
        story.state.updated_at
    } else {
        app.shown_time().max(story.state.updated_at)
    };
    format!(
        "  {} ",
        text::clock(u64::try_from(until.since_ms(story.state.opened_at)).unwrap_or(0))
    )
}

/// Left and right ends of a line; the left gives way.
fn ends(area: Rect, buf: &mut Buffer, left: Vec<Span<'static>>, right: Vec<Span<'static>>) {
    let right = Line::from(right);
    let width = u16::try_from(right.width()).unwrap_or(u16::MAX).min(area.width);
    buf.set_line(
        area.x,
        area.y,
        &Line::from(left),
        area.width.saturating_sub(width),
    );
    buf.set_line(area.right() - width, area.y, &right, width);
}

/// The query line; returns the cursor's place when it has the keys.
fn query(app: &App, area: Rect, buf: &mut Buffer) -> Option<(u16, u16)> {
    let theme = &app.looks.theme;
    let focused = app.query.focused;
    let bar = if focused { Role::Accent } else { Role::Rule };
    buf.set_string(area.x, area.y, " ▌", theme.style(bar));
    let (x, room) = (area.x + 3, usize::from(area.width.saturating_sub(4)));
    let typed = app.query.edit.text();
    if !focused && typed.is_empty() {
        let words = app.tab().story.query();
        let (words, role) = if words.is_empty() {
            (
                format!("{} to ask", app.looks.keymap.label(Action::Go(Go::Ask))),
                Role::Dim,
            )
        } else {
            (text::one_line(words), Role::Title)
        };
        buf.set_string(x, area.y, text::fit(&words, room), theme.style(role));
        return None;
    }
    if typed.is_empty() {
        let words = if app.tab().is_running() {
            let new = app.looks.keymap.label(Action::Typing(Typing::NewTab));
            format!("tell the planner something; {new} starts another investigation")
        } else {
            "what hurts? for example: BGP to the RR is flapping on xrd-2".to_owned()
        };
        buf.set_string(x, area.y, text::fit(&words, room), theme.style(Role::Dim));
        return focused.then_some((x, area.y));
    }
    let (seen, at) = app.query.edit.view(room);
    let end = text::width(&seen);
    buf.set_string(x, area.y, seen, theme.style(Role::Text));
    if let Some(ghost) = app.query.ghost().filter(|_| focused) {
        let ghost = text::take(ghost, room.saturating_sub(end));
        buf.set_string(
            x + u16::try_from(end).unwrap_or(0),
            area.y,
            ghost,
            theme.style(Role::Dim),
        );
    }
    focused.then_some((x + u16::try_from(at).unwrap_or(0), area.y))
}

/// The completions, in a small box under the query line.
pub fn draw_suggestions(app: &App, frame: &mut Frame, plan: &Arrangement) {
    let (words, chosen) = app.query.suggestions();
    if !app.query.focused || words.is_empty() {
        return;
    }
    let theme = &app.looks.theme;
    let widest = words.iter().map(|w| text::width(w)).max().unwrap_or(8);
    let width = u16::try_from(widest + 2)
        .unwrap_or(20)
        .min(plan.query.width.saturating_sub(3));
    let height = u16::try_from(words.len())
        .unwrap_or(1)
        .min(frame.area().height.saturating_sub(plan.query.y + 2));
    let area = Rect {
        x: plan.query.x + 3,
        y: plan.query.y + 1,
        width,
        height,
    };
    let buf = frame.buffer_mut();
    Clear.render(area, buf);
    for ((i, word), y) in words.iter().enumerate().zip(area.y..area.bottom()) {
        let role = if Some(i) == chosen {
            Role::Match
        } else {
            Role::Badge
        };
        buf.set_string(
            area.x,
            y,
            text::pad(&format!(" {word}"), usize::from(width)),
            theme.style(role),
        );
    }
}

/// The strip: investigations when there are several, then pages.
fn strip(app: &App, area: Rect, buf: &mut Buffer) {
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

/// The pages with their keys, as wide as there is room: all in full, all in short, or those around the present one.
fn pages(app: &App, room: usize) -> Vec<Span<'static>> {
    let theme = &app.looks.theme;
    let key = |go| {
        app.looks
            .keymap
            .keys(Action::Go(go))
            .first()
            .map(ToString::to_string)
            .unwrap_or_default()
    };
    let here = PAGES
        .iter()
        .position(|(_, _, page)| *page == app.tab().page)
        .unwrap_or(0);
    let width = |short: bool, gap: usize| -> usize {
        let name = |n: &str| if short { n.len().min(4) } else { n.len() };
        PAGES
            .iter()
            .map(|(go, n, _)| text::width(&key(*go)) + 1 + name(n) + gap)
            .sum()
    };
    let forms = [(false, 2), (false, 1), (true, 2), (true, 1)];
    let (short, gap) = forms
        .into_iter()
        .find(|(s, g)| width(*s, *g) <= room)
        .unwrap_or((true, 1));
    let from = if width(short, gap) > room {
        here.saturating_sub(3)
    } else {
        0
    };
    let mut spans = Vec::new();
    let mut used = 0;
    for (i, (go, name, _)) in PAGES.iter().enumerate().skip(from) {
        let name = if short && i != here {
            text::take(name, 4)
        } else {
            (*name).to_owned()
        };
        let key = key(*go);
        let cells = text::width(&key) + 1 + name.len() + gap;
        if used + cells > room + gap {
            break;
        }
        used += cells;
        let (k, n) = if i == here {
            (Role::TitleFocus, Role::TitleFocus)
        } else {
            (Role::Key, Role::Dim)
        };
        spans.push(Span::styled(key, theme.style(k)));
        spans.push(Span::styled(
            format!(" {name}{}", " ".repeat(gap)),
            theme.style(n),
        ));
    }
    spans
}

/// Keys that work here on the left, figures on the right; a remark takes the place of the keys.
fn footer(app: &App, area: Rect, buf: &mut Buffer) {
    let theme = &app.looks.theme;
    let figures = figures(app);
    let right = Row::text(figures.clone(), Role::Dim);
    let right_width = u16::try_from(text::width(&figures) + 1).unwrap_or(0);
    let show_right = right_width + 24 <= area.width;
    let room = if show_right {
        area.width - right_width - 1
    } else {
        area.width
    };
    let left = match &app.toast {
        Some(toast) => {
            let (mark, role) = if toast.bad {
                (" ✘ ", Role::Bad)
            } else {
                (" · ", Role::Info)
            };
            Row::text(mark, role).put(text::one_line(&toast.text), role)
        }
        None => hints(app, usize::from(room)),
    };
    buf.set_line(area.x, area.y, &left.line(usize::from(room), theme, false), room);
    if show_right {
        let x = area.right() - right_width;
        buf.set_line(
            x,
            area.y,
            &right.line(usize::from(right_width), theme, false),
            right_width,
        );
    }
}

/// Model calls, tokens, cost and budget: totals only, never mixed with the size of a context.
fn figures(app: &App) -> String {
    let story = &app.tab().story;
    if let Some(player) = &app.tab().player {
        let (at, all) = player.position();
        let state = if player.is_playing() { "⏵" } else { "‖" };
        let filled = (at * 20).checked_div(all).unwrap_or(0);
        return format!(
            "{state} {}x  {}{}  {at}/{all}",
            player.speed(),
            "━".repeat(filled),
            "─".repeat(20 - filled)
        );
    }
    if story.state.query.is_none() {
        return String::new();
    }
    let usage = &story.state.ledger.usage;
    let calls: u32 = usage.iter().map(|u| u.calls).sum();
    let (tokens_in, tokens_out) = usage
        .iter()
        .fold((0, 0), |(i, o), u| (i + u.tokens_in, o + u.tokens_out));
    let micro: u64 = usage.iter().map(|u| u.micro_usd).sum();
    let attempts = story.state.execution.attempts();
    let left = story.state.options.limits.tool_calls.saturating_sub(attempts);
    let model = if calls == 0 {
        "no model calls".to_owned()
    } else {
        format!(
            "{calls} model calls  {}↑ {}↓",
            text::count(tokens_in),
            text::count(tokens_out)
        )
    };
    #[allow(clippy::cast_precision_loss, reason = "cents of a price on a screen")]
    let price = micro as f64 / 1e6;
    format!("{model}  ${price:.2}  {attempts} tool calls, {left} left")
}

/// The actions worth naming where the user is.
fn worth(app: &App) -> Vec<Action> {
    use Action as A;
    let mut list = Vec::new();
    if app.query.focused {
        list.extend([
            A::Typing(Typing::Submit),
            A::Typing(Typing::Complete),
            A::Typing(Typing::Older),
        ]);
        return list;
    }
    match app.focus() {
        PaneId::Needs => list.extend([A::Answering(Answering::Details), A::Answering(Answering::Next)]),
        PaneId::Plan => list.extend([A::Look(Look::Diff), A::Look(Look::OlderVersion)]),
        PaneId::Evidence => list.extend([
            A::Look(Look::NextCitation),
            A::Look(Look::CitedBy),
            A::Look(Look::NextEvidence),
            A::Look(Look::FoldAll),
        ]),
        PaneId::Devices => list.extend([A::Look(Look::Sort), A::Look(Look::Filter), A::Look(Look::Grid)]),
        PaneId::Map => list.extend([A::Map(Map::In), A::Map(Map::Out), A::Map(Map::Fit)]),
        PaneId::Sessions => list.extend([
            A::Sessions(Sessions::Resume),
            A::Sessions(Sessions::Rename),
            A::Sessions(Sessions::Compare),
            A::Sessions(Sessions::Delete),
        ]),
        _ => list.push(A::List(List::Open)),
    }
    if app.tab().player.is_some() {
        list.extend([
            A::Replay(Replay::Toggle),
            A::Replay(Replay::Faster),
            A::Replay(Replay::Forward),
        ]);
    }
    if app.focus() != PaneId::Needs {
        list.push(A::Go(Go::Needs));
    }
    list.extend([
        A::Go(Go::NextPane),
        A::Go(Go::Zoom),
        A::List(List::Find),
        A::List(List::Copy),
        A::Go(Go::Ask),
        A::App(Program::Export),
        A::App(Program::Pause),
    ]);
    list
}

fn hints(app: &App, room: usize) -> Row {
    let here = contexts(app);
    let tail = [Action::App(Program::Palette), Action::App(Program::Help)];
    let mut row = Row::text(" ", Role::Dim);
    let mut used = 1;
    let tail_width: usize = if app.query.focused {
        0
    } else {
        tail.iter().map(|a| hint_width(app, *a)).sum()
    };
    for action in worth(app) {
        let spec = Spec::of(action);
        if why_not(app, action).is_some()
            || !applies(spec.context, &here)
            || app.looks.keymap.keys(action).is_empty()
        {
            continue;
        }
        let w = hint_width(app, action);
        if used + w + tail_width > room {
            continue;
        }
        used += w;
        row = row
            .put(app.looks.keymap.label(action), Role::Key)
            .put(format!(" {}  ", spec.label), Role::Dim);
    }
    if app.query.focused {
        return row.put("Esc", Role::Key).put(" panes  ", Role::Dim);
    }
    for action in tail {
        row = row
            .put(app.looks.keymap.label(action), Role::Key)
            .put(format!(" {}  ", Spec::of(action).label), Role::Dim);
    }
    row
}

fn applies(context: Context, here: &[Context]) -> bool {
    here.contains(&context)
}

fn hint_width(app: &App, action: Action) -> usize {
    text::width(&app.looks.keymap.label(action)) + text::width(Spec::of(action).label) + 3
}
