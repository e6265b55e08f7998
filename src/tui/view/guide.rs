//! The guide of a demo: a line or two that say what is happening and which key to press now.
//!
//! It follows the session, so that somebody who has read nothing finds the way from the query to the report.

use ratatui::Frame;
use ratatui::layout::Rect;

use crate::agent::model::QuestionKind;
use crate::agent::state::Phase;
use crate::tui::action::{Action, Answering, App as Program, Go};
use crate::tui::app::{App, Page};
use crate::tui::panes::PaneId;
use crate::tui::rows::Row;
use crate::tui::text;
use crate::tui::theme::Role;

/// Lines it takes at most.
const LINES: usize = 2;

/// The lines it wants on a screen of this width; none when nobody is guided.
pub fn height(app: &App, width: u16) -> u16 {
    if app.setting.guided {
        u16::try_from(lines(app, width).len()).unwrap_or(1)
    } else {
        0
    }
}

fn lines(app: &App, width: u16) -> Vec<String> {
    let mut lines = text::wrap(&words(app), usize::from(width.saturating_sub(4)).max(8));
    lines.truncate(LINES);
    lines
}

/// Draws it.
pub fn draw(app: &App, frame: &mut Frame, area: Rect) {
    let theme = &app.looks.theme;
    for ((i, words), y) in lines(app, area.width)
        .into_iter()
        .enumerate()
        .zip(area.y..area.bottom())
    {
        let mark = if i == 0 { " ▸ " } else { "   " };
        let row = Row::text(mark, Role::Accent).put(words, Role::Human);
        let line = row.line(usize::from(area.width), theme, false);
        frame.buffer_mut().set_line(area.x, y, &line, area.width);
    }
}

/// What to say now.
fn words(app: &App) -> String {
    let key = |action| app.looks.keymap.label(action);
    let tab = app.tab();
    let story = &tab.story;
    let back = key(Action::App(Program::Back));
    if tab.opening {
        return "It starts the tool servers and lists the routers.".to_owned();
    }
    if tab.is_fresh() {
        return match app.query.focused {
            true => "The query is typed already: press Enter.".to_owned(),
            false => format!("Press {} to type a query.", key(Action::Go(Go::Ask))),
        };
    }
    if let Some(question) = tab.question() {
        return asked(app, &question.kind);
    }
    match (tab.page, story.state.phase) {
        (Page::Alone(PaneId::Evidence), _) => {
            format!("What the routers themselves answered; the marked lines are cited. {back} goes back.")
        }
        (Page::Alone(PaneId::Map), _) => {
            format!("Each router by its health, each link as the routers tell it. {back} goes back.")
        }
        (Page::Alone(PaneId::Report), Phase::Ended) => format!(
            "The verdict in words, for the ticket: {} exports it. {back} goes back.",
            key(Action::App(Program::Export))
        ),
        (Page::Alone(_), _) => format!(
            "{back} goes back to the overview; {} shows every key.",
            key(Action::App(Program::Help))
        ),
        (_, Phase::Intake) => "It reads the query and asks the inventory which routers are meant.".to_owned(),
        (_, Phase::Planning) => {
            "The planner drafts, the critic objects; nothing runs before a plan stands.".to_owned()
        }
        (_, Phase::Execution) => {
            "Read-only checks run on all routers at once; each result is kept as evidence: E1, E2, …"
                .to_owned()
        }
        (_, Phase::Assessment | Phase::Reporting) => {
            "It asks which cause explains the most, and what would speak against it.".to_owned()
        }
        (_, Phase::Ended) => format!(
            "The verdict stands. Enter opens the evidence it cites; {} map, {} timeline, {} report, {} quits.",
            key(Action::Go(Go::Map)),
            key(Action::Go(Go::Timeline)),
            key(Action::Go(Go::Report)),
            key(Action::App(Program::Quit))
        ),
    }
}

/// What to say of a question.
fn asked(app: &App, kind: &QuestionKind) -> String {
    let key = |answer| app.looks.keymap.label(Action::Answering(answer));
    match kind {
        QuestionKind::ToolFailure { .. } => format!(
            "A router did not answer, so it asks you: press {} to go on without it, {} to try again.",
            key(Answering::Skip),
            key(Answering::Retry)
        ),
        QuestionKind::Approval { .. } | QuestionKind::PlanApproval { .. } => {
            format!(
                "It wants your permission: {} allows exactly what is shown.",
                key(Answering::Approve)
            )
        }
        QuestionKind::Clarification { .. } | QuestionKind::Elicitation { .. } => {
            format!(
                "It is unsure and asks you: press {} and type.",
                key(Answering::Text)
            )
        }
        QuestionKind::KnownAnswer { .. } => {
            format!(
                "It has investigated this before: {} takes that answer.",
                key(Answering::Approve)
            )
        }
        QuestionKind::StepFailure { .. } => {
            "Something failed: the keys in the box say what can be done.".to_owned()
        }
    }
}
