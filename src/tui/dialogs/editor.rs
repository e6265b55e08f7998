//! An editor for text of several lines: answers, arguments, a pasted result.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::Widget;
use tui_textarea::{TextArea, WrapMode};

use super::{Dialog, boxed};
use crate::tui::action::{Action, Typing};
use crate::tui::app::{App, EditFor, Effect};
use crate::tui::keymap::Key;
use crate::tui::text;
use crate::tui::theme::Role;

/// The most characters an answer may have; more belongs into a file.
const MAX_CHARS: usize = 200_000;

/// The editor dialog.
#[derive(Debug)]
pub struct Editor {
    title: String,
    prompt: String,
    target: EditFor,
    area: TextArea<'static>,
}

impl Editor {
    /// An editor with `initial` text in it.
    pub fn new(title: &str, prompt: &str, initial: &str, target: EditFor) -> Self {
        let mut editor = Self {
            title: title.to_owned(),
            prompt: prompt.to_owned(),
            target,
            area: TextArea::default(),
        };
        editor.set(initial);
        editor
    }

    /// What stands in it.
    pub fn text(&self) -> String {
        self.area.lines().join("\n")
    }

    /// What the text is for.
    pub fn target(&self) -> &EditFor {
        &self.target
    }

    /// Replaces the text.
    pub fn set(&mut self, text: &str) {
        let lines: Vec<String> = clean(text).lines().map(str::to_owned).collect();
        self.area = TextArea::new(if lines.is_empty() {
            vec![String::new()]
        } else {
            lines
        });
        self.area.set_wrap_mode(WrapMode::WordOrGlyph);
        self.area.set_cursor_line_style(Style::default());
        self.area.set_cursor_style(Style::default());
        self.area.move_cursor(tui_textarea::CursorMove::Bottom);
        self.area.move_cursor(tui_textarea::CursorMove::End);
    }

    /// Inserts pasted text.
    pub fn insert(&mut self, pasted: &str) {
        self.area.insert_str(clean(pasted));
    }

    /// Draws it.
    pub fn draw(&mut self, app: &App, frame: &mut Frame) -> Option<(u16, u16)> {
        let theme = &app.looks.theme;
        let screen = frame.area();
        let map = &app.looks.keymap;
        let label = |a| map.label(Action::Typing(a));
        let hint = format!(
            "{} send · {} $EDITOR · Esc back",
            label(Typing::Send),
            label(Typing::External)
        );
        let wanted = (screen.width.min(96), screen.height.saturating_sub(6).clamp(8, 24));
        let inside = boxed(frame, theme, &self.title, &hint, wanted);
        let words = text::wrap(&text::clean(&self.prompt), usize::from(inside.width));
        let room = inside.height.saturating_sub(3);
        let head = u16::try_from(words.len()).unwrap_or(u16::MAX).min(room);
        let buf = frame.buffer_mut();
        for (line, y) in words.iter().zip(inside.y..inside.y + head) {
            buf.set_string(inside.x, y, line, theme.style(Role::Human));
        }
        let area = Rect {
            y: inside.y + head,
            height: inside.height.saturating_sub(head),
            ..inside
        };
        if area.height == 0 || area.width == 0 {
            return None;
        }
        self.area.set_style(theme.style(Role::Text));
        (&self.area).render(area, buf);
        let cursor = self.area.screen_cursor();
        let (top, left) = self.area.scroll_offset();
        let x = area.x + u16::try_from(cursor.col).unwrap_or(u16::MAX).saturating_sub(left);
        let y = area.y + u16::try_from(cursor.row).unwrap_or(u16::MAX).saturating_sub(top);
        Some((x.min(area.right() - 1), y.min(area.bottom() - 1)))
    }
}

fn clean(pasted: &str) -> String {
    let text: String = pasted
        .replace("\r\n", "\n")
        .replace('\r', "\n")
        .chars()
        .take(MAX_CHARS)
        .collect();
    text::clean(&text).into_owned()
}

/// A key while the editor is in front.
pub fn key(app: &mut App, key: Key) -> Vec<Effect> {
    if let Some(Dialog::Editor(editor)) = app.layers.front_mut().map(|l| &mut l.content) {
        editor.area.input(crossterm::event::Event::Key(key.event()));
    }
    Vec::new()
}
