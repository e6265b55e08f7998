//! Stops a call that keeps failing in the same way with the same arguments.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::agent::model::ErrorKind;

/// After this time without a try a call may fail anew.
const FORGIVEN_AFTER: Duration = Duration::from_secs(60);
/// Calls remembered.
const MOST: usize = 1024;

#[derive(Debug)]
struct Streak {
    kind: ErrorKind,
    count: u32,
    message: String,
    at: Instant,
}

/// Failures in a row by call.
#[derive(Debug)]
pub struct Repeats {
    most: u32,
    streaks: Mutex<HashMap<String, Streak>>,
}

impl Repeats {
    /// Stops after `most` identical failures in a row.
    #[must_use]
    pub fn new(most: u32) -> Self {
        Self {
            most: most.max(1),
            streaks: Mutex::default(),
        }
    }

    /// Kind and words of the failure that a call has repeated too often, if it has.
    #[must_use]
    pub fn exhausted(&self, key: &str) -> Option<(ErrorKind, String)> {
        let streaks = self.streaks.lock().unwrap_or_else(PoisonError::into_inner);
        let streak = streaks.get(key)?;
        let stands = streak.count >= self.most && streak.at.elapsed() < FORGIVEN_AFTER;
        stands.then(|| (streak.kind, streak.message.clone()))
    }

    /// Counts how a call ended; a success or another kind of failure starts anew.
    pub fn record(&self, key: &str, failure: Option<(ErrorKind, &str)>) {
        let mut streaks = self.streaks.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((kind, message)) = failure else {
            streaks.remove(key);
            return;
        };
        if streaks.len() >= MOST {
            streaks.retain(|_, streak| streak.at.elapsed() < FORGIVEN_AFTER);
        }
        let now = Instant::now();
        let fresh = || Streak {
            kind,
            count: 0,
            message: String::new(),
            at: now,
        };
        let streak = streaks.entry(key.to_owned()).or_insert_with(fresh);
        let same = streak.kind == kind && now - streak.at < FORGIVEN_AFTER;
        *streak = Streak {
            kind,
            count: if same { streak.count + 1 } else { 1 },
            message: message.to_owned(),
            at: now,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn three_identical_failures_stop_a_call_for_a_minute() {
        let repeats = Repeats::new(3);
        let fail = |kind| repeats.record("k", Some((kind, "no route")));
        fail(ErrorKind::Network);
        fail(ErrorKind::Network);
        fail(ErrorKind::Timeout);
        fail(ErrorKind::Timeout);
        assert_eq!(repeats.exhausted("k"), None, "another kind starts anew");
        fail(ErrorKind::Timeout);
        assert_eq!(
            repeats.exhausted("k"),
            Some((ErrorKind::Timeout, "no route".to_owned()))
        );
        assert_eq!(repeats.exhausted("other"), None);
        tokio::time::advance(FORGIVEN_AFTER).await;
        assert_eq!(repeats.exhausted("k"), None);
        fail(ErrorKind::Timeout);
        assert_eq!(repeats.exhausted("k"), None, "the count began again");
        repeats.record("k", None);
    }
}
