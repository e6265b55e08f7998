//! Text measured in terminal cells: cut, pad, wrap and clean.
//!
//! Everything here counts graphemes and display cells, never bytes or `char`s, so wide characters and
//! combining marks stay whole. It knows nothing about colours or panes.

mod wrap;

pub use wrap::wrap;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// The display width of `text` in cells.
pub fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// `text` cut to at most `cells` cells, with `…` as the last cell when something was cut.
pub fn fit(text: &str, cells: usize) -> String {
    if width(text) <= cells {
        return text.to_owned();
    }
    match cells {
        0 => String::new(),
        1 => "…".to_owned(),
        _ => {
            let mut cut = take(text, cells - 1);
            cut.push('…');
            cut
        }
    }
}

/// `text` cut at the front to at most `cells` cells, with `…` as the first cell when something was cut.
/// Used for paths, whose end says more than their beginning.
pub fn fit_end(text: &str, cells: usize) -> String {
    if width(text) <= cells {
        return text.to_owned();
    }
    if cells == 0 {
        return String::new();
    }
    let mut kept: Vec<&str> = Vec::new();
    let mut used = 1;
    for grapheme in text.graphemes(true).rev() {
        let w = width(grapheme);
        if used + w > cells {
            break;
        }
        used += w;
        kept.push(grapheme);
    }
    let mut out = String::from("…");
    out.extend(kept.into_iter().rev());
    out
}

/// `text` cut or padded with spaces on the right to exactly `cells` cells.
pub fn pad(text: &str, cells: usize) -> String {
    let mut out = fit(text, cells);
    let missing = cells.saturating_sub(width(&out));
    out.extend(std::iter::repeat_n(' ', missing));
    out
}

/// `text` cut or padded with spaces on the left to exactly `cells` cells: for numbers.
pub fn pad_left(text: &str, cells: usize) -> String {
    let cut = fit(text, cells);
    let missing = cells.saturating_sub(width(&cut));
    let mut out: String = std::iter::repeat_n(' ', missing).collect();
    out.push_str(&cut);
    out
}

/// The leading graphemes of `text` that fit in `cells` cells, without a mark.
pub fn take(text: &str, cells: usize) -> String {
    let mut out = String::new();
    let mut used = 0;
    for grapheme in text.graphemes(true) {
        let w = width(grapheme);
        if used + w > cells {
            break;
        }
        used += w;
        out.push_str(grapheme);
    }
    out
}

/// `text` with control characters (among them ESC), bidirectional overrides and zero-width format
/// characters made visible or dropped. Device text is cleaned at the boundary already; the screen does
/// not rely on it.
pub fn clean(text: &str) -> std::borrow::Cow<'_, str> {
    if !text.chars().any(is_unsafe) {
        return std::borrow::Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\t' => out.push_str("  "),
            '\n' => out.push('\n'),
            c if !is_unsafe(c) => out.push(c),
            c if (c as u32) < 0x20 => out.push(char::from_u32(0x2400 + c as u32).unwrap_or('?')),
            '\u{7f}' => out.push('␡'),
            _ => {}
        }
    }
    std::borrow::Cow::Owned(out)
}

/// The same on one line: line breaks become a visible `⏎`.
pub fn one_line(text: &str) -> String {
    let text = text.trim_end();
    let mut out = String::with_capacity(text.len());
    for (i, line) in clean(text).lines().enumerate() {
        if i > 0 {
            out.push_str(" ⏎ ");
        }
        out.push_str(line.trim());
    }
    out
}

fn is_unsafe(c: char) -> bool {
    (c.is_control() && c != '\n')
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

/// A duration for humans: `38 ms`, `5.0 s`, `2m07s`, `1h02m`.
pub fn duration(ms: u64) -> String {
    match ms {
        0..=999 => format!("{ms} ms"),
        1_000..=59_999 => format!("{}.{} s", ms / 1_000, ms % 1_000 / 100),
        60_000..=3_599_999 => format!("{}m{:02}s", ms / 60_000, ms / 1_000 % 60),
        _ => format!("{}h{:02}m", ms / 3_600_000, ms / 60_000 % 60),
    }
}

/// Elapsed time as a clock: `00:07`, `1:02:09`.
pub fn clock(ms: u64) -> String {
    let s = ms / 1_000;
    if s < 3_600 {
        format!("{:02}:{:02}", s / 60, s % 60)
    } else {
        format!("{}:{:02}:{:02}", s / 3_600, s / 60 % 60, s % 60)
    }
}

/// A count for humans: `940`, `12.3k`, `4.1M`.
pub fn count(n: u64) -> String {
    match n {
        0..=999 => n.to_string(),
        1_000..=999_999 => format!("{}.{}k", n / 1_000, n % 1_000 / 100),
        _ => format!("{}.{}M", n / 1_000_000, n % 1_000_000 / 100_000),
    }
}

/// `1 finding`, `2 findings`.
pub fn plural(n: usize, word: &str) -> String {
    if n == 1 {
        format!("1 {word}")
    } else {
        format!("{n} {word}s")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cutting_keeps_wide_characters_whole() {
        assert_eq!(fit("光モジュール", 5), "光モ…");
        assert_eq!(
            width(&fit("光モジュール", 4)),
            3,
            "half a wide character is never drawn"
        );
        assert_eq!(pad("光", 4), "光  ");
        assert_eq!(fit_end("/routing_protocols/0/neighbors", 10), "…neighbors");
        assert_eq!(fit("e\u{301}tat", 3), "e\u{301}t…".to_owned());
    }

    #[test]
    fn hostile_text_loses_its_teeth() {
        assert_eq!(clean("a\u{1b}[31mred"), "a␛[31mred");
        assert_eq!(clean("abc\u{202e}def"), "abcdef");
        assert_eq!(clean("a\tb"), "a  b");
        assert_eq!(one_line("a\nb\n"), "a ⏎ b");
    }

    #[test]
    fn numbers_read_like_numbers() {
        assert_eq!(duration(38), "38 ms");
        assert_eq!(duration(5_049), "5.0 s");
        assert_eq!(duration(127_000), "2m07s");
        assert_eq!(clock(7_400), "00:07");
        assert_eq!(clock(3_729_000), "1:02:09");
        assert_eq!(count(12_345), "12.3k");
        assert_eq!(plural(1, "finding"), "1 finding");
    }
}
