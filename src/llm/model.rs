//! The two traits the rest of the program sees: a model that chats and one that embeds.
//!
//! Deltas are pushed to a sink while the answer is written; the reply that `chat` returns is complete and
//! does not depend on anybody having read them. Dropping the future of a call closes its connection.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::{CallRecord, ChatReply, ChatRequest, LlmError};

/// Something that happens while an answer is being written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Delta {
    /// The next piece of the answer, free of control characters.
    Text { text: String },
    /// The next piece of what the model thinks aloud; never part of the reply.
    Thought { text: String },
    /// The model began to call a tool.
    Call { name: String },
    /// The attempt failed and is repeated: what was shown of it is void.
    Retry {
        attempt: u32,
        after_ms: u64,
        reason: String,
    },
    /// The call ended, well or badly; what it took.
    Ended { record: Box<CallRecord> },
}

/// Where deltas go.
pub type DeltaSink<'a> = dyn FnMut(Delta) + Send + 'a;

/// A model one can talk to.
#[async_trait]
pub trait ChatModel: Send + Sync {
    /// `provider/model`, as configured.
    fn name(&self) -> &str;

    /// Asks and waits for the complete answer; pieces go to `deltas` as they arrive.
    ///
    /// # Errors
    /// See `ErrorKind`; an error after some deltas voids them.
    async fn chat(&self, request: &ChatRequest, deltas: &mut DeltaSink<'_>) -> Result<ChatReply, LlmError>;
}

/// A model that turns texts into vectors.
#[async_trait]
pub trait Embedder: Send + Sync {
    /// `provider/model`, as configured.
    fn name(&self) -> &str;

    /// One vector a text, in order, all of one length, not normalised.
    ///
    /// # Errors
    /// As for a chat; also `Malformed` when the number of vectors differs from the number of texts.
    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, LlmError>;
}
