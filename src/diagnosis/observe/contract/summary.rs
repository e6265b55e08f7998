//! Summaries in plain text: lines with the claim that the text holds them.

use super::super::cursor::Cursor;
use crate::agent::model::Claim;
use crate::diagnosis::cited::Cited;

/// The lines of a summary.
pub struct Lines<'a> {
    at: Cursor<'a>,
    lines: Vec<&'a str>,
}

impl<'a> Lines<'a> {
    /// The lines of a text value.
    pub fn of(at: &Cursor<'a>) -> Option<Self> {
        let text = at.value().as_str()?;
        Some(Self {
            at: at.clone(),
            lines: text.lines().collect(),
        })
    }

    /// Every line, as it stands.
    pub fn all(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.lines.iter().copied()
    }

    /// A fact that a line states.
    pub fn fact<T>(&self, line: &str, value: T) -> Cited<T> {
        self.at.claimed(value, Claim::Contains(line.trim().to_owned()))
    }

    /// What stands behind `prefix` in the first line that begins with it.
    pub fn value(&self, prefix: &str) -> Option<Cited<String>> {
        let line = self.lines.iter().find(|l| l.trim_start().starts_with(prefix))?;
        let value = line.trim_start().strip_prefix(prefix)?.trim().to_owned();
        Some(self.fact(line, value))
    }

    /// The more deeply indented lines below a heading, trimmed.
    pub fn section(&self, heading: &str) -> Vec<Cited<String>> {
        let depth = |line: &str| line.len() - line.trim_start().len();
        let Some(start) = self.lines.iter().position(|l| l.trim() == heading) else {
            return Vec::new();
        };
        let base = depth(self.lines[start]);
        self.lines[start + 1..]
            .iter()
            .take_while(|l| l.trim().is_empty() || depth(l) > base)
            .filter(|l| !l.trim().is_empty())
            .map(|l| self.fact(l, l.trim().to_owned()))
            .collect()
    }
}
