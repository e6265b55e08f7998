//! Patience: a model whose transient failures are retried and whose outages open a breaker.
//!
//! Waits as the server asks (`Retry-After`) or else with exponential backoff and jitter. A retry is
//! announced to the deltas' reader, who throws away what it was shown. Errors that would come back are
//! returned at once.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use backon::{BackoffBuilder, ExponentialBuilder};
use tokio::time::{Instant, sleep};

use super::{
    Breaker, ChatModel, ChatReply, ChatRequest, Delta, DeltaSink, ErrorKind, LlmError, RetryConfig,
    config::seconds,
};

/// A model with retries and a breaker around it.
pub struct Resilient {
    inner: Arc<dyn ChatModel>,
    config: RetryConfig,
    breaker: Mutex<Breaker>,
}

/// Frees the breaker's trial when a call is dropped before it ended.
struct Trial<'a> {
    breaker: &'a Mutex<Breaker>,
    ended: bool,
}

impl Drop for Trial<'_> {
    fn drop(&mut self) {
        if !self.ended {
            lock(self.breaker).withdrawn();
        }
    }
}

fn lock(breaker: &Mutex<Breaker>) -> MutexGuard<'_, Breaker> {
    breaker.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Resilient {
    pub fn new(inner: Arc<dyn ChatModel>, config: RetryConfig) -> Self {
        let breaker = Breaker::new(config.breaker_failures, seconds(config.breaker_open_s));
        Self {
            inner,
            config,
            breaker: Mutex::new(breaker),
        }
    }

    fn admit(&self) -> Result<(), LlmError> {
        lock(&self.breaker).admit(Instant::now()).map_err(|wait| {
            let name = self.inner.name();
            let what = format!("not asked: {} failures in a row", self.config.breaker_failures);
            let hint = format!(
                "tried again in {:.0} s; or choose another provider",
                wait.as_secs_f64().ceil()
            );
            LlmError::new(ErrorKind::BreakerOpen, name, what, hint).with_retry_after(Some(wait))
        })
    }

    async fn attempt(
        &self,
        request: &ChatRequest,
        deltas: &mut DeltaSink<'_>,
    ) -> Result<ChatReply, LlmError> {
        self.admit()?;
        let mut trial = Trial {
            breaker: &self.breaker,
            ended: false,
        };
        let result = self.inner.chat(request, deltas).await;
        trial.ended = true;
        let mut breaker = lock(&self.breaker);
        match &result {
            Ok(_) => breaker.succeeded(),
            Err(e) if e.kind.is_outage() => breaker.failed(Instant::now()),
            Err(_) => breaker.withdrawn(),
        }
        result
    }

    fn backoff(&self) -> impl Iterator<Item = Duration> + use<> {
        ExponentialBuilder::default()
            .with_min_delay(seconds(self.config.first_delay_s))
            .with_max_delay(seconds(self.config.longest_delay_s))
            .with_factor(2.0)
            .with_jitter()
            .with_max_times(self.config.attempts.saturating_sub(1) as usize)
            .build()
    }
}

#[async_trait]
impl ChatModel for Resilient {
    fn name(&self) -> &str {
        self.inner.name()
    }

    async fn chat(&self, request: &ChatRequest, deltas: &mut DeltaSink<'_>) -> Result<ChatReply, LlmError> {
        let mut delays = self.backoff();
        let mut attempt = 1;
        loop {
            let error = match self.attempt(request, deltas).await {
                Ok(reply) => return Ok(reply),
                Err(error) => error,
            };
            if !error.kind.is_transient() {
                return Err(error);
            }
            let Some(delay) = delays.next() else {
                return Err(error);
            };
            let delay = match error.retry_after {
                Some(wait) if wait > seconds(self.config.longest_delay_s) => return Err(error),
                Some(wait) => wait,
                None => delay,
            };
            attempt += 1;
            let after_ms = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
            deltas(Delta::Retry {
                attempt,
                after_ms,
                reason: error.message,
            });
            sleep(delay).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::{Message, scripted::Scripted};

    fn request() -> ChatRequest {
        ChatRequest::new("planner", vec![Message::user("u")], 10)
    }

    fn fail(kind: ErrorKind, wait: Option<u64>) -> Result<&'static str, LlmError> {
        Err(LlmError::new(kind, "p", "m", "h").with_retry_after(wait.map(Duration::from_secs)))
    }

    #[tokio::test(start_paused = true)]
    async fn waits_as_long_as_the_server_asks_and_says_so() {
        let model = Scripted::texts([fail(ErrorKind::RateLimited, Some(7)), Ok("done")]);
        let resilient = Resilient::new(model, RetryConfig::default());
        let (t0, mut seen) = (Instant::now(), Vec::new());
        let reply = resilient.chat(&request(), &mut |d| seen.push(d)).await.unwrap();
        assert_eq!((reply.text.as_str(), t0.elapsed().as_secs()), ("done", 7));
        assert_eq!(
            seen[0],
            Delta::Retry {
                attempt: 2,
                after_ms: 7000,
                reason: "m".into()
            }
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_wait_beyond_patience_and_a_lasting_error_fail_at_once() {
        for error in [
            fail(ErrorKind::RateLimited, Some(3600)),
            fail(ErrorKind::Auth, None),
        ] {
            let kind = error.as_ref().unwrap_err().kind;
            let model = Scripted::texts([error, Ok("never")]);
            let e = Resilient::new(model.clone(), RetryConfig::default())
                .chat(&request(), &mut |_| {})
                .await;
            assert_eq!(e.unwrap_err().kind, kind);
            assert_eq!(model.asked(), 1);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn gives_up_after_its_attempts_and_opens_the_breaker() {
        let script = std::iter::repeat_with(|| fail(ErrorKind::Server, None))
            .take(5)
            .chain([Ok("up again")]);
        let model = Scripted::texts(script);
        let resilient = Resilient::new(model.clone(), RetryConfig::default());
        let ask = || async { resilient.chat(&request(), &mut |_| {}).await };
        assert_eq!(ask().await.unwrap_err().kind, ErrorKind::Server);
        assert_eq!(model.asked(), 3);
        assert_eq!(ask().await.unwrap_err().kind, ErrorKind::BreakerOpen);
        assert_eq!(model.asked(), 5);
        assert_eq!(ask().await.unwrap_err().kind, ErrorKind::BreakerOpen);
        assert_eq!(model.asked(), 5);
        tokio::time::advance(Duration::from_secs(31)).await;
        assert_eq!(ask().await.unwrap().text, "up again");
    }
}
