//! Decides whether a call may run and what of its result may pass: schema, profile, approval, cache, rates,
//! breaker, timeout, size, cleaning, redaction, in this order, each step in the call's trace.
//!
//! Each concept has its file and knows nothing of the others; `tools::toolbox` walks them. The guard makes no
//! calls itself.

mod approval;
mod breaker;
mod cache;
mod flight;
mod profile;
mod rates;
mod repeats;
mod size;
mod spill;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

pub use approval::{Approval, Approvals, Rule, Ruling, Verdict};
pub use breaker::{BreakerOptions, Breakers, CircuitState, Permit};
pub use cache::Cache;
pub use flight::Flights;
pub use profile::Profile;
pub use rates::{Allowance, Bucket, RateOptions, Rates};
pub use repeats::Repeats;
pub use size::{Fitted, measure, shrink};
pub use spill::Spill;

use super::risk::Trust;

/// How the guard is set.
#[derive(Debug, Clone)]
pub struct GuardOptions {
    /// What may ever be called.
    pub profile: Profile,
    /// Profile entries that say what single tools can do.
    pub trust: Vec<Trust>,
    /// When to ask before a call.
    pub approval: Approval,
    /// Exceptions from that, first match wins.
    pub rules: Vec<Rule>,
    /// How long an identical read is answered from the cache; zero turns it off.
    pub cache_ttl: Duration,
    /// Calls per minute and in flight.
    pub rates: RateOptions,
    /// The circuit breaker.
    pub breaker: BreakerOptions,
    /// Identical failures in a row before a call is not tried again.
    pub max_identical_failures: u32,
    /// Longest silence of a call.
    pub call_timeout: Duration,
    /// Largest result handed on whole, bytes.
    pub max_result_bytes: usize,
    /// Folder for results that were cut; without one the rest is lost.
    pub spill: Option<PathBuf>,
}

impl Default for GuardOptions {
    fn default() -> Self {
        Self {
            profile: Profile::ReadOnly,
            trust: Trust::shipped(),
            approval: Approval::Changes,
            rules: Vec::new(),
            cache_ttl: Duration::from_secs(15),
            rates: RateOptions::default(),
            breaker: BreakerOptions::default(),
            max_identical_failures: 3,
            call_timeout: Duration::from_secs(30),
            max_result_bytes: 1024 * 1024,
            spill: None,
        }
    }
}

/// The guard's parts, made from its options.
#[derive(Debug)]
pub struct Guard {
    /// How it is set.
    pub options: GuardOptions,
    /// When to ask.
    pub approvals: Approvals,
    /// Kept answers.
    pub cache: Cache,
    /// Token buckets.
    pub rates: Rates,
    /// Places for calls.
    pub flights: Flights,
    /// Circuits.
    pub breakers: Breakers,
    /// Calls that keep failing.
    pub repeats: Repeats,
    /// Whole results.
    pub spill: Option<Arc<Spill>>,
}

impl Guard {
    /// A guard with full buckets and closed circuits.
    #[must_use]
    pub fn new(options: GuardOptions) -> Self {
        Self {
            approvals: Approvals::new(options.approval, options.rules.clone()),
            cache: Cache::default(),
            rates: Rates::new(options.rates),
            flights: Flights::new(
                options.rates.max_in_flight,
                options.rates.max_in_flight_per_device,
            ),
            breakers: Breakers::new(options.breaker),
            repeats: Repeats::new(options.max_identical_failures),
            spill: options.spill.clone().map(|folder| Arc::new(Spill::new(folder))),
            options,
        }
    }
}
