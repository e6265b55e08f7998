//! The query line: completing, and starting an investigation or steering the one that runs.

use super::super::msg::{Effect, TabId};
use super::super::tab::Page;
use super::super::{App, answer};
use super::go::MAX_TABS;
use crate::agent::model::{Query, Steering};
use crate::tui::action::Typing;
use crate::tui::dialogs::Dialog;
use crate::tui::panes::PaneId;
use crate::tui::source::Say;

/// Does an action of this group.
pub(super) fn perform(app: &mut App, action: Typing) -> Vec<Effect> {
    match action {
        Typing::Submit => return submit(app, false),
        Typing::NewTab => return submit(app, true),
        Typing::Complete => {
            let words = completion_words(app);
            app.query.complete(&words);
        }
        Typing::Older => app.query.turn(true),
        Typing::Newer => app.query.turn(false),
        Typing::Clear => {
            app.query.edit.take();
            app.query.close_suggestions();
        }
        Typing::Send => return answer::send_editor(app),
        Typing::External => {
            if let Some(Dialog::Editor(editor)) = app.layers.front().map(|l| &l.content) {
                return vec![Effect::Edit(editor.text())];
            }
        }
    }
    Vec::new()
}

/// What the query line completes: devices, roles, VRFs, intents.
fn completion_words(app: &App) -> Vec<String> {
    let story = &app.tab().story;
    let mut words: Vec<String> = story.devices.iter().map(|d| d.name.0.clone()).collect();
    words.extend(["PE", "P", "RR", "CE"].map(str::to_owned));
    if let Some(reading) = &story.state.intake.reading {
        words.extend(reading.entities.vrfs.iter().cloned());
        words.extend(reading.entities.interfaces.iter().cloned());
    }
    words.extend(app.setting.words.iter().cloned());
    words.dedup();
    words
}

/// Starts an investigation, or hands the words to the one that runs.
fn submit(app: &mut App, new_tab: bool) -> Vec<Effect> {
    let text = app.query.submit();
    app.query.focused = false;
    let mut effects = vec![Effect::Remember(text.clone())];
    if app.tab().is_running() && !new_tab {
        app.tell("told the planner");
        effects.push(Effect::Say(
            app.tab().id,
            Say::Steer(Steering::Words { words: text }),
        ));
        return effects;
    }
    if app.tabs.len() >= MAX_TABS && new_tab {
        app.complain("too many investigations at once: close one first");
        return effects;
    }
    let id = if app.tab().is_fresh() {
        app.tab().id
    } else {
        app.add_tab()
    };
    start(app, id);
    effects.push(Effect::Open(
        id,
        Query {
            text,
            devices: Vec::new(),
            runbook: None,
        },
    ));
    effects
}

/// Shows that a session is being opened in a tab.
pub(super) fn start(app: &mut App, id: TabId) {
    if let Some(tab) = app.find(id) {
        tab.opening = true;
        tab.page = Page::Overview;
        tab.focus = PaneId::Steps;
    }
}
