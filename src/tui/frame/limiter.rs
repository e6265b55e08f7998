//! The pure rule of how often to draw. No clock of its own: every instant is handed in.

use std::time::Duration;

use tokio::time::Instant;

/// Holds frames at least `min_interval` apart; the first after a quiet time is drawn at once.
#[derive(Debug, Clone)]
pub struct Limiter {
    min_interval: Duration,
    last: Option<Instant>,
}

impl Limiter {
    /// A limiter that has drawn nothing yet.
    pub fn new(min_interval: Duration) -> Self {
        Self {
            min_interval,
            last: None,
        }
    }

    /// The moment at which a frame wished for at `wish` may be drawn: never before `wish`.
    pub fn allowed(&self, wish: Instant) -> Instant {
        match self.last {
            Some(last) => wish.max(last + self.min_interval),
            None => wish,
        }
    }

    /// Notes that a frame was drawn at `now`.
    pub fn drawn(&mut self, now: Instant) {
        self.last = Some(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_frame_waits_for_nothing_and_the_second_for_the_interval() {
        let t0 = Instant::now();
        let mut limiter = Limiter::new(Duration::from_millis(33));
        assert_eq!(limiter.allowed(t0), t0);
        limiter.drawn(t0);
        assert_eq!(
            limiter.allowed(t0 + Duration::from_millis(1)),
            t0 + Duration::from_millis(33)
        );
        assert_eq!(
            limiter.allowed(t0 + Duration::from_secs(9)),
            t0 + Duration::from_secs(9)
        );
    }
}
