//! The questions that wait: the five kinds, each with what it concerns and the keys that answer it.

use ratatui::layout::Rect;

use super::{Armed, Cx, Pane, Prose};
use crate::agent::model::{Draft, Question, QuestionId, QuestionKind};
use crate::tui::action::{Action, Answering, Spec};
use crate::tui::rows::{Link, ListState, Row};
use crate::tui::story::Story;
use crate::tui::text;
use crate::tui::theme::Role;

/// The needs-you pane.
#[derive(Debug, Default)]
pub struct Needs {
    list: ListState,
    rows: Prose,
    current: Option<QuestionId>,
}

/// The action behind a choice's key in the agent's vocabulary.
pub fn answer_key(key: char) -> Option<Action> {
    let action = match key {
        'a' => Answering::Text,
        'r' => Answering::Retry,
        'e' => Answering::Edit,
        'p' => Answering::Paste,
        's' => Answering::Skip,
        'x' => Answering::Stop,
        'y' => Answering::Approve,
        'w' => Answering::Always,
        'd' => Answering::Decline,
        'n' => Answering::Replan,
        _ => return None,
    };
    Some(Action::Answering(action))
}

impl Needs {
    /// The question on show: the chosen one while it waits, else the oldest.
    pub fn question<'a>(&self, story: &'a Story) -> Option<&'a Question> {
        let waiting = story.waiting();
        let chosen = waiting.iter().find(|q| Some(q.id) == self.current).copied();
        chosen.or_else(|| waiting.first().copied())
    }

    /// Shows the next or previous question.
    pub fn turn(&mut self, story: &Story, step: isize) {
        let waiting = story.waiting();
        let Some(now) = self.question(story) else { return };
        let at = waiting.iter().position(|q| q.id == now.id).unwrap_or(0);
        let next = at
            .saturating_add_signed(step)
            .min(waiting.len().saturating_sub(1));
        self.current = waiting.get(next).map(|q| q.id);
    }

    /// Shows this question.
    pub fn show(&mut self, id: QuestionId) {
        self.current = Some(id);
    }

    /// The rows it would take at a width, at most: what the layout makes room for.
    pub fn height(&self, cx: &Cx, width: u16) -> u16 {
        let mut rows = Prose::default();
        match self.question(cx.story) {
            Some(question) => build(&mut rows, cx, question, usize::from(width), false),
            None => return 0,
        }
        u16::try_from(rows.len()).unwrap_or(u16::MAX)
    }
}

/// Whom a question concerns: `xrd-1 · 2 Inspect down peers`.
fn concerns(story: &Story, question: &Question) -> String {
    let device = question
        .lane
        .and_then(|l| story.state.lane_device(l))
        .map(ToString::to_string);
    let call = match &question.kind {
        QuestionKind::ToolFailure { call, .. } | QuestionKind::Approval { call } => {
            story.state.execution.call(*call)
        }
        _ => None,
    };
    let devices = call.map(|c| {
        c.call
            .devices
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(", ")
    });
    let step = question
        .step
        .and_then(|id| story.state.planning.step(id))
        .map(|s| {
            let steps = story
                .state
                .planning
                .current()
                .map(|p| p.steps.as_slice())
                .unwrap_or_default();
            let number = steps.iter().position(|x| x.id == s.id).map_or(0, |i| i + 1);
            format!("step {number} {}", s.title)
        });
    let failing = match &question.kind {
        QuestionKind::ToolFailure { devices, .. } if !devices.is_empty() => Some(
            devices
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join(", "),
        ),
        _ => None,
    };
    [failing.or(device).or(devices).filter(|d| !d.is_empty()), step]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" · ")
}

fn build(rows: &mut Prose, cx: &Cx, question: &Question, cells: usize, brief: bool) {
    let link = Link::Question(question.id);
    let linked = |row: Row| row.link(link.clone());
    let place = concerns(cx.story, question);
    rows.push(linked(
        Row::text(format!(" {} ", question.id), Role::Alert)
            .put(format!(" {}", question.kind.name()), Role::Human)
            .put(
                if place.is_empty() {
                    String::new()
                } else {
                    format!("  {place}")
                },
                Role::Accent,
            ),
    ));
    rows.wrapped_with((" ", Role::Text), &question.text, Role::Text, cells, linked);
    if !brief {
        build_detail(rows, cx.story, question, cells);
    }
    if !question.suggestions.is_empty() {
        rows.wrapped_with(
            (" perhaps  ", Role::Dim),
            &question.suggestions.join("  "),
            Role::Accent,
            cells,
            linked,
        );
    }
    build_choices(rows, cx, question, cells, brief);
    if let Armed::Waiting { swallowed, .. } = cx.armed {
        let taken = if swallowed > 0 {
            format!(" - {} not counted", text::plural(swallowed as usize, "key"))
        } else {
            String::new()
        };
        rows.push(Row::text(
            format!(" ◌ waiting for a quiet keyboard{taken}"),
            Role::Dim,
        ));
    }
}

fn build_detail(rows: &mut Prose, story: &Story, question: &Question, cells: usize) {
    match &question.kind {
        QuestionKind::ToolFailure { call, failure, .. } => {
            if let Some(record) = story.state.execution.call(*call) {
                let words = format!(
                    "{} {}",
                    record.call.tool,
                    serde_json::Value::Object(record.call.arguments.clone())
                );
                rows.push(Row::text(" call     ", Role::Dim).put(
                    text::fit(&text::one_line(&words), cells.saturating_sub(11)),
                    Role::Text,
                ));
                if record.outcomes.len() > 1 {
                    rows.push(Row::text(
                        format!(" tried    {} times", record.outcomes.len()),
                        Role::Warn,
                    ));
                }
            }
            if !question.text.contains(&failure.message) {
                rows.wrapped(
                    (" error    ", Role::Bad),
                    &format!("{}: {}", failure.kind, failure.message),
                    Role::Text,
                    cells,
                );
            }
        }
        QuestionKind::Approval { call } => {
            if let Some(record) = story.state.execution.call(*call) {
                let words = format!(
                    "{} {}",
                    record.call.tool,
                    serde_json::Value::Object(record.call.arguments.clone())
                );
                rows.wrapped((" allows   exactly ", Role::Warn), &words, Role::Text, cells);
                rows.wrapped((" because  ", Role::Dim), &record.call.why, Role::Text, cells);
            }
        }
        QuestionKind::StepFailure { reason, .. } if !question.text.contains(reason.as_str()) => {
            rows.wrapped((" reason   ", Role::Bad), reason, Role::Text, cells);
        }
        QuestionKind::PlanApproval { version } => {
            let draft = story
                .state
                .planning
                .drafts
                .iter()
                .rev()
                .find_map(|d| d.draft.as_ref());
            for (i, step) in draft.into_iter().flat_map(|d| &d.steps).enumerate() {
                let lead = if i == 0 {
                    format!(" v{version:<8}")
                } else {
                    " ".repeat(10)
                };
                rows.push(Row::text(lead, Role::Dim).put(format!("{} {}", i + 1, step.title), Role::Text));
            }
            for (number, _, source) in draft.into_iter().flat_map(Draft::scripts) {
                rows.wrapped(
                    (&format!(" script {number} "), Role::Warn),
                    source.trim_end(),
                    Role::Text,
                    cells,
                );
            }
        }
        QuestionKind::Elicitation { server, schema, .. } => {
            rows.push(Row::text(" server   ", Role::Dim).put(server, Role::Accent));
            let fields = schema.get("properties").and_then(|p| p.as_object());
            let names: Vec<&str> = fields.into_iter().flatten().map(|(k, _)| k.as_str()).collect();
            if !names.is_empty() {
                rows.wrapped((" wants    ", Role::Dim), &names.join(", "), Role::Text, cells);
            }
        }
        QuestionKind::KnownAnswer { session } => {
            let words = format!("nothing is read; the report stands on the evidence of session {session}");
            rows.wrapped((" using it ", Role::Dim), &words, Role::Text, cells);
        }
        QuestionKind::Clarification { .. } | QuestionKind::StepFailure { .. } => {}
    }
}

/// The choices as a line of keys, broken where it must; brief, each is a word.
fn build_choices(rows: &mut Prose, cx: &Cx, question: &Question, cells: usize, brief: bool) {
    let role = if cx.armed == Armed::Yes {
        Role::Key
    } else {
        Role::Dim
    };
    let mut row = Row::text(" ", Role::Text);
    let mut used = 1;
    for choice in question.kind.choices() {
        let Some(action) = answer_key(choice.key) else {
            continue;
        };
        let gap = if used > 1 {
            if brief { " " } else { "   " }
        } else {
            ""
        };
        let key = format!("[{}]", cx.keymap.label(action));
        let label = if brief {
            Spec::of(action).label.to_owned()
        } else {
            format!(" {}", choice.label)
        };
        let width = text::width(gap) + text::width(&key) + text::width(&label);
        if used + width > cells && used > 1 {
            rows.push(std::mem::replace(&mut row, Row::text(" ", Role::Text)));
            used = 1;
        }
        let gap = if used > 1 { gap } else { "" };
        used += width;
        row = row.put(gap, Role::Text).put(key, role).put(label, Role::Text);
    }
    rows.push(row);
}

impl Pane for Needs {
    fn title(&self, cx: &Cx) -> (String, String) {
        let n = cx.story.waiting().len();
        (
            format!("Needs you ({n})"),
            if n > 1 {
                "[ ] other questions".to_owned()
            } else {
                String::new()
            },
        )
    }

    fn prepare(&mut self, cx: &Cx, area: Rect) {
        self.rows.clear();
        if let Some(question) = self.question(cx.story) {
            build(&mut self.rows, cx, question, usize::from(area.width), false);
            if self.rows.len() > usize::from(area.height) {
                // The keys matter more than the details, which are one key away.
                self.rows.clear();
                build(&mut self.rows, cx, question, usize::from(area.width), true);
            }
        }
        self.list.set_len(self.rows.len());
    }

    fn draw(&mut self, cx: &Cx, area: Rect, buf: &mut ratatui::buffer::Buffer) {
        // Nothing is selected here: the keys answer the question as a whole.
        let cx = Cx {
            focused: false,
            ..*cx
        };
        self.prepare(&cx, area);
        self.draw_list(&cx, area, buf);
    }

    fn row(&self, _: &Cx, index: usize) -> Row {
        self.rows.row(index)
    }

    fn list(&self) -> &ListState {
        &self.list
    }

    fn list_mut(&mut self) -> &mut ListState {
        &mut self.list
    }

    fn empty(&self, _: &Cx) -> String {
        "Nothing waits for you.".to_owned()
    }
}
