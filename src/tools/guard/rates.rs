//! Token buckets for tool, server, device, user and everything: a call needs a token of each.
//!
//! All buckets are asked before any is charged, so a refused call costs nothing. A bucket knows its limit,
//! what remains and when the next token comes.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Calls per minute and in flight; a rate of 0 is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateOptions {
    /// Calls per minute of one tool.
    pub tool_per_minute: u32,
    /// Calls per minute of one server.
    pub server_per_minute: u32,
    /// Calls per minute to one device.
    pub device_per_minute: u32,
    /// Calls per minute of one user.
    pub user_per_minute: u32,
    /// Calls per minute altogether.
    pub global_per_minute: u32,
    /// Calls that may come at once.
    pub burst: u32,
    /// Calls in flight altogether.
    pub max_in_flight: usize,
    /// Calls in flight to one device.
    pub max_in_flight_per_device: usize,
    /// How long a call may wait for a token before it is refused.
    pub patience: Duration,
}

impl Default for RateOptions {
    fn default() -> Self {
        Self {
            tool_per_minute: 240,
            server_per_minute: 600,
            device_per_minute: 120,
            user_per_minute: 0,
            global_per_minute: 1200,
            burst: 30,
            max_in_flight: 16,
            max_in_flight_per_device: 2,
            patience: Duration::from_secs(10),
        }
    }
}

/// One bucket at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowance {
    /// Which bucket, such as `tool srv.get_logs`.
    pub bucket: String,
    /// Tokens when full.
    pub limit: u32,
    /// Whole tokens now.
    pub remaining: u32,
    /// Until the next token comes; zero when one is there.
    pub reset: Duration,
}

/// Tokens that come back at a steady rate.
#[derive(Debug, Clone)]
pub struct Bucket {
    limit: u32,
    every: Duration,
    tokens: f64,
    at: Instant,
}

impl Bucket {
    /// A full bucket of `limit` tokens, one coming back each `every`.
    #[must_use]
    pub fn new(limit: u32, every: Duration, now: Instant) -> Self {
        Self {
            limit,
            every,
            tokens: f64::from(limit),
            at: now,
        }
    }

    fn refill(&mut self, now: Instant) {
        let passed = now.saturating_duration_since(self.at).as_secs_f64();
        self.tokens = (self.tokens + passed / self.every.as_secs_f64()).min(f64::from(self.limit));
        self.at = now;
    }

    /// Time until a token is there; zero when one is.
    pub fn wait(&mut self, now: Instant) -> Duration {
        self.refill(now);
        // A nanosecond of rounding must not make a caller wait twice.
        if self.tokens >= 1.0 - 1e-9 {
            Duration::ZERO
        } else {
            self.every.mul_f64(1.0 - self.tokens)
        }
    }

    fn charge(&mut self) {
        self.tokens = (self.tokens - 1.0).max(0.0);
    }

    fn allowance(&mut self, name: &str, now: Instant) -> Allowance {
        let reset = self.wait(now);
        // Tokens lie between 0 and a u32 limit.
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "0 <= tokens <= u32"
        )]
        let remaining = (self.tokens + 1e-9) as u32;
        Allowance {
            bucket: name.to_owned(),
            limit: self.limit,
            remaining,
            reset,
        }
    }
}

/// All buckets, made when first used.
#[derive(Debug)]
pub struct Rates {
    options: RateOptions,
    buckets: Mutex<HashMap<String, Bucket>>,
}

/// Buckets kept; full ones are forgotten first, they say nothing.
const MOST_BUCKETS: usize = 4096;

impl Rates {
    /// No bucket is charged yet.
    #[must_use]
    pub fn new(options: RateOptions) -> Self {
        Self {
            options,
            buckets: Mutex::default(),
        }
    }

    /// Names and rates of the buckets of a call.
    fn of(&self, server: &str, tool: &str, devices: &[String], user: &str) -> Vec<(String, u32)> {
        let options = &self.options;
        let mut names = vec![
            (format!("tool {server}.{tool}"), options.tool_per_minute),
            (format!("server {server}"), options.server_per_minute),
            (format!("user {user}"), options.user_per_minute),
            ("global".to_owned(), options.global_per_minute),
        ];
        names.extend(
            devices
                .iter()
                .map(|device| (format!("device {device}"), options.device_per_minute)),
        );
        names.retain(|(_, per_minute)| *per_minute > 0);
        names
    }

    /// Takes one token of every bucket of the call, or none.
    ///
    /// # Errors
    /// The bucket that takes longest to have a token again.
    pub fn take(
        &self,
        server: &str,
        tool: &str,
        devices: &[String],
        user: &str,
    ) -> Result<Option<Allowance>, Allowance> {
        let now = Instant::now();
        let names = self.of(server, tool, devices, user);
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() > MOST_BUCKETS {
            buckets.retain(|_, bucket| {
                bucket.refill(now);
                bucket.tokens < f64::from(bucket.limit)
            });
        }
        let mut emptiest: Option<Allowance> = None;
        for (name, per_minute) in &names {
            let every = Duration::from_secs(60) / *per_minute;
            let bucket = buckets
                .entry(name.clone())
                .or_insert_with(|| Bucket::new(self.options.burst.max(1), every, now));
            let allowance = bucket.allowance(name, now);
            let worse =
                |held: &Allowance| (allowance.reset, held.remaining) > (held.reset, allowance.remaining);
            if emptiest.as_ref().is_none_or(worse) {
                emptiest = Some(allowance);
            }
        }
        if let Some(empty) = emptiest.take_if(|allowance| !allowance.reset.is_zero()) {
            return Err(empty);
        }
        for (name, _) in &names {
            if let Some(bucket) = buckets.get_mut(name) {
                bucket.charge();
            }
        }
        Ok(emptiest.map(|allowance| Allowance {
            remaining: allowance.remaining.saturating_sub(1),
            ..allowance
        }))
    }

    /// Every bucket that is not full, by name.
    #[must_use]
    pub fn allowances(&self) -> Vec<Allowance> {
        let now = Instant::now();
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<Allowance> = buckets
            .iter_mut()
            .map(|(name, bucket)| bucket.allowance(name, now))
            .collect();
        all.retain(|allowance| allowance.remaining < allowance.limit);
        all.sort_by(|a, b| a.bucket.cmp(&b.bucket));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rates(tool: u32, global: u32, burst: u32) -> Rates {
        Rates::new(RateOptions {
            tool_per_minute: tool,
            server_per_minute: 0,
            device_per_minute: 0,
            global_per_minute: global,
            burst,
            ..RateOptions::default()
        })
    }

    #[tokio::test(start_paused = true)]
    async fn a_bucket_empties_and_refills() {
        let rates = rates(60, 0, 3);
        let take = || rates.take("s", "t", &[], "me");
        for left in [2, 1, 0] {
            assert_eq!(take().unwrap().unwrap().remaining, left);
        }
        let empty = take().unwrap_err();
        assert_eq!(
            (empty.bucket.as_str(), empty.limit, empty.remaining),
            ("tool s.t", 3, 0)
        );
        assert_eq!(empty.reset, Duration::from_secs(1));
        tokio::time::advance(Duration::from_millis(999)).await;
        assert!(take().is_err());
        tokio::time::advance(Duration::from_millis(1)).await;
        assert!(take().is_ok());
        assert!(take().is_err());
        tokio::time::advance(Duration::from_secs(60)).await;
        assert_eq!(take().unwrap().unwrap().remaining, 2, "never more than the limit");
    }

    #[tokio::test(start_paused = true)]
    async fn a_refused_call_charges_nothing() {
        let rates = rates(60, 600, 2);
        let take = |tool: &str| rates.take("s", tool, &[], "me");
        assert!(take("a").is_ok() && take("a").is_ok());
        // The global bucket is empty too; a tenth of a second gives one token back there, none to the tool.
        tokio::time::advance(Duration::from_millis(100)).await;
        for _ in 0..10 {
            assert_eq!(take("a").unwrap_err().bucket, "tool s.a");
        }
        assert!(take("b").is_ok(), "the refusals left the global token alone");
        assert_eq!(take("b").unwrap_err().bucket, "global");
        assert_eq!(rates.allowances().len(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn each_device_has_its_bucket() {
        let options = RateOptions {
            device_per_minute: 60,
            burst: 1,
            tool_per_minute: 0,
            ..RateOptions::default()
        };
        let rates = Rates::new(RateOptions {
            server_per_minute: 0,
            global_per_minute: 0,
            ..options
        });
        let take = |device: &str| rates.take("s", "t", &[device.to_owned()], "me");
        assert!(take("a").is_ok());
        assert_eq!(take("a").unwrap_err().bucket, "device a");
        assert!(take("b").is_ok());
    }
}
