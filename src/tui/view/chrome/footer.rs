//! The footer: keys that work here on the left, figures on the right; a remark takes the place of the keys.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::tui::action::{
    Action, Answering, App as Program, Context, Go, List, Look, Map, Replay, Sessions, Spec, Typing,
};
use crate::tui::app::{App, contexts, why_not};
use crate::tui::panes::PaneId;
use crate::tui::rows::Row;
use crate::tui::text;
use crate::tui::theme::Role;

/// Keys that work here on the left, figures on the right; a remark takes the place of the keys.
pub(super) fn draw(app: &App, area: Rect, buf: &mut Buffer) {
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
