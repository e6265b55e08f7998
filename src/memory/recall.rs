//! Past incidents: kept when a session is reported, found again by BM25 over query, findings and verdict.

use std::collections::BTreeSet;

use async_trait::async_trait;
use rusqlite::params;

use super::store::{MemoryError, Store};
use crate::agent::model::{
    Cause, Confidence, DeviceName, Evidence, Fact, Incident, KnownAnswer, Reading, SessionId, Timestamp,
    Verdict,
};
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

    async fn known(&self, session: &SessionId) -> Result<KnownAnswer, PortError> {
        let events = self.events(session, 0).map_err(|e| PortError(e.to_string()))?;
        known_answer(session, &State::fold(&events))
            .ok_or_else(|| PortError(format!("session {session} is gone or has no verdict")))
    }

    async fn remember(&self, session: &SessionId, state: &State) -> Result<(), PortError> {
        self.keep(session, state).map_err(|e| PortError(e.to_string()))
    }
}

/// Verdict, report line and cited evidence of a session.
fn known_answer(session: &SessionId, state: &State) -> Option<KnownAnswer> {
    let verdict = state.diagnosed.verdict.clone()?;
    let cited = |evidence: &Evidence| {
        let citations = verdict.causes.iter().flat_map(|cause| &cause.citations);
        let mark = format!("[{}]", evidence.id);
        let said = [&verdict.unexplained, &verdict.ruled_out, &verdict.remarks];
        let mut statements = said.into_iter().flatten();
        citations.map(|c| c.evidence).any(|id| id == evidence.id)
            || statements
                .any(|s| s.text.contains(&mark) || s.citations.iter().any(|c| c.evidence == evidence.id))
    };
    let evidence = state.evidence.iter().filter(|e| cited(e));
    Some(KnownAnswer {
        session: session.clone(),
        at: state.updated_at,
        headline: state.ending.prose.as_ref()?.headline.clone(),
        evidence: evidence.map(|e| (**e).clone()).collect(),
        verdict,
    })
}

/// Whether a stored verdict confirms every cause it names, and names one.
fn is_confirmed(body: &str) -> bool {
    let verdict = serde_json::from_str::<serde_json::Value>(body)
        .ok()
        .and_then(|mut body| serde_json::from_value::<Verdict>(body["verdict"].take()).ok());
    verdict.is_some_and(|verdict| {
        let confirmed = |cause: &Cause| cause.confidence == Confidence::Confirmed;
        !verdict.causes.is_empty() && verdict.causes.iter().all(confirmed)
    })
}

/// Telling words two questions share, of all their telling words (Jaccard), 0..1.
fn likeness(one: &str, other: &str) -> f64 {
    let (one, other): (BTreeSet<_>, BTreeSet<_>) = (
        telling(one).into_iter().collect(),
        telling(other).into_iter().collect(),
    );
    let all = one.union(&other).count();
    if all == 0 {
        return 0.0;
    }
    one.intersection(&other).count() as f64 / all as f64
}

/// The query as an FTS5 expression: any of its telling words, each quoted.
fn expression(text: &str) -> String {
    telling(text)
        .into_iter()
        .map(|w| format!("\"{w}\""))
        .collect::<Vec<_>>()
        .join(" OR ")
}

/// The words of a query that say what it is about, in lower case.
fn telling(text: &str) -> Vec<String> {
    let separates = |c: char| !(c.is_alphanumeric() || "-_/.:".contains(c));
    let words = text
        .split(separates)
        .map(|w| w.trim_matches(|c| ".:-".contains(c)).to_lowercase());
    words
        .filter(|w| w.len() > 1 && !STOP_WORDS.contains(&w.as_str()))
        .take(32)
        .collect()
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
                "select i.session, i.query, i.summary, i.at, -bm25(incident_fts, 0.0, 4.0, 2.0, 1.0, 2.0) as score,
                   i.devices, coalesce((select e.body from event e join session s on s.id = e.session
                     where e.session = i.session and e.tag = 'verdict_reached.1' and s.outcome = 'reported'
                     order by e.seq desc limit 1), '')
                 from incident_fts f join incident i on i.session = f.session
                 where incident_fts match ?1 and i.context = ?2 order by score desc, i.at desc limit ?3",
            )
            .map_err(|e| self.failed(e))?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows = search
            .query_map(params![words, context, limit], |row| {
                let past: String = row.get(1)?;
                let devices: String = row.get(5)?;
                let verdict: String = row.get(6)?;
                Ok(Incident {
                    session: SessionId(row.get(0)?),
                    likeness: likeness(query, &past),
                    query: past,
                    summary: row.get(2)?,
                    at: Timestamp(row.get(3)?),
                    score: row.get(4)?,
                    devices: devices.split_whitespace().map(DeviceName::from).collect(),
                    confirmed: is_confirmed(&verdict),
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
            .map(|p| redact_text(&p.headline).into_owned())
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
