//! The update function: one message in, effects out.

use super::msg::{Effect, Msg, Occasion, TabId};
use super::player::Player;
use super::{App, keys, mouse};
use crate::agent::event::{Event, Recorded};
use crate::agent::model::Outcome;
use crate::tui::dialogs::{self, Compare, Dialog};
use crate::tui::panes::PaneId;
use crate::tui::source::Feed;
use crate::tui::story::Story;

/// Takes in a message. The clock was set by the caller.
pub fn update(app: &mut App, msg: Msg) -> Vec<Effect> {
    match msg {
        Msg::Key(key) => keys::press(app, key),
        Msg::Paste(text) => keys::paste(app, &text),
        Msg::Mouse(event) => mouse::act(app, event),
        Msg::Resize(columns, rows) => {
            app.size = (columns, rows);
            Vec::new()
        }
        Msg::WindowFocus(focused) => {
            app.window_focus = focused;
            if focused {
                vec![Effect::Reload { if_changed: true }]
            } else {
                Vec::new()
            }
        }
        Msg::Wake => wake(app),
        Msg::Feed(id, feed) => hear(app, id, feed),
        Msg::Opened(id, result) => {
            opened(app, id, result);
            Vec::new()
        }
        Msg::Loaded(id, result) => {
            loaded(app, id, result);
            Vec::new()
        }
        other => answered(app, other),
    }
}

/// Messages that report on earlier effects.
fn answered(app: &mut App, msg: Msg) -> Vec<Effect> {
    match msg {
        Msg::Sessions(Ok(rows)) => app.sessions.set(rows),
        Msg::Sessions(Err(problem)) | Msg::Done(Err(problem)) | Msg::Edited(Err(problem)) => {
            app.complain(problem)
        }
        Msg::Done(Ok(words)) => {
            app.tell(words);
            return if app.focus() == PaneId::Sessions {
                vec![Effect::ListSessions]
            } else {
                Vec::new()
            };
        }
        Msg::Configured(result) => return dialogs::written(app, result),
        Msg::Compared(Ok(pair)) => app.layers.open(Dialog::Compare(Box::new(Compare::new(*pair)))),
        Msg::Compared(Err(problem)) => app.complain(problem),
        Msg::Exported(text) => return vec![Effect::Copy(text, "the report".to_owned())],
        Msg::Copied(what, route) => app.tell(route.note(&what)),
        Msg::Edited(Ok(text)) => {
            if let Some(Dialog::Editor(editor)) = app.layers.front_mut().map(|l| &mut l.content) {
                editor.set(&text);
            }
        }
        Msg::Reloaded(looks, problems) => {
            app.looks = *looks;
            match problems.first() {
                Some(first) => app.complain(first.clone()),
                None => app.tell("themes and keys were read again"),
            }
        }
        _ => {}
    }
    Vec::new()
}

fn wake(app: &mut App) -> Vec<Effect> {
    let now = app.clock.now;
    if app.toast.as_ref().is_some_and(|t| t.until <= now) {
        app.toast = None;
    }
    let mut effects = Vec::new();
    let due: Vec<(TabId, Vec<Recorded>)> = app
        .tabs
        .iter_mut()
        .filter_map(|t| Some((t.id, t.player.as_mut()?.take_due(now))))
        .filter(|(_, events)| !events.is_empty())
        .collect();
    for (id, events) in due {
        for event in events {
            effects.extend(hear(app, id, Feed::Event(std::sync::Arc::new(event))));
        }
    }
    effects
}

fn hear(app: &mut App, id: TabId, feed: Feed) -> Vec<Effect> {
    let now = app.clock.now;
    let active = app.tab().id == id;
    let busy = app.is_typing() && !app.query.edit.text().is_empty() || !app.layers.is_empty();
    let broken = match &feed {
        Feed::Broken(reason) => Some(reason.clone()),
        _ => None,
    };
    if let Some(reason) = &broken {
        app.complain(reason.clone());
    }
    let Some(tab) = app.find(id) else {
        return Vec::new();
    };
    let verdict = matches!(&feed, Feed::Event(r) if matches!(r.event, Event::VerdictReached { .. }));
    let ended = match &feed {
        Feed::Event(r) => match &r.event {
            Event::SessionEnded { outcome } => Some(outcome.clone()),
            _ => None,
        },
        _ => None,
    };
    tab.story.hear(feed);
    let asked = tab.settle_questions(now, busy || tab.player.is_some());
    let query = tab.story.query().to_owned();
    let replay = tab.player.is_some();
    let mut effects = Vec::new();
    if asked && !replay {
        if active && !busy {
            app.query.focused = false;
        }
        effects.push(Effect::Alert(Occasion::Question, format!("needs you: {query}")));
    }
    if verdict && active && !asked {
        show_verdict(app);
    }
    match ended {
        Some(_) if replay => {}
        Some(Outcome::Failed { reason }) => {
            effects.push(Effect::Alert(
                Occasion::Failure,
                format!("failed: {query}: {reason}"),
            ));
        }
        Some(_) => effects.push(Effect::Alert(Occasion::End, format!("done: {query}"))),
        None => {}
    }
    if let Some(reason) = broken {
        effects.push(Effect::Alert(
            Occasion::Failure,
            format!("broken: {query}: {reason}"),
        ));
    }
    effects
}

/// The verdict is what everything was for: on the overview the focus goes to it.
fn show_verdict(app: &mut App) {
    let tab = app.tab_mut();
    if tab.page == super::Page::Overview && tab.focus != PaneId::Needs {
        tab.focus = PaneId::Verdict;
        tab.panes.verdict.list_mut_top();
    }
}

fn opened(app: &mut App, id: TabId, result: Result<crate::agent::model::SessionId, String>) {
    let Some(tab) = app.find(id) else { return };
    tab.opening = false;
    match result {
        Ok(session) => tab.session = Some(session),
        Err(problem) => {
            tab.story.closed = true;
            app.complain(problem);
        }
    }
}

fn loaded(app: &mut App, id: TabId, result: Result<std::sync::Arc<[Recorded]>, String>) {
    let now = app.clock.now;
    let Some(tab) = app.find(id) else { return };
    tab.opening = false;
    match result {
        Ok(events) => {
            tab.story = Story::default();
            tab.player = Some(Player::new(events, 4.0, now));
            app.query.focused = false;
        }
        Err(problem) => {
            tab.story.closed = true;
            app.complain(problem);
        }
    }
}
