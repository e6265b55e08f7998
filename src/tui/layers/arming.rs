//! When a prompt that nobody asked for may take an answer.
//!
//! A question can appear in the middle of a word. It starts disarmed and arms once the keyboard has been
//! quiet for [`QUIET`], at the latest after [`MAX_WAIT`]. Until then it swallows the keys that would answer.

use std::time::Duration;

use tokio::time::Instant;

/// This long without a key, and the user has seen the prompt.
pub const QUIET: Duration = Duration::from_millis(400);

/// After this long the prompt arms however much is typed.
pub const MAX_WAIT: Duration = Duration::from_millis(1_500);

/// The state of one prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arming {
    opened: Instant,
    last_key: Instant,
    swallowed: u32,
}

impl Arming {
    /// A prompt that opened at `now`.
    pub fn new(now: Instant) -> Self {
        Self {
            opened: now,
            last_key: now,
            swallowed: 0,
        }
    }

    /// When it arms if no further key comes.
    pub fn arms_at(&self) -> Instant {
        (self.last_key + QUIET).min(self.opened + MAX_WAIT)
    }

    /// Whether it takes answers at `now`.
    pub fn is_armed(&self, now: Instant) -> bool {
        now >= self.arms_at()
    }

    /// Offers a key that would answer. Returns whether it counts; when not, it is swallowed and the quiet
    /// time begins anew.
    pub fn offer(&mut self, now: Instant) -> bool {
        if self.is_armed(now) {
            return true;
        }
        self.last_key = now;
        self.swallowed += 1;
        false
    }

    /// Any other key: the keyboard is not quiet yet.
    pub fn noise(&mut self, now: Instant) {
        if !self.is_armed(now) {
            self.last_key = now;
        }
    }

    /// How many keys it has swallowed, to be shown.
    pub fn swallowed(&self) -> u32 {
        self.swallowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    #[test]
    fn arms_after_a_quiet_keyboard() {
        let t = Instant::now();
        let arming = Arming::new(t);
        assert!(!arming.is_armed(t + ms(399)) && arming.is_armed(t + ms(400)));
    }

    #[test]
    fn typing_puts_it_off_but_not_for_ever() {
        let t = Instant::now();
        let mut arming = Arming::new(t);
        for i in 1..=14 {
            assert!(!arming.offer(t + ms(i * 100)), "swallowed at {} ms", i * 100);
        }
        assert_eq!(arming.swallowed(), 14);
        assert!(!arming.offer(t + ms(1_499)));
        assert!(
            arming.offer(t + ms(1_500)),
            "armed at the latest after {MAX_WAIT:?}"
        );
    }
}
