//! Past incidents: kept when a session is reported, found again by BM25 over query, findings and verdict.

use async_trait::async_trait;
use rusqlite::params;

use super::store::{MemoryError, Store};
use crate::agent::model::{Fact, Incident, Reading, SessionId, Timestamp};
use crate::agent::ports::{PortError, Recall};
use crate::agent::state::State;
use crate::redaction::redact_text;

/// Words of a query that say nothing about an incident.
const STOP_WORDS: &[&str] = &[
    "a", "all", "an", "and", "are", "at", "check", "do", "for", "how", "in", "is", "me", "my", "of", "on",
    "please", "show", "the", "to", "what", "why", "with",
];

#[async_trait]
impl Recall for Store {
    async fn similar(&self, state: &State, limit: usize) -> Result<Vec<Incident>, PortError> {
        let query = state.query.as_ref().map(|q| q.text.clone()).unwrap_or_default();
        self.incidents(&query, &state.options.context, limit)
            .map_err(|e| PortError(e.to_string()))
    }

    async fn facts(&self, now: Timestamp) -> Result<Vec<Fact>, PortError> {
        self.facts_at(now).map_err(|e| PortError(e.to_string()))
    }

    async fn remember(&self, session: &SessionId, state: &State) -> Result<(), PortError> {
        self.keep(session, state).map_err(|e| PortError(e.to_string()))
    }
}

/// The query as an FTS5 expression: any of its telling words, each quoted.
fn expression(text: &str) -> String {
    let separates = |c: char| !(c.is_alphanumeric() || "-_/.:".contains(c));
    let words = text
        .split(separates)
        .map(|w| w.trim_matches(|c| ".:-".contains(c)).to_lowercase());
    let telling = words
        .filter(|w| w.len() > 1 && !STOP_WORDS.contains(&w.as_str()))
        .take(32);
    telling
        .map(|w| format!("\"{w}\""))
        .collect::<Vec<_>>()
        .join(" OR ")
}

impl Store {
    /// Incidents of the same context that are like `query`, best first.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn incidents(&self, query: &str, context: &str, limit: usize) -> Result<Vec<Incident>, MemoryError> {
        let words = expression(query);
        if words.is_empty() {
            return Ok(Vec::new());
        }
        let connection = self.lock();
        let mut search = connection
            .prepare_cached(
                "select i.session, i.query, i.summary, i.at, -bm25(incident_fts, 0.0, 4.0, 2.0, 1.0, 2.0) as score
                 from incident_fts f join incident i on i.session = f.session
                 where incident_fts match ?1 and i.context = ?2 order by score desc, i.at desc limit ?3",
            )
            .map_err(|e| self.failed(e))?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows = search
            .query_map(params![words, context, limit], |row| {
                Ok(Incident {
                    session: SessionId(row.get(0)?),
                    query: row.get(1)?,
                    summary: row.get(2)?,
                    at: Timestamp(row.get(3)?),
                    score: row.get(4)?,
                })
            })
            .map_err(|e| self.failed(e))?;
        rows.collect::<Result<_, _>>().map_err(|e| self.failed(e))
    }

    fn keep(&self, session: &SessionId, state: &State) -> Result<(), MemoryError> {
        let query =
            redact_text(&state.query.as_ref().map(|q| q.text.clone()).unwrap_or_default()).to_string();
        let requirement = state.intake.reading.as_ref().map(requirement).unwrap_or_default();
        let summary = state
            .ending
            .prose
            .as_ref()
            .map(|p| p.headline.clone())
            .unwrap_or_default();
        let findings: Vec<&str> = state
            .diagnosed
            .findings
            .iter()
            .map(|f| f.statement.as_str())
            .collect();
        let causes = state.diagnosed.verdict.iter().flat_map(|v| &v.causes);
        let causes: Vec<String> = causes
            .map(|c| format!("{} {}", c.resource, c.fault.meaning()))
            .collect();
        let devices: Vec<&str> = state
            .intake
            .targets
            .iter()
            .flatten()
            .map(|d| d.as_str())
            .collect();
        let mut connection = self.lock();
        let change = connection.transaction().map_err(|e| self.failed(e))?;
        let write = || -> rusqlite::Result<()> {
            change.execute("delete from incident_fts where session = ?1", [&session.0])?;
            change.execute(
                "insert or replace into incident(session, at, query, requirement, summary, devices, context)
                 values (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                params![
                    session.0,
                    state.updated_at.0,
                    query,
                    requirement,
                    summary,
                    devices.join(" "),
                    state.options.context
                ],
            )?;
            change.execute(
                "insert into incident_fts(session, query, findings, summary, devices) values (?1, ?2, ?3, ?4, ?5)",
                params![
                    session.0,
                    query,
                    findings.join("\n"),
                    format!("{summary}\n{}", causes.join("\n")),
                    devices.join(" ")
                ],
            )?;
            Ok(())
        };
        write().map_err(|e| self.failed(e))?;
        change.commit().map_err(|e| self.failed(e))
    }
}

fn requirement(reading: &Reading) -> String {
    reading.result_requirement.clone()
}
