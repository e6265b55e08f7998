//! How many calls may be under way: altogether, to one server, and to one device.
//!
//! One server never holds more than half of all places, so that one that hangs cannot keep the others waiting.
//! Places are taken in a fixed order, so that calls cannot wait for each other in a circle.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Semaphores kept; idle ones are forgotten first.
const MOST: usize = 10_000;

/// Places for calls.
#[derive(Debug)]
pub struct Flights {
    all: Arc<Semaphore>,
    per_server: usize,
    per_device: usize,
    single: Mutex<HashMap<String, Arc<Semaphore>>>,
}

impl Flights {
    /// So many places altogether and per device, at least one each.
    #[must_use]
    pub fn new(all: usize, per_device: usize) -> Self {
        Self {
            all: Arc::new(Semaphore::new(all.max(1))),
            per_server: all.div_ceil(2).max(1),
            per_device: per_device.max(1),
            single: Mutex::default(),
        }
    }

    /// Waits for a place with the server, with every device, and altogether. They are given back on drop.
    pub async fn board(&self, server: &str, devices: &[String]) -> Vec<OwnedSemaphorePermit> {
        let mut names: Vec<&String> = devices.iter().collect();
        names.sort();
        names.dedup();
        let mut places = Vec::with_capacity(names.len() + 2);
        // The semaphores are never closed, so an acquisition never fails.
        places.extend(
            self.of(format!("server {server}"), self.per_server)
                .acquire_owned()
                .await,
        );
        for name in names {
            places.extend(
                self.of(format!("device {name}"), self.per_device)
                    .acquire_owned()
                    .await,
            );
        }
        places.extend(Arc::clone(&self.all).acquire_owned().await);
        places
    }

    fn of(&self, name: String, places: usize) -> Arc<Semaphore> {
        let mut single = self.single.lock().unwrap_or_else(PoisonError::into_inner);
        if single.len() > MOST {
            single.retain(|_, semaphore| Arc::strong_count(semaphore) > 1);
        }
        Arc::clone(
            single
                .entry(name)
                .or_insert_with(|| Arc::new(Semaphore::new(places))),
        )
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const SOON: Duration = Duration::from_millis(10);

    #[tokio::test(start_paused = true)]
    async fn a_third_call_to_one_device_waits_and_another_device_does_not() {
        let flights = Flights::new(10, 2);
        let (a, b) = (["a".to_owned()], ["b".to_owned()]);
        let first = flights.board("s", &a).await;
        let _second = flights.board("s", &a).await;
        assert!(tokio::time::timeout(SOON, flights.board("s", &a)).await.is_err());
        assert!(tokio::time::timeout(SOON, flights.board("s", &b)).await.is_ok());
        drop(first);
        assert!(tokio::time::timeout(SOON, flights.board("s", &a)).await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_hangs_leaves_half_of_the_places() {
        let flights = Flights::new(4, 9);
        let _hung = (flights.board("hung", &[]).await, flights.board("hung", &[]).await);
        assert!(
            tokio::time::timeout(SOON, flights.board("hung", &[]))
                .await
                .is_err()
        );
        let _good = flights.board("good", &[]).await;
        assert!(
            tokio::time::timeout(SOON, flights.board("good", &[]))
                .await
                .is_ok()
        );
    }
}
