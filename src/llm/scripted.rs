//! A model that answers from a script, for tests of what stands on this room.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use async_trait::async_trait;

use super::{
    ChatModel, ChatReply, ChatRequest, Delta, DeltaSink, ErrorKind, LlmError, Stop, Timing, ToolCall, Usage,
};

/// Answers in order; past the end every call fails with `Cassette`.
pub(crate) struct Scripted {
    answers: Mutex<VecDeque<Result<ChatReply, LlmError>>>,
    requests: Mutex<Vec<ChatRequest>>,
    asked: AtomicUsize,
}

/// A reply of text, with a token for every four characters.
pub(crate) fn text_reply(text: &str) -> ChatReply {
    ChatReply {
        text: text.into(),
        calls: vec![],
        stop: Stop::End,
        usage: Usage {
            input: 100,
            output: text.len().div_ceil(4) as u64,
            ..Usage::default()
        },
        model: "scripted".into(),
        timing: Timing {
            first_token_ms: Some(5),
            total_ms: 20,
        },
    }
}

/// A reply of one tool call.
pub(crate) fn call_reply(name: &str, arguments: &str) -> ChatReply {
    let call = ToolCall {
        id: "call_0".into(),
        name: name.into(),
        arguments: arguments.into(),
    };
    ChatReply {
        calls: vec![call],
        stop: Stop::ToolCalls,
        ..text_reply("")
    }
}

impl Scripted {
    pub(crate) fn new(answers: impl IntoIterator<Item = Result<ChatReply, LlmError>>) -> Arc<Self> {
        Arc::new(Self {
            answers: Mutex::new(answers.into_iter().collect()),
            requests: Mutex::default(),
            asked: AtomicUsize::new(0),
        })
    }

    pub(crate) fn texts<S: AsRef<str>>(answers: impl IntoIterator<Item = Result<S, LlmError>>) -> Arc<Self> {
        Self::new(
            answers
                .into_iter()
                .map(|a| a.map(|text| text_reply(text.as_ref()))),
        )
    }

    /// How often it was asked.
    pub(crate) fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    /// What it was asked.
    pub(crate) fn requests(&self) -> Vec<ChatRequest> {
        self.requests.lock().unwrap().clone()
    }
}

#[async_trait]
impl ChatModel for Scripted {
    fn name(&self) -> &str {
        "test/scripted"
    }

    async fn chat(&self, request: &ChatRequest, deltas: &mut DeltaSink<'_>) -> Result<ChatReply, LlmError> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        self.requests.lock().unwrap().push(request.clone());
        let next = self.answers.lock().unwrap().pop_front();
        let reply = next.unwrap_or_else(|| {
            Err(LlmError::new(
                ErrorKind::Cassette,
                "test",
                "the script is at its end",
                "lengthen it",
            ))
        })?;
        if !reply.text.is_empty() {
            deltas(Delta::Text {
                text: reply.text.clone(),
            });
        }
        Ok(reply)
    }
}
