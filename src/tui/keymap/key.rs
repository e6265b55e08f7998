//! One key with its modifiers, as events bring it and as files write it.

use std::fmt;
use std::str::FromStr;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// A key press. Shift is part of the character (`G`, `?`) and only kept for keys without one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    code: KeyCode,
    modifiers: KeyModifiers,
}

impl Key {
    /// A key without modifiers.
    pub fn plain(code: KeyCode) -> Self {
        Self {
            code,
            modifiers: KeyModifiers::NONE,
        }
    }

    /// The key's code.
    pub fn code(self) -> KeyCode {
        self.code
    }

    /// The character this key types: no Ctrl, no Alt.
    pub fn character(self) -> Option<char> {
        match self.code {
            KeyCode::Char(c) if self.modifiers.is_empty() => Some(c),
            _ => None,
        }
    }

    /// Whether Ctrl or Alt is held, or the key types nothing: such keys are commands even in a text field.
    pub fn is_command(self) -> bool {
        self.modifiers
            .intersects(KeyModifiers::CONTROL | KeyModifiers::ALT)
            || matches!(self.code, KeyCode::F(_))
    }

    /// The event the key came from, for widgets that want one.
    pub fn event(self) -> KeyEvent {
        KeyEvent::new(self.code, self.modifiers)
    }
}

impl From<KeyEvent> for Key {
    fn from(event: KeyEvent) -> Self {
        let mut modifiers = event.modifiers
            & (KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SHIFT | KeyModifiers::SUPER);
        let code = match event.code {
            KeyCode::Char(c) if modifiers.contains(KeyModifiers::SHIFT) && c.is_lowercase() => {
                KeyCode::Char(c.to_uppercase().next().unwrap_or(c))
            }
            code => code,
        };
        if matches!(code, KeyCode::Char(_) | KeyCode::BackTab) {
            modifiers.remove(KeyModifiers::SHIFT);
        }
        Self { code, modifiers }
    }
}

const NAMES: [(&str, &str, KeyCode); 15] = [
    ("enter", "Enter", KeyCode::Enter),
    ("esc", "Esc", KeyCode::Esc),
    ("tab", "Tab", KeyCode::Tab),
    ("backtab", "Shift+Tab", KeyCode::BackTab),
    ("space", "Space", KeyCode::Char(' ')),
    ("backspace", "Backspace", KeyCode::Backspace),
    ("delete", "Del", KeyCode::Delete),
    ("home", "Home", KeyCode::Home),
    ("end", "End", KeyCode::End),
    ("pageup", "PgUp", KeyCode::PageUp),
    ("pagedown", "PgDn", KeyCode::PageDown),
    ("up", "↑", KeyCode::Up),
    ("down", "↓", KeyCode::Down),
    ("left", "←", KeyCode::Left),
    ("right", "→", KeyCode::Right),
];

impl FromStr for Key {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bad =
            || format!("\"{text}\" is no key - write \"x\", \"ctrl-x\", \"alt-enter\", \"f1\", \"pageup\"");
        let mut modifiers = KeyModifiers::NONE;
        let mut rest = text;
        loop {
            let (name, tail) = match rest.split_once('-') {
                Some((name, tail)) if !name.is_empty() && !tail.is_empty() => (name, tail),
                _ => break,
            };
            modifiers |= match name {
                "ctrl" => KeyModifiers::CONTROL,
                "alt" => KeyModifiers::ALT,
                "shift" => KeyModifiers::SHIFT,
                _ => return Err(bad()),
            };
            rest = tail;
        }
        let mut chars = rest.chars();
        let code = match (chars.next(), chars.next()) {
            (Some(c), None) => KeyCode::Char(c),
            _ => named(rest).ok_or_else(bad)?,
        };
        Ok(Self::from(KeyEvent::new(code, modifiers)))
    }
}

fn named(text: &str) -> Option<KeyCode> {
    if let Some(n) = text.strip_prefix('f').and_then(|n| n.parse::<u8>().ok()) {
        return (1..=24).contains(&n).then_some(KeyCode::F(n));
    }
    NAMES
        .iter()
        .find(|(name, _, _)| *name == text)
        .map(|(_, _, code)| *code)
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (flag, name) in [
            (KeyModifiers::CONTROL, "Ctrl+"),
            (KeyModifiers::ALT, "Alt+"),
            (KeyModifiers::SHIFT, "Shift+"),
        ] {
            if self.modifiers.contains(flag) {
                f.write_str(name)?;
            }
        }
        if let Some((_, label, _)) = NAMES.iter().find(|(_, _, code)| *code == self.code) {
            return f.write_str(label);
        }
        match self.code {
            KeyCode::Char(c) => write!(f, "{c}"),
            KeyCode::F(n) => write!(f, "F{n}"),
            other => write!(f, "{other}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> Key {
        text.parse().unwrap()
    }

    #[test]
    fn files_and_events_agree() {
        let event = |c, m| Key::from(KeyEvent::new(c, m));
        assert_eq!(key("G"), event(KeyCode::Char('G'), KeyModifiers::SHIFT));
        assert_eq!(key("G"), event(KeyCode::Char('g'), KeyModifiers::SHIFT));
        assert_eq!(key("?"), event(KeyCode::Char('?'), KeyModifiers::SHIFT));
        assert_eq!(key("ctrl-c"), event(KeyCode::Char('c'), KeyModifiers::CONTROL));
        assert_eq!(key("backtab"), event(KeyCode::BackTab, KeyModifiers::SHIFT));
        assert_eq!(key("-"), event(KeyCode::Char('-'), KeyModifiers::NONE));
        assert_eq!(key("ctrl--"), event(KeyCode::Char('-'), KeyModifiers::CONTROL));
        assert!(
            "hyper-x".parse::<Key>().is_err() && "".parse::<Key>().is_err() && "f99".parse::<Key>().is_err()
        );
    }

    #[test]
    fn keys_read_well() {
        assert_eq!(key("ctrl-c").to_string(), "Ctrl+c");
        assert_eq!(key("pagedown").to_string(), "PgDn");
        assert_eq!(key("space").to_string(), "Space");
        assert_eq!(key("alt-enter").to_string(), "Alt+Enter");
    }
}
