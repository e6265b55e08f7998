//! Cleans what a tool returned: control and invisible characters made visible, lines capped, secrets hidden.
//!
//! The character work is `redaction`'s; this is its composition for tool results, with the size they may have.

use serde_json::Value;

use crate::redaction::{Limits, Redactor, clean_json};

/// Caps of a string inside a result.
const LIMITS: Limits = Limits {
    line: 16 * 1024,
    text: 4 * 1024 * 1024,
};

/// Cleans a result in place; returns how many strings held secrets.
pub fn sanitize(value: &mut Value, redactor: &Redactor) -> usize {
    clean_json(value, &LIMITS);
    redactor.json(value)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn no_byte_of_a_result_can_drive_a_terminal() {
        let attacks = [
            "\u{1b}[2J\u{1b}[1;31mFAKE",
            "\u{1b}]8;;http://evil\u{7}click\u{1b}]8;;\u{7}",
            "\u{1b}]52;c;ZXZpbA==\u{7}",
            "\u{1b}P$q\"p\u{1b}\\",
            "\u{9b}31m\u{9d}0;title\u{9c}",
            "abc\u{202e}fed\u{2066}x",
            "zero\u{200b}width\u{feff}",
            "\r\u{8}\u{8}overwritten",
        ];
        let mut value =
            json!({"lines": attacks, "line": "x".repeat(1_000_000), "nested": {"\u{1b}[31mkey": 1}});
        sanitize(&mut value, &Redactor::default());
        let mut texts = Vec::new();
        collect(&value, &mut texts);
        for text in texts {
            for (at, byte) in text.bytes().enumerate() {
                let c1 = byte == 0xc2 && (0x80..0xa0).contains(&text.as_bytes()[at + 1]);
                assert!(byte >= 0x20 && byte != 0x7f && !c1, "{text:?}");
            }
            assert!(text.len() < 20_000, "a line of {} bytes", text.len());
            assert!(!text.contains(['\u{202e}', '\u{2066}', '\u{200b}', '\u{feff}']));
        }
    }

    fn collect<'a>(value: &'a Value, out: &mut Vec<&'a str>) {
        match value {
            Value::String(text) => out.push(text),
            Value::Array(items) => items.iter().for_each(|item| collect(item, out)),
            Value::Object(map) => map.iter().for_each(|(key, item)| {
                out.push(key);
                collect(item, out);
            }),
            _ => {}
        }
    }

    #[test]
    fn secrets_are_hidden_after_cleaning() {
        // An invisible character inside the word must not save the secret from being seen.
        let mut value = json!({"config": "neighbor 10.0.0.1 password 7 SEKRIT", "pass\u{200b}word": "x"});
        assert_eq!(sanitize(&mut value, &Redactor::default()), 2);
        assert!(!value.to_string().contains("SEKRIT"));
    }
}
