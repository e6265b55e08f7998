//! Time stamps as devices print them: RFC 3339, and the year-less stamps of log lines.

use crate::agent::model::Timestamp;

const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

/// Days from 1970-01-01 to a civil date (proleptic Gregorian; H. Hinnant, "chrono-compatible date algorithms").
fn days(year: i64, month: i64, day: i64) -> i64 {
    let y = if month <= 2 { year - 1 } else { year };
    let era = y.div_euclid(400);
    let of_era = y.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The civil year of a time.
fn year_of(at: Timestamp) -> i64 {
    let z = at.0.div_euclid(86_400_000) + 719_468;
    let era = z.div_euclid(146_097);
    let of_era = z.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let march = (5 * of_year + 2) / 153;
    era * 400 + year + i64::from(march >= 10)
}

fn clock(text: &str) -> Option<i64> {
    let mut parts = text.split(':');
    let hours: i64 = parts.next()?.parse().ok()?;
    let minutes: i64 = parts.next()?.parse().ok()?;
    let seconds: f64 = parts.next()?.parse().ok()?;
    ((0..24).contains(&hours) && (0..60).contains(&minutes) && (0.0..61.0).contains(&seconds))
        .then_some((hours * 60 + minutes) * 60_000 + (seconds * 1000.0) as i64)
}

/// `2026-11-22T00:12:19.123+00:00`, also with `Z` or without an offset (then UTC).
pub fn rfc3339(text: &str) -> Option<Timestamp> {
    let (date, rest) = text.trim().split_once(['T', ' '])?;
    let mut parts = date.split('-').map(|p| p.parse::<i64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    let split = rest.find(['Z', '+', '-', ' ']).unwrap_or(rest.len());
    let (time, zone) = rest.split_at(split);
    let offset = match zone.trim() {
        "" | "Z" | "UTC" => 0,
        zone => {
            let sign = if zone.starts_with('-') { -1 } else { 1 };
            let (hours, minutes) = zone.get(1..)?.split_once(':').unwrap_or((zone.get(1..)?, "0"));
            sign * (hours.parse::<i64>().ok()? * 60 + minutes.parse::<i64>().ok()?) * 60_000
        }
    };
    Some(Timestamp(
        days(year, month, day) * 86_400_000 + clock(time)? - offset,
    ))
}

/// The stamp in a log line (`RP/0/RP0/CPU0:Nov 22 00:08:10.123 UTC: …`). The year is the one that puts
/// the line nearest to `now`.
pub fn of_line(line: &str, now: Timestamp) -> Option<Timestamp> {
    let words: Vec<&str> = line.split([' ', ':']).filter(|w| !w.is_empty()).take(8).collect();
    let index = words
        .iter()
        .position(|w| MONTHS.contains(&w.to_ascii_lowercase().as_str()))?;
    let month = MONTHS
        .iter()
        .position(|m| *m == words[index].to_ascii_lowercase())? as i64
        + 1;
    let day: i64 = words
        .get(index + 1)?
        .parse()
        .ok()
        .filter(|d| (1..=31).contains(d))?;
    let begin = line.find(words[index])?;
    let time = line[begin..]
        .split_whitespace()
        .nth(2)?
        .trim_end_matches([':', ',']);
    let of_day = clock(time)?;
    let year = year_of(now);
    (year - 1..=year + 1)
        .map(|year| Timestamp(days(year, month, day) * 86_400_000 + of_day))
        .min_by_key(|at| at.since_ms(now).abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_read_back() {
        let at = rfc3339("2026-11-22T00:12:19.123+00:00").unwrap();
        assert_eq!(at, Timestamp(1_795_306_339_123));
        assert_eq!(rfc3339("2026-11-22T01:12:19.123+01:00"), Some(at));
        assert_eq!(rfc3339("2026-11-22 00:12:19.123 UTC"), Some(at));
        let line = "RP/0/RP0/CPU0:Nov 22 00:12:19.123 UTC: ifmgr[277]: %PKT_INFRA-LINK-3-UPDOWN : x";
        assert_eq!(of_line(line, at), Some(at));
        let january = rfc3339("2027-01-01T00:01:00Z").unwrap();
        let december = "RP/0/RP0/CPU0:Dec 31 23:59:00.000 UTC: x[1]: %A-B-1-C : y";
        assert_eq!(january.since_ms(of_line(december, january).unwrap()), 120_000);
        assert_eq!(of_line("no stamp here", at), None);
        assert_eq!(rfc3339("unknown"), None);
    }
}
