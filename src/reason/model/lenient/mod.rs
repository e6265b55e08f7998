//! JSON as models write it: fences, prose, comments, trailing commas, single quotes, cut-off tails.
//!
//! One forward pass with bounds on depth and size. What was put right is listed. A value that was cut in
//! its middle is left out, never guessed: half a device name is another device.

mod parser;
#[cfg(test)]
mod tests;

use serde_json::Value;

use parser::Parser;

/// Longest text looked at, in bytes.
const MAX_TEXT: usize = 256 * 1024;
/// Most bytes read in all: a start that leads nowhere is read again from the next brace.
const MAX_WORK: usize = 2 * MAX_TEXT;
/// Most objects taken from one text.
const MAX_CANDIDATES: usize = 8;

/// An object found in a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found {
    pub value: Value,
    /// What was put right, in words, each once; empty for plain JSON.
    pub repairs: Vec<&'static str>,
    /// The text ended inside the object.
    pub cut: bool,
}

/// Every JSON object in `text`, in order; plain JSON gives itself.
pub(super) fn objects(text: &str) -> Vec<Found> {
    let trimmed = text.trim().trim_start_matches('\u{feff}').trim_start();
    if trimmed.len() <= MAX_TEXT
        && let Ok(value @ Value::Object(_)) = serde_json::from_str(trimmed)
    {
        return vec![Found {
            value,
            repairs: Vec::new(),
            cut: false,
        }];
    }
    let mut end = trimmed.len().min(MAX_TEXT);
    while !trimmed.is_char_boundary(end) {
        end -= 1;
    }
    let bytes = &trimmed.as_bytes()[..end];
    let mut found = Vec::new();
    let (mut at, mut work) = (0, 0);
    while let Some(offset) = bytes[at..].iter().position(|b| *b == b'{') {
        let start = at + offset;
        let mut parser = Parser::at(bytes, start);
        let value = parser.value(0);
        work += parser.at.saturating_sub(start);
        match value {
            Some(value @ Value::Object(_)) => {
                at = parser.at.max(start + 1);
                let outside = before(bytes, start, found.is_empty())
                    .into_iter()
                    .chain(after(bytes, at));
                let mut repairs: Vec<&'static str> = outside.collect();
                repairs.append(&mut parser.repairs);
                repairs.dedup();
                found.push(Found {
                    value,
                    repairs,
                    cut: parser.cut,
                });
            }
            _ => at = start + 1,
        }
        if found.len() >= MAX_CANDIDATES || at >= bytes.len() || work > MAX_WORK {
            break;
        }
    }
    found
}

fn before(bytes: &[u8], start: usize, first: bool) -> Option<&'static str> {
    let text = String::from_utf8_lossy(&bytes[..start]);
    let text = text.trim();
    if text.is_empty() || !first {
        return None;
    }
    Some(if text.ends_with("```") || text.ends_with("```json") {
        "a code fence was taken off"
    } else {
        "text around the JSON was left out"
    })
}

fn after(bytes: &[u8], end: usize) -> Option<&'static str> {
    let text = String::from_utf8_lossy(&bytes[end.min(bytes.len())..]);
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    Some(if text.trim_end_matches('`').trim().is_empty() {
        "a code fence was taken off"
    } else {
        "text around the JSON was left out"
    })
}
