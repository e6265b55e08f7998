//! The figures of calls, kept beside the events so that they can be read without them.

use rusqlite::params;

use super::store::{MemoryError, Store};
use crate::agent::model::{ErrorKind, SessionId};

/// One attempt at a call as it went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallRow {
    /// `server.tool`.
    pub tool: String,
    /// Milliseconds from the request to its outcome.
    pub millis: u64,
    /// What went wrong with the call as a whole, if anything.
    pub error: Option<ErrorKind>,
    /// Answered from the cache.
    pub cached: bool,
}

impl Store {
    /// The calls of one session, in order.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn calls_of(&self, session: &SessionId) -> Result<Vec<CallRow>, MemoryError> {
        self.calls("session = ?1", params![session.0])
    }

    /// The calls of the newest sessions, this many of them.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn calls_of_newest(&self, sessions: usize) -> Result<Vec<CallRow>, MemoryError> {
        let newest = "session in (select id from session order by opened_at desc, id desc limit ?1)";
        self.calls(newest, params![i64::try_from(sessions).unwrap_or(i64::MAX)])
    }

    fn calls(&self, which: &str, bound: impl rusqlite::Params) -> Result<Vec<CallRow>, MemoryError> {
        let connection = self.lock();
        let mut query = connection
            .prepare_cached(&format!(
                "select tool, millis, error, cached from tool_call where {which} order by session, call, attempt"
            ))
            .map_err(|e| self.failed(e))?;
        let rows = query
            .query_map(bound, |row| {
                let error: String = row.get(2)?;
                Ok(CallRow {
                    tool: row.get(0)?,
                    millis: u64::try_from(row.get::<_, i64>(1)?).unwrap_or(0),
                    error: (!error.is_empty()).then(|| named(&error)),
                    cached: row.get(3)?,
                })
            })
            .map_err(|e| self.failed(e))?;
        rows.collect::<Result<_, _>>().map_err(|e| self.failed(e))
    }
}

/// The kind with this name; one that a newer program wrote counts as a failed execution.
fn named(words: &str) -> ErrorKind {
    serde_json::from_value(serde_json::Value::String(words.replace(' ', "_")))
        .unwrap_or(ErrorKind::ExecutionFailed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_reads_back_from_its_words() {
        use ErrorKind as E;
        for kind in [
            E::ToolNotFound,
            E::ExecutionFailed,
            E::Timeout,
            E::RateLimited,
            E::CircuitOpen,
            E::ResourceExhausted,
            E::SandboxViolation,
            E::Network,
            E::ServiceUnavailable,
            E::Configuration,
            E::InvalidParameter,
            E::PermissionDenied,
            E::NotAvailable,
            E::NeedsApproval,
            E::Cancelled,
        ] {
            assert_eq!(named(&kind.to_string()), kind);
        }
    }
}
