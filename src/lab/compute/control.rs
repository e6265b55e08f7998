//! The outcome of a simulation, good until the next event; and what is derived from it once, on demand.

use std::sync::{Arc, OnceLock};

use super::labels::{self, Sid};
use super::log::{self, Record, Span};
use super::moment::{Base, Moment};
use super::routes::{Fabric, Shared};
use super::simulation;
use super::tables::DeviceTables;
use super::traffic::Traffic;
use super::{device, protocols};
use crate::lab::fault::Interval;
use crate::lab::network::{DeviceId, Network};
use crate::lab::state::{DeviceState, LogLine, LspState};

/// Lines a router's log buffer holds at most.
const BUFFER_LINES: usize = 2_000;

/// Control plane of the network between two events.
#[derive(Debug)]
pub(crate) struct Control {
    pub(super) base: Arc<Base>,
    pub(super) intervals: Arc<Vec<Interval>>,
    pub(super) moment: Moment,
    pub(super) traffic: Traffic,
    records: Vec<Record>,
    spans: Vec<Span>,
    last_ms: Option<i64>,
    next_ms: Option<i64>,
    shared: OnceLock<Shared>,
    sids: OnceLock<Vec<Sid>>,
    lsps: OnceLock<Arc<Vec<LspState>>>,
    tables: Vec<OnceLock<DeviceTables>>,
}

impl Control {
    pub(crate) fn new(base: &Arc<Base>, intervals: &Arc<Vec<Interval>>, now_ms: i64) -> Self {
        let outcome = simulation::run(base, intervals, now_ms);
        Self {
            base: base.clone(),
            intervals: intervals.clone(),
            moment: outcome.moment,
            traffic: outcome.traffic,
            records: outcome.records,
            spans: outcome.spans,
            last_ms: outcome.last_ms,
            next_ms: outcome.next_ms,
            shared: OnceLock::new(),
            sids: OnceLock::new(),
            lsps: OnceLock::new(),
            tables: (0..base.network.devices.len()).map(|_| OnceLock::new()).collect(),
        }
    }

    /// Nothing happens between what this was computed for and `now_ms`.
    pub(crate) fn covers(&self, now_ms: i64) -> bool {
        self.last_ms.is_none_or(|t| t <= now_ms) && self.next_ms.is_none_or(|t| now_ms < t)
    }

    pub(crate) fn network(&self) -> &Network {
        &self.base.network
    }

    pub(super) fn fabric(&self) -> Fabric<'_> {
        let shared = self.shared.get_or_init(|| Shared::new(&self.base, &self.moment));
        Fabric {
            base: &self.base,
            moment: &self.moment,
            shared,
        }
    }

    pub(super) fn sids(&self) -> &[Sid] {
        self.sids.get_or_init(|| labels::sids(&self.moment.situation))
    }

    pub(super) fn lsps(&self) -> &Arc<Vec<LspState>> {
        self.lsps.get_or_init(|| Arc::new(protocols::lsps(self)))
    }

    pub(super) fn tables(&self, device: DeviceId) -> &DeviceTables {
        self.tables[device].get_or_init(|| DeviceTables::new(self, device))
    }

    /// What a device shows at `now_ms`.
    pub(crate) fn device(self: &Arc<Self>, device: DeviceId, now_ms: i64) -> DeviceState {
        device::render(self, device, now_ms)
    }

    /// A device answers its management address.
    pub(crate) fn answers(&self, device: DeviceId) -> bool {
        !self.moment.situation.node_dark(device) && !self.moment.situation.management_down(device)
    }

    /// The log of a device from `since_ms` to `now_ms`, oldest first; it begins anew with a boot.
    pub(crate) fn logs(&self, device: DeviceId, since_ms: i64, now_ms: i64) -> Vec<LogLine> {
        let from_ms = since_ms.max(self.moment.boots[device].at_ms);
        let window = from_ms..=now_ms;
        let mut records: Vec<Record> = self
            .records
            .iter()
            .filter(|r| r.device == device && window.contains(&r.at_ms))
            .cloned()
            .collect();
        for span in self.spans.iter().filter(|s| s.device == device) {
            let end = span.until_ms.map_or(now_ms, |u| u.min(now_ms));
            let skipped = ((from_ms - span.from_ms).max(0) + span.period_ms - 1) / span.period_ms;
            let mut at_ms = span.from_ms + skipped * span.period_ms;
            while at_ms <= end {
                records.push(Record {
                    device,
                    at_ms,
                    said: span.said.clone(),
                });
                at_ms += span.period_ms;
            }
        }
        records.extend(log::chatter(self.base.seed, device, from_ms, now_ms));
        records.sort_by_key(|r| r.at_ms);
        let skipped = records.len().saturating_sub(BUFFER_LINES);
        records
            .iter()
            .skip(skipped)
            .map(|r| log::line(&r.said, r.at_ms, self.skew_at(device, r.at_ms)))
            .collect()
    }

    /// Error of a device's clock at a time.
    fn skew_at(&self, device: DeviceId, at_ms: i64) -> i64 {
        use crate::lab::fault::{Change, Condition};
        let of = self
            .intervals
            .iter()
            .filter(|i| i.device == device && i.holds(at_ms));
        of.map(|i| {
            if let Change::Condition(Condition::ClockSkew { ms }) = &i.change {
                *ms
            } else {
                0
            }
        })
        .sum()
    }
}
