//! `get_logs`: the device's log, filtered here by age and text.
//!
//! The log is fetched whole with IOS-XR's `show logging` over gNMI (origin `cli`, ASCII encoding) and
//! filtered in this process, so any word may be searched, not only those that survive a router's shell.
//! Age is counted by the device's own clock: a router whose clock is wrong still shows its last minutes.

use super::arguments::Arguments;
use super::envelope::Envelope;
use super::system::device_clock;
use crate::gnmi::client::{Error, Get, Session};
use crate::proto::gnmi::get_request::DataType;
use crate::proto::gnmi::{Encoding, Path, PathElem};
use jiff::civil::DateTime;
use jiff::{SignedDuration, Timestamp, tz::TimeZone};
use serde_json::{Value, json};

const OPERATION: &str = "logs";
const COMMAND: &str = "show logging";
const DEFAULT_MINUTES: i64 = 5;
const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

pub(super) async fn collect(session: &Session, arguments: &Arguments) -> Envelope {
    let device = session.device();
    let everything = arguments.flag("show_all_logs");
    let minutes = match minutes(arguments.raw("minutes")) {
        Ok(minutes) => minutes,
        Err(message) => return Envelope::invalid(device, OPERATION, message),
    };
    let (text, clock) = futures::join!(fetch(session), device_clock(session));
    let text = match text {
        Ok(text) => text,
        Err(error) => return Envelope::failed_or_absent(device, OPERATION, "logs", &error),
    };
    let here = Timestamp::now();
    let now = clock.as_ref().copied().unwrap_or(here);
    // The contract takes 0 for the default window.
    let window = if minutes == 0 { DEFAULT_MINUTES } else { minutes };
    let reach = SignedDuration::from_mins(window.min(60 * 24 * 366 * 10));
    // A device's clock may stand anywhere, also before all time.
    let since = (!everything).then(|| now.checked_sub(reach).unwrap_or(Timestamp::MIN));
    let keywords = arguments.text("keywords").filter(|k| !k.is_empty());
    let mut lines = select(&text, now, since, keywords);
    let total = lines.len();
    if let Some(limit) = arguments.number("limit") {
        lines.drain(..total.saturating_sub(usize::try_from(limit).unwrap_or(usize::MAX)));
    }
    let filter = json!({
        "keywords": arguments.raw("keywords"),
        "filter_minutes": if everything { Value::Null } else { json!(minutes) },
        "show_all_logs": everything,
    });
    let logs: Vec<Value> = lines.iter().map(|line| json!({ "message": line })).collect();
    let data = json!({
        "logs": logs,
        "summary": { "count": logs.len(), "filter_info": filter },
        "filters_applied": filter,
    });
    let mut metadata = json!({});
    if let Ok(clock) = clock {
        let skew = clock.duration_since(here).as_secs();
        metadata["device_time"] = json!(clock.to_string());
        metadata["device_clock_offset_seconds"] = json!(skew);
    }
    if logs.len() < total {
        metadata["truncated"] = json!({ "/logs": total });
    }
    Envelope::success(device, OPERATION, data, metadata)
}

async fn fetch(session: &Session) -> Result<String, Error> {
    let command = PathElem {
        name: COMMAND.into(),
        ..PathElem::default()
    };
    let path = Path {
        origin: "cli".into(),
        elem: vec![command],
        ..Path::default()
    };
    let get = Get {
        paths: vec![path],
        data_type: DataType::All,
        encoding: Encoding::Ascii,
    };
    let answer = session.get(&get).await?;
    Ok(answer
        .updates
        .iter()
        .filter_map(|u| u.value.as_str())
        .collect::<Vec<_>>()
        .join("\n"))
}

/// The argument `minutes`: a number, a number as text, or null for the default.
fn minutes(value: &Value) -> Result<i64, String> {
    let minutes = match value {
        Value::Null => DEFAULT_MINUTES,
        Value::String(text) => text.trim().parse().map_err(|_| {
            format!(
                "Minutes must be a number, got: '{text}'. Give an integer (5) or an integer as text ('5')."
            )
        })?,
        other => other.as_i64().unwrap_or(i64::MAX),
    };
    if minutes < 0 {
        return Err(format!(
            "Minutes must be a positive integer, got: {minutes}. Give a positive number, e.g. 30."
        ));
    }
    Ok(minutes)
}

/// Lines that are young enough and hold a keyword. A line without a time stamp belongs to the one before.
fn select<'a>(
    text: &'a str,
    now: Timestamp,
    since: Option<Timestamp>,
    keywords: Option<&str>,
) -> Vec<&'a str> {
    let words: Vec<String> = keywords
        .map(|k| {
            k.split('|')
                .map(|w| w.trim().to_lowercase())
                .filter(|w| !w.is_empty())
                .collect()
        })
        .unwrap_or_default();
    let mut lines = Vec::new();
    // What stands before the first dated line is the buffer's header.
    let mut recent = false;
    let mut dated = false;
    for line in text.lines().map(str::trim_end).filter(|l| !l.is_empty()) {
        if let Some(time) = stamp(line, now) {
            dated = true;
            recent = since.is_none_or(|since| time >= since);
        }
        let hit = words.is_empty() || {
            let lower = line.to_lowercase();
            words.iter().any(|w| lower.contains(w.as_str()))
        };
        if dated && recent && hit {
            lines.push(line);
        }
    }
    lines
}

/// Time of a line such as `RP/0/RP0/CPU0:Nov 22 00:08:10.123 UTC: bgp[1084]: …`; a year may stand before
/// the month. Without one it is the year that puts the line nearest to `now`. UTC is assumed: a device
/// that logs in another zone is off by it.
fn stamp(line: &str, now: Timestamp) -> Option<Timestamp> {
    let mut words = line.split_whitespace();
    let mut year = None;
    let mut tries = 0;
    let month = loop {
        let word = words.next()?;
        let word = word.rsplit(':').next().unwrap_or(word);
        match MONTHS.iter().position(|m| *m == word) {
            Some(index) => break i8::try_from(index + 1).ok()?,
            None if word.len() == 4 => year = word.parse::<i16>().ok().or(year),
            None => {}
        }
        // A stamp stands at the start of a line or not at all.
        tries += 1;
        if tries == 3 {
            return None;
        }
    };
    let day: i8 = words.next()?.parse().ok()?;
    let clock: jiff::civil::Time = words.next()?.trim_end_matches(':').parse().ok()?;
    let at = |year: i16| {
        let date = jiff::civil::Date::new(year, month, day).ok()?;
        DateTime::from_parts(date, clock)
            .to_zoned(TimeZone::UTC)
            .ok()
            .map(|z| z.timestamp())
    };
    if let Some(year) = year {
        return at(year);
    }
    let this = now.to_zoned(TimeZone::UTC).year();
    [this - 1, this, this + 1]
        .into_iter()
        .filter_map(at)
        .min_by_key(|t| t.duration_since(now).abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "Syslog logging: enabled (0 messages dropped, 0 flushes, 0 overruns)\n\
        \x20   Console logging: level debugging, 20 messages logged\n\
        Log Buffer (2097152 bytes):\n\n\
        RP/0/RP0/CPU0:Nov 21 00:12:11.123 UTC: ifmgr[277]: %PKT_INFRA-LINK-3-UPDOWN : Interface Gi0, changed state to Up\n\
        RP/0/RP0/CPU0:Nov 22 00:08:11.123 UTC: bgp[1084]: %ROUTING-BGP-5-ADJCHANGE : neighbor 1.1.1.1 Down (VRF: default)\n\
        \x20 continued [x=1]\n\
        RP/0/RP0/CPU0:2026 Nov 22 00:10:11.123 UTC: isis[1003]: %ROUTING-ISIS-5-ADJCHANGE : a/b ( Up\n";

    fn now() -> Timestamp {
        "2026-11-22T00:12:11Z".parse().unwrap()
    }

    fn count(minutes: Option<i64>, keywords: Option<&str>) -> usize {
        select(
            LOG,
            now(),
            minutes.map(|m| now() - SignedDuration::from_mins(m)),
            keywords,
        )
        .len()
    }

    #[test]
    fn age_is_counted_and_the_header_is_dropped() {
        assert_eq!(count(None, None), 4);
        assert_eq!(
            count(Some(5), None),
            3,
            "a line without stamp goes with the one before it"
        );
        assert_eq!(count(Some(3), None), 1);
        assert_eq!(count(Some(0), None), 0);
    }

    #[test]
    fn any_text_can_be_searched() {
        for (keywords, lines) in [
            ("bgp", 1),
            ("VRF: default", 1),
            ("a/b", 1),
            ("(", 2),
            ("[x=1]", 1),
            ("nothing", 0),
            ("bgp|isis", 2),
            ("UpDown", 1),
        ] {
            assert_eq!(count(None, Some(keywords)), lines, "{keywords}");
        }
    }

    #[test]
    fn the_year_is_the_nearest() {
        let new_year: Timestamp = "2027-01-01T00:01:00Z".parse().unwrap();
        let time = stamp("RP/0/RP0/CPU0:Dec 31 23:59:00.000 UTC: x", new_year).unwrap();
        assert_eq!(time.to_string(), "2026-12-31T23:59:00Z");
        assert_eq!(stamp("no stamp here, although May follows", new_year), None);
    }

    #[test]
    fn minutes_are_checked() {
        assert_eq!(minutes(&json!("60")), Ok(60));
        assert_eq!(minutes(&Value::Null), Ok(5));
        assert!(minutes(&json!(-5)).unwrap_err().contains("-5"));
        assert!(minutes(&json!("abc")).unwrap_err().contains("'abc'"));
    }
}
