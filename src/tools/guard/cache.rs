//! Answers of identical reads, kept for a short while within a memory budget.
//!
//! Only whole, successful, uncut answers of read-only tools get in. The oldest leave first.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

/// Memory for answers, bytes of JSON.
const BUDGET: usize = 32 * 1024 * 1024;

/// A kept answer.
#[derive(Debug)]
struct Kept {
    value: Arc<Value>,
    bytes: usize,
    at: Instant,
    until: Instant,
}

/// The cache.
#[derive(Debug, Default)]
pub struct Cache {
    answers: Mutex<HashMap<String, Kept>>,
}

impl Cache {
    /// A fresh answer and its age.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<(Arc<Value>, Duration)> {
        let now = Instant::now();
        let answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = answers.get(key).filter(|kept| kept.until > now)?;
        Some((Arc::clone(&kept.value), now - kept.at))
    }

    /// Keeps an answer of `bytes` for `ttl`; a zero time or an answer over the whole budget is not kept.
    pub fn put(&self, key: String, value: Arc<Value>, bytes: usize, ttl: Duration) {
        if ttl.is_zero() || bytes > BUDGET {
            return;
        }
        let now = Instant::now();
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.retain(|_, kept| kept.until > now);
        let mut held: usize = answers.values().map(|kept| kept.bytes).sum();
        while held + bytes > BUDGET {
            let oldest = answers
                .iter()
                .min_by_key(|(_, kept)| kept.at)
                .map(|(key, _)| key.clone());
            let Some(gone) = oldest.and_then(|key| answers.remove(&key)) else {
                break;
            };
            held -= gone.bytes;
        }
        answers.insert(
            key,
            Kept {
                value,
                bytes,
                at: now,
                until: now + ttl,
            },
        );
    }

    /// Forgets everything, for instance when a server came back with other tools.
    pub fn clear(&self) {
        self.answers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn an_answer_ages_and_expires() {
        let cache = Cache::default();
        let second = Duration::from_secs(1);
        cache.put("k".into(), Arc::new(json!(1)), 1, 10 * second);
        tokio::time::advance(4 * second).await;
        assert_eq!(cache.get("k"), Some((Arc::new(json!(1)), 4 * second)));
        tokio::time::advance(6 * second).await;
        assert_eq!(cache.get("k"), None);
        cache.put("zero".into(), Arc::new(json!(1)), 1, Duration::ZERO);
        assert_eq!(cache.get("zero"), None);
    }

    #[tokio::test(start_paused = true)]
    async fn the_oldest_leave_when_memory_is_short() {
        let cache = Cache::default();
        for name in ["a", "b", "c"] {
            cache.put(
                name.into(),
                Arc::new(json!(name)),
                BUDGET / 2,
                Duration::from_secs(60),
            );
            tokio::time::advance(Duration::from_millis(1)).await;
        }
        assert!(cache.get("a").is_none() && cache.get("b").is_some() && cache.get("c").is_some());
        cache.put(
            "huge".into(),
            Arc::new(json!(0)),
            BUDGET + 1,
            Duration::from_secs(60),
        );
        assert!(cache.get("huge").is_none() && cache.get("c").is_some());
        cache.clear();
        assert!(cache.get("c").is_none());
    }
}
