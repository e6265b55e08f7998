//! Answering questions: from a key to an [`Answer`], through an editor where words are needed.

use serde_json::Value;

use super::App;
use super::msg::{EditFor, Effect};
use crate::agent::model::{Answer, Grant, Question, QuestionId, QuestionKind, canonical};
use crate::tui::action::Answering;
use crate::tui::dialogs::{Dialog, Editor};
use crate::tui::source::Say;

/// Does what an answering key asks for. Availability was checked.
pub fn perform(app: &mut App, action: Answering) -> Vec<Effect> {
    let Some(question) = app.tab().question().cloned() else {
        return Vec::new();
    };
    match action {
        Answering::Details => {
            app.layers
                .open(Dialog::Question(crate::tui::dialogs::Details::new(question.id)));
            Vec::new()
        }
        Answering::Next | Answering::Prev => {
            let step = if action == Answering::Next { 1 } else { -1 };
            let tab = app.tab_mut();
            tab.panes.needs.turn(&tab.story, step);
            let now = app.clock.now;
            app.tab_mut().settle_questions(now, true);
            Vec::new()
        }
        Answering::Text | Answering::Edit | Answering::Paste | Answering::Always => {
            open_editor(app, &question, action);
            Vec::new()
        }
        Answering::Retry => say(app, question.id, Answer::Retry),
        Answering::Skip => say(app, question.id, Answer::Skip),
        Answering::Approve => say(app, question.id, Answer::Approve),
        Answering::Decline => say(app, question.id, Answer::Decline),
        Answering::Replan => say(app, question.id, Answer::Replan),
        Answering::Stop => say(app, question.id, Answer::Stop),
    }
}

/// Whether pasted text can be the answer to the question in front.
pub fn can_paste(app: &App) -> bool {
    app.tab().player.is_none()
        && app
            .tab()
            .question()
            .is_some_and(|q| matches!(q.kind, QuestionKind::ToolFailure { .. }))
}

/// Opens the editor for the result of a failed call with `text` in it.
pub fn open_editor_with(app: &mut App, text: &str) {
    let Some(question) = app.tab().question().cloned() else {
        return;
    };
    open_editor(app, &question, Answering::Paste);
    if let Some(Dialog::Editor(editor)) = app.layers.front_mut().map(|l| &mut l.content) {
        editor.set(text);
    }
}

fn open_editor(app: &mut App, question: &Question, action: Answering) {
    let (title, text, target) = match (action, &question.kind) {
        (Answering::Edit, QuestionKind::ToolFailure { call, .. }) => {
            let record = app.tab().story.state.execution.call(*call);
            let arguments = record
                .map(|r| Value::Object(r.call.arguments.clone()))
                .unwrap_or_default();
            let text = serde_json::to_string_pretty(&arguments).unwrap_or_default();
            ("Arguments, as JSON", text, EditFor::Arguments(question.id))
        }
        (Answering::Always, QuestionKind::Approval { call }) => {
            let record = app.tab().story.state.execution.call(*call);
            let text = record.map(|r| canonical(&r.call.arguments)).unwrap_or_default();
            let title = "Always, in this session: exactly these arguments, or * for what may differ";
            (title, text, EditFor::Scope(question.id))
        }
        (Answering::Paste, _) => (
            "The result, as the device shows it",
            String::new(),
            EditFor::Result(question.id),
        ),
        _ => (
            "Your answer",
            question.suggestions.first().cloned().unwrap_or_default(),
            EditFor::Words(question.id),
        ),
    };
    let prompt = format!("{}: {}", question.id, question.text);
    app.layers.open(Dialog::Editor(Box::new(Editor::new(
        title, &prompt, &text, target,
    ))));
}

/// Sends what stands in the editor, or says what is wrong with it.
pub fn send_editor(app: &mut App) -> Vec<Effect> {
    let Some(Dialog::Editor(editor)) = app.layers.front().map(|l| &l.content) else {
        return Vec::new();
    };
    let text = editor.text();
    let target = editor.target().clone();
    if text.trim().is_empty() {
        app.complain("nothing is written yet");
        return Vec::new();
    }
    let (id, answer) = match target {
        EditFor::Words(id) => (
            id,
            Answer::Text {
                text: text.trim().to_owned(),
            },
        ),
        EditFor::Arguments(id) => match serde_json::from_str::<Value>(&text) {
            Ok(Value::Object(arguments)) => {
                if let Some(problem) = objection(app, id, &arguments) {
                    app.complain(format!("the tool does not take this: {problem}"));
                    return Vec::new();
                }
                (id, Answer::EditArguments { arguments })
            }
            Ok(_) => {
                app.complain("the arguments are a JSON object: { \"name\": value }");
                return Vec::new();
            }
            Err(error) => {
                app.complain(format!("not JSON: {error}"));
                return Vec::new();
            }
        },
        EditFor::Scope(id) => match grant(app, id, &text) {
            Ok(grant) => (id, Answer::Always { grant }),
            Err(problem) => {
                app.complain(problem);
                return Vec::new();
            }
        },
        EditFor::Result(id) => {
            let value = serde_json::from_str(&text).unwrap_or(Value::String(text));
            (id, Answer::Supply { value })
        }
    };
    app.layers.close();
    say(app, id, answer)
}

/// What is wrong with edited arguments, by the schema of the failed tool.
fn objection(app: &App, id: QuestionId, arguments: &serde_json::Map<String, Value>) -> Option<String> {
    let state = &app.tab().story.state;
    match state.dialogue.question(id)?.question.kind {
        QuestionKind::ToolFailure { call, .. } => state.objection(call, arguments),
        _ => None,
    }
}

/// The grant that the edited scope of a question stands for; it must cover the call in question.
fn grant(app: &App, id: QuestionId, text: &str) -> Result<Grant, &'static str> {
    let state = &app.tab().story.state;
    let call = state
        .dialogue
        .question(id)
        .and_then(|asked| match &asked.question.kind {
            QuestionKind::Approval { call } => state.execution.call(*call),
            _ => None,
        });
    let call = &call.ok_or("the call is not known any more")?.call;
    let grant = Grant::for_call(call, text);
    if grant.covers(&call.tool, &call.arguments) {
        Ok(grant)
    } else {
        Err("this does not cover the call that is asked about: change only what may differ to *")
    }
}

/// Declines the approval in front, once its prompt takes answers; `None` when there is none in front.
pub fn decline_approval(app: &mut App) -> Option<Vec<Effect>> {
    let tab = app.tab();
    let question = tab.question().filter(|_| tab.player.is_none())?;
    if !matches!(question.kind, QuestionKind::Approval { .. }) {
        return None;
    }
    let id = question.id;
    let armed = tab
        .arming
        .is_none_or(|(_, arming)| arming.is_armed(app.clock.now));
    Some(if armed {
        say(app, id, Answer::Decline)
    } else {
        Vec::new()
    })
}

fn say(app: &mut App, id: QuestionId, answer: Answer) -> Vec<Effect> {
    let now = app.clock.now;
    let tab = app.tab_mut();
    let fits = tab
        .story
        .state
        .dialogue
        .question(id)
        .is_some_and(|a| a.answer.is_none());
    if !fits || tab.answered.contains(&id) {
        app.complain(format!("{id} was answered meanwhile"));
        return Vec::new();
    }
    tab.answered.push(id);
    let tab_id = tab.id;
    tab.settle_questions(now, true);
    if tab.question().is_none() {
        tab.arming = None;
        if tab.focus == crate::tui::panes::PaneId::Needs {
            tab.focus = tab
                .before_question
                .take()
                .unwrap_or(crate::tui::panes::PaneId::Steps);
        }
    }
    app.layers.retain(|d| !matches!(d, Dialog::Question(_)));
    app.tell(format!("{id}: {answer}"));
    vec![Effect::Say(tab_id, Say::Answer(id, answer))]
}
