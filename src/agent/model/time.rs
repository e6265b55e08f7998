//! Time as data: the pure agent never reads a clock, it is told.

use serde::{Deserialize, Serialize};

/// Milliseconds since the Unix epoch, UTC.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// Milliseconds from `earlier` to `self`; negative when `self` comes first.
    pub fn since_ms(self, earlier: Timestamp) -> i64 {
        self.0.saturating_sub(earlier.0)
    }

    /// This time moved back by `seconds`.
    pub fn minus_s(self, seconds: i64) -> Timestamp {
        Timestamp(self.0.saturating_sub(seconds.saturating_mul(1000)))
    }
}

/// The stretch of time the human asked about; a fault inside it counts even if it is over now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// First moment that counts.
    pub from: Timestamp,
    /// Last moment that counts.
    pub until: Timestamp,
}

impl Window {
    /// True when `at` lies inside, both ends included.
    pub fn contains(&self, at: Timestamp) -> bool {
        self.from <= at && at <= self.until
    }

    /// Length in whole minutes, rounded up.
    pub fn minutes(&self) -> i64 {
        (self.until.since_ms(self.from).max(0) + 59_999) / 60_000
    }
}
