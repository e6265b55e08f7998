//! The session's account of model calls: who asked, which model, tokens, cost, latency, outcome.
//!
//! `Metered` writes it and refuses calls beyond the budget. Holds numbers and names, no text of any prompt
//! or answer.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::{
    Budget, ChatModel, ChatReply, ChatRequest, Delta, DeltaSink, ErrorKind, LlmError, Price, Timing, Usage,
};

/// One call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallRecord {
    pub role: String,
    /// `provider/model`, as configured.
    pub model: String,
    pub usage: Usage,
    /// US dollars; `None` where the price is unknown.
    pub cost_usd: Option<f64>,
    pub timing: Timing,
    /// Tries beyond the first.
    pub retries: u32,
    /// `None` when it went well.
    pub error: Option<ErrorKind>,
}

/// Sums over calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    pub calls: u64,
    pub failed: u64,
    pub usage: Usage,
    /// US dollars of the calls whose price is known.
    pub cost_usd: f64,
    /// Calls whose price is unknown.
    pub unpriced: u64,
    /// Time spent in calls, which may overlap.
    pub busy_ms: u64,
}

impl Totals {
    fn add(&mut self, record: &CallRecord) {
        self.calls += 1;
        self.failed += u64::from(record.error.is_some());
        self.usage.input += record.usage.input;
        self.usage.cached += record.usage.cached;
        self.usage.cache_written += record.usage.cache_written;
        self.usage.output += record.usage.output;
        self.usage.estimated |= record.usage.estimated;
        self.cost_usd += record.cost_usd.unwrap_or(0.0);
        self.unpriced += u64::from(record.cost_usd.is_none());
        self.busy_ms = self.busy_ms.saturating_add(record.timing.total_ms);
    }
}

/// The account; clones share it.
#[derive(Debug, Clone)]
pub struct Ledger {
    records: Arc<Mutex<Vec<CallRecord>>>,
    started: Instant,
    budget: Budget,
}

impl Ledger {
    pub fn new(budget: Budget) -> Self {
        Self {
            records: Arc::default(),
            started: Instant::now(),
            budget,
        }
    }

    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// All calls so far, in the order in which they ended.
    pub fn records(&self) -> Vec<CallRecord> {
        self.lock().clone()
    }

    pub fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        self.lock().iter().for_each(|r| totals.add(r));
        totals
    }

    pub fn by_role(&self) -> BTreeMap<String, Totals> {
        let mut roles: BTreeMap<String, Totals> = BTreeMap::new();
        for record in self.lock().iter() {
            roles.entry(record.role.clone()).or_default().add(record);
        }
        roles
    }

    fn check(&self) -> Result<(), LlmError> {
        match self.budget.exceeded(&self.totals(), self.started.elapsed()) {
            Some(limit) => Err(limit.error()),
            None => Ok(()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<CallRecord>> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A model whose calls are entered in a ledger and stop at its budget.
pub struct Metered {
    inner: Arc<dyn ChatModel>,
    ledger: Ledger,
    price: Option<Price>,
}

impl Metered {
    pub fn new(inner: Arc<dyn ChatModel>, ledger: Ledger, price: Option<Price>) -> Self {
        Self { inner, ledger, price }
    }
}

#[async_trait]
impl ChatModel for Metered {
    fn name(&self) -> &str {
        self.inner.name()
    }

    async fn chat(&self, request: &ChatRequest, deltas: &mut DeltaSink<'_>) -> Result<ChatReply, LlmError> {
        self.ledger.check()?;
        let mut entry = Entry::open(self, request);
        let result = self
            .inner
            .chat(request, &mut |delta| {
                match &delta {
                    Delta::Retry { .. } => entry.retries += 1,
                    Delta::Text { text } | Delta::Thought { text } => entry.shown += text.len(),
                    Delta::Call { .. } | Delta::Ended { .. } => {}
                }
                deltas(delta);
            })
            .await;
        let record = match &result {
            Ok(reply) => entry.close(reply.usage, Some(reply.timing), None),
            Err(e) => entry.close(entry.so_far(), None, Some(e.kind)),
        };
        deltas(Delta::Ended {
            record: Box::new(record),
        });
        result
    }
}

/// A call that runs; one that is dropped is entered as cancelled.
struct Entry<'a> {
    metered: &'a Metered,
    request: &'a ChatRequest,
    started: Instant,
    shown: usize,
    retries: u32,
    closed: bool,
}

impl<'a> Entry<'a> {
    fn open(metered: &'a Metered, request: &'a ChatRequest) -> Self {
        Self {
            metered,
            request,
            started: Instant::now(),
            shown: 0,
            retries: 0,
            closed: false,
        }
    }

    /// What a call without an end has cost: a stream that broke was read and written all the same.
    fn so_far(&self) -> Usage {
        if self.shown > 0 {
            Usage::estimate(self.request.text_len(), self.shown)
        } else {
            Usage::default()
        }
    }

    fn close(&mut self, usage: Usage, timing: Option<Timing>, error: Option<ErrorKind>) -> CallRecord {
        self.closed = true;
        let total_ms = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let record = CallRecord {
            role: self.request.role.clone(),
            model: self.metered.inner.name().to_owned(),
            usage,
            cost_usd: self.metered.price.map(|p| p.cost(&usage)),
            timing: timing.unwrap_or(Timing {
                first_token_ms: None,
                total_ms,
            }),
            retries: self.retries,
            error,
        };
        self.metered.ledger.lock().push(record.clone());
        record
    }
}

impl Drop for Entry<'_> {
    fn drop(&mut self) {
        if !self.closed {
            self.close(self.so_far(), None, Some(ErrorKind::Cancelled));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::{Message, scripted::Scripted};

    #[tokio::test]
    async fn calls_are_entered_by_role_and_the_budget_stops_them() {
        let failure = LlmError::new(ErrorKind::Server, "p", "m", "h");
        let model = Scripted::texts([Ok("12345678"), Err(failure), Ok("x")]);
        let ledger = Ledger::new(Budget {
            calls: Some(2),
            ..Budget::default()
        });
        let price = Price {
            input: 1.0,
            cached: None,
            cache_written: None,
            output: 10.0,
        };
        let metered = Metered::new(model.clone(), ledger.clone(), Some(price));
        let ask = |role: &'static str| {
            let request = ChatRequest::new(role, vec![Message::user("u")], 10);
            let metered = &metered;
            async move {
                let mut ended = 0;
                let result = metered
                    .chat(&request, &mut |d| {
                        ended += i32::from(matches!(d, Delta::Ended { .. }))
                    })
                    .await;
                (result, ended)
            }
        };
        assert_eq!(ask("planner").await.1, 1);
        assert_eq!(ask("critic").await.0.unwrap_err().kind, ErrorKind::Server);
        let refused = ask("critic").await.0.unwrap_err();
        assert_eq!(refused.kind, ErrorKind::Budget);
        assert!(
            refused.to_string().contains("stopped by budget: 2 of 2 calls"),
            "{refused}"
        );
        assert_eq!(model.asked(), 2);
        let totals = ledger.totals();
        assert_eq!((totals.calls, totals.failed, totals.usage.output), (2, 1, 2));
        assert!((totals.cost_usd - 120.0 / 1e6).abs() < 1e-12);
        assert_eq!(ledger.by_role()["planner"].calls, 1);
    }
}
