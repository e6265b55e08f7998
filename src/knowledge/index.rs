//! The lexical index: SQLite FTS5 in memory, ranked by BM25.
//!
//! It stores passages by shelf, so that tool descriptions can be replaced while runbooks and notes stay.

use rusqlite::{Connection, params};

use super::query::{expression, spread};
use crate::agent::model::Passage;

/// What a passage is; a shelf is replaced as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shelf {
    Runbooks,
    Notes,
    Tools,
}

impl Shelf {
    fn name(self) -> &'static str {
        match self {
            Self::Runbooks => "runbooks",
            Self::Notes => "notes",
            Self::Tools => "tools",
        }
    }
}

/// BM25 weights of heading, body and the parts of compound words: a heading says what a passage is about.
const RANK: &str = "bm25(passage_fts, 4.0, 1.0, 0.5)";

/// Tokens keep the characters of interface names and addresses; the list is `query::WORD_CHARS`.
const SCHEMA: &str = "
    create table passage(
        id integer primary key, shelf text not null, source text not null, heading text not null,
        body text not null) strict;
    create virtual table passage_fts using fts5(
        heading, body, parts, content='', contentless_delete=1,
        tokenize=\"porter unicode61 tokenchars '-_/.:'\");";

pub(super) struct Index {
    connection: Connection,
}

impl Index {
    pub(super) fn new() -> rusqlite::Result<Self> {
        let connection = Connection::open_in_memory()?;
        connection.execute_batch(SCHEMA)?;
        Ok(Self { connection })
    }

    /// Replaces what stands on a shelf. Scores of the passages are not looked at.
    pub(super) fn fill(&mut self, shelf: Shelf, passages: &[Passage]) -> rusqlite::Result<()> {
        let change = self.connection.transaction()?;
        change.execute(
            "delete from passage_fts where rowid in (select id from passage where shelf = ?1)",
            [shelf.name()],
        )?;
        change.execute("delete from passage where shelf = ?1", [shelf.name()])?;
        {
            let mut row = change
                .prepare("insert into passage(shelf, source, heading, body) values (?1, ?2, ?3, ?4)")?;
            let mut text = change
                .prepare("insert into passage_fts(rowid, heading, body, parts) values (?1, ?2, ?3, ?4)")?;
            for passage in passages {
                row.execute(params![
                    shelf.name(),
                    passage.source,
                    passage.heading,
                    passage.text
                ])?;
                let head = format!("{} {}", passage.heading, passage.source);
                let parts = spread(&format!("{head} {}", passage.text));
                // A slash or full stop ends a word in prose and belongs to it in names; both are searched.
                text.execute(params![
                    change.last_insert_rowid(),
                    head,
                    words(&passage.text),
                    parts
                ])?;
            }
        }
        change.commit()
    }

    /// The best passages for a query, best first; higher scores are better.
    pub(super) fn search(&self, text: &str, limit: usize) -> rusqlite::Result<Vec<(i64, Passage)>> {
        let Some(expression) = expression(text) else {
            return Ok(Vec::new());
        };
        let mut statement = self.connection.prepare_cached(&format!(
            "select p.id, p.source, p.heading, p.body, -{RANK} from passage_fts
             join passage p on p.id = passage_fts.rowid
             where passage_fts match ?1 order by {RANK}, p.id limit ?2"
        ))?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows = statement.query_map(params![expression, limit], |row| {
            let passage = Passage {
                source: row.get(1)?,
                heading: row.get(2)?,
                text: row.get(3)?,
                score: row.get(4)?,
            };
            Ok((row.get(0)?, passage))
        })?;
        rows.collect()
    }
}

/// Prose with the full stops and colons taken from the ends of its words.
fn words(text: &str) -> String {
    text.split_whitespace()
        .map(|word| word.trim_end_matches(['.', ':', ',', ';', ')']))
        .collect::<Vec<_>>()
        .join(" ")
}
