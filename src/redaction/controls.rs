//! Makes control, bidirectional and invisible characters visible, so that text from a device, a tool, a
//! document or a model cannot drive the terminal or hide instructions.
//!
//! Nothing is dropped silently: C0 controls become their control pictures (`␛`), everything else U+FFFD.
//! Line feed and tab stay. It does not judge what the text says.

use std::borrow::Cow;

use serde_json::Value;

/// How long a single line and a whole text may be, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Longest line kept; the rest is replaced by a count.
    pub line: usize,
    /// Longest text kept; the rest is replaced by a count.
    pub text: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            line: 8 * 1024,
            text: 1024 * 1024,
        }
    }
}

/// Replaces every character that could act on a terminal or hide from a reader. Borrowed when clean.
///
/// `\r\n` becomes `\n`; a lone carriage return, which would overwrite the line, becomes `␍`.
#[must_use]
pub fn neutralise(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| replacement(c).is_some()) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\r' && chars.peek() == Some(&'\n') {
            continue;
        }
        out.push(replacement(c).unwrap_or(c));
    }
    Cow::Owned(out)
}

/// The visible stand-in of a character that may not pass, `None` for one that may.
fn replacement(c: char) -> Option<char> {
    match c {
        '\n' | '\t' => None,
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)),
        '\u{7f}' => Some('\u{2421}'),
        // C1 (8-bit CSI, OSC, DCS), soft hyphen, bidi marks and overrides, zero-width, separators, fillers,
        // variation selectors, interlinear annotation, tag characters.
        '\u{80}'..='\u{9f}'
        | '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'..='\u{1160}'
        | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}' => Some('\u{fffd}'),
        _ => None,
    }
}

/// [`neutralise`] plus the caps of `limits`; what was cut is counted where it was cut.
#[must_use]
pub fn clean_text<'a>(text: &'a str, limits: &Limits) -> Cow<'a, str> {
    let clean = neutralise(text);
    // Bytes bound characters from above, so a short text needs no counting.
    let fits = clean.len() <= limits.text && clean.lines().all(|line| line.len() <= limits.line);
    if fits {
        return clean;
    }
    let clipped = clip(&clean, limits.text);
    let mut out = String::with_capacity(clipped.len().min(limits.text));
    for (index, line) in clipped.split('\n').enumerate() {
        if index > 0 {
            out.push('\n');
        }
        out.push_str(&clip(line, limits.line));
    }
    Cow::Owned(out)
}

/// Cuts after `max` characters and says how many are missing.
fn clip(text: &str, max: usize) -> Cow<'_, str> {
    if text.len() <= max {
        return Cow::Borrowed(text);
    }
    match text.char_indices().nth(max) {
        None => Cow::Borrowed(text),
        Some((at, _)) => {
            let missing = text[at..].chars().count();
            Cow::Owned(format!("{}… [{missing} characters cut]", &text[..at]))
        }
    }
}

/// [`clean_text`] on every string and every key of a JSON value, in place.
pub fn clean_json(value: &mut Value, limits: &Limits) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(clean) = clean_text(text, limits) {
                *text = clean;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| clean_json(item, limits)),
        Value::Object(map) => {
            if map
                .keys()
                .any(|key| matches!(clean_text(key, limits), Cow::Owned(_)))
            {
                *map = std::mem::take(map)
                    .into_iter()
                    .map(|(key, item)| (clean_text(&key, limits).into_owned(), item))
                    .collect();
            }
            map.values_mut().for_each(|item| clean_json(item, limits));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    /// What a terminal would act on, looked for in the bytes and not by the code under test.
    fn is_inert(text: &str) -> bool {
        let bytes = text.as_bytes();
        let c0 = bytes
            .iter()
            .any(|b| (*b < 0x20 && *b != b'\n' && *b != b'\t') || *b == 0x7f);
        let c1 = bytes
            .windows(2)
            .any(|w| w[0] == 0xc2 && (0x80..=0x9f).contains(&w[1]));
        // E2 80 8B..8F, E2 80 A8..AE, E2 81 A0..AF: zero-width, bidi; EF BB BF: byte order mark.
        let hidden = bytes.windows(3).any(|w| match w {
            [0xe2, 0x80, x] => (0x8b..=0x8f).contains(x) || (0xa8..=0xae).contains(x),
            [0xe2, 0x81, x] => (0xa0..=0xaf).contains(x),
            [0xef, 0xbb, 0xbf] => true,
            _ => false,
        });
        let tags = bytes
            .windows(3)
            .any(|w| w[0] == 0xf3 && w[1] == 0xa0 && (0x80..=0x87).contains(&w[2]));
        !(c0 || c1 || hidden || tags)
    }

    #[test]
    fn escape_sequences_lose_their_lead_byte_and_stay_visible() {
        let cases = [
            ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
            (
                "\x1b]8;;http://evil\x07click\x1b]8;;\x07",
                "␛]8;;http://evil␇click␛]8;;␇",
            ),
            ("\x1b]52;c;cm0gLXJm\x1b\\", "␛]52;c;cm0gLXJm␛\\"),
            ("\x1bPq#0;2;0;0;0\x1b\\", "␛Pq#0;2;0;0;0␛\\"),
            (
                "\u{9b}2J \u{9d}0;t\u{9c} \u{90}q",
                "\u{fffd}2J \u{fffd}0;t\u{fffd} \u{fffd}q",
            ),
            ("user\u{202e}txt.exe\u{202c}", "user\u{fffd}txt.exe\u{fffd}"),
            (
                "pay\u{200b}load \u{feff}bom \u{2066}iso\u{2069}",
                "pay\u{fffd}load \u{fffd}bom \u{fffd}iso\u{fffd}",
            ),
            ("hidden\u{e0041}\u{e0042}", "hidden\u{fffd}\u{fffd}"),
            ("ok\r\nover\rwrite\tx\x08\x7f\0", "ok\nover␍write\tx␈␡␀"),
        ];
        for (raw, shown) in cases {
            assert_eq!(neutralise(raw), shown, "{raw:?}");
            assert!(is_inert(&neutralise(raw)), "{raw:?}");
            assert!(!is_inert(raw), "the case itself must be dangerous: {raw:?}");
        }
    }

    #[test]
    fn ordinary_text_is_borrowed() {
        for text in [
            "GigabitEthernet0/0/0/1 is down\n\tsince 02:14",
            "naïve 東京 — Ünïcode ✓",
            "",
        ] {
            assert!(matches!(neutralise(text), Cow::Borrowed(same) if same == text));
        }
    }

    #[test]
    fn a_megabyte_line_is_cut_with_a_count() {
        let limits = Limits {
            line: 100,
            text: 1000,
        };
        let raw = "x".repeat(1_000_000);
        let cut = clean_text(&raw, &limits).into_owned();
        assert!(cut.len() < 200, "{}", cut.len());
        assert!(cut.contains("characters cut]"));
        let many = "short\n".repeat(10_000);
        assert!(clean_text(&many, &limits).chars().count() < 1100);
        // Multi-byte characters are counted, not split.
        assert!(clean_text(&"é".repeat(200), &limits).starts_with(&"é".repeat(100)));
    }

    #[test]
    fn json_keys_and_values_are_cleaned() {
        let mut value = json!({"a\u{1b}]0;": ["\u{202e}x", {"n": 1, "s": "ok"}], "b": null});
        clean_json(&mut value, &Limits::default());
        assert_eq!(
            value,
            json!({"a␛]0;": ["\u{fffd}x", {"n": 1, "s": "ok"}], "b": null})
        );
    }

    proptest! {
        #[test]
        fn nothing_dangerous_survives(text in any::<String>(), line in 1usize..50, total in 1usize..200) {
            let limits = Limits { line, text: total };
            let clean = clean_text(&text, &limits);
            prop_assert!(is_inert(&clean));
            // What is cut carries a note, and the note is bounded.
            prop_assert!(clean.lines().all(|l| l.chars().count() <= line + 60));
        }

        #[test]
        fn neutralising_twice_changes_nothing(text in any::<String>()) {
            let once = neutralise(&text).into_owned();
            prop_assert_eq!(neutralise(&once), once.as_str());
        }
    }
}
