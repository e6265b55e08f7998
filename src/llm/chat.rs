//! The vocabulary of a chat: messages, tools, what is asked for and what came back.
//!
//! These types belong to no provider's dialect and are what a cassette stores, so their serde names are
//! stable. They hold no key, no address and no header.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One question to a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChatRequest {
    /// Who asks ("planner", "critic", ...): chooses the model in a roster and labels the ledger.
    pub role: String,
    pub messages: Vec<Message>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolSpec>,
    #[serde(default, skip_serializing_if = "ToolChoice::is_auto")]
    pub tool_choice: ToolChoice,
    #[serde(default, skip_serializing_if = "Output::is_text")]
    pub output: Output,
    /// Most tokens the answer may have.
    pub max_tokens: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f32>,
}

impl ChatRequest {
    /// A request for free text with no tools; the fields are public for the rest.
    pub fn new(role: impl Into<String>, messages: Vec<Message>, max_tokens: u32) -> Self {
        Self {
            role: role.into(),
            messages,
            tools: Vec::new(),
            tool_choice: ToolChoice::Auto,
            output: Output::Text,
            max_tokens,
            temperature: None,
        }
    }

    /// Characters that would be sent, for an estimate of tokens where a server reports none.
    pub fn text_len(&self) -> usize {
        let messages: usize = self.messages.iter().map(Message::text_len).sum();
        let tools: usize = self
            .tools
            .iter()
            .map(|t| t.name.len() + t.description.len() + t.parameters.to_string().len())
            .sum();
        messages + tools
    }
}

/// One turn of the conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "from", rename_all = "snake_case")]
pub enum Message {
    System {
        text: String,
    },
    User {
        text: String,
    },
    Assistant {
        text: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<ToolCall>,
    },
    /// What a tool call of an earlier assistant turn brought back.
    Tool {
        call_id: String,
        name: String,
        text: String,
        #[serde(default)]
        failed: bool,
    },
}

impl Message {
    pub fn system(text: impl Into<String>) -> Self {
        Self::System { text: text.into() }
    }

    pub fn user(text: impl Into<String>) -> Self {
        Self::User { text: text.into() }
    }

    pub fn assistant(text: impl Into<String>) -> Self {
        Self::Assistant {
            text: text.into(),
            calls: Vec::new(),
        }
    }

    fn text_len(&self) -> usize {
        match self {
            Self::System { text } | Self::User { text } | Self::Tool { text, .. } => text.len(),
            Self::Assistant { text, calls } => {
                text.len()
                    + calls
                        .iter()
                        .map(|c| c.name.len() + c.arguments.len())
                        .sum::<usize>()
            }
        }
    }
}

/// A tool the model may call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    pub name: String,
    pub description: String,
    /// JSON Schema of the arguments object.
    pub parameters: Value,
}

/// A call the model wants made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The provider's id, or `call_<n>` where it sent none.
    pub id: String,
    pub name: String,
    /// The arguments exactly as the model wrote them: usually a JSON object, but a cut or careless
    /// answer is kept as it is so that the reader can repair it.
    pub arguments: String,
}

/// Whether the model may, must or must not call tools.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolChoice {
    #[default]
    Auto,
    Never,
    Required,
    /// Exactly this tool.
    Only(String),
}

impl ToolChoice {
    fn is_auto(&self) -> bool {
        *self == Self::Auto
    }
}

/// The shape of the answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Output {
    #[default]
    Text,
    /// One JSON value that conforms to `schema`. How firmly the provider enforces it depends on the
    /// provider: the reader still validates.
    Json { name: String, schema: Value },
}

impl Output {
    fn is_text(&self) -> bool {
        *self == Self::Text
    }
}

/// A complete answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChatReply {
    pub text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ToolCall>,
    pub stop: Stop,
    pub usage: Usage,
    /// The model the server says it used.
    pub model: String,
    pub timing: Timing,
}

/// Why the model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    End,
    ToolCalls,
    /// Cut at `max_tokens`: the text or the last call's arguments may be broken.
    Length,
    /// The provider or the model declined to answer.
    Refusal,
    Other,
}

/// Tokens of one call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// All input tokens, the cached ones included.
    pub input: u64,
    /// Input tokens read from the provider's prompt cache.
    pub cached: u64,
    /// Input tokens written to the provider's prompt cache.
    #[serde(default)]
    pub cache_written: u64,
    pub output: u64,
    /// True where the server reported nothing and the numbers are characters divided by four.
    #[serde(default)]
    pub estimated: bool,
}

impl Usage {
    /// A guess for servers that report no usage: four characters a token, a rule of thumb for English.
    pub fn estimate(input_chars: usize, output_chars: usize) -> Self {
        let tokens = |chars: usize| chars.div_ceil(4) as u64;
        Self {
            input: tokens(input_chars),
            output: tokens(output_chars),
            estimated: true,
            ..Self::default()
        }
    }

    pub fn total(&self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

/// How long a call took, in milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timing {
    /// From sending to the first text, thought or tool call; `None` for an answer that came whole.
    pub first_token_ms: Option<u64>,
    pub total_ms: u64,
}
