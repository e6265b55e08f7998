//! The two dialects of chat over HTTP, as pure translation: a request to a JSON body, events to an answer.
//!
//! `Draft` is the answer while it arrives; each dialect absorbs events into it and emits deltas. No I/O, no
//! clock, no address.

mod anthropic;
mod openai;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    AuthStyle, ChatReply, ChatRequest, Delta, ErrorKind, Output, ProviderConfig, Stop, Timing, ToolCall,
    Usage, scrub::neutralise, sse::Event,
};

/// Most text and arguments one answer may have, in bytes; a runaway model stops here.
pub(crate) const MAX_ANSWER: usize = 4 * 1024 * 1024;
/// Most tool calls one answer may have.
const MAX_CALLS: usize = 64;

/// How a provider speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    /// `POST {base}/chat/completions`, as OpenAI, Groq, Ollama, vLLM and llama.cpp have it.
    OpenAi,
    /// `POST {base}/messages`, as Anthropic and llama.cpp have it.
    Anthropic,
}

/// A fault found in an event or a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub kind: ErrorKind,
    pub message: String,
}

impl Fault {
    fn malformed(message: impl Into<String>) -> Self {
        Self {
            kind: ErrorKind::Malformed,
            message: message.into(),
        }
    }
}

impl Dialect {
    pub(crate) fn chat_path(self) -> &'static str {
        match self {
            Self::OpenAi => "chat/completions",
            Self::Anthropic => "messages",
        }
    }

    pub(crate) fn default_auth(self) -> AuthStyle {
        match self {
            Self::OpenAi => AuthStyle::Bearer,
            Self::Anthropic => AuthStyle::XApiKey,
        }
    }

    /// The JSON body of a chat.
    pub(crate) fn body(self, request: &ChatRequest, model: &str, config: &ProviderConfig) -> Value {
        let mut body = match self {
            Self::OpenAi => openai::body(request, model, config),
            Self::Anthropic => anthropic::body(request, model, config),
        };
        for (key, value) in &config.body {
            body.insert(key.clone(), value.clone());
        }
        Value::Object(body)
    }

    /// Takes one event of a stream into the draft.
    pub(crate) fn absorb(
        self,
        draft: &mut Draft,
        event: &Event,
        deltas: &mut Vec<Delta>,
    ) -> Result<(), Fault> {
        if self == Self::OpenAi && event.data.trim() == "[DONE]" {
            draft.finished = true;
            return Ok(());
        }
        if event.data.is_empty() {
            return Ok(());
        }
        let value: Value = serde_json::from_str(&event.data)
            .map_err(|e| Fault::malformed(format!("an event is not JSON: {e}")))?;
        match self {
            Self::OpenAi => openai::absorb(draft, &value, deltas),
            Self::Anthropic => anthropic::absorb(draft, &value, deltas),
        }
    }

    /// Takes an answer that came whole, as one JSON document.
    pub(crate) fn absorb_whole(
        self,
        draft: &mut Draft,
        value: &Value,
        deltas: &mut Vec<Delta>,
    ) -> Result<(), Fault> {
        match self {
            Self::OpenAi => openai::absorb_whole(draft, value, deltas),
            Self::Anthropic => anthropic::absorb_whole(draft, value, deltas),
        }
    }
}

/// An answer while it arrives.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    text: String,
    calls: Vec<CallDraft>,
    stop: Option<Stop>,
    usage: Option<Usage>,
    model: String,
    size: usize,
    /// The dialect's sign that the answer is complete was seen.
    pub finished: bool,
}

#[derive(Debug, Default)]
struct CallDraft {
    /// The provider's index of the call.
    index: u64,
    id: String,
    name: String,
    arguments: String,
}

impl Draft {
    fn grow(&mut self, by: usize) -> Result<(), Fault> {
        self.size += by;
        if self.size > MAX_ANSWER {
            return Err(Fault {
                kind: ErrorKind::TooLarge,
                message: format!("the answer is longer than {MAX_ANSWER} bytes"),
            });
        }
        Ok(())
    }

    fn add_text(&mut self, text: &str, deltas: &mut Vec<Delta>) -> Result<(), Fault> {
        if text.is_empty() {
            return Ok(());
        }
        self.grow(text.len())?;
        let text = neutralise(text);
        self.text.push_str(&text);
        deltas.push(Delta::Text { text });
        Ok(())
    }

    fn add_thought(&mut self, text: &str, deltas: &mut Vec<Delta>) -> Result<(), Fault> {
        if !text.is_empty() {
            self.grow(text.len())?;
            deltas.push(Delta::Thought {
                text: neutralise(text),
            });
        }
        Ok(())
    }

    fn open_call(&mut self, index: u64, deltas: &mut Vec<Delta>, id: &str, name: &str) -> Result<(), Fault> {
        if self.calls.len() >= MAX_CALLS {
            return Err(Fault {
                kind: ErrorKind::TooLarge,
                message: format!("the answer has more than {MAX_CALLS} tool calls"),
            });
        }
        self.grow(name.len() + id.len())?;
        deltas.push(Delta::Call {
            name: neutralise(name),
        });
        self.calls.push(CallDraft {
            index,
            id: id.to_owned(),
            name: neutralise(name),
            arguments: String::new(),
        });
        Ok(())
    }

    fn add_arguments(&mut self, index: u64, piece: &str) -> Result<(), Fault> {
        self.grow(piece.len())?;
        match self.calls.iter_mut().rev().find(|c| c.index == index) {
            Some(call) => call.arguments.push_str(piece),
            None => {
                return Err(Fault::malformed(
                    "arguments arrived for a tool call that was never opened",
                ));
            }
        }
        Ok(())
    }

    /// The reply; `request` serves the usage estimate and the unwrapping of an answer given as a tool call.
    pub(crate) fn finish(self, request: &ChatRequest, asked_model: &str, timing: Timing) -> ChatReply {
        let output_chars = self.size;
        let mut calls: Vec<ToolCall> = self
            .calls
            .into_iter()
            .enumerate()
            .map(|(n, c)| ToolCall {
                id: if c.id.is_empty() {
                    format!("call_{n}")
                } else {
                    c.id
                },
                name: c.name,
                arguments: if c.arguments.trim().is_empty() {
                    "{}".into()
                } else {
                    c.arguments
                },
            })
            .collect();
        let mut text = self.text;
        let mut stop = self.stop.unwrap_or(Stop::Other);
        if let Output::Json { name, .. } = &request.output
            && !request.tools.iter().any(|t| t.name == *name)
            && let Some(at) = calls.iter().position(|c| c.name == *name)
        {
            text = calls.swap_remove(at).arguments;
            if stop == Stop::ToolCalls {
                stop = Stop::End;
            }
        }
        if stop == Stop::Other || (stop == Stop::End && !calls.is_empty()) {
            stop = if calls.is_empty() {
                Stop::End
            } else {
                Stop::ToolCalls
            };
        }
        ChatReply {
            text,
            calls,
            stop,
            usage: self
                .usage
                .unwrap_or_else(|| Usage::estimate(request.text_len(), output_chars)),
            model: if self.model.is_empty() {
                asked_model.to_owned()
            } else {
                neutralise(&self.model)
            },
            timing,
        }
    }
}

/// A call's arguments as the object that both dialects want in the history; what cannot be parsed is shown
/// as it was.
fn arguments_object(arguments: &str) -> Map<String, Value> {
    match serde_json::from_str(arguments) {
        Ok(Value::Object(map)) => map,
        _ => Map::from_iter([("unparsed".to_owned(), Value::String(arguments.to_owned()))]),
    }
}

/// A fault from the `error` object both dialects have.
fn error_fault(error: &Value) -> Fault {
    let message = error["message"]
        .as_str()
        .map_or_else(|| error.to_string(), str::to_owned);
    let label = format!("{} {}", error["type"].as_str().unwrap_or_default(), error["code"]);
    let kind = match label {
        l if l.contains("overloaded") || l.contains("529") || l.contains("503") => ErrorKind::Overloaded,
        l if l.contains("insufficient_quota") => ErrorKind::Quota,
        l if l.contains("rate_limit") || l.contains("429") => ErrorKind::RateLimited,
        l if l.contains("authentication") || l.contains("invalid_api_key") => ErrorKind::Auth,
        l if l.contains("invalid_request") => ErrorKind::BadRequest,
        _ => ErrorKind::Server,
    };
    Fault {
        kind,
        message: format!("the server reported an error in the answer: {message}"),
    }
}
