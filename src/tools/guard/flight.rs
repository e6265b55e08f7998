//! How many calls may be under way: altogether, and to one device.
//!
//! A call waits for its turn; device places are taken in the order of their names, so that calls to several
//! devices cannot wait for each other in a circle.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Places for calls.
#[derive(Debug)]
pub struct Flights {
    all: Arc<Semaphore>,
    per_device: usize,
    devices: Mutex<HashMap<String, Arc<Semaphore>>>,
}

impl Flights {
    /// So many places altogether and per device, at least one each.
    #[must_use]
    pub fn new(all: usize, per_device: usize) -> Self {
        Self {
            all: Arc::new(Semaphore::new(all.max(1))),
            per_device: per_device.max(1),
            devices: Mutex::default(),
        }
    }

    /// Waits for a place with every device, then for one altogether. The places are given back on drop.
    pub async fn board(&self, devices: &[String]) -> Vec<OwnedSemaphorePermit> {
        let mut names: Vec<&String> = devices.iter().collect();
        names.sort();
        names.dedup();
        let mut places = Vec::with_capacity(names.len() + 1);
        for name in names {
            let semaphore = self.device(name);
            // The semaphores are never closed.
            places.extend(semaphore.acquire_owned().await);
        }
        places.extend(Arc::clone(&self.all).acquire_owned().await);
        places
    }

    fn device(&self, name: &str) -> Arc<Semaphore> {
        let mut devices = self.devices.lock().unwrap_or_else(PoisonError::into_inner);
        if devices.len() > 10_000 {
            devices.retain(|_, semaphore| semaphore.available_permits() < self.per_device);
        }
        let fresh = || Arc::new(Semaphore::new(self.per_device));
        Arc::clone(devices.entry(name.to_owned()).or_insert_with(fresh))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_third_call_to_one_device_waits_and_another_device_does_not() {
        let flights = Flights::new(10, 2);
        let (a, b) = (["a".to_owned()], ["b".to_owned()]);
        let first = flights.board(&a).await;
        let _second = flights.board(&a).await;
        let soon = Duration::from_millis(10);
        assert!(tokio::time::timeout(soon, flights.board(&a)).await.is_err());
        assert!(tokio::time::timeout(soon, flights.board(&b)).await.is_ok());
        drop(first);
        assert!(tokio::time::timeout(soon, flights.board(&a)).await.is_ok());
    }
}
