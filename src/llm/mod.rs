//! Chat with language models: providers, streaming, retries, usage and cost, record and replay.
//!
//! The room knows messages, tools and tokens, never agents: a caller's role is a word it passes through.
//! A call is made by `ChatModel::chat`; dropping that future closes the connection. Decorators add one
//! thing each: `Resilient` (retries, breaker), `Recorder` and `Replayer` (cassettes), `Metered` (ledger,
//! budget). `Roster` puts them together from a `ModelConfig` and picks the model of a role.

mod breaker;
mod budget;
mod cassette;
mod chat;
mod config;
mod dialect;
mod error;
mod http;
mod ledger;
mod model;
mod prices;
mod probe;
mod provider;
mod resilient;
mod roster;
mod schema;
#[cfg(test)]
pub(crate) mod scripted;
mod scrub;
mod secret;
mod sse;

pub use breaker::Breaker;
pub use budget::{Budget, BudgetLimit};
pub use cassette::{Matching, Recorder, Replayer, Tape};
pub use chat::{
    ChatReply, ChatRequest, Message, Output, Stop, Timing, ToolCall, ToolChoice, ToolSpec, Usage,
};
pub use config::{
    AuthStyle, CassetteConfig, CassetteMode, ModelConfig, ModelRef, ProviderConfig, RetryConfig, SchemaMode,
    Timeouts, TokensField,
};
pub use dialect::Dialect;
pub use error::{ErrorKind, LlmError};
pub use ledger::{CallRecord, Ledger, Metered, Totals};
pub use model::{ChatModel, Delta, DeltaSink, Embedder};
pub use prices::{Price, PriceTable};
pub use probe::{Check, CheckResult, probe};
pub use provider::Provider;
pub use resilient::Resilient;
pub use roster::Roster;
pub use scrub::{Redactor, neutralise, redact_secrets};
pub use secret::{HeaderSource, SecretSource};
