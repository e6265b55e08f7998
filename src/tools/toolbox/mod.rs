//! The `Toolbox` port: hub, registry and guard walked in order, every step in the trace of the outcome.
//!
//! The order is the guard's. It makes calls and reads their results; it neither plans nor retries.

mod passage;
mod walk;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_trait::async_trait;
use tokio::time::Instant;

use super::guard::{Guard, GuardOptions};
use super::hub::{Hub, ServerState};
use super::performance::{CallRecord, Performance};
use super::registry::{Listing, Registry};
use crate::agent::model::{
    CallFailure, CallOutcome, CallTrace, DeviceFailure, DeviceName, Timestamp, ToolCall, ToolSpec,
};
use crate::agent::ports::{CallContext, PortError, Toolbox};
use crate::redaction::Redactor;
use walk::Passed;

/// Settings of a toolbox.
#[derive(Debug, Clone)]
pub struct ToolboxOptions {
    /// The guard's settings.
    pub guard: GuardOptions,
    /// What must never appear in a result.
    pub redactor: Redactor,
    /// Who is calling, for the bucket of that name.
    pub user: String,
    /// How long `list` waits for servers that are starting.
    pub patience: Duration,
}

impl Default for ToolboxOptions {
    fn default() -> Self {
        Self {
            guard: GuardOptions::default(),
            redactor: Redactor::default(),
            user: "operator".to_owned(),
            patience: Duration::from_secs(20),
        }
    }
}

/// All tools of all servers, guarded.
pub struct McpToolbox {
    hub: Arc<Hub>,
    registry: Registry,
    guard: Guard,
    performance: Performance,
    redactor: Redactor,
    user: String,
    patience: Duration,
    /// Generation of the tool lists that the registry holds.
    seen: Mutex<Option<u64>>,
}

impl McpToolbox {
    /// A toolbox over a started hub.
    #[must_use]
    pub fn new(hub: Arc<Hub>, options: ToolboxOptions) -> Self {
        Self {
            hub,
            registry: Registry::default(),
            guard: Guard::new(options.guard),
            performance: Performance::default(),
            redactor: options.redactor,
            user: options.user,
            patience: options.patience,
            seen: Mutex::new(None),
        }
    }

    /// The hub below.
    #[must_use]
    pub fn hub(&self) -> &Arc<Hub> {
        &self.hub
    }

    /// Everything the servers offer, whether the profile admits it or not, as of now.
    #[must_use]
    pub fn registry(&self) -> &Registry {
        self.follow();
        &self.registry
    }

    /// The guard: grants, buckets, circuits.
    #[must_use]
    pub fn guard(&self) -> &Guard {
        &self.guard
    }

    /// Outcomes and latencies of the calls so far.
    #[must_use]
    pub fn performance(&self) -> &Performance {
        &self.performance
    }

    /// Rebuilds the registry when a tool list has changed since.
    fn follow(&self) {
        // Held while rebuilding, so that nobody takes the old registry for the new one.
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let generation = self.hub.generation();
        if *seen == Some(generation) {
            return;
        }
        let listings: Vec<Listing> = self
            .hub
            .tools()
            .into_iter()
            .map(|(server, tools)| Listing {
                version: self.hub.version(&server),
                server,
                tools,
            })
            .collect();
        let options = &self.guard.options;
        self.registry
            .refresh(&listings, &options.trust, options.cache_ttl);
        self.guard.cache.clear();
        *seen = Some(generation);
    }

    fn offered(&self) -> Vec<ToolSpec> {
        let all = self.registry().all();
        all.iter()
            .filter(|c| self.guard.options.profile.admits(c))
            .map(|c| c.spec())
            .collect()
    }
}

#[async_trait]
impl Toolbox for McpToolbox {
    async fn list(&self) -> Result<Vec<ToolSpec>, PortError> {
        self.hub.settled(self.patience).await;
        let offered = self.offered();
        if !offered.is_empty() {
            return Ok(offered);
        }
        let errors: Vec<String> = self
            .hub
            .statuses()
            .into_iter()
            .filter(|status| !matches!(status.state, ServerState::Ready))
            .map(|status| {
                let name = &status.name;
                let waiting =
                    || format!("MCP server \"{name}\" has not answered yet - see noctui tools servers");
                status.last_error.clone().unwrap_or_else(waiting)
            })
            .collect();
        Err(PortError(if errors.is_empty() {
            "no tool is offered: no server lists a read-only tool - see noctui tools list --all".to_owned()
        } else {
            format!("no tool is offered: {}", errors.join("; "))
        }))
    }

    async fn call(&self, call: &ToolCall, context: &dyn CallContext) -> CallOutcome {
        let started_at = now();
        let started = Instant::now();
        let mut trace = CallTrace::default();
        let walked = self.walk(call, context, &mut trace).await;
        let ended_at =
            Timestamp(started_at.0 + i64::try_from(started.elapsed().as_millis()).unwrap_or(i64::MAX));
        let passed = walked.unwrap_or_else(|failure| Passed {
            value: None,
            failure: Some(failure),
            devices: Vec::new(),
            truncated: false,
            cached: false,
        });
        self.performance.record(CallRecord {
            tool: call.tool.clone(),
            latency_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
            error: passed.failure.as_ref().map(|failure| failure.kind),
            cached: passed.cached,
        });
        let device_failures = passed.devices.into_iter().map(|(device, failure)| DeviceFailure {
            device: DeviceName(device),
            failure: failure.into(),
        });
        CallOutcome {
            value: passed.value,
            failure: passed.failure.map(CallFailure::from),
            device_failures: device_failures.collect(),
            truncated: passed.truncated,
            cached: passed.cached,
            started_at,
            ended_at,
            trace,
        }
    }
}

fn step(trace: &mut CallTrace, words: impl Into<String>) {
    trace.0.push(words.into());
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
