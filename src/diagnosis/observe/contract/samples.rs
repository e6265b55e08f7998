//! `sample_counters`: how much counters moved between two readings, by leaf name, with rates a second.

use super::super::cursor::{Cursor, Reads};
use crate::agent::model::Aspect;
use crate::diagnosis::network::{Counter, DeviceFacts};

const LEAVES: [(Counter, &str); 5] = [
    (Counter::Fcs, "in-fcs-errors"),
    (Counter::InErrors, "in-errors"),
    (Counter::OutDiscards, "out-discards"),
    (Counter::InDiscards, "in-discards"),
    (Counter::Transitions, "carrier-transitions"),
];

/// True when the rows are differences, not readings.
pub fn is_sample(data: &Cursor<'_>) -> bool {
    data.member("interfaces")
        .is_some_and(|rows| rows.entries().iter().any(|row| row.member("deltas").is_some()))
}

pub fn read(device: &mut DeviceFacts, data: &Cursor<'_>) {
    device.seen.insert(Aspect::Counters);
    for row in data
        .member("interfaces")
        .map(|rows| rows.entries())
        .unwrap_or_default()
    {
        let (Some(name), Some(deltas)) = (row.member("name").and_then(|n| n.text()), row.member("deltas"))
        else {
            continue;
        };
        for (counter, leaf) in LEAVES {
            let Some(delta) = deltas.member(leaf).cited_whole() else {
                continue;
            };
            let rate = row
                .member("rates")
                .and_then(|r| r.member(&format!("{leaf}-per-second"))?.number());
            let seconds = rate
                .filter(|r| *r > 0.0)
                .map_or(1.0, |rate| delta.value as f64 / rate);
            device
                .interface_mut(&name)
                .counters
                .entry(counter)
                .or_default()
                .sampled = Some((delta, seconds));
        }
    }
}
