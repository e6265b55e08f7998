//! The `Toolbox` port: hub, registry and guard walked in order, every step in the trace of the outcome.
//!
//! The order is the guard's. It makes calls and reads their results; it neither plans nor retries.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_trait::async_trait;
use serde_json::Value;
use tokio::time::Instant;

use super::failure::Failure;
use super::guard::{Allowance, Guard, GuardOptions, Permit, Verdict, canonical, measure, shrink};
use super::hub::Hub;
use super::outcome::{self, Reading};
use super::performance::{CallRecord, Performance};
use super::registry::{Entry, Listing, Registry};
use super::sanitize::sanitize;
use super::turn::{self, Turn};
use crate::agent::model::{
    CallFailure, CallOutcome, CallTrace, DeviceFailure, DeviceName, ErrorKind, Purpose, Risk, Timestamp,
    ToolCall, ToolSpec,
};
use crate::agent::ports::{CallContext, PortError, Toolbox};
use crate::redaction::Redactor;

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
    seen: AtomicU64,
}

/// What a walk through the guard brought.
struct Passed {
    value: Option<Arc<Value>>,
    failure: Option<Failure>,
    devices: Vec<(String, Failure)>,
    truncated: bool,
    cached: bool,
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
            seen: AtomicU64::new(u64::MAX),
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
        let generation = self.hub.generation();
        if self.seen.swap(generation, Ordering::SeqCst) == generation {
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
    }

    async fn walk(
        &self,
        call: &ToolCall,
        context: &dyn CallContext,
        trace: &mut CallTrace,
    ) -> Result<Passed, Failure> {
        let entry = self.find(&call.tool).await?;
        self.check_schema(&entry, call, trace)?;
        self.check_profile(&entry, trace)?;
        self.check_approval(&entry, call, trace)?;
        let key = format!("{} {}", call.tool, canonical(&call.arguments));
        if let Some(kept) = self.look_up(&entry, call, &key, trace) {
            return Ok(kept);
        }
        self.check_repeats(call, &key, trace)?;
        self.wait_for_rate(&entry, call, trace).await?;
        let permit = self.enter_circuits(&entry, call, trace)?;
        let devices: Vec<String> = call.devices.iter().map(ToString::to_string).collect();
        let _places = self.guard.flights.board(&devices).await;
        let timeout = self.timeout_of(&entry, call);
        step(trace, format!("timeout {:.0} s", timeout.as_secs_f32()));
        let called = Instant::now();
        let raw = turn::take(
            &self.hub,
            Turn {
                entry: &entry,
                call,
                timeout,
            },
            context,
        )
        .await;
        step(trace, format!("call {} ms", called.elapsed().as_millis()));
        let reading = raw.map(|result| {
            check_output(&entry, result.structured_content.as_ref(), trace);
            outcome::read(&result)
        });
        settle(permit, call, &entry, &reading);
        self.remember(&key, &reading);
        let passed = self.pass(&entry, reading?, trace).await;
        self.keep(&entry, key, &passed);
        Ok(passed)
    }

    /// The capability, waiting for a server that is still starting.
    async fn find(&self, id: &str) -> Result<Arc<Entry>, Failure> {
        self.follow();
        if self.registry.get(id).is_none() {
            self.hub.settled(self.patience).await;
            self.follow();
        }
        self.registry.get(id).ok_or_else(|| self.not_found(id))
    }

    fn not_found(&self, id: &str) -> Failure {
        let server = id.split('.').next().unwrap_or_default();
        let down = self
            .hub
            .statuses()
            .into_iter()
            .find(|s| s.name == server && s.tools == 0);
        if let Some(error) = down.and_then(|status| status.last_error) {
            return Failure::new(ErrorKind::ServiceUnavailable, error);
        }
        let failure = Failure::new(
            ErrorKind::ToolNotFound,
            format!("no server offers the tool \"{id}\""),
        );
        match self.registry.nearest(id) {
            near if near.is_empty() => failure.with_hint("see noctui tools list"),
            near => failure.with_hint(format!("nearest: {}", near.join(", "))),
        }
    }

    fn check_schema(&self, entry: &Entry, call: &ToolCall, trace: &mut CallTrace) -> Result<(), Failure> {
        let Some(schema) = entry.input() else {
            step(trace, "schema unusable, not checked");
            return Ok(());
        };
        let arguments = Value::Object(call.arguments.clone());
        let problems: Vec<String> = schema
            .iter_errors(&arguments)
            .take(3)
            .map(|error| match error.instance_path().as_str() {
                "" => error.to_string(),
                path => format!("{path}: {error}"),
            })
            .collect();
        if problems.is_empty() {
            step(trace, "schema ok");
            return Ok(());
        }
        step(trace, "schema refused");
        let message = format!("arguments do not fit {}: {}", call.tool, problems.join("; "));
        Err(Failure::new(ErrorKind::InvalidParameter, message).with_hint("correct the arguments"))
    }

    fn check_profile(&self, entry: &Entry, trace: &mut CallTrace) -> Result<(), Failure> {
        if self.guard.options.profile.admits(&entry.capability) {
            step(trace, "profile ok");
            return Ok(());
        }
        step(trace, "profile refused");
        let id = &entry.capability.id;
        Err(Failure::new(
            ErrorKind::PermissionDenied,
            format!("{id} is not read-only and the profile is"),
        )
        .with_hint("set tools.profile = \"all\" to offer it; calls of it are then asked for"))
    }

    fn check_approval(&self, entry: &Entry, call: &ToolCall, trace: &mut CallTrace) -> Result<(), Failure> {
        let id = &entry.capability.id;
        match self
            .guard
            .approvals
            .judge(&entry.capability, &call.arguments, call.approved)
        {
            Verdict::Allowed(why) => {
                step(trace, format!("approval {why}"));
                Ok(())
            }
            Verdict::Ask => {
                step(trace, "approval asked for");
                let message = format!("{id} with {} needs approval", canonical(&call.arguments));
                Err(Failure::new(ErrorKind::NeedsApproval, message))
            }
            Verdict::Denied => {
                step(trace, "approval denied by a rule");
                Err(Failure::new(
                    ErrorKind::PermissionDenied,
                    format!("a rule forbids {id} with these arguments"),
                )
                .with_hint("see tools.rules in the configuration"))
            }
        }
    }

    /// An answer from the cache; a repeated call asks for a fresh one.
    fn look_up(&self, entry: &Entry, call: &ToolCall, key: &str, trace: &mut CallTrace) -> Option<Passed> {
        if entry.capability.budget.cache_ttl_ms == 0 || call.follows.is_some() {
            step(trace, "cache not used");
            return None;
        }
        let Some((value, age)) = self.guard.cache.get(key) else {
            step(trace, "cache miss");
            return None;
        };
        step(trace, format!("cache hit, {} ms old", age.as_millis()));
        Some(Passed {
            value: Some(value),
            failure: None,
            devices: Vec::new(),
            truncated: false,
            cached: true,
        })
    }

    fn check_repeats(&self, call: &ToolCall, key: &str, trace: &mut CallTrace) -> Result<(), Failure> {
        match self.guard.repeats.exhausted(key) {
            Some((kind, message)) if !call.approved => {
                step(trace, "identical failures, stopped");
                let most = self.guard.options.max_identical_failures;
                Err(Failure::new(
                    kind,
                    format!("failed {most} times in the same way, not tried again: {message}"),
                )
                .with_hint("change the arguments, or wait a minute"))
            }
            _ => Ok(()),
        }
    }

    async fn wait_for_rate(
        &self,
        entry: &Entry,
        call: &ToolCall,
        trace: &mut CallTrace,
    ) -> Result<(), Failure> {
        let capability = &entry.capability;
        let devices: Vec<String> = call.devices.iter().map(ToString::to_string).collect();
        let started = Instant::now();
        loop {
            match self
                .guard
                .rates
                .take(&capability.server, &capability.name, &devices, &self.user)
            {
                Ok(tightest) => {
                    step(trace, rate_words(tightest.as_ref(), started.elapsed()));
                    return Ok(());
                }
                Err(empty) if started.elapsed() + empty.reset <= self.guard.options.rates.patience => {
                    tokio::time::sleep(empty.reset).await;
                }
                Err(empty) => {
                    step(trace, format!("rate refused by {}", empty.bucket));
                    let message = format!(
                        "the bucket \"{}\" is empty (limit {}), the next call may go in {:.1} s",
                        empty.bucket,
                        empty.limit,
                        empty.reset.as_secs_f32()
                    );
                    return Err(Failure::new(ErrorKind::RateLimited, message).with_hint("see tools.limits"));
                }
            }
        }
    }

    fn enter_circuits(
        &self,
        entry: &Entry,
        call: &ToolCall,
        trace: &mut CallTrace,
    ) -> Result<Permit, Failure> {
        match self.guard.breakers.enter(&circuits(entry, call)) {
            Ok(permit) => {
                step(
                    trace,
                    if permit.is_trial() {
                        "circuit half-open, trying"
                    } else {
                        "circuit closed"
                    },
                );
                Ok(permit)
            }
            Err((key, wait)) => {
                step(trace, format!("circuit {key} open"));
                let message = format!(
                    "{key} failed repeatedly and is left alone for {:.0} s",
                    wait.as_secs_f32()
                );
                Err(Failure::new(ErrorKind::CircuitOpen, message)
                    .with_hint("check the device or server, then retry"))
            }
        }
    }

    /// The configured timeout, longer for a call that is asked to take its time.
    fn timeout_of(&self, entry: &Entry, call: &ToolCall) -> Duration {
        let asked = ["seconds", "interval_s", "duration_s"]
            .iter()
            .find_map(|name| call.arguments.get(*name)?.as_u64());
        let extra = match entry.capability.purpose {
            Purpose::Counters => asked.unwrap_or(10).min(300),
            _ => 0,
        };
        self.guard.options.call_timeout + Duration::from_secs(extra)
    }

    fn remember(&self, key: &str, reading: &Result<Reading, Failure>) {
        let failure = match reading {
            Ok(reading) => reading
                .failure
                .as_ref()
                .filter(|failure| failure.kind != ErrorKind::NotAvailable),
            Err(failure) => Some(failure),
        };
        self.guard.repeats.record(
            key,
            failure.map(|failure| (failure.kind, failure.message.as_str())),
        );
    }

    /// Size cap, cleaning, redaction; the whole of what was cut goes to disk, cleaned and redacted too.
    async fn pass(&self, entry: &Entry, reading: Reading, trace: &mut CallTrace) -> Passed {
        let Reading {
            payload,
            failure,
            devices,
        } = reading;
        let Some(payload) = payload else {
            return Passed {
                value: None,
                failure,
                devices,
                truncated: false,
                cached: false,
            };
        };
        let bytes = measure(&payload);
        let cap = self.guard.options.max_result_bytes;
        let whole = (bytes > cap && self.guard.spill.is_some()).then(|| payload.clone());
        let mut fitted = shrink(payload, cap);
        step(
            trace,
            if fitted.truncated {
                format!("size {bytes} bytes, cut to {cap}")
            } else {
                format!("size {bytes} bytes")
            },
        );
        let hidden = sanitize(&mut fitted.value, &self.redactor);
        step(trace, "sanitised");
        step(
            trace,
            if hidden == 0 {
                "redacted nothing".to_owned()
            } else {
                format!("redacted {hidden} strings")
            },
        );
        if let Some(whole) = whole {
            self.spill(&entry.capability.id, whole, trace).await;
        }
        Passed {
            value: Some(Arc::new(fitted.value)),
            failure,
            devices,
            truncated: fitted.truncated,
            cached: false,
        }
    }

    async fn spill(&self, tool: &str, mut whole: Value, trace: &mut CallTrace) {
        let Some(spill) = self.guard.spill.clone() else {
            return;
        };
        let (redactor, tool, at) = (self.redactor.clone(), tool.to_owned(), now().0);
        let written = tokio::task::spawn_blocking(move || {
            sanitize(&mut whole, &redactor);
            spill.write(&tool, at, &whole)
        });
        match written.await {
            Ok(Ok(file)) => step(trace, format!("whole result in {}", file.display())),
            Ok(Err(error)) => step(trace, format!("whole result not kept: {error}")),
            Err(_) => step(trace, "whole result not kept"),
        }
    }

    fn keep(&self, entry: &Entry, key: String, passed: &Passed) {
        let ttl = Duration::from_millis(entry.capability.budget.cache_ttl_ms);
        let clean = passed.failure.is_none() && passed.devices.is_empty() && !passed.truncated;
        if let Some(value) = passed
            .value
            .as_ref()
            .filter(|_| clean && entry.capability.judgement.risk == Risk::ReadOnly)
        {
            self.guard.cache.put(key, Arc::clone(value), measure(value), ttl);
        }
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
            .filter_map(|status| status.last_error)
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

fn rate_words(tightest: Option<&Allowance>, waited: Duration) -> String {
    let waited = if waited.is_zero() {
        String::new()
    } else {
        format!(", waited {} ms", waited.as_millis())
    };
    match tightest {
        Some(allowance) => format!(
            "rate ok, {} has {} of {} left, next in {} ms{waited}",
            allowance.bucket,
            allowance.remaining,
            allowance.limit,
            allowance.reset.as_millis()
        ),
        None => "rate not limited".to_owned(),
    }
}

/// The circuits of a call: its server, and the device when there is exactly one.
fn circuits(entry: &Entry, call: &ToolCall) -> Vec<String> {
    let server = &entry.capability.server;
    let mut keys = vec![server.clone()];
    if let [device] = call.devices.as_slice() {
        keys.push(format!("{server}/{device}"));
    }
    keys
}

/// Tells the circuits how the call ended: a gone server is the server's, a timeout or an unreachable device
/// is the device's where one is named.
fn settle(permit: Permit, call: &ToolCall, entry: &Entry, reading: &Result<Reading, Failure>) {
    let keys = circuits(entry, call);
    let kind = match reading {
        Ok(reading) => reading.failure.as_ref().map(|failure| failure.kind),
        Err(failure) => Some(failure.kind),
    };
    let failed = match kind {
        Some(ErrorKind::ServiceUnavailable) => keys.first(),
        Some(ErrorKind::Timeout | ErrorKind::Network) => keys.last(),
        _ => None,
    };
    permit.settle(failed.map(String::as_str));
}

fn check_output(entry: &Entry, structured: Option<&Value>, trace: &mut CallTrace) {
    if let (Some(schema), Some(structured)) = (entry.output(), structured) {
        match schema.iter_errors(structured).next() {
            None => step(trace, "result fits its schema"),
            Some(error) => {
                step(
                    trace,
                    super::failure::one_line(&format!("result does not fit its schema: {error}")),
                );
            }
        }
    }
}
