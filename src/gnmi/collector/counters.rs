//! `sample_counters`: two readings of the interface counters, as differences and rates.

use super::arguments::Arguments;
use super::envelope::{Envelope, Status};
use super::routing::fetch;
use super::{Progress, interfaces, shrink::shrink};
use crate::gnmi::client::lookup::{at, text};
use crate::gnmi::client::{Answer, Error, Session};
use crate::proto::path::local_name;
use serde_json::{Map, Value, json};
use std::time::Duration;
use tokio::time::Instant;

const OPERATION: &str = "counter_sample";

/// Counters of one interface by leaf name, and its state.
#[derive(Debug, Clone, PartialEq)]
struct Reading {
    name: String,
    oper: Option<String>,
    counters: Vec<(String, u64)>,
}

pub(super) async fn sample(session: &Session, arguments: &Arguments, progress: &dyn Progress) -> Envelope {
    let device = session.device();
    let seconds = arguments.number("seconds").unwrap_or(5);
    let wanted = arguments.text("interface").filter(|i| !i.is_empty());
    let (first, started) = match read(session, wanted).await {
        Ok(first) => first,
        Err(error) => return Envelope::failed_or_absent(device, OPERATION, "interfaces", &error),
    };
    if let (Some(wanted), true) = (wanted, first.is_empty()) {
        let metadata = json!({ "interface": wanted, "issue_type": "INTERFACE_NOT_FOUND", "message": format!("Interface {wanted} not found") });
        return Envelope {
            metadata,
            ..Envelope::new(device, OPERATION, Status::Failed)
        };
    }
    let steps = usize::try_from(seconds).unwrap_or(usize::MAX);
    for step in 1..=steps {
        tokio::time::sleep_until(started.0 + Duration::from_secs(step as u64)).await;
        progress.report(step, steps, "waiting for the second reading");
    }
    let (second, ended) = match read(session, wanted).await {
        Ok(second) => second,
        Err(error) => return Envelope::failed(device, OPERATION, &error),
    };
    let elapsed = elapsed(started, ended);
    let list: Vec<Value> = second
        .iter()
        .map(|now| difference(first.iter().find(|f| f.name == now.name), now, elapsed))
        .collect();
    let mut data = json!({ "interfaces": list });
    let truncated = shrink(&mut data, &arguments.texts("fields"), arguments.number("limit"));
    let mut metadata = json!({ "seconds": elapsed.as_secs_f64(), "interface_count": second.len() });
    if !truncated.is_empty() {
        metadata["truncated"] = Value::Object(truncated);
    }
    Envelope::success(device, OPERATION, data, metadata)
}

/// When a reading was taken: by our clock, and by the device's (ns since the epoch, 0 if it does not say).
type Taken = (Instant, i64);

/// Time between two readings by the device's clock, which is where the counters are; ours if it does not
/// tell or went backwards.
fn elapsed(started: Taken, ended: Taken) -> Duration {
    let ours = ended.0 - started.0;
    let theirs =
        u64::try_from(ended.1.saturating_sub(started.1)).map_or(Duration::ZERO, Duration::from_nanos);
    let plausible = started.1 > 0 && theirs > ours / 2 && theirs < ours * 2;
    if plausible { theirs } else { ours }
}

async fn read(session: &Session, wanted: Option<&str>) -> Result<(Vec<Reading>, Taken), Error> {
    let answer = fetch(session, interfaces::MODEL, &[interfaces::PATH]).await?;
    let taken = (Instant::now(), answer.timestamp_ns);
    Ok((readings(&answer, wanted), taken))
}

fn readings(answer: &Answer, wanted: Option<&str>) -> Vec<Reading> {
    let all = interfaces::interfaces(answer);
    let named = all.iter().filter_map(|i| Some((text(i, "name")?, i)));
    named
        .filter(|(name, _)| wanted.is_none_or(|w| w == name))
        .map(|(name, interface)| {
            let counters = at(interface, "state/counters").and_then(Value::as_object);
            let counters = counters
                .into_iter()
                .flatten()
                .filter_map(|(leaf, v)| {
                    let count = v.as_u64().or_else(|| v.as_str()?.parse().ok())?;
                    Some((local_name(leaf).to_owned(), count))
                })
                // last-clear is a time, not a counter
                .filter(|(leaf, _)| leaf != "last-clear")
                .collect();
            let oper = text(interface, "state/oper-status").map(|s| local_name(&s).to_owned());
            Reading { name, oper, counters }
        })
        .collect()
}

fn difference(before: Option<&Reading>, now: &Reading, elapsed: Duration) -> Value {
    let seconds = elapsed.as_secs_f64().max(0.001);
    let mut deltas = Map::new();
    let mut rates = Map::new();
    let mut reset = Vec::new();
    for (leaf, count) in &now.counters {
        let earlier = before.and_then(|b| b.counters.iter().find(|(l, _)| l == leaf));
        let Some((_, earlier)) = earlier else { continue };
        let Some(delta) = count.checked_sub(*earlier) else {
            reset.push(leaf.clone());
            continue;
        };
        deltas.insert(leaf.clone(), json!(delta));
        let rate = delta as f64 / seconds;
        match leaf.strip_suffix("-octets") {
            Some(direction) => rates.insert(format!("{direction}-bits-per-second"), json!(round(rate * 8.0))),
            None => rates.insert(format!("{leaf}-per-second"), json!(round(rate))),
        };
    }
    let mut out = json!({ "name": now.name, "oper_status": now.oper, "deltas": deltas, "rates": rates });
    if !reset.is_empty() {
        out["went_backwards"] = json!(reset);
    }
    out
}

fn round(rate: f64) -> f64 {
    (rate * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gnmi::collector::tests::answer;

    fn read(octets: &str, errors: u64) -> Vec<Reading> {
        let tree = json!({"interface": [{"name": "Gi0", "state": {"oper-status": "UP",
            "counters": {"in-octets": octets, "in-fcs-errors": errors, "last-clear": "1795133528000000000"}}}]});
        readings(&answer(&[("/interfaces", tree)]), None)
    }

    #[test]
    fn differences_and_rates() {
        let (before, now) = (read("1000", 5), read("3500", 3));
        let got = difference(before.first(), &now[0], Duration::from_secs(2));
        assert_eq!(got["deltas"], json!({"in-octets": 2500}));
        assert_eq!(got["rates"], json!({"in-bits-per-second": 10000.0}));
        assert_eq!(
            got["went_backwards"],
            json!(["in-fcs-errors"]),
            "a cleared counter is told, not a huge rate"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn the_devices_clock_counts_when_it_is_plausible() {
        let start = Instant::now();
        let later = start + Duration::from_secs(4);
        let second = 1_000_000_000;
        assert_eq!(
            elapsed((start, 10 * second), (later, 15 * second)),
            Duration::from_secs(5)
        );
        assert_eq!(
            elapsed((start, 10 * second), (later, 100 * second)),
            Duration::from_secs(4)
        );
        assert_eq!(elapsed((start, 0), (later, 0)), Duration::from_secs(4));
    }
}
