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

/// `last 2 hours`, `past 30 min`, `15 minutes ago`, `last hour`, `90m`, `half an hour`, `a couple of hours`.
fn spoken(text: &str) -> Option<i64> {
    let words: Vec<&str> = text
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|w| !w.is_empty() && *w != "of")
        .collect();
    words.iter().enumerate().find_map(|(at, word)| {
        let (unit, inline) = unit(word)?;
        let back = |n: usize| at.checked_sub(n).map(|i| words[i]);
        let recent = words[..at].iter().rev().take(4).any(|w| {
            matches!(
                *w,
                "last" | "past" | "previous" | "within" | "recent" | "for" | "since"
            )
        });
        let ago = words.get(at + 1) == Some(&"ago")
            || words.get(at + 1..at + 5) == Some(&["and", "a", "half", "ago"]);
        let half = back(1) == Some("half") || back(1) == Some("an") && back(2) == Some("half");
        let more = match words.get(at + 1..at + 4) {
            Some(["and", "a", "half"]) => unit / 2,
            _ => 0,
        };
        let count = inline.or_else(|| back(1).and_then(number));
        match count {
            _ if half && (recent || ago) => Some(margin(unit / 2, ago)),
            Some(count) if recent || ago => Some(margin(count * unit + more, ago)),
            None if matches!(back(1), Some("last" | "past" | "this")) => Some(unit),
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
        "second" | "seconds" | "sec" | "secs" => 1,
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

/// `since 02:10`, `at 2am`, `between 1 and 2 am`: the last time the clock showed the earliest of them.
fn clock(text: &str, now: Timestamp) -> Option<i64> {
    let words: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || matches!(c, ',' | '?' | '-' | ';' | '(' | ')'))
        .map(|w| w.trim_matches(['.', '\'']))
        .filter(|w| !w.is_empty())
        .collect();
    let times = words.iter().enumerate().filter_map(|(at, word)| {
        let next = words.get(at + 1).copied().unwrap_or_default();
        colon(word).or_else(|| twelve_hours(word, next)).or_else(|| {
            // `between 1 and 2 am`: the first number has the half of the day of the second.
            let (hour, half) = (words.get(at + 2)?, words.get(at + 3).copied().unwrap_or_default());
            let ranged = matches!(next, "and" | "to")
                && matches!(words.get(at.wrapping_sub(1)), Some(&"between" | &"from"));
            let second = twelve_hours(hour, half).filter(|_| ranged)?;
            let first = twelve_hours(word, if second < 12 * 60 { "am" } else { "pm" })?;
            Some(first)
        })
    });
    let midnight = now.0 - now.0.rem_euclid(DAY);
    let at = midnight + times.min()? * MINUTE;
    let at = if at > now.0 { at - DAY } else { at };
    // "at 02:13" means around then.
    let exact = ["since", "from", "after", "between"]
        .iter()
        .any(|w| words.contains(w));
    Some(if exact { at } else { at - 10 * MINUTE })
}

/// Minutes after midnight of `02:10`, `14:05:30`, `02:10z`.
fn colon(word: &str) -> Option<i64> {
    let (h, m) = word
        .trim_end_matches("utc")
        .trim_end_matches('z')
        .split_once(':')?;
    let (h, m): (i64, i64) = (h.parse().ok()?, m.get(..2)?.parse().ok()?);
    ((0..24).contains(&h) && (0..60).contains(&m)).then_some(h * 60 + m)
}

/// Minutes after midnight of `2am`, `2 am`, `noon`, `midnight`.
fn twelve_hours(word: &str, next: &str) -> Option<i64> {
    match word {
        "midnight" => return Some(0),
        "noon" | "midday" => return Some(12 * 60),
        _ => {}
    }
    let (number, half) = match word.strip_suffix("am").or_else(|| word.strip_suffix("pm")) {
        Some(number) => (number, &word[number.len()..]),
        None => (word, next),
    };
    let hour: i64 = number.parse().ok().filter(|h| (1..=12).contains(h))?;
    match half {
        "am" | "a.m" => Some(hour % 12 * 60),
        "pm" | "p.m" => Some((hour % 12 + 12) * 60),
        _ => None,
    }
}

fn part_of_day(text: &str, now: Timestamp) -> Option<i64> {
    let midnight = now.0 - now.0.rem_euclid(DAY);
    if let Some(days) = since_weekday(text, now) {
        return Some(midnight - days * DAY);
    }
    if text.contains("yesterday") {
        Some(midnight - DAY)
    } else if text.contains("last night") || text.contains("overnight") || text.contains("tonight") {
        Some(midnight - 6 * 60 * MINUTE)
    } else if text.contains("today") || text.contains("this morning") {
        Some(midnight)
    } else if text.contains("just now") || text.contains("moments ago") || text.contains("moment ago") {
        Some(now.0 - 15 * MINUTE)
    } else {
        None
    }
}

/// Days back to a weekday that is named; the same day is a week back.
fn since_weekday(text: &str, now: Timestamp) -> Option<i64> {
    const DAYS: [&str; 7] = [
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "monday",
        "tuesday",
        "wednesday",
    ];
    let named = DAYS.iter().position(|d| text.contains(d))?;
    // The epoch was a Thursday.
    let today = now.0.div_euclid(DAY).rem_euclid(7);
    let back = (today - i64::try_from(named).ok()?).rem_euclid(7);
    Some(if back == 0 { 7 } else { back })
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
            ("BGP bounced in the last 30 min", 30),
            ("losing packets for half an hour", 30),
            ("it broke an hour and a half ago", 117),
            ("over the last couple of hours", 120),
            ("drops since 20 minutes", 20),
            ("3 sessions down on 2 routers", 60),
            ("flapping within the past 24h", 1440),
            ("it went away just now", 15),
        ] {
            assert_eq!(minutes(text), wanted, "{text}");
        }
        // It is 00:12 on a Sunday.
        assert_eq!(minutes("since 00:02"), 10);
        assert_eq!(minutes("down since 11pm"), 72);
        assert_eq!(minutes("down since 11 pm, please look"), 72);
        assert_eq!(minutes("what happened between 9 and 10 pm"), 192);
        assert_eq!(minutes("around 22:00z something flapped"), 142);
        assert_eq!(minutes("since midnight"), 12);
        assert_eq!(minutes("slow since Friday"), 2 * 1440 + 12);
        assert_eq!(minutes("is it up at all"), 60);
        assert!(minutes("last night") > 300);
    }
}
