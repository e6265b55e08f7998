//! Two sessions side by side: what was asked, what each found, planned, called, was told, and how long it took.
//!
//! What both have stands on one line; what only one has leaves the other side empty.

use std::collections::BTreeMap;

use ratatui::Frame;

use super::{Dialog, boxed};
use crate::agent::model::{Outcome, Severity};
use crate::tui::app::{App, Effect};
use crate::tui::keymap::Key;
use crate::tui::rows::{ListState, Row, draw_rows};
use crate::tui::story::Story;
use crate::tui::text;
use crate::tui::theme::Role;

/// Cells of the column that says what is compared.
const LABEL: usize = 10;

/// The compare dialog.
#[derive(Debug)]
pub struct Compare {
    pair: [Story; 2],
    list: ListState,
}

/// One line of the comparison: a key that pairs it with the other side, and the words.
type Facts = Vec<(String, String)>;

impl Compare {
    /// Compares two recordings.
    pub fn new(pair: [Story; 2]) -> Self {
        Self {
            pair,
            list: ListState::top(),
        }
    }

    /// Scrolls.
    pub fn scroll(&mut self, rows: isize) {
        self.list.scroll(rows);
    }

    fn rows(&self, cells: usize) -> Vec<Row> {
        let mut sheet = Sheet {
            half: cells.saturating_sub(LABEL + 5) / 2,
            rows: Vec::new(),
        };
        let [a, b] = &self.pair;
        sheet.heading(&self.summary());
        for (label, fact) in SESSION {
            sheet.pair(label, &fact(a), &fact(b));
        }
        type Section = (&'static str, fn(&Story) -> Facts);
        let sections: [Section; 5] = [
            ("Causes", causes),
            ("Findings", findings),
            ("Plan", plan),
            ("Calls", calls),
            ("Answers", answers),
        ];
        for (name, facts) in sections {
            sheet.facts(name, &facts(a), &facts(b));
        }
        sheet.rows
    }

    /// The comparison in a line.
    fn summary(&self) -> (String, Role) {
        let keys = |story| causes(story).into_iter().map(|(key, _)| key).collect::<Vec<_>>();
        let [a, b] = &self.pair;
        let (left, right) = (keys(a), keys(b));
        let verdicts = [a, b].map(|s| s.state.diagnosed.verdict.is_some());
        if verdicts != [true, true] {
            return ("Not both have a verdict.".to_owned(), Role::Warn);
        }
        if left == right && left.is_empty() {
            return ("Neither found a cause.".to_owned(), Role::Ok);
        }
        if left == right {
            return ("Both found the same.".to_owned(), Role::Ok);
        }
        let shared = left.iter().filter(|key| right.contains(key)).count();
        let only = (left.len() - shared, right.len() - shared);
        (
            format!(
                "They differ: {shared} shared, {} only on the left, {} only on the right.",
                only.0, only.1
            ),
            Role::Warn,
        )
    }

    /// Draws it.
    pub fn draw(&mut self, app: &App, frame: &mut Frame) -> Option<(u16, u16)> {
        let theme = &app.looks.theme;
        let screen = frame.area();
        let width = screen.width.min(150);
        let rows = self.rows(usize::from(width.saturating_sub(2)));
        let wanted = (width, u16::try_from(rows.len() + 2).unwrap_or(u16::MAX));
        let inside = boxed(frame, theme, "Compare", "↑↓ scroll · Esc close", wanted);
        self.list.set_len(rows.len());
        draw_rows(inside, frame.buffer_mut(), theme, &mut self.list, false, |i| {
            rows[i].clone()
        });
        None
    }
}

/// Something every session has one of: its name, and how it is read.
type Fact = (&'static str, fn(&Story) -> String);

/// What every session has one of.
const SESSION: [Fact; 6] = [
    ("asked", |s| s.query().to_owned()),
    ("where", |s| s.state.options.context.clone()),
    ("reasoner", |s| s.state.options.reasoner.clone()),
    ("took", |s| {
        text::duration(u64::try_from(s.state.elapsed_ms()).unwrap_or(0))
    }),
    ("ended", |s| match &s.state.ending.outcome {
        None => "it can go on".to_owned(),
        Some(Outcome::Reported) => "reported".to_owned(),
        Some(Outcome::Stopped) => "stopped".to_owned(),
        Some(Outcome::Failed { reason }) => format!("failed: {reason}"),
        Some(Outcome::Refused { reason }) => format!("refused: {reason}"),
    }),
    ("verdict", |s| match &s.state.diagnosed.verdict {
        None => String::new(),
        Some(v) if v.anomaly => format!("fault, {}", v.confidence),
        Some(v) => format!("healthy, {}", v.confidence),
    }),
];

fn causes(story: &Story) -> Facts {
    let verdict = story.state.diagnosed.verdict.iter();
    let mut list: Facts = verdict
        .flat_map(|v| &v.causes)
        .map(|c| {
            let key = format!("{} on {}", c.fault.name(), c.resource);
            (key.clone(), format!("{key}, {}", c.confidence))
        })
        .collect();
    list.sort();
    list
}

fn findings(story: &Story) -> Facts {
    let mut list: Facts = story
        .state
        .diagnosed
        .findings
        .iter()
        .filter(|f| f.severity > Severity::Info)
        .map(|f| (f.statement.clone(), f.statement.clone()))
        .collect();
    list.sort();
    list.dedup();
    list
}

fn plan(story: &Story) -> Facts {
    let steps = story.state.planning.current().into_iter().flat_map(|p| &p.steps);
    steps.map(|s| (s.title.clone(), s.title.clone())).collect()
}

/// Calls by tool: how many, how many failed, how long altogether.
fn calls(story: &Story) -> Facts {
    let mut tools: BTreeMap<&str, (usize, usize, i64)> = BTreeMap::new();
    for record in story.state.execution.calls.values() {
        let entry = tools.entry(&record.call.tool).or_default();
        entry.0 += 1;
        entry.1 += usize::from(record.outcome().is_some_and(|o| o.failure.is_some()));
        entry.2 += record
            .outcomes
            .iter()
            .map(|o| o.ended_at.since_ms(o.started_at))
            .sum::<i64>();
    }
    let line = |(tool, (count, failed, ms)): (&str, (usize, usize, i64))| {
        let failed = match failed {
            0 => String::new(),
            n => format!(", {n} failed"),
        };
        let time = text::duration(u64::try_from(ms).unwrap_or(0));
        (tool.to_owned(), format!("{tool}  {count}x{failed}, {time}"))
    };
    tools.into_iter().map(line).collect()
}

fn answers(story: &Story) -> Facts {
    let asked = story.state.dialogue.asked.iter();
    asked
        .map(|a| {
            let said = a
                .answer
                .as_ref()
                .map_or_else(|| "no answer".to_owned(), |(answer, ..)| answer.to_string());
            let words = format!("{}: {said}", a.question.kind.name());
            (words.clone(), words)
        })
        .collect()
}

/// The rows while they are made.
struct Sheet {
    half: usize,
    rows: Vec<Row>,
}

impl Sheet {
    fn heading(&mut self, (words, role): &(String, Role)) {
        self.rows.push(Row::text(format!(" {words}"), *role));
        self.rows.push(Row::new());
    }

    /// Two texts side by side, wrapped; equal ones are quiet.
    fn pair(&mut self, label: &str, left: &str, right: &str) {
        let wrap = |words: &str| text::wrap(&text::clean(words), self.half.max(8));
        let (l, r) = (wrap(left), wrap(right));
        let role = if left == right { Role::Dim } else { Role::Text };
        let line = |side: &[String], i: usize| side.get(i).cloned().unwrap_or_default();
        for i in 0..l.len().max(r.len()) {
            self.rows.push(
                Row::text(" ", Role::Dim)
                    .column(if i == 0 { label } else { "" }, LABEL, Role::Dim)
                    .column(&line(&l, i), self.half, role)
                    .put(" │ ", Role::Rule)
                    .column(&line(&r, i), self.half, role),
            );
        }
    }

    /// A section: shared facts first, each side's own after them.
    fn facts(&mut self, name: &str, left: &Facts, right: &Facts) {
        if left.is_empty() && right.is_empty() {
            return;
        }
        self.rows.push(Row::new());
        self.rows.push(Row::text(format!(" {name}"), Role::Title));
        let other = |facts: &Facts, key: &str| facts.iter().find(|(k, _)| k == key).map(|(_, w)| w.clone());
        for (key, words) in left {
            match other(right, key) {
                Some(same) => self.pair("", words, &same),
                None => self.pair("left only", words, ""),
            }
        }
        for (_, words) in right.iter().filter(|(key, _)| other(left, key).is_none()) {
            self.pair("right only", "", words);
        }
    }
}

/// A key while it is in front.
pub fn key(app: &mut App, key: Key) -> Vec<Effect> {
    use crossterm::event::KeyCode as K;
    let page = isize::try_from(app.size.1 / 2).unwrap_or(10);
    let rows = match key.code() {
        K::Up | K::Char('k') => -1,
        K::Down | K::Char('j') => 1,
        K::PageUp => -page,
        K::PageDown | K::Char(' ') => page,
        _ => return Vec::new(),
    };
    if let Some(Dialog::Compare(compare)) = app.layers.front_mut().map(|l| &mut l.content) {
        compare.scroll(rows);
    }
    Vec::new()
}
