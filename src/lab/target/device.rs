//! One device as its target serves it: where its state comes from, how it is exposed, what was counted.

use super::access::Credentials;
use crate::lab::openconfig::{self, Exposure, tree::DataKind, tree::Found};
use crate::lab::state::{DeviceState, LogLine};
use crate::proto::gnmi::PathElem;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use tokio::sync::watch;

/// Where the state of the devices comes from. Time is the source's affair: each call answers for now.
pub trait Source: Send + Sync + 'static {
    /// Every device, in inventory order.
    fn names(&self) -> Vec<String>;
    /// What the device shows now; `None` for a name that is none.
    fn device(&self, name: &str) -> Option<Arc<DeviceState>>;
    /// Whether the management address of each device answers, in the order of [`Source::names`].
    fn answering(&self) -> Vec<bool>;
    /// The device's log, oldest line first.
    fn log(&self, name: &str) -> Vec<LogLine>;
    /// Changes whenever something happened that may have changed more than counters.
    fn changes(&self) -> watch::Receiver<u64>;
}

/// What a target was asked so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    pub capabilities: u64,
    pub gets: u64,
    pub subscribes: u64,
    /// Attempts to write; every one was refused.
    pub sets: u64,
}

/// A device with everything its server needs.
pub(super) struct Served {
    pub(super) name: String,
    pub(super) source: Arc<dyn Source>,
    pub(super) exposure: Exposure,
    pub(super) credentials: Credentials,
    pub(super) counters: Counters,
}

/// Counters behind [`Counts`], and the call number that tool trouble goes by.
#[derive(Default)]
pub(super) struct Counters {
    pub(super) capabilities: AtomicU64,
    pub(super) gets: AtomicU64,
    pub(super) subscribes: AtomicU64,
    pub(super) sets: AtomicU64,
    reads: AtomicU32,
}

impl Counters {
    pub(super) fn counts(&self) -> Counts {
        Counts {
            capabilities: self.capabilities.load(Ordering::Relaxed),
            gets: self.gets.load(Ordering::Relaxed),
            subscribes: self.subscribes.load(Ordering::Relaxed),
            sets: self.sets.load(Ordering::Relaxed),
        }
    }

    /// Number of this read, 1-based, since the start or the last [`Counters::restart`].
    pub(super) fn next_read(&self) -> u32 {
        self.reads.fetch_add(1, Ordering::Relaxed).saturating_add(1)
    }

    /// Counts reads from one again, as healing does.
    pub(super) fn restart(&self) {
        self.reads.store(0, Ordering::Relaxed);
    }
}

/// The device at one instant: all of one answer is read from one of these.
pub(super) struct View<'a> {
    served: &'a Served,
    pub(super) state: Arc<DeviceState>,
}

impl Served {
    /// # Errors
    /// `UNAVAILABLE` when the source no longer knows the device.
    pub(super) fn view(&self) -> Result<View<'_>, tonic::Status> {
        match self.source.device(&self.name) {
            Some(state) => Ok(View { served: self, state }),
            None => Err(tonic::Status::unavailable(format!(
                "{} is no longer part of the lab",
                self.name
            ))),
        }
    }
}

impl View<'_> {
    /// Everything a path leads to.
    pub(super) fn read(&self, query: &[PathElem], kind: DataKind) -> Vec<Found> {
        let device = openconfig::Device {
            state: &self.state,
            exposure: &self.served.exposure,
        };
        openconfig::render(device, query, kind)
    }

    /// Now by the device's own clock, nanoseconds since the epoch.
    pub(super) fn clock_ns(&self) -> i64 {
        self.state.system.clock_ms.saturating_mul(1_000_000)
    }

    /// The log as the device prints it, oldest line first.
    pub(super) fn log_lines(&self) -> Vec<String> {
        self.served
            .source
            .log(&self.served.name)
            .iter()
            .map(LogLine::render)
            .collect()
    }
}
