//! Facts that people told, with scope and expiry.

use rusqlite::params;

use super::store::{MemoryError, Store};
use crate::agent::model::{Fact, Timestamp};
use crate::diagnosis::ontology::Resource;
use crate::redaction::redact_text;

impl Store {
    /// Facts that hold at `now`, oldest first. One whose scope can't be read is left out.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn facts_at(&self, now: Timestamp) -> Result<Vec<Fact>, MemoryError> {
        let connection = self.lock();
        let mut query = connection
            .prepare_cached(
                "select id, words, scope, expires_at from fact where expires_at is null or expires_at > ?1 order by id",
            )
            .map_err(|e| self.failed(e))?;
        let rows = query
            .query_map([now.0], |row| {
                let scope: String = row.get(2)?;
                let expires_at: Option<i64> = row.get(3)?;
                Ok((row.get(0)?, row.get(1)?, scope, expires_at.map(Timestamp)))
            })
            .map_err(|e| self.failed(e))?;
        let mut facts = Vec::new();
        for row in rows {
            let (id, words, scope, expires_at) = row.map_err(|e| self.failed(e))?;
            if let Ok(scope) = scope.parse() {
                facts.push(Fact {
                    id,
                    words,
                    scope,
                    expires_at,
                });
            }
        }
        Ok(facts)
    }

    /// Keeps a fact and returns its number.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn add_fact(
        &self,
        words: &str,
        scope: &Resource,
        now: Timestamp,
        expires_at: Option<Timestamp>,
    ) -> Result<i64, MemoryError> {
        let connection = self.lock();
        connection
            .execute(
                "insert into fact(words, scope, made_at, expires_at) values (?1, ?2, ?3, ?4)",
                params![
                    redact_text(words),
                    scope.to_string(),
                    now.0,
                    expires_at.map(|at| at.0)
                ],
            )
            .map_err(|e| self.failed(e))?;
        Ok(connection.last_insert_rowid())
    }

    /// Forgets a fact; false when there is none such.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn forget_fact(&self, id: i64) -> Result<bool, MemoryError> {
        let changed = self
            .lock()
            .execute("delete from fact where id = ?1", [id])
            .map_err(|e| self.failed(e))?;
        Ok(changed > 0)
    }
}
