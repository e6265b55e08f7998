//! Dialogs over the screen, one file each, and the keys that go to the front one.

mod compare;
mod confirm;
mod details;
mod editor;
mod export;
mod help;
mod palette;
mod prompt;
mod setup;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::widgets::{Block, Clear, Widget};

pub use compare::Compare;
pub use confirm::Confirm;
pub use details::Details;
pub use editor::Editor;
pub use export::Export;
pub use help::Help;
pub use palette::Palette;
pub use prompt::{Prompt, PromptFor};
pub use setup::{Setup, written};

use super::action::Context;
use super::app::{App, Effect};
use super::keymap::Key;
use super::text;
use super::theme::{Role, Theme};

/// What can lie over the screen.
#[derive(Debug)]
pub enum Dialog {
    /// The keys that work here.
    Help(Help),
    /// Any action by name.
    Palette(Palette),
    /// A question in full.
    Question(Details),
    /// Text of several lines.
    Editor(Box<Editor>),
    /// A yes or no.
    Confirm(Confirm),
    /// A line of text.
    Prompt(Prompt),
    /// What to export, and where to.
    Export(Export),
    /// Two sessions side by side.
    Compare(Box<Compare>),
    /// Three questions for the settings file.
    Setup(Box<Setup>),
}

impl Dialog {
    /// Whether it takes text, so that plain keys are no commands.
    pub fn takes_text(&self) -> bool {
        match self {
            Self::Palette(_) | Self::Editor(_) | Self::Prompt(_) => true,
            Self::Setup(setup) => setup.takes_text(),
            _ => false,
        }
    }

    /// The contexts of keys while it is in front.
    pub fn contexts(&self) -> Vec<Context> {
        match self {
            Self::Question(_) => vec![Context::Question, Context::Global],
            Self::Editor(_) => vec![Context::Editor, Context::Global],
            _ => vec![Context::Global],
        }
    }

    /// Scrolls it.
    pub fn scroll(&mut self, rows: isize) {
        match self {
            Self::Help(help) => help.scroll(rows),
            Self::Palette(palette) => palette.step(rows.signum()),
            Self::Question(details) => details.scroll(rows),
            Self::Compare(compare) => compare.scroll(rows),
            Self::Editor(_) | Self::Confirm(_) | Self::Prompt(_) | Self::Export(_) | Self::Setup(_) => {}
        }
    }
}

/// A key that no action took goes to the front dialog.
pub fn key(app: &mut App, key: Key) -> Vec<Effect> {
    match app.layers.front().map(|l| &l.content) {
        Some(Dialog::Help(_)) => help::key(app, key),
        Some(Dialog::Palette(_)) => palette::key(app, key),
        Some(Dialog::Question(_)) => details::key(app, key),
        Some(Dialog::Editor(_)) => editor::key(app, key),
        Some(Dialog::Confirm(_)) => confirm::key(app, key),
        Some(Dialog::Prompt(_)) => prompt::key(app, key),
        Some(Dialog::Export(_)) => export::key(app, key),
        Some(Dialog::Compare(_)) => compare::key(app, key),
        Some(Dialog::Setup(_)) => setup::key(app, key),
        None => Vec::new(),
    }
}

/// Pasted text goes to the front dialog, where it takes text.
pub fn paste(app: &mut App, pasted: &str) {
    match app.layers.front_mut().map(|l| &mut l.content) {
        Some(Dialog::Editor(editor)) => editor.insert(pasted),
        Some(Dialog::Prompt(prompt)) => prompt.insert(pasted),
        Some(Dialog::Palette(palette)) => palette.insert(pasted),
        Some(Dialog::Setup(setup)) => setup.insert(pasted),
        _ => {}
    }
}

/// Esc: closes the front dialog, or goes back in it. Returns what follows from that where there was one. Never
/// answers anything.
pub fn back(app: &mut App) -> Option<Vec<Effect>> {
    if let Some(effects) = setup::back(app) {
        return Some(effects);
    }
    if let Some(Dialog::Prompt(prompt)) = app.layers.front().map(|l| &l.content)
        && prompt.is_find()
    {
        prompt::abandon_find(app);
    }
    app.layers.close().map(|_| Vec::new())
}

/// Draws all dialogs, back to front. Returns where the cursor belongs, if a dialog wants it.
pub fn draw(app: &mut App, frame: &mut Frame) -> Option<(u16, u16)> {
    let mut layers = std::mem::take(&mut app.layers);
    let mut cursor = None;
    for layer in layers.iter_mut() {
        let waiting = layer.arming.filter(|a| !a.is_armed(app.clock.now));
        cursor = match &mut layer.content {
            Dialog::Help(help) => help.draw(app, frame),
            Dialog::Palette(palette) => palette.draw(app, frame),
            Dialog::Question(details) => details.draw(app, frame),
            Dialog::Editor(editor) => editor.draw(app, frame),
            Dialog::Confirm(confirm) => confirm.draw(app, frame, waiting.is_some()),
            Dialog::Prompt(prompt) => prompt.draw(app, frame),
            Dialog::Export(export) => export.draw(app, frame),
            Dialog::Compare(compare) => compare.draw(app, frame),
            Dialog::Setup(setup) => setup.draw(app, frame),
        };
    }
    app.layers = layers;
    cursor
}

/// A box in the middle of the screen, cleared and bordered; returns its inside.
fn boxed(frame: &mut Frame, theme: &Theme, title: &str, hint: &str, wanted: (u16, u16)) -> Rect {
    let screen = frame.area();
    let width = wanted.0.min(screen.width);
    let height = wanted.1.min(screen.height);
    let area = Rect {
        x: screen.x + (screen.width - width) / 2,
        y: screen.y + (screen.height - height) / 3,
        width,
        height,
    };
    let buf = frame.buffer_mut();
    Clear.render(area, buf);
    let block = Block::bordered()
        .style(theme.style(Role::Canvas))
        .border_style(theme.style(Role::RuleFocus))
        .title(ratatui::text::Span::styled(
            format!(" {title} "),
            theme.style(Role::TitleFocus),
        ));
    let room = usize::from(width).saturating_sub(4);
    let block = if hint.is_empty() {
        block
    } else {
        let hint =
            ratatui::text::Span::styled(format!(" {} ", text::fit(hint, room)), theme.style(Role::Dim));
        block.title_bottom(ratatui::text::Line::from(hint).right_aligned())
    };
    let inside = block.inner(area);
    block.render(area, buf);
    inside
}
