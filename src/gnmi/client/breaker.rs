//! A circuit breaker per device: after several outages in a row the device is left alone for a while,
//! then one call may try again. It keeps a sweep over many devices fast when some are dead.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// Outages in a row that open the breaker.
const THRESHOLD: u32 = 3;
/// First pause; it doubles with each failed trial, up to `MAX_PAUSE`.
const FIRST_PAUSE: Duration = Duration::from_secs(5);
const MAX_PAUSE: Duration = Duration::from_secs(30);

#[derive(Debug, Default)]
struct State {
    failures: u32,
    pause: Duration,
    /// Set while open; a trial moves it forward so that only one call tries.
    until: Option<Instant>,
    reason: String,
}

#[derive(Debug, Default)]
pub(super) struct Breaker {
    state: Mutex<State>,
}

/// Why a call is not made: seconds until the next trial, and the last failure.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Open {
    pub(super) wait: Duration,
    pub(super) reason: String,
}

impl Breaker {
    /// Asks for permission to call.
    pub(super) fn admit(&self) -> Result<(), Open> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(until) = state.until else { return Ok(()) };
        let now = Instant::now();
        if now < until {
            return Err(Open {
                wait: until - now,
                reason: state.reason.clone(),
            });
        }
        state.until = Some(now + state.pause);
        Ok(())
    }

    /// Reports an answer, or an error that says nothing about the device's health.
    pub(super) fn succeeded(&self) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = State::default();
    }

    /// Reports an outage.
    pub(super) fn failed(&self, reason: &str) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.failures += 1;
        if state.failures < THRESHOLD {
            return;
        }
        state.pause = if state.pause.is_zero() {
            FIRST_PAUSE
        } else {
            (state.pause * 2).min(MAX_PAUSE)
        };
        state.until = Some(Instant::now() + state.pause);
        reason.clone_into(&mut state.reason);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn opens_tries_once_and_closes() {
        let breaker = Breaker::default();
        for _ in 0..2 {
            breaker.failed("refused");
            assert!(breaker.admit().is_ok());
        }
        breaker.failed("refused");
        assert_eq!(
            breaker.admit(),
            Err(Open {
                wait: FIRST_PAUSE,
                reason: "refused".into()
            })
        );

        tokio::time::advance(FIRST_PAUSE).await;
        assert!(breaker.admit().is_ok(), "one trial");
        assert!(breaker.admit().is_err(), "and no second one beside it");
        breaker.failed("refused");
        assert_eq!(breaker.admit().unwrap_err().wait, FIRST_PAUSE * 2);

        tokio::time::advance(FIRST_PAUSE * 2).await;
        assert!(breaker.admit().is_ok());
        breaker.succeeded();
        breaker.failed("refused");
        assert!(breaker.admit().is_ok(), "a success forgets the failures");
    }

    #[tokio::test(start_paused = true)]
    async fn the_pause_is_bounded() {
        let breaker = Breaker::default();
        for _ in 0..50 {
            breaker.failed("down");
        }
        assert_eq!(breaker.admit().unwrap_err().wait, MAX_PAUSE);
    }
}
