//! The questions that wait: the five kinds, each with what it concerns and the keys that answer it.

use ratatui::layout::Rect;

use super::steps::arguments;
use super::{Armed, Cx, Pane, Prose};
use crate::agent::model::{Draft, ErrorKind, Question, QuestionId, QuestionKind};
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
            Some(question) => build(&mut rows, cx, question, usize::from(width), Form::Full),
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
    [
        device.or(devices).filter(|d| !d.is_empty()),
        step_of(story, question),
    ]
    .into_iter()
    .flatten()
    .collect::<Vec<_>>()
    .join(" · ")
}

/// `step 2 Inspect down peers`.
fn step_of(story: &Story, question: &Question) -> Option<String> {
    let planning = &story.state.planning;
    let step = planning.step(question.step?)?;
    let steps = planning.current().map_or(&[][..], |p| &p.steps);
    let number = steps.iter().position(|s| s.id == step.id).map_or(0, |i| i + 1);
    Some(format!("step {number} {}", step.title))
}

/// What went wrong, as one would say it of a device.
fn trouble(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Network | ErrorKind::ServiceUnavailable => "does not answer",
        ErrorKind::Timeout => "answers too slowly",
        ErrorKind::PermissionDenied => "does not allow it",
        ErrorKind::NotAvailable => "does not have what was asked for",
        ErrorKind::Configuration => "is set up wrongly",
        _ => "could not be read",
    }
}

/// How much room a question may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Everything.
    Full,
    /// Without details, the choices in a word each.
    Brief,
    /// As `Brief`, in so many rows: the words give way, the keys stay.
    Within(usize),
}

fn build(rows: &mut Prose, cx: &Cx, question: &Question, cells: usize, form: Form) {
    let link = Link::Question(question.id);
    let linked = |row: Row| row.link(link.clone());
    rows.push(linked(headline(cx.story, question)));
    let mut choices = Prose::default();
    build_choices(&mut choices, cx, question, cells, form);
    if let Armed::Waiting { swallowed, .. } = cx.armed {
        let taken = if swallowed > 0 {
            format!(" - {} not counted", text::plural(swallowed as usize, "key"))
        } else {
            String::new()
        };
        choices.push(Row::text(
            format!(" ◌ waiting for a quiet keyboard{taken}"),
            Role::Dim,
        ));
    }
    let words = text::clean(&question.text);
    let words = match form {
        Form::Within(height) => {
            let left = height.saturating_sub(1 + choices.len());
            shortened(&words, cells.saturating_sub(1), left)
        }
        Form::Full | Form::Brief => words.into_owned(),
    };
    if !words.is_empty() {
        rows.wrapped_with((" ", Role::Text), &words, Role::Text, cells, linked);
    }
    if form == Form::Full {
        build_detail(rows, cx.story, question, cells);
    }
    if !question.suggestions.is_empty() && !matches!(form, Form::Within(_)) {
        rows.wrapped_with(
            (" perhaps  ", Role::Dim),
            &question.suggestions.join("  "),
            Role::Accent,
            cells,
            linked,
        );
    }
    rows.append(choices);
}

/// Which question it is, in a line: what is the matter with which device, at which step.
fn headline(story: &Story, question: &Question) -> Row {
    let row = Row::text(format!(" {} ", question.id), Role::Alert);
    if let QuestionKind::ToolFailure { failure, devices, .. } = &question.kind
        && !devices.is_empty()
    {
        let names: Vec<&str> = devices.iter().map(|d| d.as_str()).collect();
        let step = step_of(story, question).unwrap_or_default();
        return row
            .put(format!(" {} ", names.join(", ")), Role::Accent)
            .put(trouble(failure.kind), Role::Human)
            .put(format!("  {step}"), Role::Dim);
    }
    row.put(format!(" {}", question.kind.name()), Role::Human)
        .put(format!("  {}", concerns(story, question)), Role::Accent)
}

/// The first lines of a text, with a mark where something is left out.
fn shortened(words: &str, cells: usize, rows: usize) -> String {
    let lines = text::wrap(words, cells.max(8));
    if lines.len() <= rows {
        return words.to_owned();
    }
    let mut kept: Vec<String> = lines.into_iter().take(rows).collect();
    if let Some(last) = kept.last_mut() {
        *last = text::fit(&format!("{last} …"), cells);
        if !last.ends_with('…') {
            *last = format!("{}…", text::take(last, cells.saturating_sub(1)));
        }
    }
    kept.join("\n")
}

fn build_detail(rows: &mut Prose, story: &Story, question: &Question, cells: usize) {
    match &question.kind {
        QuestionKind::ToolFailure { call, failure, .. } => {
            if let Some(record) = story.state.execution.call(*call) {
                let words = format!("{}({})", record.call.tool, arguments(record));
                let tried = match record.outcomes.len() {
                    0 | 1 => String::new(),
                    n => format!("  tried {n} times"),
                };
                let room = cells.saturating_sub(11 + text::width(&tried));
                rows.push(
                    Row::text(" call     ", Role::Dim)
                        .put(text::fit(&words, room), Role::Text)
                        .put(tried, Role::Warn),
                );
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

/// The choices as a line of keys, broken where it must; in short, each is a word.
fn build_choices(rows: &mut Prose, cx: &Cx, question: &Question, cells: usize, form: Form) {
    let brief = form != Form::Full;
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
            build(&mut self.rows, cx, question, usize::from(area.width), Form::Full);
            let height = usize::from(area.height);
            // The keys matter more than the words, which are one key away.
            for form in [Form::Brief, Form::Within(height)] {
                if self.rows.len() > height {
                    self.rows.clear();
                    build(&mut self.rows, cx, question, usize::from(area.width), form);
                }
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
