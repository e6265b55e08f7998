//! What becomes of a result: circuits and repeats learn of it, it is cut, cleaned, redacted and kept.
//!
//! The whole of what was cut goes to disk, cleaned and redacted too.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::walk::{Passed, circuits};
use super::{McpToolbox, now, step};
use crate::agent::model::{CallTrace, ErrorKind, Risk, ToolCall};
use crate::tools::failure::{Failure, one_line};
use crate::tools::guard::{Permit, measure, shrink};
use crate::tools::outcome::Reading;
use crate::tools::registry::Entry;
use crate::tools::sanitize::sanitize;

impl McpToolbox {
    pub(super) fn remember(&self, key: &str, reading: &Result<Reading, Failure>) {
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
    pub(super) async fn pass(&self, entry: &Entry, reading: Reading, trace: &mut CallTrace) -> Passed {
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

    pub(super) fn keep(&self, entry: &Entry, key: String, passed: &Passed) {
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
}

/// Tells the circuits how the call ended: a gone server is the server's, a timeout or an unreachable device
/// is the device's where one is named.
pub(super) fn settle(permit: Permit, call: &ToolCall, entry: &Entry, reading: &Result<Reading, Failure>) {
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

pub(super) fn check_output(entry: &Entry, structured: Option<&Value>, trace: &mut CallTrace) {
    if let (Some(schema), Some(structured)) = (entry.output(), structured) {
        match schema.iter_errors(structured).next() {
            None => step(trace, "result fits its schema"),
            Some(error) => {
                step(
                    trace,
                    one_line(&format!("result does not fit its schema: {error}")),
                );
            }
        }
    }
}
