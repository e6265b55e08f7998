//! A circuit breaker: after failures in a row, calls are refused for a while, then one is let through.
//!
//! Pure: the caller passes the time. Counts only what its caller calls a failure.

use std::time::Duration;

use tokio::time::Instant;

/// The breaker's memory.
#[derive(Debug, Clone)]
pub struct Breaker {
    threshold: u32,
    open_for: Duration,
    failures: u32,
    opened_at: Option<Instant>,
    trial_running: bool,
}

impl Breaker {
    /// Opens after `threshold` failures in a row (0: never) for `open_for`.
    pub fn new(threshold: u32, open_for: Duration) -> Self {
        Self {
            threshold,
            open_for,
            failures: 0,
            opened_at: None,
            trial_running: false,
        }
    }

    /// Whether a call may go out now.
    ///
    /// # Errors
    /// How long to wait, when it may not.
    pub fn admit(&mut self, now: Instant) -> Result<(), Duration> {
        let Some(opened_at) = self.opened_at else {
            return Ok(());
        };
        let open_until = opened_at + self.open_for;
        if now < open_until {
            return Err(open_until - now);
        }
        if self.trial_running {
            return Err(self.open_for);
        }
        self.trial_running = true;
        Ok(())
    }

    pub fn succeeded(&mut self) {
        self.failures = 0;
        self.opened_at = None;
        self.trial_running = false;
    }

    pub fn failed(&mut self, now: Instant) {
        self.trial_running = false;
        self.failures = self.failures.saturating_add(1);
        if self.threshold > 0 && self.failures >= self.threshold {
            self.opened_at = Some(now);
        }
    }

    /// A call ended without saying anything about the provider's health: it was cancelled, or refused.
    pub fn withdrawn(&mut self) {
        self.trial_running = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opens_after_failures_and_lets_one_through_later() {
        let (open, t0) = (Duration::from_secs(30), Instant::now());
        let mut breaker = Breaker::new(2, open);
        breaker.failed(t0);
        assert!(breaker.admit(t0).is_ok());
        breaker.failed(t0);
        assert_eq!(breaker.admit(t0 + open / 2), Err(open / 2));
        assert!(breaker.admit(t0 + open).is_ok());
        assert!(breaker.admit(t0 + open).is_err(), "one trial at a time");
        breaker.failed(t0 + open);
        assert!(breaker.admit(t0 + open).is_err());
        assert!(breaker.admit(t0 + open * 2).is_ok());
        breaker.withdrawn();
        assert!(
            breaker.admit(t0 + open * 2).is_ok(),
            "a cancelled trial does not block the next"
        );
        breaker.succeeded();
        assert!(breaker.admit(t0).is_ok());
    }

    #[test]
    fn never_opens_without_a_threshold() {
        let now = Instant::now();
        let mut breaker = Breaker::new(0, Duration::from_secs(1));
        (0..100).for_each(|_| breaker.failed(now));
        assert!(breaker.admit(now).is_ok());
    }
}
