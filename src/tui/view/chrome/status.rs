//! The status bar: who runs where, how it does, and how far it is.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use crate::tui::app::{App, Tab};
use crate::tui::panes::server_health;
use crate::tui::source::{ServerHealth, ServerRow};
use crate::tui::story::Story;
use crate::tui::text;
use crate::tui::theme::Role;

/// Who runs where, how it does, and how far it is.
pub(super) fn draw(app: &App, area: Rect, buf: &mut Buffer) {
    let theme = &app.looks.theme;
    let base = theme.style(if is_lab(app) { Role::Lab } else { Role::Production });
    buf.set_style(area, base);
    let right = state(app, area.width, base);
    let room = usize::from(area.width).saturating_sub(right.iter().map(Span::width).sum());
    let name = " ☾ noctui  ";
    let mut left = vec![Span::styled(name, base.add_modifier(Modifier::BOLD))];
    let mut used = text::width(name);
    // What does not fit is left out whole; a part of a word tells nothing.
    for (i, fact) in facts(app).into_iter().enumerate() {
        let fact = if i == 0 { fact } else { format!("  ·  {fact}") };
        let first = i == 0;
        let fact = if first {
            text::fit(&fact, room.saturating_sub(used + 1))
        } else {
            fact
        };
        used += text::width(&fact);
        if used >= room && !first {
            break;
        }
        left.push(Span::styled(fact, base));
    }
    ends(area, buf, left, right);
}

/// Where it runs, on how many devices, with which servers and who reasons: the most important first.
fn facts(app: &App) -> Vec<String> {
    let story = &app.tab().story;
    let options = &story.state.options;
    let told = |session: &String, setting: &String| {
        if session.is_empty() {
            setting.clone()
        } else {
            session.clone()
        }
    };
    let context = told(&options.context, &app.setting.context);
    let mut facts = vec![if is_lab(app) {
        context
    } else {
        format!("PRODUCTION {context}")
    }];
    if !story.devices.is_empty() {
        facts.push(text::plural(story.devices.len(), "device"));
    }
    facts.extend(servers(story));
    facts.push(told(&options.reasoner, &app.setting.reasoner));
    facts.retain(|fact| !fact.is_empty());
    facts
}

/// Profile, questions that wait, what is going on and for how long.
fn state(app: &App, width: u16, base: Style) -> Vec<Span<'static>> {
    let plain = |text: String| Span::styled(text, base);
    let mut right = Vec::new();
    if !app.setting.profile.is_empty() && width >= 64 {
        right.push(plain(format!(" {}   ", app.setting.profile)));
    }
    let waiting: usize = app.tabs.iter().map(Tab::waiting).sum();
    if waiting > 0 {
        let alert = app.looks.theme.style(Role::Alert);
        right.push(Span::styled(format!(" ? {waiting} "), alert));
        right.push(plain(" ".to_owned()));
    }
    right.push(plain(format!("{} {}", mark(app), app.tab().story.activity())));
    if width >= 50 {
        right.push(plain(elapsed(app)));
    }
    right
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
    let one = |s: &ServerRow| {
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
