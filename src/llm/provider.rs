//! One model at one provider: asks over the wire in the provider's dialect and reads the stream.
//!
//! Four clocks run: connect (in the client), first token, idle, total. Makes one attempt; `Resilient`
//! repeats. An answer without its sign of completion is an error, never a short answer.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use reqwest::{Method, Response, header::CONTENT_TYPE};
use serde_json::{Value, json};
use tokio::time::{Instant, timeout, timeout_at};

use super::{
    ChatModel, ChatReply, ChatRequest, Delta, DeltaSink, Embedder, ErrorKind, LlmError, ModelRef,
    ProviderConfig, Timeouts, Timing,
    config::seconds,
    dialect::{Draft, Fault},
    http::Wire,
    scrub::excerpt,
    sse::{Decoder, SseError},
};

/// Most bytes of an answer that comes whole.
const MAX_BODY: usize = 16 * 1024 * 1024;

/// A model at a provider.
pub struct Provider {
    name: String,
    model: String,
    wire: Arc<Wire>,
    timeouts: Timeouts,
}

impl Provider {
    /// # Errors
    /// `Config` when the settings cannot make a client; the key is read at the first call.
    pub fn new(model: &ModelRef, config: ProviderConfig, timeouts: Timeouts) -> Result<Self, LlmError> {
        let wire = Arc::new(Wire::new(&model.provider, config, &timeouts)?);
        Ok(Self {
            name: model.to_string(),
            model: model.model.clone(),
            wire,
            timeouts,
        })
    }

    /// Another model behind the same connections and key.
    pub fn sibling(&self, model: &ModelRef) -> Self {
        Self {
            name: model.to_string(),
            model: model.model.clone(),
            wire: Arc::clone(&self.wire),
            timeouts: self.timeouts,
        }
    }

    /// Whether calls cost nothing.
    pub fn is_free(&self) -> bool {
        self.wire.config().free
    }

    /// The names of the models the provider offers.
    ///
    /// # Errors
    /// As for a chat.
    pub async fn models(&self) -> Result<Vec<String>, LlmError> {
        let get = async {
            let response = self.wire.send(Method::GET, "models", None).await?;
            self.json(response).await
        };
        let value = self.within_total(get).await?;
        let list = value["data"].as_array().or_else(|| value["models"].as_array());
        let list = list.ok_or_else(|| self.malformed("the list of models has no data"))?;
        let mut names: Vec<String> = list
            .iter()
            .filter_map(|m| m["id"].as_str().or_else(|| m["name"].as_str()))
            .map(super::neutralise)
            .collect();
        names.sort();
        names.dedup();
        Ok(names)
    }

    async fn within_total<T>(&self, call: impl Future<Output = Result<T, LlmError>>) -> Result<T, LlmError> {
        let limit = seconds(self.timeouts.total_s);
        timeout(limit, call).await.unwrap_or_else(|_| {
            let what = format!("no complete answer within {} s", limit.as_secs_f64());
            Err(self.error(
                ErrorKind::TotalTimeout,
                what,
                "raise total_s, ask for less, or use a faster model",
            ))
        })
    }

    async fn ask(&self, request: &ChatRequest, deltas: &mut DeltaSink<'_>) -> Result<ChatReply, LlmError> {
        let started = Instant::now();
        let config = self.wire.config();
        let body = config.dialect.body(request, &self.model, config);
        let first_by = started + seconds(self.timeouts.first_token_s);
        let response = timeout_at(
            first_by,
            self.wire
                .send(Method::POST, config.dialect.chat_path(), Some(&body)),
        )
        .await
        .unwrap_or_else(|_| Err(self.first_token_timeout()))?;
        let mut draft = Draft::default();
        let mut first_token_ms = None;
        let mut forward = |pieces: &mut Vec<Delta>| {
            for delta in pieces.drain(..) {
                first_token_ms.get_or_insert_with(|| millis(started.elapsed()));
                deltas(delta);
            }
        };
        if is_json(&response) {
            let value = self.json(response).await?;
            let mut pieces = Vec::new();
            config
                .dialect
                .absorb_whole(&mut draft, &value, &mut pieces)
                .map_err(|f| self.fault(f))?;
            forward(&mut pieces);
            first_token_ms = None;
        } else {
            self.stream(response, first_by, &mut draft, &mut forward).await?;
        }
        let timing = Timing {
            first_token_ms,
            total_ms: millis(started.elapsed()),
        };
        Ok(draft.finish(request, &self.model, timing))
    }

    async fn stream(
        &self,
        mut response: Response,
        first_by: Instant,
        draft: &mut Draft,
        forward: &mut (dyn FnMut(&mut Vec<Delta>) + Send),
    ) -> Result<(), LlmError> {
        let dialect = self.wire.config().dialect;
        let content_type = content_type(&response);
        let mut decoder = Decoder::default();
        let mut pieces = Vec::new();
        let mut events = 0_u64;
        loop {
            let next = if events == 0 {
                timeout_at(first_by, response.chunk())
                    .await
                    .map_err(|_| self.first_token_timeout())?
            } else {
                timeout(seconds(self.timeouts.idle_s), response.chunk())
                    .await
                    .map_err(|_| self.idle_timeout())?
            };
            let Some(chunk) = next.map_err(|e| self.wire.transport_error(e))? else {
                break;
            };
            let decoded = decoder.push(&chunk).map_err(|e| self.sse_error(&e))?;
            for event in decoded {
                events += 1;
                dialect
                    .absorb(draft, &event, &mut pieces)
                    .map_err(|f| self.fault(f))?;
            }
            forward(&mut pieces);
        }
        if draft.finished {
            return Ok(());
        }
        Err(self.unfinished(events, &decoder, &content_type))
    }

    async fn json(&self, mut response: Response) -> Result<Value, LlmError> {
        let mut body = Vec::new();
        while let Some(chunk) = timeout(seconds(self.timeouts.idle_s), response.chunk())
            .await
            .map_err(|_| self.idle_timeout())?
            .map_err(|e| self.wire.transport_error(e))?
        {
            body.extend_from_slice(&chunk);
            if body.len() > MAX_BODY {
                let what = format!("the answer is longer than {MAX_BODY} bytes");
                return Err(self.error(ErrorKind::TooLarge, what, "ask for less"));
            }
        }
        serde_json::from_slice(&body).map_err(|e| {
            let start = excerpt(&String::from_utf8_lossy(&body[..body.len().min(120)]), &[]);
            self.malformed(format!("the answer is not JSON ({e}): {start}"))
        })
    }

    fn unfinished(&self, events: u64, decoder: &Decoder, content_type: &str) -> LlmError {
        if events == 0 {
            if content_type.contains("html") || decoder.stray().is_some() {
                let start = excerpt(decoder.stray().unwrap_or_default(), &[]);
                let what = format!("not an event stream but {content_type:?}: {start}");
                let hint = "a login page or a wrong base_url? Try it with curl";
                return self.error(ErrorKind::Malformed, what, hint);
            }
            let what = "the answer is empty";
            return self.error(
                ErrorKind::Incomplete,
                what,
                "try again; set stream = false if it stays",
            );
        }
        let half = if decoder.rest().is_empty() {
            ""
        } else {
            ", in the middle of an event"
        };
        let what = format!("the stream ended before the answer was finished{half}");
        self.error(
            ErrorKind::Incomplete,
            what,
            "try again; a proxy may cut long answers",
        )
    }

    fn error(&self, kind: ErrorKind, message: impl Into<String>, hint: &str) -> LlmError {
        LlmError::new(kind, self.wire.provider(), message, hint)
    }

    fn malformed(&self, message: impl Into<String>) -> LlmError {
        self.error(
            ErrorKind::Malformed,
            message,
            "is the dialect right for this base_url?",
        )
    }

    fn fault(&self, fault: Fault) -> LlmError {
        let hint = match fault.kind {
            ErrorKind::Malformed => "is the dialect right for this base_url?",
            ErrorKind::TooLarge => "the model runs away; lower max_tokens or choose another one",
            ErrorKind::Quota => "top the account up or choose another provider",
            ErrorKind::Auth => "check the key",
            _ => "try again; if it stays, ask the provider",
        };
        self.error(fault.kind, excerpt(&fault.message, &[]), hint)
    }

    fn sse_error(&self, error: &SseError) -> LlmError {
        match error {
            SseError::NotUtf8 => self.malformed(error.to_string()),
            SseError::TooLarge => self.error(
                ErrorKind::TooLarge,
                error.to_string(),
                "is this a model's server?",
            ),
        }
    }

    fn first_token_timeout(&self) -> LlmError {
        let what = format!("no first token within {} s", self.timeouts.first_token_s);
        self.error(
            ErrorKind::FirstTokenTimeout,
            what,
            "raise first_token_s, or use a faster model",
        )
    }

    fn idle_timeout(&self) -> LlmError {
        let what = format!("the answer stalled: nothing for {} s", self.timeouts.idle_s);
        self.error(
            ErrorKind::IdleTimeout,
            what,
            "try again, or raise idle_s for a slow model",
        )
    }
}

#[async_trait]
impl ChatModel for Provider {
    fn name(&self) -> &str {
        &self.name
    }

    async fn chat(&self, request: &ChatRequest, deltas: &mut DeltaSink<'_>) -> Result<ChatReply, LlmError> {
        self.within_total(self.ask(request, deltas)).await
    }
}

#[async_trait]
impl Embedder for Provider {
    fn name(&self) -> &str {
        &self.name
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, LlmError> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let body = json!({"model": self.model, "input": texts, "encoding_format": "float"});
        let post = async {
            let response = self.wire.send(Method::POST, "embeddings", Some(&body)).await?;
            self.json(response).await
        };
        let value = self.within_total(post).await?;
        let mut rows: Vec<(u64, Vec<f32>)> = Vec::new();
        for (n, row) in value["data"].as_array().into_iter().flatten().enumerate() {
            let numbers = row["embedding"].as_array().into_iter().flatten();
            let vector: Vec<f32> = numbers.filter_map(Value::as_f64).map(|x| x as f32).collect();
            rows.push((row["index"].as_u64().unwrap_or(n as u64), vector));
        }
        rows.sort_by_key(|(index, _)| *index);
        let width = rows.first().map_or(0, |(_, v)| v.len());
        if rows.len() != texts.len() || width == 0 || rows.iter().any(|(_, v)| v.len() != width) {
            let what = format!(
                "{} vectors came back for {} texts, or of unequal length",
                rows.len(),
                texts.len()
            );
            return Err(self.malformed(what));
        }
        Ok(rows.into_iter().map(|(_, vector)| vector).collect())
    }
}

fn content_type(response: &Response) -> String {
    let value = response
        .headers()
        .get(CONTENT_TYPE)
        .and_then(|v| v.to_str().ok())
        .unwrap_or_default();
    value.to_ascii_lowercase()
}

fn is_json(response: &Response) -> bool {
    let content_type = content_type(response);
    content_type.starts_with("application/json") || content_type.starts_with("text/json")
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
