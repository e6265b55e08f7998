//! A failed tool call: kind, what happened, what to do next; cleaned and redacted when it is made.
//!
//! The kinds are the agent's vocabulary. Who retries, asks or gives up is decided elsewhere.

use crate::agent::model::{CallFailure, ErrorKind};
use crate::redaction::{Limits, clean_text, redact_text};

/// Longest message kept, in characters.
const LONGEST: usize = 600;

/// Why a call failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}{}", self.hint.as_deref().map(|hint| format!(" - {hint}")).unwrap_or_default())]
pub struct Failure {
    /// What kind of failure.
    pub kind: ErrorKind,
    /// What happened, one line.
    pub message: String,
    /// What to do next.
    pub hint: Option<String>,
    /// The server died with the call under way: nobody knows what came of it.
    pub lost: bool,
}

impl Failure {
    /// A failure without advice. The message is cleaned and redacted.
    pub fn new(kind: ErrorKind, message: impl AsRef<str>) -> Self {
        Self {
            kind,
            message: one_line(message.as_ref()),
            hint: None,
            lost: false,
        }
    }

    /// The same, lost with its server.
    #[must_use]
    pub fn lost(self) -> Self {
        Self { lost: true, ..self }
    }

    /// Adds what to do next.
    #[must_use]
    pub fn with_hint(mut self, hint: impl AsRef<str>) -> Self {
        self.hint = Some(one_line(hint.as_ref()));
        self
    }
}

impl From<Failure> for CallFailure {
    fn from(failure: Failure) -> Self {
        Self {
            kind: failure.kind,
            message: failure.to_string(),
        }
    }
}

/// Text from outside as one clean, redacted line.
pub(super) fn one_line(text: &str) -> String {
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let clean = clean_text(
        &flat,
        &Limits {
            line: LONGEST,
            text: LONGEST,
        },
    );
    redact_text(&clean).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_one_clean_line() {
        let failure =
            Failure::new(ErrorKind::Network, "no route\r\n\x1b[31mpassword=hunter2 ").with_hint("check it");
        assert_eq!(
            failure.to_string(),
            "no route ␛[31mpassword=<redacted> - check it"
        );
        assert_eq!(CallFailure::from(failure).kind, ErrorKind::Network);
    }
}
