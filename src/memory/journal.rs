//! The journal: events by session and sequence number, on disk before anybody acts on them.

use rusqlite::{Connection, ErrorCode, params};
use serde_json::Value;

use super::store::{MemoryError, Store};
use crate::agent::event::{Event, Recorded};
use crate::agent::model::{Outcome, SessionId, Timestamp};
use crate::agent::ports::{Journal, PortError};
use crate::redaction::{redact_json, redact_text};

impl Journal for Store {
    fn append(&self, session: &SessionId, events: &[Recorded]) -> Result<(), PortError> {
        self.append_all(session, events)
            .map_err(|error| PortError(error.to_string()))
    }

    fn read(&self, session: &SessionId, after: u64) -> Result<Vec<Recorded>, PortError> {
        self.events(session, after)
            .map_err(|error| PortError(error.to_string()))
    }
}

impl Store {
    /// Events of a session after `after`, in order.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn events(&self, session: &SessionId, after: u64) -> Result<Vec<Recorded>, MemoryError> {
        let connection = self.lock();
        let mut query = connection
            .prepare_cached(
                "select seq, at, tag, body from event where session = ?1 and seq > ?2 order by seq",
            )
            .map_err(|e| self.failed(e))?;
        let after = i64::try_from(after).unwrap_or(i64::MAX);
        let rows = query
            .query_map(params![session.0, after], |row| {
                Ok((
                    row.get::<_, i64>(0)?,
                    row.get(1)?,
                    row.get::<_, String>(2)?,
                    row.get::<_, String>(3)?,
                ))
            })
            .map_err(|e| self.failed(e))?;
        let mut events = Vec::new();
        for row in rows {
            let (seq, at, tag, body) = row.map_err(|e| self.failed(e))?;
            let seq = u64::try_from(seq).unwrap_or_default();
            let body: Value = serde_json::from_str(&body).map_err(|source| MemoryError::Event {
                session: session.0.clone(),
                seq,
                source,
            })?;
            events.push(Recorded {
                seq,
                at: Timestamp(at),
                event: Event::from_stored(&tag, body),
            });
        }
        Ok(events)
    }

    /// Appends events, all or none, and returns when they are on disk.
    ///
    /// # Errors
    /// When another process appended to the session meanwhile, or the file can't be written.
    pub fn append_all(&self, session: &SessionId, events: &[Recorded]) -> Result<(), MemoryError> {
        let mut connection = self.lock();
        let change = connection
            .transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)
            .map_err(|e| self.failed(e))?;
        for recorded in events {
            let (tag, body) = stored(recorded).map_err(|source| MemoryError::Event {
                session: session.0.clone(),
                seq: recorded.seq,
                source,
            })?;
            index(&change, session, recorded).map_err(|e| self.failed(e))?;
            let seq = i64::try_from(recorded.seq).unwrap_or(i64::MAX);
            change
                .prepare_cached("insert into event(session, seq, at, tag, body) values (?1, ?2, ?3, ?4, ?5)")
                .and_then(|mut row| {
                    row.execute(params![session.0, seq, recorded.at.0, tag, body.to_string()])
                })
                .map_err(|error| match error.sqlite_error_code() {
                    Some(ErrorCode::ConstraintViolation) => MemoryError::Taken(session.0.clone()),
                    _ => self.failed(error),
                })?;
        }
        change.commit().map_err(|e| self.failed(e))
    }
}

/// Tag and body as they go to disk. Tool results were redacted where they came in; the rest is here.
fn stored(recorded: &Recorded) -> Result<(String, Value), serde_json::Error> {
    let (tag, mut body) = recorded.event.to_stored()?;
    if !matches!(
        recorded.event,
        Event::CallEnded { .. } | Event::ToolsListed { .. }
    ) {
        redact_json(&mut body);
    }
    Ok((tag, body))
}

/// Keeps the session's row and the figures of its calls up to date.
fn index(change: &Connection, session: &SessionId, recorded: &Recorded) -> rusqlite::Result<()> {
    let at = recorded.at.0;
    match &recorded.event {
        Event::SessionOpened { query, options } => {
            let text = redact_text(&query.text);
            change.execute(
                "insert or ignore into session(id, query, opened_at, updated_at, context, reasoner)
                 values (?1, ?2, ?3, ?3, ?4, ?5)",
                params![session.0, text, at, options.context, options.reasoner],
            )?;
        }
        Event::ReportWritten { prose } => {
            change.execute(
                "update session set headline = ?2 where id = ?1",
                params![session.0, redact_text(&prose.headline)],
            )?;
        }
        Event::SessionEnded { outcome } => {
            change.execute(
                "update session set ended_at = ?2, outcome = ?3 where id = ?1",
                params![session.0, at, outcome_name(outcome)],
            )?;
        }
        Event::CallEnded {
            call,
            attempt,
            outcome,
        } => {
            let millis = outcome.ended_at.since_ms(outcome.started_at);
            let error = outcome
                .failure
                .as_ref()
                .map(|f| f.kind.to_string())
                .unwrap_or_default();
            change.execute(
                "insert or ignore into tool_call(session, call, attempt, tool, millis, error, cached)
                 values (?1, ?2, ?3, (select json_extract(body, '$.call.tool') from event
                     where session = ?1 and tag = 'call_requested.1' and json_extract(body, '$.call.id') = ?2), ?4, ?5, ?6)",
                params![session.0, call.0, attempt, millis, error, outcome.cached],
            )?;
        }
        _ => {}
    }
    change.execute(
        "update session set updated_at = ?2 where id = ?1",
        params![session.0, at],
    )?;
    Ok(())
}

fn outcome_name(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Reported => "reported",
        Outcome::Stopped => "stopped",
        Outcome::Failed { .. } => "failed",
        Outcome::Refused { .. } => "refused",
    }
}
