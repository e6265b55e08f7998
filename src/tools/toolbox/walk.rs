//! The walk of a call through the guard's gates, in their order, up to the call itself.
//!
//! Each gate writes its step into the trace and either lets the call pass or says why not.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::CallToolResult;
use serde_json::Value;
use tokio::time::Instant;

use super::{McpToolbox, step};
use crate::agent::model::{CallTrace, ErrorKind, Purpose, Risk, ToolCall, canonical};
use crate::agent::ports::CallContext;
use crate::tools::failure::Failure;
use crate::tools::guard::{Allowance, Permit, Verdict};
use crate::tools::outcome;
use crate::tools::registry::Entry;
use crate::tools::turn::{self, Turn};

/// What a walk through the guard brought.
pub(super) struct Passed {
    pub(super) value: Option<Arc<Value>>,
    pub(super) failure: Option<Failure>,
    pub(super) devices: Vec<(String, Failure)>,
    pub(super) truncated: bool,
    pub(super) cached: bool,
}

impl McpToolbox {
    pub(super) async fn walk(
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
        // The place comes before the circuit: a call that waited long must hear that it opened meanwhile.
        let devices: Vec<String> = call.devices.iter().map(ToString::to_string).collect();
        let _places = self.guard.flights.board(&entry.capability.server, &devices).await;
        let permit = self.enter_circuits(&entry, call, trace)?;
        let timeout = self.timeout_of(&entry, call);
        step(trace, format!("timeout {:.0} s", timeout.as_secs_f32()));
        let raw = self.make(&entry, call, timeout, context, trace).await;
        let reading = raw.map(|result| {
            super::passage::check_output(&entry, result.structured_content.as_ref(), trace);
            outcome::read(&result)
        });
        super::passage::settle(permit, call, &entry, &reading);
        self.remember(&key, &reading);
        let passed = self.pass(&entry, reading?, trace).await;
        self.keep(&entry, key, &passed);
        Ok(passed)
    }

    /// The call itself. A read that was lost because its server died is made once more, on the restarted
    /// server and within the same deadline; what may have changed something is not.
    async fn make(
        &self,
        entry: &Entry,
        call: &ToolCall,
        timeout: Duration,
        context: &dyn CallContext,
        trace: &mut CallTrace,
    ) -> Result<CallToolResult, Failure> {
        let called = Instant::now();
        let turn = |timeout| Turn { entry, call, timeout };
        let mut raw = turn::take(&self.hub, turn(timeout), context).await;
        let left = timeout.saturating_sub(called.elapsed());
        if let Err(failure) = &raw
            && failure.lost
            && entry.capability.judgement.risk == Risk::ReadOnly
            && !left.is_zero()
        {
            step(
                trace,
                format!(
                    "lost with its server after {} ms, called again",
                    called.elapsed().as_millis()
                ),
            );
            raw = turn::take(&self.hub, turn(left), context).await;
        }
        step(trace, format!("call {} ms", called.elapsed().as_millis()));
        raw
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
                step(
                    trace,
                    match call.grant {
                        Some(question) if call.approved => {
                            format!("approval by the \"always\" of {question}")
                        }
                        _ => format!("approval {why}"),
                    },
                );
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
            // What a human has just allowed is tried; a standing grant is no reason to insist.
            Some((kind, message)) if !call.approved || call.grant.is_some() => {
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
pub(super) fn circuits(entry: &Entry, call: &ToolCall) -> Vec<String> {
    let server = &entry.capability.server;
    let mut keys = vec![server.clone()];
    if let [device] = call.devices.as_slice() {
        keys.push(format!("{server}/{device}"));
    }
    keys
}
