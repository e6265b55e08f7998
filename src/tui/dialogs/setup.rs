//! The set-up: three questions whose answers become a commented settings file. On the first run it offers the
//! demo before them.
//!
//! It asks and shows; reading and writing files is the desk's work.

use crossterm::event::KeyCode;
use ratatui::Frame;
use ratatui::layout::Rect;

use super::{Dialog, boxed};
use crate::tui::app::{App, Effect, Ending, LineEdit};
use crate::tui::keymap::Key;
use crate::tui::rows::Row;
use crate::tui::source::{Answers, Thinker};
use crate::tui::text;
use crate::tui::theme::Role;

/// The widest it is.
const CELLS: u16 = 78;

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The demo, the set-up, or neither.
    Offer,
    /// Where the inventory is.
    Inventory,
    /// Who reasons.
    Thinker,
    /// Which model, after "a model" was chosen.
    Model,
    /// Which theme.
    Theme,
    /// The answers are being written.
    Writing,
}

/// The set-up dialog.
#[derive(Debug)]
pub struct Setup {
    stage: Stage,
    /// The stage where Esc leaves.
    first: Stage,
    /// How leaving it ends the program, where it stands before the program proper.
    leaves: Option<Ending>,
    selected: usize,
    inventory: LineEdit,
    model: LineEdit,
    with_model: bool,
    themes: Vec<String>,
    before: String,
    problem: Option<String>,
}

/// Choices of the offer: key, words, and how they end.
const OFFER: [(char, &str); 3] = [
    (
        'd',
        "Show me the demo: a network with a fault in it, no key, no router",
    ),
    ('s', "Set it up for my network: three questions"),
    ('n', "Neither now: just open it"),
];

/// Choices of the second question.
const THINKERS: [(char, &str); 2] = [
    ('r', "The built-in rules: no model, no key, no network needed"),
    ('m', "A language model of my choice; the rules stand behind it"),
];

impl Setup {
    /// The first run: offers the demo, then the questions.
    pub fn offered(app: &App, known: &Answers) -> Self {
        Self {
            stage: Stage::Offer,
            first: Stage::Offer,
            leaves: Some(Ending::Open),
            ..Self::asked(app, known)
        }
    }

    /// The questions at once, and the program ends after them.
    pub fn alone(app: &App, known: &Answers) -> Self {
        Self {
            leaves: Some(Ending::Quit),
            ..Self::asked(app, known)
        }
    }

    /// The questions at once, over the running program.
    pub fn asked(app: &App, known: &Answers) -> Self {
        let (model, with_model) = match &known.thinker {
            Thinker::Rules => (String::new(), false),
            Thinker::Model {
                base_url,
                name,
                key_env,
            } => (format!("{base_url} {name} {key_env}").trim().to_owned(), true),
        };
        Self {
            stage: Stage::Inventory,
            first: Stage::Inventory,
            leaves: None,
            selected: 0,
            inventory: LineEdit::with(&known.inventory),
            model: LineEdit::with(&model),
            with_model,
            themes: app.looks.themes.names(),
            before: app.looks.theme.name().to_owned(),
            problem: None,
        }
    }

    /// Whether text is typed into it now.
    pub fn takes_text(&self) -> bool {
        matches!(self.stage, Stage::Inventory | Stage::Model)
    }

    /// How the program ends when it is left, if it stands before the program proper.
    pub fn leaves(&self) -> Option<Ending> {
        self.leaves
    }

    /// Inserts pasted text.
    pub fn insert(&mut self, pasted: &str) {
        match self.stage {
            Stage::Inventory => self.inventory.insert(pasted.trim()),
            Stage::Model => self.model.insert(pasted.trim()),
            _ => true,
        };
    }

    /// What was answered.
    fn answers(&self) -> Answers {
        Answers {
            inventory: self.inventory.text().trim().to_owned(),
            thinker: match (self.with_model, named(self.model.text())) {
                (true, Some(model)) => model,
                _ => Thinker::Rules,
            },
            theme: self.themes.get(self.selected).cloned().unwrap_or_default(),
        }
    }

    /// The writing failed: says why and asks from the first question on.
    pub fn failed(&mut self, problem: String) {
        self.problem = Some(problem);
        self.stage = Stage::Inventory;
        self.selected = 0;
    }

    fn enter(&mut self, stage: Stage) {
        self.problem = None;
        self.selected = match stage {
            Stage::Thinker => usize::from(self.with_model),
            Stage::Theme => self.themes.iter().position(|t| *t == self.before).unwrap_or(0),
            _ => 0,
        };
        self.stage = stage;
    }

    /// One question back; returns whether there was one.
    fn back(&mut self) -> bool {
        if self.stage == self.first || self.stage == Stage::Writing {
            return false;
        }
        let before = match self.stage {
            Stage::Theme if self.with_model => Stage::Model,
            Stage::Theme | Stage::Model => Stage::Thinker,
            Stage::Thinker => Stage::Inventory,
            _ => Stage::Offer,
        };
        self.enter(before);
        true
    }

    fn rows(&self, app: &App, cells: usize) -> Vec<Row> {
        let mut rows = Vec::new();
        let say = |rows: &mut Vec<Row>, words: &str, role: Role| {
            for line in text::wrap(words, cells) {
                rows.push(Row::text(format!(" {line}"), role));
            }
        };
        let (title, words) = match self.stage {
            Stage::Offer => (
                "Nothing is set up yet.",
                "noctui finds faults in networks: it plans, looks with read-only checks, asks you when it is \
                 unsure, and cites the evidence for all it claims.",
            ),
            Stage::Inventory => (
                "1 of 3  Where is the inventory of your routers?",
                "A JSON list with name, ip_address, port, username and password of each, as gNMIBuddy reads \
                 it. Empty leaves it open: the built-in lab needs none.",
            ),
            Stage::Thinker => (
                "2 of 3  Who reasons?",
                "Both see the same evidence. The rules are always there, whatever you choose.",
            ),
            Stage::Model => (
                "2 of 3  Which model?",
                "Address of an OpenAI-compatible API, name of the model, and if it wants a key the environment \
                 variable that holds it: http://127.0.0.1:8080/v1 qwen3 MY_KEY",
            ),
            Stage::Theme => (
                "3 of 3  Which theme can you read?",
                "Each is shown as you go through them.",
            ),
            Stage::Writing => ("Writing your settings", ""),
        };
        rows.push(Row::text(format!(" {title}"), Role::Title));
        say(&mut rows, words, Role::Dim);
        rows.push(Row::new());
        let choice = |i: usize, key: Option<char>, words: &str| {
            let mark = if i == self.selected { " ▸ " } else { "   " };
            let row = Row::text(mark, Role::Accent);
            match key {
                Some(key) => row.put(format!("[{key}] "), Role::Key),
                None => row,
            }
            .put(words, Role::Text)
        };
        match self.stage {
            Stage::Offer => rows.extend(
                OFFER
                    .iter()
                    .enumerate()
                    .map(|(i, (key, words))| choice(i, Some(*key), words)),
            ),
            Stage::Thinker => rows.extend(
                THINKERS
                    .iter()
                    .enumerate()
                    .map(|(i, (key, words))| choice(i, Some(*key), words)),
            ),
            Stage::Theme => rows.extend(
                self.themes
                    .iter()
                    .enumerate()
                    .map(|(i, name)| choice(i, None, name)),
            ),
            Stage::Inventory | Stage::Model => rows.push(Row::text(" ▌", Role::Accent)),
            Stage::Writing => rows.push(Row::text(format!(" {}", app.spinner()), Role::Running)),
        }
        if let Some(problem) = &self.problem {
            rows.push(Row::new());
            say(&mut rows, problem, Role::Bad);
        }
        rows
    }

    /// Draws it.
    pub fn draw(&mut self, app: &App, frame: &mut Frame) -> Option<(u16, u16)> {
        let theme = &app.looks.theme;
        let width = frame.area().width.min(CELLS);
        let rows = self.rows(app, usize::from(width.saturating_sub(4)));
        let hint = match (self.stage, self.stage == self.first) {
            (Stage::Writing, _) => "",
            (_, true) => "↵ next · Esc leave it",
            (_, false) => "↵ next · Esc back",
        };
        let height = u16::try_from(rows.len() + 2).unwrap_or(u16::MAX);
        let inside = boxed(frame, theme, "Set up", hint, (width, height));
        let buf = frame.buffer_mut();
        // Where there is little room, what is asked matters more than why.
        let skip = rows.len().saturating_sub(usize::from(inside.height));
        let shown: Vec<&Row> = rows
            .iter()
            .enumerate()
            .filter(|(i, _)| *i == 0 || *i > skip)
            .map(|(_, r)| r)
            .collect();
        let mut cursor = None;
        for (row, y) in shown.into_iter().zip(inside.y..inside.bottom()) {
            buf.set_line(
                inside.x,
                y,
                &row.line(usize::from(inside.width), theme, false),
                inside.width,
            );
            if self.takes_text() && row.plain() == " ▌" {
                cursor = self.draw_field(
                    app,
                    buf,
                    Rect {
                        y,
                        height: 1,
                        ..inside
                    },
                );
            }
        }
        cursor
    }

    fn draw_field(&self, app: &App, buf: &mut ratatui::buffer::Buffer, area: Rect) -> Option<(u16, u16)> {
        let edit = if self.stage == Stage::Inventory {
            &self.inventory
        } else {
            &self.model
        };
        let (seen, at) = edit.view(usize::from(area.width.saturating_sub(4)));
        buf.set_string(area.x + 3, area.y, seen, app.looks.theme.style(Role::Text));
        Some((area.x + 3 + u16::try_from(at).unwrap_or(0), area.y))
    }
}

/// `URL NAME [VARIABLE]`.
fn named(text: &str) -> Option<Thinker> {
    let mut words = text.split_whitespace().map(str::to_owned);
    Some(Thinker::Model {
        base_url: words.next().filter(|url| url.contains("://"))?,
        name: words.next()?,
        key_env: words.next().unwrap_or_default(),
    })
}

/// Esc: one question back, else out of it. `None` where it is not in front.
pub fn back(app: &mut App) -> Option<Vec<Effect>> {
    let Some(Dialog::Setup(setup)) = app.layers.front_mut().map(|l| &mut l.content) else {
        return None;
    };
    let before = setup.before.clone();
    let effects = if setup.back() {
        Vec::new()
    } else {
        let ending = setup.leaves;
        app.layers.close();
        ending.map(Effect::End).into_iter().collect()
    };
    show_theme(app, &before);
    Some(effects)
}

/// A key while it is in front.
pub fn key(app: &mut App, key: Key) -> Vec<Effect> {
    let Some(Dialog::Setup(setup)) = app.layers.front_mut().map(|l| &mut l.content) else {
        return Vec::new();
    };
    let count = match setup.stage {
        Stage::Offer => OFFER.len(),
        Stage::Thinker => THINKERS.len(),
        Stage::Theme => setup.themes.len(),
        Stage::Inventory if key.code() != KeyCode::Enter => {
            setup.inventory.key(key);
            return Vec::new();
        }
        Stage::Model if key.code() != KeyCode::Enter => {
            setup.model.key(key);
            return Vec::new();
        }
        Stage::Inventory | Stage::Model => 1,
        Stage::Writing => return Vec::new(),
    };
    let letters: &[(char, &str)] = match setup.stage {
        Stage::Offer => &OFFER,
        Stage::Thinker => &THINKERS,
        _ => &[],
    };
    match key.code() {
        KeyCode::Up | KeyCode::Char('k') => setup.selected = setup.selected.saturating_sub(1),
        KeyCode::Down | KeyCode::Char('j') => setup.selected = (setup.selected + 1).min(count - 1),
        KeyCode::Enter => return next(app),
        _ => {
            let letter = key
                .character()
                .and_then(|c| letters.iter().position(|(l, _)| *l == c));
            let Some(index) = letter else { return Vec::new() };
            setup.selected = index;
            return next(app);
        }
    }
    if setup.stage == Stage::Theme {
        let name = setup.themes.get(setup.selected).cloned().unwrap_or_default();
        show_theme(app, &name);
    }
    Vec::new()
}

/// Takes the answer and goes on.
fn next(app: &mut App) -> Vec<Effect> {
    let Some(Dialog::Setup(setup)) = app.layers.front_mut().map(|l| &mut l.content) else {
        return Vec::new();
    };
    match (setup.stage, setup.selected) {
        (Stage::Offer, 0) => return vec![Effect::End(Ending::Demo)],
        (Stage::Offer, 1) => setup.enter(Stage::Inventory),
        (Stage::Offer, _) => return vec![Effect::End(Ending::Open)],
        (Stage::Inventory, _) => setup.enter(Stage::Thinker),
        (Stage::Thinker, choice) => {
            setup.with_model = choice == 1;
            setup.enter(if setup.with_model {
                Stage::Model
            } else {
                Stage::Theme
            });
        }
        (Stage::Model, _) if named(setup.model.text()).is_none() => {
            setup.problem = Some("an address with :// and the name of a model, please".to_owned());
        }
        (Stage::Model, _) => setup.enter(Stage::Theme),
        (Stage::Theme, _) => {
            let answers = setup.answers();
            setup.stage = Stage::Writing;
            return vec![Effect::Configure(answers)];
        }
        (Stage::Writing, _) => {}
    }
    Vec::new()
}

fn show_theme(app: &mut App, name: &str) {
    if let Ok(theme) = app.looks.themes.get(name) {
        app.looks.theme = theme.at_depth(app.looks.depth);
    }
}

/// What became of the answers.
pub fn written(app: &mut App, result: Result<String, String>) -> Vec<Effect> {
    let Some(Dialog::Setup(setup)) = app.layers.front_mut().map(|l| &mut l.content) else {
        return Vec::new();
    };
    match result {
        Err(problem) => {
            setup.failed(problem);
            Vec::new()
        }
        Ok(words) => {
            let ending = setup.leaves.map(|_| Ending::Open);
            app.layers.close();
            app.tell(words);
            ending.map(Effect::End).into_iter().collect()
        }
    }
}
