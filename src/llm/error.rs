//! What can go wrong with a model call, in kinds a caller can act on.
//!
//! The message says what happened and the hint what to do next. Neither ever holds a key: text from a
//! server is scrubbed before it gets here.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A failed model call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error("{provider}: {message} - {hint}")]
pub struct LlmError {
    pub kind: ErrorKind,
    /// The provider's name in the configuration, or the name of the guard that refused the call.
    pub provider: String,
    pub message: String,
    pub hint: String,
    /// The HTTP status, where there was an answer.
    #[serde(default)]
    pub status: Option<u16>,
    /// How long the server asked us to wait.
    #[serde(default)]
    pub retry_after: Option<Duration>,
}

/// What kind of failure it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// Something is missing or contradictory in the configuration.
    Config,
    /// 401 or 403, or no key at all.
    Auth,
    /// The base URL or the model does not exist.
    NotFound,
    /// The server refuses this request as malformed or too long; the same one would fail again.
    BadRequest,
    /// 429.
    RateLimited,
    /// 429 because the account is out of credit: waiting does not help.
    Quota,
    /// 503 or 529.
    Overloaded,
    /// Another 5xx, or an error event inside a stream.
    Server,
    /// No connection: refused, unreachable, name not found, TLS.
    Connect,
    ConnectTimeout,
    FirstTokenTimeout,
    IdleTimeout,
    TotalTimeout,
    /// The connection broke in the middle of the answer.
    Broken,
    /// The stream ended without saying the answer was finished.
    Incomplete,
    /// The bytes are not what the dialect promises: not UTF-8, not events, not JSON.
    Malformed,
    /// The answer is larger than we accept.
    TooLarge,
    /// The breaker is open after repeated failures.
    BreakerOpen,
    /// Stopped by budget.
    Budget,
    /// The caller stopped waiting; the connection was closed.
    Cancelled,
    /// The cassette could not be read or written, or does not hold this request.
    Cassette,
}

impl ErrorKind {
    /// Whether the same request may work a little later.
    pub fn is_transient(self) -> bool {
        match self {
            Self::RateLimited
            | Self::Overloaded
            | Self::Server
            | Self::Connect
            | Self::ConnectTimeout
            | Self::FirstTokenTimeout
            | Self::IdleTimeout
            | Self::Broken
            | Self::Incomplete
            | Self::Malformed => true,
            Self::Config
            | Self::Auth
            | Self::NotFound
            | Self::BadRequest
            | Self::Quota
            | Self::TotalTimeout
            | Self::TooLarge
            | Self::BreakerOpen
            | Self::Budget
            | Self::Cancelled
            | Self::Cassette => false,
        }
    }

    /// Whether the failure says something about the health of the provider, and so counts for a breaker.
    pub fn is_outage(self) -> bool {
        self == Self::TotalTimeout || (self.is_transient() && self != Self::RateLimited)
    }
}

impl LlmError {
    pub fn new(
        kind: ErrorKind,
        provider: impl Into<String>,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self {
            kind,
            provider: provider.into(),
            message: message.into(),
            hint: hint.into(),
            status: None,
            retry_after: None,
        }
    }

    pub(crate) fn with_status(mut self, status: u16) -> Self {
        self.status = Some(status);
        self
    }

    pub(crate) fn with_retry_after(mut self, wait: Option<Duration>) -> Self {
        self.retry_after = wait;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_says_who_what_and_what_next() {
        let e = LlmError::new(
            ErrorKind::Auth,
            "groq",
            "the key was refused (401)",
            "check GROQ_API_KEY",
        );
        assert_eq!(
            e.to_string(),
            "groq: the key was refused (401) - check GROQ_API_KEY"
        );
    }

    #[test]
    fn a_rate_limit_is_waited_out_but_is_no_outage() {
        assert!(ErrorKind::RateLimited.is_transient() && !ErrorKind::RateLimited.is_outage());
        assert!(!ErrorKind::TotalTimeout.is_transient() && ErrorKind::TotalTimeout.is_outage());
        assert!(!ErrorKind::Auth.is_outage());
    }
}
