//! The program as a whole: help, back, cancel, quit, themes, mouse.

use std::time::Duration;

use super::super::msg::{Effect, Ending};
use super::super::tab::Page;
use super::super::{App, Tab, answer, keys};
use super::go::overview_panes;
use crate::agent::model::Steering;
use crate::tui::action::App as Program;
use crate::tui::dialogs::{self, Confirm, Dialog, Export, Help, Palette, Setup};
use crate::tui::panes::PaneId;
use crate::tui::source::Say;

/// A second Ctrl+C within this time offers to quit.
const TWICE: Duration = Duration::from_secs(3);

/// Does an action of this group.
pub(super) fn perform(app: &mut App, action: Program) -> Vec<Effect> {
    match action {
        Program::Help => app.layers.open(Dialog::Help(Help::new(keys::contexts(app)))),
        Program::Palette => app.layers.open(Dialog::Palette(Palette::default())),
        Program::Back => return back(app),
        Program::Withdraw => {
            if let Some((id, grant)) = app.tab().story.state.dialogue.grants().last() {
                let confirm = Confirm::withdraw(app.tab().id, id, grant);
                app.layers.open(Dialog::Confirm(confirm));
            }
        }
        Program::Setup => {
            let setup = Setup::asked(app, &app.setting.known);
            app.layers.open(Dialog::Setup(Box::new(setup)));
        }
        Program::Cancel => return cancel(app),
        Program::Pause => return pause(app),
        Program::Quit => return quit(app),
        Program::Suspend => return vec![Effect::Suspend],
        Program::Redraw => return vec![Effect::Repaint],
        Program::Mouse => {
            app.mouse = !app.mouse;
            app.tell(if app.mouse {
                "the mouse is ours again"
            } else {
                "mouse released: select with it; press again to take it back"
            });
            return vec![Effect::Mouse(app.mouse)];
        }
        Program::Theme => next_theme(app),
        Program::Motion => {
            app.looks.motion = !app.looks.motion;
            app.tell(if app.looks.motion {
                "spinners turn"
            } else {
                "spinners stand still"
            });
        }
        Program::Reload => return vec![Effect::Reload { if_changed: false }],
        Program::Export => app.layers.open(Dialog::Export(Export::default())),
    }
    Vec::new()
}

fn next_theme(app: &mut App) {
    let names = app.looks.themes.names();
    let at = names
        .iter()
        .position(|n| n == app.looks.theme.name())
        .unwrap_or(0);
    let next = &names[(at + 1) % names.len().max(1)];
    match app.looks.themes.get(next) {
        Ok(theme) => {
            app.looks.theme = theme.at_depth(app.looks.depth);
            app.tell(format!("theme: {next}"));
        }
        Err(problem) => app.complain(problem.to_string()),
    }
}

/// Esc: closes the front dialog, else leaves the query line, else declines the approval in front, else leaves
/// the question or the zoom. It never allows anything.
fn back(app: &mut App) -> Vec<Effect> {
    if let Some(effects) = dialogs::back(app) {
        return effects;
    }
    if app.query.focused {
        app.query.focused = app.query.close_suggestions();
        return Vec::new();
    }
    let tab = app.tab_mut();
    if let Some(pane) = tab.panes.get_mut(tab.focus)
        && pane.list_mut().find.take().is_some()
    {
        return Vec::new();
    }
    if tab.focus == PaneId::Needs
        && let Some(effects) = answer::decline_approval(app)
    {
        return effects;
    }
    let tab = app.tab_mut();
    if tab.page == Page::Overview && tab.focus == PaneId::Needs {
        tab.focus = tab.before_question.take().unwrap_or(PaneId::Steps);
        return Vec::new();
    }
    tab.page = Page::Overview;
    if !overview_panes(&tab.story).contains(&tab.focus) {
        tab.focus = PaneId::Steps;
    }
    Vec::new()
}

fn cancel(app: &mut App) -> Vec<Effect> {
    let now = app.clock.now;
    let again = app
        .cancelled
        .is_some_and(|at| now.saturating_duration_since(at) < TWICE);
    app.cancelled = Some(now);
    if !app.layers.is_empty() && !again {
        let closed = app.layers.close();
        let before_all = matches!(closed, Some(Dialog::Setup(setup)) if setup.leaves().is_some());
        return if before_all {
            vec![Effect::End(Ending::Quit)]
        } else {
            Vec::new()
        };
    }
    if again || !app.tab().is_running() {
        if app.query.focused && !app.query.edit.text().is_empty() && !again {
            app.query.edit.take();
            return Vec::new();
        }
        return quit(app);
    }
    app.tell("cancelled: it ends with a report of what is known; Ctrl+C again to quit");
    let steering = Steering::Stop {
        reason: "you cancelled it".to_owned(),
    };
    vec![Effect::Say(app.tab().id, Say::Steer(steering))]
}

fn quit(app: &mut App) -> Vec<Effect> {
    if app.tabs.iter().any(Tab::is_running) {
        app.layers.open(Dialog::Confirm(Confirm::quit()));
        return Vec::new();
    }
    vec![Effect::End(Ending::Quit)]
}

fn pause(app: &mut App) -> Vec<Effect> {
    let paused = app.tab().story.state.dialogue.paused;
    let steering = if paused { Steering::Resume } else { Steering::Pause };
    vec![Effect::Say(app.tab().id, Say::Steer(steering))]
}
