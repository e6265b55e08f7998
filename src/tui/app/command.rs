//! Does what an action says. One function a group; what an action cannot do it says instead.

use std::time::Duration;

use ratatui::layout::Rect;

use super::availability::why_not;
use super::msg::{Effect, TabId};
use super::tab::Page;
use super::{App, Tab, answer};
use crate::agent::model::{Query, Steering};
use crate::tui::action::{Action, App as Program, Go, List, Look, Map, Replay, Sessions, Typing};
use crate::tui::dialogs::{self, Confirm, Dialog, Export, Help, Palette, Prompt, PromptFor};
use crate::tui::panes::{Cx, Pane, PaneId};
use crate::tui::rows::Link;
use crate::tui::source::Say;
use crate::tui::story::Story;

/// A second Ctrl+C within this time offers to quit.
const TWICE: Duration = Duration::from_secs(3);

/// More tabs than this nobody can keep apart.
const MAX_TABS: usize = 12;

/// Performs an action, or says why not.
pub fn perform(app: &mut App, action: Action) -> Vec<Effect> {
    if let Some(reason) = why_not(app, action) {
        app.complain(reason);
        return Vec::new();
    }
    match action {
        Action::App(a) => program(app, a),
        Action::Go(a) => go(app, a),
        Action::List(a) => list(app, a),
        Action::Typing(a) => typing(app, a),
        Action::Answering(a) => answer::perform(app, a),
        Action::Look(a) => look(app, a),
        Action::Map(a) => map(app, a),
        Action::Replay(a) => replay(app, a),
        Action::Sessions(a) => sessions(app, a),
    }
}

fn program(app: &mut App, action: Program) -> Vec<Effect> {
    match action {
        Program::Help => app
            .layers
            .open(Dialog::Help(Help::new(super::keys::contexts(app)))),
        Program::Palette => app.layers.open(Dialog::Palette(Palette::default())),
        Program::Back => return back(app),
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
        Program::Withdraw => {
            if let Some((id, grant)) = app.tab().story.state.dialogue.grants().last() {
                let confirm = Confirm::withdraw(app.tab().id, id, grant);
                app.layers.open(Dialog::Confirm(confirm));
            }
        }
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
    if app.query.focused && app.query.close_suggestions() {
        return Vec::new();
    }
    if dialogs::back(app) {
        return Vec::new();
    }
    if app.query.focused {
        app.query.focused = false;
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
        app.layers.close();
        return Vec::new();
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
    vec![Effect::Quit]
}

fn pause(app: &mut App) -> Vec<Effect> {
    let paused = app.tab().story.state.dialogue.paused;
    let steering = if paused { Steering::Resume } else { Steering::Pause };
    vec![Effect::Say(app.tab().id, Say::Steer(steering))]
}

/// The panes of the overview, in the order of Tab.
pub fn overview_panes(story: &Story) -> Vec<PaneId> {
    let mut panes = if story.state.diagnosed.verdict.is_some() || story.state.ending.outcome.is_some() {
        vec![PaneId::Verdict, PaneId::Map, PaneId::Steps, PaneId::Devices]
    } else {
        vec![PaneId::Plan, PaneId::Loops, PaneId::Devices, PaneId::Steps]
    };
    if !story.waiting().is_empty() {
        panes.push(PaneId::Needs);
    }
    panes
}

fn go(app: &mut App, action: Go) -> Vec<Effect> {
    let page = match action {
        Go::Ask => {
            app.query.focused = true;
            return Vec::new();
        }
        Go::Needs => {
            let tab = app.tab_mut();
            if tab.focus != PaneId::Needs {
                tab.before_question = Some(tab.focus);
            }
            tab.focus = PaneId::Needs;
            app.query.focused = false;
            return Vec::new();
        }
        Go::NextPane => return turn_pane(app, 1),
        Go::PrevPane => return turn_pane(app, -1),
        Go::Zoom => {
            let tab = app.tab_mut();
            tab.page = if tab.page == Page::Overview {
                Page::Alone(tab.focus)
            } else {
                Page::Overview
            };
            if tab.page == Page::Overview && !overview_panes(&tab.story).contains(&tab.focus) {
                tab.focus = PaneId::Steps;
            }
            return Vec::new();
        }
        Go::NextTab | Go::PrevTab | Go::NewTab | Go::CloseTab => return tabs(app, action),
        Go::Overview => Page::Overview,
        Go::Plan => Page::Alone(PaneId::Plan),
        Go::Loops => Page::Alone(PaneId::Loops),
        Go::Steps => Page::Alone(PaneId::Steps),
        Go::Devices => Page::Alone(PaneId::Devices),
        Go::Evidence => Page::Alone(PaneId::Evidence),
        Go::Map => Page::Alone(PaneId::Map),
        Go::Timeline => Page::Alone(PaneId::Timeline),
        Go::Verdict => Page::Alone(PaneId::Verdict),
        Go::Report => Page::Alone(PaneId::Report),
        Go::Tools => Page::Alone(PaneId::Tools),
        Go::Sessions => Page::Alone(PaneId::Sessions),
        Go::Log => Page::Alone(PaneId::Log),
    };
    show_page(app, page)
}

/// Shows a page and focuses what is on it.
pub fn show_page(app: &mut App, page: Page) -> Vec<Effect> {
    app.query.focused = false;
    let tab = app.tab_mut();
    tab.page = page;
    match page {
        Page::Alone(pane) => tab.focus = pane,
        Page::Overview if !overview_panes(&tab.story).contains(&tab.focus) => tab.focus = PaneId::Steps,
        Page::Overview => {}
    }
    if page == Page::Alone(PaneId::Sessions) {
        vec![Effect::ListSessions]
    } else {
        Vec::new()
    }
}

fn turn_pane(app: &mut App, step: isize) -> Vec<Effect> {
    app.query.focused = false;
    let tab = app.tab_mut();
    let panes: Vec<PaneId> = match tab.page {
        Page::Overview => overview_panes(&tab.story),
        Page::Alone(pane) => {
            let mut panes = vec![pane];
            if !tab.story.waiting().is_empty() && pane != PaneId::Needs {
                panes.push(PaneId::Needs);
            }
            panes
        }
    };
    let at = panes.iter().position(|p| *p == tab.focus).unwrap_or(0);
    let n = isize::try_from(panes.len()).unwrap_or(1);
    let next = (isize::try_from(at).unwrap_or(0) + step).rem_euclid(n);
    tab.focus = panes[usize::try_from(next).unwrap_or(0)];
    Vec::new()
}

fn tabs(app: &mut App, action: Go) -> Vec<Effect> {
    let n = app.tabs.len();
    match action {
        Go::NextTab => app.active = (app.active + 1) % n,
        Go::PrevTab => app.active = (app.active + n - 1) % n,
        Go::CloseTab => {
            let tab = app.tabs.remove(app.active.min(n - 1));
            if app.tabs.is_empty() {
                app.add_tab();
                app.query.focused = true;
            }
            app.active = app.active.min(app.tabs.len() - 1);
            return vec![Effect::Leave(tab.id)];
        }
        _ if n >= MAX_TABS => app.complain("too many investigations at once: close one first"),
        _ => {
            app.add_tab();
            app.query.focused = true;
        }
    }
    Vec::new()
}

fn list(app: &mut App, action: List) -> Vec<Effect> {
    match action {
        List::Open => return open(app),
        List::Find => {
            app.layers
                .open(Dialog::Prompt(Prompt::new("Find", PromptFor::Find, "")));
            return Vec::new();
        }
        List::FindNext => find(app, 1),
        List::FindPrev => find(app, -1),
        List::Copy | List::CopyAll => return copy(app, action == List::CopyAll),
        List::Fold | List::Unfold => fold(app, action == List::Fold),
        _ => {
            let stride = if app.focus() == PaneId::Devices {
                app.tab().panes.devices.stride()
            } else {
                1
            };
            with_pane(app, |_, pane| {
                let list = pane.list_mut();
                match action {
                    List::Up => list.step(-stride),
                    List::Down => list.step(stride),
                    List::PageUp => list.page(-1),
                    List::PageDown => list.page(1),
                    List::Top => list.first(),
                    _ => list.last(),
                }
            });
        }
    }
    Vec::new()
}

/// Runs something on the focused pane, with what panes are drawn with.
pub fn with_pane<T>(app: &mut App, act: impl FnOnce(&Cx, &mut dyn Pane) -> T) -> T {
    let focus = app.focus();
    let mut sessions = std::mem::take(&mut app.sessions);
    // Keys may come faster than frames: the pane must know its rows before it is asked about them.
    let drawn = app
        .tab()
        .drawn
        .iter()
        .find(|(id, _)| *id == focus)
        .map(|(_, area)| *area);
    let frame = drawn.unwrap_or(Rect::new(0, 0, app.size.0.max(40), app.size.1.max(10)));
    let area = Rect {
        width: frame.width.saturating_sub(2),
        height: frame.height.saturating_sub(2),
        ..frame
    };
    let done = app.with_cx(|cx, panes| {
        let pane = panes.get_mut(focus).unwrap_or(&mut sessions);
        pane.prepare(cx, area);
        act(cx, pane)
    });
    app.sessions = sessions;
    done
}

/// Searches in the focused pane; with `step == 0` from where the selection stands.
pub fn find(app: &mut App, step: isize) {
    let found = with_pane(app, |cx, pane| {
        let mut list = std::mem::take(pane.list_mut());
        let found = list.find_from(step, |i| pane.row(cx, i).plain());
        *pane.list_mut() = list;
        found
    });
    if !found {
        app.complain("not found");
    }
}

fn fold(app: &mut App, fold: bool) {
    let tab = app.tab_mut();
    match tab.focus {
        PaneId::Steps => tab.panes.steps.fold(fold),
        PaneId::Evidence => tab.panes.evidence.fold(fold),
        PaneId::Devices => tab.panes.devices.list_mut().step(if fold { -1 } else { 1 }),
        _ => {}
    }
}

fn copy(app: &mut App, all: bool) -> Vec<Effect> {
    let (text, what) = with_pane(app, |cx, pane| {
        let title = pane.title(cx).0.to_lowercase();
        if all {
            (pane.plain(cx), format!("the {title}"))
        } else {
            (pane.row(cx, pane.list().selected()).plain(), "the row".to_owned())
        }
    });
    if text.is_empty() {
        app.complain("nothing to copy");
        return Vec::new();
    }
    vec![Effect::Copy(text, what)]
}

/// Enter on a row: follows what the row stands for.
pub fn open(app: &mut App) -> Vec<Effect> {
    let target = with_pane(app, |cx, pane| {
        pane.row(cx, pane.list().selected()).target().cloned()
    });
    match target {
        None => {}
        Some(Link::Evidence(id, pointer)) => show_evidence(app, id, &pointer),
        Some(Link::Device(name)) => {
            let tab = app.tab_mut();
            let steps = format!("{name}");
            tab.focus = PaneId::Steps;
            if tab.page != Page::Overview {
                tab.page = Page::Alone(PaneId::Steps);
            }
            if let Some(pane) = tab.panes.get_mut(PaneId::Steps) {
                pane.list_mut().find = Some(steps);
            }
            find(app, 0);
        }
        Some(Link::Finding(id)) => {
            let tab = app.tab_mut();
            tab.panes.steps.show_finding(id);
            tab.focus = PaneId::Steps;
        }
        Some(Link::Question(_)) => return answer::perform(app, crate::tui::action::Answering::Details),
        Some(Link::Session(_)) => return sessions(app, Sessions::Resume),
        Some(Link::Fold) => {
            let before = app.tab().panes.steps.folds();
            fold(app, true);
            if app.tab().panes.steps.folds() == before {
                fold(app, false);
            }
        }
    }
    Vec::new()
}

/// Opens the inspector on a piece of evidence.
pub fn show_evidence(app: &mut App, id: crate::agent::model::EvidenceId, pointer: &str) {
    let tab = app.tab_mut();
    tab.panes.evidence.show(&tab.story, id, pointer);
    tab.page = Page::Alone(PaneId::Evidence);
    tab.focus = PaneId::Evidence;
}

fn typing(app: &mut App, action: Typing) -> Vec<Effect> {
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

fn start(app: &mut App, id: TabId) {
    if let Some(tab) = app.find(id) {
        tab.opening = true;
        tab.page = Page::Overview;
        tab.focus = PaneId::Steps;
    }
}

fn look(app: &mut App, action: Look) -> Vec<Effect> {
    let tab = app.tab_mut();
    let story = &tab.story;
    match action {
        Look::Diff => tab.panes.plan.toggle_diff(),
        Look::OlderVersion => tab.panes.plan.turn(story, true),
        Look::NewerVersion => tab.panes.plan.turn(story, false),
        Look::NextEvidence => tab.panes.evidence.turn(story, 1),
        Look::PrevEvidence => tab.panes.evidence.turn(story, -1),
        Look::NextCitation => {
            if !tab.panes.evidence.next_citation() {
                app.complain("nothing cites this evidence");
            }
        }
        Look::CitedBy => match tab.panes.evidence.cited_by(story) {
            Some(finding) => {
                tab.panes.steps.show_finding(finding);
                tab.page = Page::Overview;
                tab.focus = PaneId::Steps;
            }
            None => {
                if let Some(id) = tab.panes.evidence.shown() {
                    tab.panes.steps.show_evidence(story, id);
                    tab.page = Page::Overview;
                    tab.focus = PaneId::Steps;
                }
            }
        },
        Look::FoldAll => tab.panes.evidence.fold_all(story, true),
        Look::UnfoldAll => tab.panes.evidence.fold_all(story, false),
        Look::Sort => {
            tab.panes.devices.next_sort();
        }
        Look::Filter => {
            tab.panes.devices.next_show();
        }
        Look::Grid => tab.panes.devices.toggle_grid(),
    }
    Vec::new()
}

fn map(app: &mut App, action: Map) -> Vec<Effect> {
    let map = &mut app.tab_mut().panes.map;
    match action {
        Map::In => map.zoom(1.25),
        Map::Out => map.zoom(0.8),
        Map::Left => map.pan(-1.0, 0.0),
        Map::Right => map.pan(1.0, 0.0),
        Map::Up => map.pan(0.0, 1.0),
        Map::Down => map.pan(0.0, -1.0),
        Map::Fit => map.fit(),
    }
    Vec::new()
}

fn replay(app: &mut App, action: Replay) -> Vec<Effect> {
    let now = app.clock.now;
    let tab = app.tab_mut();
    let Some(player) = tab.player.as_mut() else {
        return Vec::new();
    };
    let (position, _) = player.position();
    let target = match action {
        Replay::Toggle => player.toggle(now).then_some(0),
        Replay::Faster | Replay::Slower => {
            player.change_speed(action == Replay::Faster);
            None
        }
        Replay::Back => Some(position.saturating_sub(10)),
        Replay::Forward => Some(position + 10),
        Replay::Start => Some(0),
        Replay::End => Some(usize::MAX),
    };
    if let Some(target) = target {
        seek(tab, target, now);
    }
    Vec::new()
}

/// Moves a recording. Forward it only adds; backward it folds from the beginning.
pub fn seek(tab: &mut Tab, target: usize, now: tokio::time::Instant) {
    let Some(player) = tab.player.as_mut() else { return };
    let (before, _) = player.position();
    let events = player.seek(target, now);
    if events.len() >= before {
        for event in &events[before..] {
            tab.story.apply(event);
        }
    } else {
        tab.story = Story::of(events);
    }
    tab.settle_questions(now, true);
}

fn sessions(app: &mut App, action: Sessions) -> Vec<Effect> {
    let selected = app.sessions.selected().cloned();
    match (action, selected) {
        (Sessions::Refresh, _) => return vec![Effect::ListSessions],
        (Sessions::Resume, Some(row)) => {
            let id = if app.tab().is_fresh() {
                app.tab().id
            } else {
                app.add_tab()
            };
            start(app, id);
            if row.open {
                return vec![Effect::Resume(id, row.id)];
            }
            if let Some(tab) = app.find(id) {
                tab.recorded = Some(row.id.clone());
            }
            return vec![Effect::Load(id, row.id)];
        }
        (Sessions::Rename, Some(row)) => {
            let name = row.name.unwrap_or_default();
            app.layers.open(Dialog::Prompt(Prompt::new(
                "Name",
                PromptFor::Rename(row.id),
                &name,
            )));
        }
        (Sessions::Delete, Some(row)) => app.layers.open(Dialog::Confirm(Confirm::delete(&row))),
        (Sessions::Compare, Some(_)) => match app.sessions.mark() {
            Some((a, b)) => app.layers.open(Dialog::Compare(crate::tui::dialogs::Compare::new(
                &app.sessions,
                &a,
                &b,
            ))),
            None => app.tell("marked; mark another one to compare"),
        },
        (_, None) => {}
    }
    Vec::new()
}
