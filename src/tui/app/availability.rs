//! Whether an action makes sense now, and if not, why: shown in help, palette and as the answer to the key.

use super::{App, Page};
use crate::agent::model::Answer;
use crate::tui::action::{Action, Answering, App as Program, Go, List, Look, Replay, Sessions, Typing};
use crate::tui::panes::{PaneId, answer_key};

/// Why an action cannot be done now; `None` when it can.
pub fn why_not(app: &App, action: Action) -> Option<String> {
    let because = |reason: &str| Some(reason.to_owned());
    let tab = app.tab();
    let story = &tab.story;
    match action {
        Action::Answering(answer) => why_no_answer(app, answer),
        Action::App(Program::Cancel) if !tab.is_running() => None,
        Action::App(Program::Pause) if !tab.is_running() => because("nothing runs here"),
        Action::App(Program::Export) if story.state.query.is_none() => {
            because("there is nothing to export yet")
        }
        Action::App(Program::Withdraw) if !tab.is_running() => because("nothing runs here"),
        Action::App(Program::Withdraw) if story.state.dialogue.grants().next().is_none() => {
            because("nothing is allowed always")
        }
        Action::Go(Go::Needs) if tab.waiting() == 0 => because("no question waits"),
        Action::Go(Go::Report)
            if story.state.ending.prose.is_none() && tab.page != Page::Alone(PaneId::Report) =>
        {
            None
        }
        Action::Go(Go::NextTab | Go::PrevTab) if app.tabs.len() < 2 => {
            because("there is one investigation only")
        }
        Action::Look(Look::Diff | Look::OlderVersion | Look::NewerVersion)
            if story.state.planning.versions.len() < 2 =>
        {
            because("the plan has one version only")
        }
        Action::Look(
            Look::NextEvidence | Look::PrevEvidence | Look::NextCitation | Look::FoldAll | Look::UnfoldAll,
        ) if story.state.evidence.is_empty() => because("there is no evidence yet"),
        Action::Replay(Replay::Back | Replay::Start)
            if tab.player.as_ref().is_some_and(|p| p.position().0 == 0) =>
        {
            because("this is the beginning")
        }
        Action::Sessions(Sessions::Resume | Sessions::Rename | Sessions::Delete | Sessions::Compare)
            if app.sessions.selected().is_none() =>
        {
            because("no session is selected")
        }
        Action::List(List::FindNext | List::FindPrev) if !has_search(app) => {
            because("nothing is searched for: / first")
        }
        Action::Typing(Typing::Submit | Typing::NewTab) if app.query.edit.text().trim().is_empty() => {
            because("the line is empty")
        }
        _ => None,
    }
}

fn has_search(app: &App) -> bool {
    use crate::tui::panes::Pane;
    let tab = app.tab();
    let find = match tab.focus {
        PaneId::Steps => tab.panes.steps.list().find.as_ref(),
        PaneId::Evidence => tab.panes.evidence.list().find.as_ref(),
        PaneId::Log => tab.panes.log.list().find.as_ref(),
        _ => return true,
    };
    find.is_some_and(|f| !f.is_empty())
}

fn why_no_answer(app: &App, answer: Answering) -> Option<String> {
    if app.tab().player.is_some() {
        return Some("this is a recording: its questions were answered then".to_owned());
    }
    let Some(question) = app.tab().question() else {
        return Some("no question waits".to_owned());
    };
    if matches!(answer, Answering::Details | Answering::Next | Answering::Prev) {
        return None;
    }
    let kind = &question.kind;
    let offered = kind
        .choices()
        .iter()
        .any(|c| answer_key(c.key) == Some(Action::Answering(answer)));
    let accepted = match answer {
        Answering::Retry => kind.accepts(&Answer::Retry),
        Answering::Skip => kind.accepts(&Answer::Skip),
        Answering::Stop => kind.accepts(&Answer::Stop),
        Answering::Replan => kind.accepts(&Answer::Replan),
        _ => offered,
    };
    (!offered || !accepted).then(|| {
        let words: Vec<String> = kind
            .choices()
            .iter()
            .filter_map(|c| answer_key(c.key))
            .map(|a| app.looks.keymap.label(a))
            .collect();
        format!(
            "not an answer to this question ({}): use {}",
            kind.name(),
            words.join(" ")
        )
    })
}
