//! How tools perform: every call's outcome and latency, and the figures drawn from them.
//!
//! Records are kept in memory, the newest ten thousand; whoever wants them for longer stores them and hands
//! them to [`summarise`] again. The figures are the same either way.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::agent::model::ErrorKind;

/// Records kept in memory.
const KEPT: usize = 10_000;

/// One call as it went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallRecord {
    /// `server.tool`.
    pub tool: String,
    /// Milliseconds from the request to its outcome.
    pub latency_ms: u64,
    /// What went wrong, if anything; a missing feature is an answer and counts as success.
    pub error: Option<ErrorKind>,
    /// Answered from the cache: counted, but without a latency of the tool.
    pub cached: bool,
}

/// The figures of one tool.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ToolFigures {
    /// `server.tool`.
    pub tool: String,
    /// Calls, cached ones included.
    pub invocations: usize,
    /// Calls answered from the cache.
    pub cached: usize,
    /// Share of calls that succeeded, 0 to 1.
    pub success_rate: f64,
    /// Median latency of calls that reached the tool, milliseconds (nearest rank); `None` without any.
    pub p50_ms: Option<u64>,
    /// 95th percentile likewise.
    pub p95_ms: Option<u64>,
    /// Failures by kind.
    pub errors: BTreeMap<ErrorKind, usize>,
}

/// Collects records.
#[derive(Debug, Default)]
pub struct Performance {
    records: Mutex<VecDeque<CallRecord>>,
}

impl Performance {
    /// Keeps a record; the oldest leaves when there are too many.
    pub fn record(&self, record: CallRecord) {
        let mut records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        if records.len() == KEPT {
            records.pop_front();
        }
        records.push_back(record);
    }

    /// The records so far, oldest first.
    #[must_use]
    pub fn records(&self) -> Vec<CallRecord> {
        self.records
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
            .cloned()
            .collect()
    }
}

/// The figures per tool, by tool.
#[must_use]
pub fn summarise(records: &[CallRecord]) -> Vec<ToolFigures> {
    let mut by_tool: BTreeMap<&str, Vec<&CallRecord>> = BTreeMap::new();
    for record in records {
        by_tool.entry(&record.tool).or_default().push(record);
    }
    by_tool
        .into_iter()
        .map(|(tool, records)| figures(tool, &records))
        .collect()
}

fn figures(tool: &str, records: &[&CallRecord]) -> ToolFigures {
    let mut errors = BTreeMap::new();
    for kind in records
        .iter()
        .filter_map(|record| record.error)
        .filter(|kind| *kind != ErrorKind::NotAvailable)
    {
        *errors.entry(kind).or_insert(0) += 1;
    }
    let failed: usize = errors.values().sum();
    let mut latencies: Vec<u64> = records
        .iter()
        .filter(|r| !r.cached)
        .map(|r| r.latency_ms)
        .collect();
    latencies.sort_unstable();
    ToolFigures {
        tool: tool.to_owned(),
        invocations: records.len(),
        cached: records.iter().filter(|record| record.cached).count(),
        success_rate: (records.len() - failed) as f64 / records.len().max(1) as f64,
        p50_ms: percentile(&latencies, 50),
        p95_ms: percentile(&latencies, 95),
        errors,
    }
}

/// Nearest-rank percentile of sorted values.
fn percentile(sorted: &[u64], percent: usize) -> Option<u64> {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied()
}

/// Two runs side by side.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// Tools of both runs: figures of the first and of the second.
    pub both: Vec<(ToolFigures, ToolFigures)>,
    /// Tools only in the first.
    pub only_first: Vec<ToolFigures>,
    /// Tools only in the second.
    pub only_second: Vec<ToolFigures>,
}

/// Compares two runs.
#[must_use]
pub fn compare(first: &[CallRecord], second: &[CallRecord]) -> Comparison {
    let (first, second) = (summarise(first), summarise(second));
    let names = |all: &[ToolFigures]| all.iter().map(|f| f.tool.clone()).collect::<BTreeSet<_>>();
    let (in_first, in_second) = (names(&first), names(&second));
    let mut seconds: BTreeMap<String, ToolFigures> =
        second.into_iter().map(|f| (f.tool.clone(), f)).collect();
    let mut comparison = Comparison {
        both: Vec::new(),
        only_first: Vec::new(),
        only_second: Vec::new(),
    };
    for figures in first {
        match seconds.remove(&figures.tool) {
            Some(other) if in_second.contains(&figures.tool) => comparison.both.push((figures, other)),
            _ => comparison.only_first.push(figures),
        }
    }
    comparison.only_second = seconds
        .into_values()
        .filter(|f| !in_first.contains(&f.tool))
        .collect();
    comparison
}

/// The figures as CSV with a header line.
#[must_use]
pub fn csv(figures: &[ToolFigures]) -> String {
    let mut out = String::from("tool,invocations,cached,success_rate,p50_ms,p95_ms,errors\n");
    for row in figures {
        let cell = |value: Option<u64>| value.map(|v| v.to_string()).unwrap_or_default();
        let errors: Vec<String> = row
            .errors
            .iter()
            .map(|(kind, count)| format!("{kind}:{count}"))
            .collect();
        // Tool ids hold no comma or quote: servers are checked and foreign names are quoted here.
        let tool = row.tool.replace('"', "\"\"");
        out.push_str(&format!(
            "\"{tool}\",{},{},{:.4},{},{},\"{}\"\n",
            row.invocations,
            row.cached,
            row.success_rate,
            cell(row.p50_ms),
            cell(row.p95_ms),
            errors.join(";"),
        ));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(tool: &str, latency_ms: u64, error: Option<ErrorKind>) -> CallRecord {
        CallRecord {
            tool: tool.to_owned(),
            latency_ms,
            error,
            cached: false,
        }
    }

    #[test]
    fn figures_are_counted_per_tool() {
        let mut records: Vec<CallRecord> = (1..=100).map(|ms| record("a.x", ms, None)).collect();
        records.push(record("b.y", 7, Some(ErrorKind::Timeout)));
        records.push(record("b.y", 9, Some(ErrorKind::NotAvailable)));
        records.push(CallRecord {
            cached: true,
            ..record("b.y", 0, None)
        });
        let all = summarise(&records);
        assert_eq!(
            (all[0].invocations, all[0].p50_ms, all[0].p95_ms),
            (100, Some(50), Some(95))
        );
        assert!((all[0].success_rate - 1.0).abs() < 1e-9);
        assert_eq!(
            (all[1].invocations, all[1].cached, all[1].p50_ms, all[1].p95_ms),
            (3, 1, Some(7), Some(9))
        );
        assert!((all[1].success_rate - 2.0 / 3.0).abs() < 1e-9);
        assert_eq!(all[1].errors, BTreeMap::from([(ErrorKind::Timeout, 1)]));
        assert_eq!(
            csv(&all).lines().nth(2),
            Some("\"b.y\",3,1,0.6667,7,9,\"timeout:1\"")
        );
    }

    #[test]
    fn two_runs_are_compared() {
        let first = [record("a.x", 1, None), record("a.gone", 1, None)];
        let second = [record("a.x", 3, None), record("a.new", 1, None)];
        let comparison = compare(&first, &second);
        assert_eq!(comparison.both.len(), 1);
        assert_eq!(comparison.both[0].1.p50_ms, Some(3));
        assert_eq!(comparison.only_first[0].tool, "a.gone");
        assert_eq!(comparison.only_second[0].tool, "a.new");
    }

    #[test]
    fn memory_is_bounded() {
        let performance = Performance::default();
        (0..KEPT as u64 + 10).for_each(|ms| performance.record(record("a.x", ms, None)));
        let records = performance.records();
        assert_eq!((records.len(), records[0].latency_ms), (KEPT, 10));
    }
}
