//! The index of sessions: list, find, rename, delete.

use rusqlite::{OptionalExtension, Row, params};

use super::store::{MemoryError, Store};
use crate::agent::model::{SessionId, Timestamp};

/// One session, as lists show it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct SessionRow {
    /// Id.
    pub id: SessionId,
    /// The name a person gave it; may be empty.
    pub name: String,
    /// What was asked.
    pub query: String,
    /// When it was opened.
    pub opened_at: Timestamp,
    /// When its last event happened.
    pub updated_at: Timestamp,
    /// `reported`, `stopped`, `failed`, `refused`; empty while it can be resumed.
    pub outcome: String,
    /// What it found, in a line.
    pub headline: String,
    /// What the tools reached.
    pub context: String,
    /// Who reasoned.
    pub reasoner: String,
}

const COLUMNS: &str = "id, name, query, opened_at, updated_at, outcome, headline, context, reasoner";

fn read(row: &Row<'_>) -> rusqlite::Result<SessionRow> {
    Ok(SessionRow {
        id: SessionId(row.get(0)?),
        name: row.get(1)?,
        query: row.get(2)?,
        opened_at: Timestamp(row.get(3)?),
        updated_at: Timestamp(row.get(4)?),
        outcome: row.get(5)?,
        headline: row.get(6)?,
        context: row.get(7)?,
        reasoner: row.get(8)?,
    })
}

/// A new id: the UTC time, so that ids sort, and four letters against collisions.
pub fn new_session_id(now: Timestamp, chance: u32) -> SessionId {
    let time = jiff::Timestamp::from_millisecond(now.0).unwrap_or_default();
    let stamp = time.strftime("%Y%m%d-%H%M%S");
    let letters: String = (0..4)
        .map(|i| char::from(b'a' + ((chance >> (8 * i)) % 26) as u8))
        .collect();
    SessionId(format!("{stamp}-{letters}"))
}

impl Store {
    /// Sessions, newest first; with `words` only those whose query, name or result contain all of them.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn sessions(&self, words: &str, limit: usize) -> Result<Vec<SessionRow>, MemoryError> {
        let connection = self.lock();
        let mut query = connection
            .prepare_cached(&format!(
                "select {COLUMNS} from session order by opened_at desc, id desc"
            ))
            .map_err(|e| self.failed(e))?;
        let rows = query.query_map([], read).map_err(|e| self.failed(e))?;
        let words: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
        let mut found = Vec::new();
        for row in rows {
            let row = row.map_err(|e| self.failed(e))?;
            let text = format!("{} {} {} {}", row.id, row.name, row.query, row.headline).to_lowercase();
            if words.iter().all(|word| text.contains(word)) {
                found.push(row);
            }
            if found.len() >= limit {
                break;
            }
        }
        Ok(found)
    }

    /// A session by id, by name, by the beginning of its id, or `last`.
    ///
    /// # Errors
    /// When there is none such, or several.
    pub fn find_session(&self, which: &str) -> Result<SessionRow, MemoryError> {
        let all = self.sessions("", usize::MAX)?;
        let exact = all
            .iter()
            .find(|s| s.id.0 == which || (!s.name.is_empty() && s.name == which));
        let found = if which == "last" { all.first() } else { exact };
        if let Some(row) = found {
            return Ok(row.clone());
        }
        let mut begins = all
            .iter()
            .filter(|s| !which.is_empty() && s.id.0.starts_with(which));
        match (begins.next(), begins.next()) {
            (Some(only), None) => Ok(only.clone()),
            _ => Err(MemoryError::UnknownSession(which.to_owned())),
        }
    }

    /// Gives a session a name.
    ///
    /// # Errors
    /// When there is no such session.
    pub fn rename_session(&self, id: &SessionId, name: &str) -> Result<(), MemoryError> {
        let changed = self
            .lock()
            .execute("update session set name = ?2 where id = ?1", params![id.0, name])
            .map_err(|e| self.failed(e))?;
        if changed == 0 {
            Err(MemoryError::UnknownSession(id.0.clone()))
        } else {
            Ok(())
        }
    }

    /// Deletes a session with its events, its incident and its figures.
    ///
    /// # Errors
    /// When there is no such session.
    pub fn delete_session(&self, id: &SessionId) -> Result<(), MemoryError> {
        let mut connection = self.lock();
        let change = connection.transaction().map_err(|e| self.failed(e))?;
        let known: Option<i64> = change
            .query_row("select 1 from session where id = ?1", [&id.0], |row| row.get(0))
            .optional()
            .map_err(|e| self.failed(e))?;
        if known.is_none() {
            return Err(MemoryError::UnknownSession(id.0.clone()));
        }
        for table in ["incident_fts", "incident", "tool_call", "event"] {
            change
                .execute(&format!("delete from {table} where session = ?1"), [&id.0])
                .map_err(|e| self.failed(e))?;
        }
        change
            .execute("delete from session where id = ?1", [&id.0])
            .map_err(|e| self.failed(e))?;
        change.commit().map_err(|e| self.failed(e))
    }
}
