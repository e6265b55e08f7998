//! The lab: a network, its faults, and snapshots of it at any instant.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::compute::{Base, Control};
use super::fault::{Fault, FaultError, Interval};
use super::network::Network;
use super::state::{DeviceState, LogLine};

/// A running simulation. Time is given by the caller: nothing happens by itself.
#[derive(Debug)]
pub struct Lab {
    base: Arc<Base>,
    epoch_ms: i64,
    faults: Vec<Fault>,
    intervals: Arc<Vec<Interval>>,
    cache: Mutex<Option<Arc<Control>>>,
}

impl Lab {
    /// A healthy lab. `seed` decides all noise; `epoch_ms` (unix ms) is the time faults count `at_s` from.
    pub fn new(network: Network, seed: u64, epoch_ms: i64) -> Self {
        let base = Arc::new(Base::new(Arc::new(network), seed, epoch_ms));
        Self {
            base,
            epoch_ms,
            faults: Vec::new(),
            intervals: Arc::default(),
            cache: Mutex::new(None),
        }
    }

    /// The network as built.
    pub fn network(&self) -> &Arc<Network> {
        self.base.network()
    }

    /// Time faults count from, unix ms.
    pub fn epoch_ms(&self) -> i64 {
        self.epoch_ms
    }

    /// Faults injected so far.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// Adds a fault. Its `at_s` counts from the epoch; to let it happen now, give it the seconds since.
    ///
    /// # Errors
    /// [`FaultError`] when operation, device, field or value don't fit; the lab is unchanged then.
    pub fn inject(&mut self, fault: Fault) -> Result<(), FaultError> {
        let made = fault.compile(self.network(), self.epoch_ms)?;
        let mut all: Vec<Interval> = (*self.intervals).clone();
        all.extend(made);
        // Edits apply in the order they were made.
        all.sort_by_key(|i| i.from_ms);
        self.intervals = Arc::new(all);
        self.faults.push(fault);
        self.forget();
        Ok(())
    }

    /// Takes all faults out, their history too: the lab is as if nothing had ever happened.
    pub fn heal(&mut self) {
        self.faults.clear();
        self.intervals = Arc::default();
        self.forget();
    }

    fn forget(&mut self) {
        *self.cache.get_mut().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// The network at `now_ms` (unix ms). Cheap to repeat: devices are computed when asked for, and what only
    /// changes with events is kept between snapshots.
    pub fn snapshot(&self, now_ms: i64) -> Arc<NetworkState> {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let control = match cache.as_ref().filter(|c| c.covers(now_ms)) {
            Some(known) => known.clone(),
            None => {
                let fresh = Arc::new(Control::new(&self.base, &self.intervals, now_ms));
                *cache = Some(fresh.clone());
                fresh
            }
        };
        drop(cache);
        let cells = (0..control.network().devices.len())
            .map(|_| OnceLock::new())
            .collect();
        Arc::new(NetworkState {
            now_ms,
            control,
            cells,
        })
    }
}

/// The network at one instant.
#[derive(Debug)]
pub struct NetworkState {
    /// Unix ms.
    pub now_ms: i64,
    control: Arc<Control>,
    cells: Vec<OnceLock<Arc<DeviceState>>>,
}

impl NetworkState {
    /// The network as built.
    pub fn network(&self) -> &Network {
        self.control.network()
    }

    /// What a device shows; `None` if there is no such device. A device that is down has a state too: look at
    /// `management` before serving it.
    pub fn device(&self, name: &str) -> Option<Arc<DeviceState>> {
        let id = self.network().id(name)?;
        Some(
            self.cells[id]
                .get_or_init(|| Arc::new(self.control.device(id, self.now_ms)))
                .clone(),
        )
    }

    /// All devices in inventory order.
    pub fn devices(&self) -> impl Iterator<Item = Arc<DeviceState>> + '_ {
        self.network().names().filter_map(|name| self.device(name))
    }

    /// The management address of a device answers (no state is computed for the answer).
    pub fn answers(&self, name: &str) -> bool {
        self.network().id(name).is_some_and(|id| self.control.answers(id))
    }

    /// Log of a device since `since_ms`, oldest first; empty for an unknown device.
    pub fn logs(&self, name: &str, since_ms: i64) -> Vec<LogLine> {
        self.network()
            .id(name)
            .map(|id| self.control.logs(id, since_ms, self.now_ms))
            .unwrap_or_default()
    }
}
