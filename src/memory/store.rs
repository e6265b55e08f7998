//! The database file: opened, brought to the current schema, shared between threads.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::Connection;

/// How long to wait for another process that is writing.
const BUSY: Duration = Duration::from_secs(10);

/// The version of the schema below, kept in `user_version`.
const VERSION: i64 = 2;

const SCHEMA: &str = "
    create table session(
        id text primary key, name text not null default '', query text not null default '',
        opened_at integer not null, updated_at integer not null, ended_at integer,
        outcome text not null default '', headline text not null default '',
        context text not null default '', reasoner text not null default '') strict;
    create table event(
        session text not null references session(id) on delete cascade, seq integer not null,
        at integer not null, tag text not null, body text not null,
        primary key(session, seq)) strict, without rowid;
    create table incident(
        session text primary key references session(id) on delete cascade, at integer not null,
        query text not null, requirement text not null, summary text not null, devices text not null,
        context text not null) strict;
    create virtual table incident_fts using fts5(
        session unindexed, query, findings, summary, devices,
        tokenize=\"porter unicode61 tokenchars '-_/.:'\");
    create table tool_call(
        session text not null, call integer not null, attempt integer not null, tool text not null,
        millis integer not null, error text not null default '',
        primary key(session, call, attempt)) strict, without rowid;
    create table fact(
        id integer primary key, words text not null, scope text not null default '',
        made_at integer not null, expires_at integer) strict;";

/// What version 2 added, for new files too: whether a call was answered from the cache, and an index that finds
/// the request of a call however long its session is. The rows there are learn it from their events.
const SECOND: &str = "
    alter table tool_call add column cached integer not null default 0;
    create index call_requested on event(session, json_extract(body, '$.call.id')) where tag = 'call_requested.1';
    update tool_call set cached = 1 where (session, call, attempt) in (
        select session, json_extract(body, '$.call'), json_extract(body, '$.attempt') from event
        where tag = 'call_ended.1' and json_extract(body, '$.outcome.cached'));";

/// Why memory failed.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// The file can't be opened, read or written.
    #[error("{path}: {source} - check the folder's permissions and space, or set memory.path")]
    Database {
        /// The file.
        path: String,
        /// What SQLite says.
        source: rusqlite::Error,
    },
    /// The folder can't be made.
    #[error("{path}: {source} - check the permissions of its parent folder")]
    Folder {
        /// The folder.
        path: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// A newer program wrote it.
    #[error("{path}: written by a newer noctui (schema {found}, this one knows {VERSION}) - update noctui")]
    Newer {
        /// The file.
        path: String,
        /// Its schema version.
        found: i64,
    },
    /// Another process goes on with the session.
    #[error("session {0} is being continued by another noctui process - close that one first")]
    Taken(String),
    /// There is no such session.
    #[error("session \"{0}\" is not in the journal - see `noctui sessions list`")]
    UnknownSession(String),
    /// An event can't be written as JSON or read from it.
    #[error(
        "session {session}: event {seq} can't be read: {source} - export what is before it and report this"
    )]
    Event {
        /// The session.
        session: String,
        /// The event's number.
        seq: u64,
        /// What is wrong.
        source: serde_json::Error,
    },
}

/// The open database.
pub struct Store {
    path: PathBuf,
    connection: Mutex<Connection>,
}

impl Store {
    /// Opens the file, making it and its folder when they are missing.
    ///
    /// # Errors
    /// Names the file or folder and what is wrong with it.
    pub fn open(path: &Path) -> Result<Store, MemoryError> {
        if let Some(folder) = path.parent() {
            let failed = |source| MemoryError::Folder {
                path: folder.display().to_string(),
                source,
            };
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        let failed = |source| MemoryError::Database {
            path: path.display().to_string(),
            source,
        };
        Self::prepare(path, Connection::open(path).map_err(failed)?)
    }

    /// A store in memory, for runs that must leave nothing behind.
    ///
    /// # Errors
    /// When SQLite refuses.
    pub fn in_memory() -> Result<Store, MemoryError> {
        let path = Path::new(":memory:");
        let failed = |source| MemoryError::Database {
            path: path.display().to_string(),
            source,
        };
        Self::prepare(path, Connection::open_in_memory().map_err(failed)?)
    }

    fn prepare(path: &Path, mut connection: Connection) -> Result<Store, MemoryError> {
        let failed = |source| MemoryError::Database {
            path: path.display().to_string(),
            source,
        };
        connection.busy_timeout(BUSY).map_err(failed)?;
        connection
            .execute_batch("pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on;")
            .map_err(failed)?;
        let change = connection
            .transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)
            .map_err(failed)?;
        let found: i64 = change
            .query_row("pragma user_version", [], |row| row.get(0))
            .map_err(failed)?;
        if found > VERSION {
            return Err(MemoryError::Newer {
                path: path.display().to_string(),
                found,
            });
        }
        if found == 0 {
            change.execute_batch(SCHEMA).map_err(failed)?;
        }
        if found < VERSION {
            change.execute_batch(SECOND).map_err(failed)?;
            change
                .pragma_update(None, "user_version", VERSION)
                .map_err(failed)?;
        }
        change.commit().map_err(failed)?;
        Ok(Store {
            path: path.to_owned(),
            connection: Mutex::new(connection),
        })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn failed(&self, source: rusqlite::Error) -> MemoryError {
        MemoryError::Database {
            path: self.path.display().to_string(),
            source,
        }
    }
}
