//! Moving between panes, pages and investigations.

use super::super::App;
use super::super::msg::Effect;
use super::super::tab::Page;
use crate::tui::action::Go;
use crate::tui::panes::PaneId;
use crate::tui::story::Story;

/// More tabs than this nobody can keep apart.
pub(super) const MAX_TABS: usize = 12;

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

/// Does an action of this group.
pub(super) fn perform(app: &mut App, action: Go) -> Vec<Effect> {
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
pub(super) fn show_page(app: &mut App, page: Page) -> Vec<Effect> {
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
