//! Rows: moving, folding, searching, copying, and following what a row stands for.

use ratatui::layout::Rect;

use super::super::msg::Effect;
use super::super::tab::Page;
use super::super::{App, answer};
use super::browse;
use crate::agent::model::EvidenceId;
use crate::tui::action::{Answering, List, Sessions};
use crate::tui::dialogs::{Dialog, Prompt, PromptFor};
use crate::tui::panes::{Cx, Pane, PaneId};
use crate::tui::rows::Link;

/// Does an action of this group.
pub(super) fn perform(app: &mut App, action: List) -> Vec<Effect> {
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
        PaneId::Steps => tab.panes.steps.fold(&tab.story, fold),
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
        Some(Link::Question(_)) => return answer::perform(app, Answering::Details),
        Some(Link::Session(_)) => return browse::perform(app, Sessions::Resume),
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
pub(super) fn show_evidence(app: &mut App, id: EvidenceId, pointer: &str) {
    let tab = app.tab_mut();
    tab.panes.evidence.show(&tab.story, id, pointer);
    tab.page = Page::Alone(PaneId::Evidence);
    tab.focus = PaneId::Evidence;
}
