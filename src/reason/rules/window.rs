//! The stretch of time a query speaks of. All times are UTC, as routers log them.

use crate::agent::model::{Timestamp, Window};

/// What "now" looks back on when the query says nothing, minutes.
const DEFAULT_MINUTES: i64 = 60;
const MINUTE: i64 = 60_000;
const DAY: i64 = 24 * 60 * MINUTE;

/// The window a text asks about.
pub fn window(text: &str, now: Timestamp) -> Window {
    let lower = text.to_ascii_lowercase();
    let from = spoken(&lower)
        .map(|minutes| now.0 - minutes * MINUTE)
        .or_else(|| clock(&lower, now));
    let from = from
        .or_else(|| part_of_day(&lower, now))
        .unwrap_or(now.0 - DEFAULT_MINUTES * MINUTE);
    Window {
        from: Timestamp(from.min(now.0)),
        until: now,
    }
}

/// `last 2 hours`, `past 30 min`, `15 minutes ago`, `last hour`, `90m`.
fn spoken(text: &str) -> Option<i64> {
    let words: Vec<&str> = text
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|w| !w.is_empty())
        .collect();
    words.iter().enumerate().find_map(|(at, word)| {
        let (unit, inline) = unit(word)?;
        let before = at.checked_sub(1).map(|i| words[i]);
        let count = inline.or_else(|| before.and_then(number));
        let recent = words[..at]
            .iter()
            .rev()
            .take(3)
            .any(|w| matches!(*w, "last" | "past" | "previous" | "within" | "recent"));
        let ago = words.get(at + 1) == Some(&"ago");
        match count {
            Some(count) if recent || ago || words[..at].contains(&"for") => Some(margin(count * unit, ago)),
            None if matches!(before, Some("last" | "past")) => Some(unit),
            _ => None,
        }
    })
}

/// What happened "an hour ago" may have begun a little earlier.
fn margin(minutes: i64, ago: bool) -> i64 {
    if ago { minutes + minutes / 4 + 5 } else { minutes }
}

/// Minutes of a unit, and the count where both are one word (`30m`, `2h`).
fn unit(word: &str) -> Option<(i64, Option<i64>)> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let minutes = match &word[digits.len()..] {
        "minute" | "minutes" | "min" | "mins" => 1,
        "hour" | "hours" | "hr" | "hrs" => 60,
        "day" | "days" => 24 * 60,
        "week" | "weeks" => 7 * 24 * 60,
        "m" if !digits.is_empty() => 1,
        "h" if !digits.is_empty() => 60,
        "d" if !digits.is_empty() => 24 * 60,
        _ => return None,
    };
    Some((minutes, digits.parse().ok()))
}

fn number(word: &str) -> Option<i64> {
    const NAMED: [&str; 13] = [
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve",
    ];
    match word {
        "a" | "an" => Some(1),
        "couple" => Some(2),
        "few" => Some(5),
        "half" => None,
        word => word.parse().ok().or_else(|| {
            NAMED
                .iter()
                .position(|n| *n == word)
                .and_then(|n| i64::try_from(n).ok())
        }),
    }
}

/// `since 02:10`, `at 02:13`, `between 01:00 and 02:00`: the last time the clock showed that.
fn clock(text: &str, now: Timestamp) -> Option<i64> {
    let word = text
        .split(|c: char| c.is_whitespace() || matches!(c, ',' | '?' | '-'))
        .find_map(|w| {
            let (h, m) = w.trim_end_matches(['.', 'z']).split_once(':')?;
            let (h, m): (i64, i64) = (h.parse().ok()?, m.get(..2)?.parse().ok()?);
            ((0..24).contains(&h) && (0..60).contains(&m)).then_some(h * 60 + m)
        })?;
    let midnight = now.0 - now.0.rem_euclid(DAY);
    let at = midnight + word * MINUTE;
    let at = if at > now.0 { at - DAY } else { at };
    // "at 02:13" means around then.
    Some(if text.contains("since ") {
        at
    } else {
        at - 10 * MINUTE
    })
}

fn part_of_day(text: &str, now: Timestamp) -> Option<i64> {
    let midnight = now.0 - now.0.rem_euclid(DAY);
    if text.contains("yesterday") {
        Some(midnight - DAY)
    } else if text.contains("last night") || text.contains("overnight") || text.contains("tonight") {
        Some(midnight - 6 * 60 * MINUTE)
    } else if text.contains("today") || text.contains("this morning") {
        Some(midnight)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn minutes(text: &str) -> i64 {
        let now = Timestamp(1_795_306_339_123);
        let window = window(text, now);
        assert_eq!(window.until, now);
        (now.0 - window.from.0) / MINUTE
    }

    #[test]
    fn windows_are_read() {
        for (text, wanted) in [
            ("check xrd-1", 60),
            ("what happened in the last 2 hours on xrd-1", 120),
            ("errors in the past 30 minutes", 30),
            ("flaps in the last hour", 60),
            ("last 90m please", 90),
            ("in the last two days", 2880),
            ("down an hour ago", 80),
            ("interface status of xrd-2", 60),
        ] {
            assert_eq!(minutes(text), wanted, "{text}");
        }
        assert_eq!(minutes("since 00:02"), 10);
        assert!(minutes("last night") > 300);
    }
}
