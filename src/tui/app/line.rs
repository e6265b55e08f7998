//! A one-line field: editing by graphemes, horizontal scrolling, and where the real cursor belongs.

use crossterm::event::KeyCode;
use unicode_segmentation::UnicodeSegmentation;

use crate::tui::keymap::Key;
use crate::tui::text;

/// The most characters a field takes; a paste beyond it is cut and said to be.
pub const MAX_CHARS: usize = 4_000;

/// The text of a field and its cursor.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LineEdit {
    text: String,
    /// Byte position; always at the edge of a grapheme.
    cursor: usize,
}

impl LineEdit {
    /// A field with text in it, the cursor at its end.
    pub fn with(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            cursor: text.len(),
        }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the cursor stands at the end.
    pub fn at_end(&self) -> bool {
        self.cursor == self.text.len()
    }

    /// Replaces the text.
    pub fn set(&mut self, text: &str) {
        *self = Self::with(text);
    }

    /// Empties the field and returns what was in it.
    pub fn take(&mut self) -> String {
        self.cursor = 0;
        std::mem::take(&mut self.text)
    }

    /// Inserts text: line breaks and tabs become spaces, other control characters vanish. Returns whether
    /// all of it had room.
    pub fn insert(&mut self, inserted: &str) -> bool {
        let flat: String = inserted
            .chars()
            .map(|c| if matches!(c, '\n' | '\r' | '\t') { ' ' } else { c })
            .collect();
        let clean: String = text::clean(&flat).into_owned();
        let room = MAX_CHARS.saturating_sub(self.text.chars().count());
        let taken: String = clean.chars().take(room).collect();
        self.text.insert_str(self.cursor, &taken);
        self.cursor += taken.len();
        // A combining mark may have joined the grapheme before; keep the cursor at an edge.
        self.cursor = self.edge_at_or_after(self.cursor);
        clean.chars().count() <= room
    }

    /// Handles an editing key. Returns whether it was one.
    pub fn key(&mut self, key: Key) -> bool {
        if let Some(c) = key.character() {
            self.insert(c.encode_utf8(&mut [0; 4]));
            return true;
        }
        let event = key.event();
        let ctrl = event.modifiers.contains(crossterm::event::KeyModifiers::CONTROL);
        let alt = event.modifiers.contains(crossterm::event::KeyModifiers::ALT);
        match (event.code, ctrl, alt) {
            (KeyCode::Backspace, false, false) => self.delete(self.before(), self.cursor),
            (KeyCode::Backspace, ..) | (KeyCode::Char('w'), true, _) => {
                self.delete(self.word_before(), self.cursor)
            }
            (KeyCode::Delete, ..) => self.delete(self.cursor, self.after()),
            (KeyCode::Char('k'), true, _) => self.delete(self.cursor, self.text.len()),
            (KeyCode::Left, false, false) => self.cursor = self.before(),
            (KeyCode::Right, false, false) => self.cursor = self.after(),
            (KeyCode::Left, ..) | (KeyCode::Char('b'), _, true) => self.cursor = self.word_before(),
            (KeyCode::Right, ..) | (KeyCode::Char('f'), _, true) => self.cursor = self.word_after(),
            (KeyCode::Home, ..) | (KeyCode::Char('a'), true, _) => self.cursor = 0,
            (KeyCode::End, ..) | (KeyCode::Char('e'), true, _) => self.cursor = self.text.len(),
            _ => return false,
        }
        true
    }

    /// The part that is seen in `cells` cells and the cursor's cell in it.
    pub fn view(&self, cells: usize) -> (String, usize) {
        let before = text::width(&self.text[..self.cursor]);
        if before < cells || cells == 0 {
            return (text::take(&self.text, cells), before.min(cells));
        }
        // Drop graphemes at the front until the cursor fits, one cell left for it.
        let mut skipped = 0;
        let mut start = 0;
        for (at, g) in self.text.grapheme_indices(true) {
            if before - skipped < cells {
                start = at;
                break;
            }
            skipped += text::width(g);
            start = at + g.len();
        }
        (text::take(&self.text[start..], cells), before - skipped)
    }

    /// The word that ends at the cursor, and the byte where it starts.
    pub fn word(&self) -> (usize, &str) {
        let head = &self.text[..self.cursor];
        let start = head
            .rfind(char::is_whitespace)
            .map_or(0, |i| i + head[i..].chars().next().map_or(1, char::len_utf8));
        (start, &head[start..])
    }

    /// Replaces the word that ends at the cursor.
    pub fn replace_word(&mut self, with: &str) {
        let (start, _) = self.word();
        self.text.replace_range(start..self.cursor, with);
        self.cursor = start + with.len();
    }

    fn delete(&mut self, from: usize, to: usize) {
        self.text.replace_range(from..to, "");
        self.cursor = self.edge_at_or_after(from);
    }

    fn before(&self) -> usize {
        self.text[..self.cursor]
            .grapheme_indices(true)
            .next_back()
            .map_or(0, |(i, _)| i)
    }

    fn after(&self) -> usize {
        self.text[self.cursor..]
            .graphemes(true)
            .next()
            .map_or(self.cursor, |g| self.cursor + g.len())
    }

    fn word_before(&self) -> usize {
        let head = self.text[..self.cursor].trim_end();
        head.rfind(char::is_whitespace)
            .map_or(0, |i| i + head[i..].chars().next().map_or(1, char::len_utf8))
    }

    fn word_after(&self) -> usize {
        let rest = &self.text[self.cursor..];
        let skipped = rest.len() - rest.trim_start().len();
        rest[skipped..]
            .find(char::is_whitespace)
            .map_or(self.text.len(), |i| self.cursor + skipped + i)
    }

    fn edge_at_or_after(&self, at: usize) -> usize {
        self.text
            .grapheme_indices(true)
            .map(|(i, _)| i)
            .find(|i| *i >= at)
            .unwrap_or(self.text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(line: &mut LineEdit, keys: &[&str]) {
        for key in keys {
            line.key(key.parse().unwrap());
        }
    }

    #[test]
    fn editing_goes_by_graphemes() {
        let mut line = LineEdit::default();
        line.insert("e\u{301}光x");
        press(&mut line, &["left", "backspace"]);
        assert_eq!(line.text(), "e\u{301}x");
        press(&mut line, &["left", "delete"]);
        assert_eq!(line.text(), "x", "a letter with its accent goes as one");
        line.set("show bgp on xrd-1");
        press(&mut line, &["ctrl-w", "alt-left", "ctrl-k"]);
        assert_eq!(line.text(), "show bgp ");
    }

    #[test]
    fn the_cursor_is_always_in_sight() {
        let line = LineEdit::with("光モジュール check");
        for cells in 1..30 {
            let (seen, at) = line.view(cells);
            assert!(
                text::width(&seen) <= cells && at <= cells,
                "{seen:?} {at} in {cells}"
            );
        }
        assert_eq!(LineEdit::with("abc").view(10), ("abc".to_owned(), 3));
    }

    #[test]
    fn pastes_are_flattened_and_capped() {
        let mut line = LineEdit::default();
        assert!(line.insert("a\nb\u{1b}[31m"));
        assert_eq!(line.text(), "a b␛[31m");
        assert!(!line.insert(&"x".repeat(100_000)));
        assert_eq!(line.text().chars().count(), MAX_CHARS);
    }

    #[test]
    fn the_last_word_can_be_completed() {
        let mut line = LineEdit::with("check xr");
        assert_eq!(line.word(), (6, "xr"));
        line.replace_word("xrd-1");
        assert_eq!((line.text(), line.at_end()), ("check xrd-1", true));
    }
}
