//! A yes or no before something that matters. Only the named key says yes; Esc, Enter and all others do not.

use ratatui::Frame;

use super::{Dialog, boxed};
use crate::agent::model::{Grant, QuestionId, SessionId, Steering};
use crate::tui::app::{App, Effect, Ending, TabId};
use crate::tui::keymap::Key;
use crate::tui::rows::Row;
use crate::tui::source::{Say, SessionRow};
use crate::tui::text;
use crate::tui::theme::Role;

/// What a yes does.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Then {
    Quit,
    Delete(SessionId),
    Resume(SessionId),
    Withdraw(TabId, QuestionId),
}

/// The confirm dialog.
#[derive(Debug)]
pub struct Confirm {
    title: &'static str,
    words: String,
    yes: char,
    label: &'static str,
    then: Then,
}

impl Confirm {
    /// Before quitting while something runs.
    pub fn quit() -> Self {
        let words =
            "An investigation is still running. It stays on disk and can be resumed from the sessions.";
        Self {
            title: "Sure?",
            words: words.to_owned(),
            yes: 'q',
            label: "quit now",
            then: Then::Quit,
        }
    }

    /// Offers to go on with a session that was cut short.
    pub fn resume(row: &SessionRow, ago: &str) -> Self {
        let words = format!(
            "\"{}\", asked {ago} ago, was cut short. What was found and answered is kept; it goes on where it stopped.",
            text::fit(row.name.as_deref().unwrap_or(&row.query), 80)
        );
        Self {
            title: "Go on?",
            words,
            yes: 'r',
            label: "go on with it",
            then: Then::Resume(row.id.clone()),
        }
    }

    /// Before deleting a session.
    pub fn delete(row: &SessionRow) -> Self {
        let name = row.name.as_deref().unwrap_or(&row.query);
        let words = format!(
            "Delete \"{}\" with all its evidence? This cannot be undone.",
            text::fit(name, 60)
        );
        Self {
            title: "Sure?",
            words,
            yes: 'D',
            label: "delete it",
            then: Then::Delete(row.id.clone()),
        }
    }

    /// Before taking an "always" back.
    pub fn withdraw(tab: TabId, question: QuestionId, grant: &Grant) -> Self {
        Self {
            title: "Sure?",
            words: text::one_line(&format!(
                "{question} allowed for the rest of this session: {grant}. Ask about it again?"
            )),
            yes: 'W',
            label: "withdraw it",
            then: Then::Withdraw(tab, question),
        }
    }

    /// Draws it.
    pub fn draw(&mut self, app: &App, frame: &mut Frame, waiting: bool) -> Option<(u16, u16)> {
        let theme = &app.looks.theme;
        let width = frame.area().width.min(64);
        let lines = text::wrap(&self.words, usize::from(width.saturating_sub(4)));
        let height = u16::try_from(lines.len() + 4).unwrap_or(8);
        let inside = boxed(
            frame,
            theme,
            self.title,
            "Esc keeps everything as it is",
            (width, height),
        );
        let buf = frame.buffer_mut();
        for (line, y) in lines.iter().zip(inside.y..inside.bottom()) {
            buf.set_string(inside.x + 1, y, line, theme.style(Role::Text));
        }
        let key = if waiting { Role::Dim } else { Role::Key };
        let row = Row::text(format!("[{}]", self.yes), key).put(format!(" {}   ", self.label), Role::Text);
        let row = row.put("[Esc]", Role::Key).put(" back", Role::Text);
        let y = inside.bottom().saturating_sub(1).max(inside.y);
        if inside.height > 0 {
            let cells = inside.width.saturating_sub(1);
            buf.set_line(
                inside.x + 1,
                y,
                &row.line(usize::from(cells), theme, false),
                cells,
            );
        }
        None
    }
}

/// A key while it is in front.
pub fn key(app: &mut App, key: Key) -> Vec<Effect> {
    let Some(Dialog::Confirm(confirm)) = app.layers.front().map(|l| &l.content) else {
        return Vec::new();
    };
    if key.character() != Some(confirm.yes) {
        return Vec::new();
    }
    let then = confirm.then.clone();
    app.layers.close();
    match then {
        Then::Quit => vec![Effect::End(Ending::Quit)],
        Then::Resume(id) => crate::tui::app::resume(app, id),
        Then::Delete(id) => vec![Effect::Delete(id)],
        Then::Withdraw(tab, question) => {
            app.tell(format!("withdrawn: the \"always\" of {question}"));
            vec![Effect::Say(tab, Say::Steer(Steering::Withdraw { question }))]
        }
    }
}
