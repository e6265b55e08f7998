//! Circuit breakers: after a number of failures in a row a server, or a device behind it, is left alone for a
//! while; then one call may try, and its outcome closes or reopens the circuit.
//!
//! Only failures of the path count (timeouts, unreachable, gone); a tool that answers "failed" has answered.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// When a circuit opens and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BreakerOptions {
    /// Failures in a row that open it.
    pub failures: u32,
    /// Time until one call may try again.
    pub cooldown: Duration,
}

impl Default for BreakerOptions {
    fn default() -> Self {
        Self {
            failures: 5,
            cooldown: Duration::from_secs(30),
        }
    }
}

/// State of a circuit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CircuitState {
    /// Calls pass; so many failures in a row so far.
    Closed(u32),
    /// No call passes until then.
    Open(Instant),
    /// One call tries; the others are refused.
    HalfOpen,
}

type Circuits = HashMap<String, CircuitState>;

/// All circuits by key, such as a server or a device behind a server.
#[derive(Debug, Clone)]
pub struct Breakers {
    options: BreakerOptions,
    circuits: Arc<Mutex<Circuits>>,
}

impl Breakers {
    /// All circuits closed.
    #[must_use]
    pub fn new(options: BreakerOptions) -> Self {
        Self {
            options,
            circuits: Arc::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Circuits> {
        self.circuits.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// State of a circuit.
    #[must_use]
    pub fn state(&self, key: &str) -> CircuitState {
        self.lock().get(key).copied().unwrap_or(CircuitState::Closed(0))
    }

    /// Asks to pass all circuits of a call.
    ///
    /// # Errors
    /// The key that refuses and the time until a call may try; zero while another call tries.
    pub fn enter(&self, keys: &[String]) -> Result<Permit, (String, Duration)> {
        let now = Instant::now();
        let mut circuits = self.lock();
        for key in keys {
            match circuits.get(key) {
                Some(CircuitState::Open(until)) if *until > now => return Err((key.clone(), *until - now)),
                Some(CircuitState::HalfOpen) => return Err((key.clone(), Duration::ZERO)),
                _ => {}
            }
        }
        let mut trials = Vec::new();
        for key in keys {
            if let Some(state @ CircuitState::Open(_)) = circuits.get_mut(key) {
                *state = CircuitState::HalfOpen;
                trials.push(key.clone());
            }
        }
        drop(circuits);
        Ok(Permit {
            breakers: self.clone(),
            keys: keys.to_vec(),
            trials,
        })
    }

    fn settle(&self, key: &str, ok: bool) {
        let mut circuits = self.lock();
        if ok {
            circuits.remove(key);
            return;
        }
        let reopen = CircuitState::Open(Instant::now() + self.options.cooldown);
        let state = circuits.entry(key.to_owned()).or_insert(CircuitState::Closed(0));
        *state = match *state {
            CircuitState::Closed(failures) if failures + 1 < self.options.failures => {
                CircuitState::Closed(failures + 1)
            }
            _ => reopen,
        };
    }
}

/// Leave to make one call. Dropped unsettled (the call was taken back), a trial may be repeated at once.
#[derive(Debug)]
pub struct Permit {
    breakers: Breakers,
    keys: Vec<String>,
    trials: Vec<String>,
}

impl Permit {
    /// Whether this call tries a circuit that was open.
    #[must_use]
    pub fn is_trial(&self) -> bool {
        !self.trials.is_empty()
    }

    /// Reports how the call ended: the circuit that failed, if any; the others succeeded.
    /// `failed` names a key of the call; circuits before it in the order of the keys count as passed, those
    /// after it were not reached and keep their state.
    pub fn settle(mut self, failed: Option<&str>) {
        let trials = std::mem::take(&mut self.trials);
        for key in &self.keys {
            let ok = failed != Some(key.as_str());
            self.breakers.settle(key, ok);
            if !ok {
                release(
                    &self.breakers,
                    trials
                        .iter()
                        .filter(|trial| !self.keys_until(key).contains(trial)),
                );
                return;
            }
        }
    }

    fn keys_until(&self, last: &str) -> &[String] {
        let end = self
            .keys
            .iter()
            .position(|key| key == last)
            .map_or(self.keys.len(), |at| at + 1);
        &self.keys[..end]
    }
}

/// Lets the next call try a circuit whose trial told nothing.
fn release<'a>(breakers: &Breakers, trials: impl Iterator<Item = &'a String>) {
    let mut circuits = breakers.lock();
    for key in trials {
        if let Some(state @ CircuitState::HalfOpen) = circuits.get_mut(key) {
            *state = CircuitState::Open(Instant::now());
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        release(&self.breakers, self.trials.iter());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn breakers() -> Breakers {
        Breakers::new(BreakerOptions {
            failures: 3,
            cooldown: Duration::from_secs(30),
        })
    }

    fn keys() -> Vec<String> {
        vec!["srv".to_owned(), "srv/xrd-1".to_owned()]
    }

    fn fail(breakers: &Breakers, key: &str) {
        breakers.enter(&keys()).unwrap().settle(Some(key));
    }

    #[tokio::test(start_paused = true)]
    async fn opens_after_failures_in_a_row_half_opens_and_closes() {
        let breakers = breakers();
        fail(&breakers, "srv");
        fail(&breakers, "srv");
        breakers.enter(&keys()).unwrap().settle(None);
        assert_eq!(
            breakers.state("srv"),
            CircuitState::Closed(0),
            "a success starts the count anew"
        );
        for _ in 0..3 {
            fail(&breakers, "srv");
        }
        assert_eq!(
            breakers.enter(&keys()).unwrap_err(),
            ("srv".to_owned(), Duration::from_secs(30))
        );
        tokio::time::advance(Duration::from_secs(29)).await;
        assert!(breakers.enter(&keys()).is_err());
        tokio::time::advance(Duration::from_secs(1)).await;
        let trial = breakers.enter(&keys()).unwrap();
        assert!(trial.is_trial());
        assert_eq!(breakers.state("srv"), CircuitState::HalfOpen);
        assert_eq!(
            breakers.enter(&keys()).unwrap_err().1,
            Duration::ZERO,
            "only one call tries"
        );
        trial.settle(None);
        assert!(!breakers.enter(&keys()).unwrap().is_trial());
    }

    #[tokio::test(start_paused = true)]
    async fn a_failed_trial_reopens_at_once() {
        let breakers = breakers();
        (0..3).for_each(|_| fail(&breakers, "srv"));
        tokio::time::advance(Duration::from_secs(30)).await;
        fail(&breakers, "srv");
        assert_eq!(breakers.enter(&keys()).unwrap_err().1, Duration::from_secs(30));
    }

    #[tokio::test(start_paused = true)]
    async fn a_trial_that_is_taken_back_leaves_room_for_the_next() {
        let breakers = breakers();
        (0..3).for_each(|_| fail(&breakers, "srv"));
        tokio::time::advance(Duration::from_secs(30)).await;
        drop(breakers.enter(&keys()).unwrap());
        assert!(breakers.enter(&keys()).unwrap().is_trial());
    }

    #[tokio::test(start_paused = true)]
    async fn a_dead_device_does_not_close_the_server_to_others() {
        let breakers = breakers();
        (0..3).for_each(|_| fail(&breakers, "srv/xrd-1"));
        assert_eq!(breakers.enter(&keys()).unwrap_err().0, "srv/xrd-1");
        assert!(
            breakers
                .enter(&["srv".to_owned(), "srv/xrd-2".to_owned()])
                .is_ok()
        );
    }
}
