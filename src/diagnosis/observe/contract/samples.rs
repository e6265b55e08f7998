//! `sample_counters`: how much counters moved between two readings.

use super::super::cursor::{Cursor, Reads};
use crate::agent::model::Aspect;
use crate::diagnosis::network::{Counter, DeviceFacts};

const NAMES: [(Counter, &[&str]); 5] = [
    (Counter::Fcs, &["in_fcs_errors", "in-fcs-errors"]),
    (Counter::InErrors, &["in_errors", "in-errors"]),
    (Counter::OutDiscards, &["out_discards", "out-discards"]),
    (Counter::InDiscards, &["in_discards", "in-discards"]),
    (
        Counter::Transitions,
        &["carrier_transitions", "carrier-transitions"],
    ),
];

pub fn read(device: &mut DeviceFacts, data: &Cursor<'_>) {
    device.seen.insert(Aspect::Counters);
    let common = data.member("seconds").and_then(|s| s.number());
    let rows = ["interfaces", "samples", "rates"]
        .iter()
        .find_map(|k| data.member(k));
    let Some(rows) = rows else { return };
    let named: Vec<(Option<&str>, Cursor<'_>)> = if rows.value().is_array() {
        rows.entries().into_iter().map(|r| (None, r)).collect()
    } else {
        rows.members().into_iter().map(|(n, r)| (Some(n), r)).collect()
    };
    for (name, row) in named {
        let own = ["name", "interface"]
            .iter()
            .find_map(|k| row.member(k))
            .and_then(|n| n.text());
        let Some(name) = own.or_else(|| name.map(str::to_owned)) else {
            continue;
        };
        let seconds = row
            .member("seconds")
            .and_then(|s| s.number())
            .or(common)
            .unwrap_or(1.0);
        let deltas = ["deltas", "delta", "differences", "increase"]
            .iter()
            .find_map(|k| row.member(k));
        let Some(deltas) = deltas else { continue };
        for (counter, keys) in NAMES {
            if let Some(delta) = keys.iter().find_map(|k| deltas.child(k)).cited_whole() {
                let facts = device.interface_mut(&name).counters.entry(counter).or_default();
                facts.sampled = Some((delta, seconds));
            }
        }
    }
}
