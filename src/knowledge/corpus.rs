//! Runbooks, notes and tools in one index, behind the `Corpus` port.
//!
//! Tools are asked for when a search comes and re-indexed when their list has changed, since servers start in
//! the background and may change their lists. SQLite in memory answers within a millisecond, so a search
//! runs where it is called.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use super::index::{Index, Shelf};
use super::notes::Note;
use super::runbook::Runbook;
use super::runbooks::Runbooks;
use crate::agent::model::{Passage, ToolSpec};
use crate::agent::ports::{Corpus, PortError, Toolbox};

/// The index cannot be built or asked: a defect of this build, or no memory.
#[derive(Debug, thiserror::Error)]
#[error("the knowledge index: {0}")]
pub struct KnowledgeError(#[from] rusqlite::Error);

/// Everything that can be searched.
pub struct Knowledge {
    inner: Mutex<Inner>,
    toolbox: Option<Arc<dyn Toolbox>>,
}

struct Inner {
    index: Index,
    runbooks: HashMap<String, Vec<Passage>>,
    tools: u64,
}

impl Knowledge {
    /// Indexes runbooks and notes.
    ///
    /// # Errors
    /// When SQLite refuses.
    pub fn new(runbooks: &Runbooks, notes: &[Note]) -> Result<Self, KnowledgeError> {
        let mut index = Index::new()?;
        let by_intent: HashMap<String, Vec<Passage>> = runbooks
            .iter()
            .map(|(_, runbook)| (runbook.intent.clone(), of_runbook(runbook)))
            .collect();
        let mut shelf: Vec<Passage> = by_intent.values().flatten().cloned().collect();
        // The order of a hash map is chance; the order of equal scores must not be.
        shelf.sort_by(|a, b| (&a.source, &a.heading).cmp(&(&b.source, &b.heading)));
        index.fill(Shelf::Runbooks, &shelf)?;
        index.fill(Shelf::Notes, &notes.iter().map(of_note).collect::<Vec<_>>())?;
        let inner = Mutex::new(Inner {
            index,
            runbooks: by_intent,
            tools: 0,
        });
        Ok(Self { inner, toolbox: None })
    }

    /// Also searches the descriptions of these tools.
    #[must_use]
    pub fn with_toolbox(mut self, toolbox: Arc<dyn Toolbox>) -> Self {
        self.toolbox = Some(toolbox);
        self
    }

    /// The best passages for each query, merged, best first. Scores are relative to the best passage of a
    /// query (1.0) and added up over the queries; the steps of a runbook that a query names come first.
    ///
    /// # Errors
    /// When SQLite refuses.
    pub fn find(&self, queries: &[String], limit: usize) -> Result<Vec<Passage>, KnowledgeError> {
        let inner = self.lock();
        let mut named: Vec<Passage> = Vec::new();
        let mut found: HashMap<i64, Passage> = HashMap::new();
        for query in queries {
            if let Some(steps) = inner.runbooks.get(query.trim()) {
                named.extend(steps.iter().cloned());
                continue;
            }
            let hits = inner.index.search(query, limit)?;
            let best = hits
                .first()
                .map_or(1.0, |(_, passage)| passage.score)
                .max(f64::MIN_POSITIVE);
            for (id, passage) in hits {
                let score = passage.score / best;
                found
                    .entry(id)
                    .and_modify(|kept| kept.score += score)
                    .or_insert(Passage { score, ..passage });
            }
        }
        let mut ranked: Vec<(i64, Passage)> = found.into_iter().collect();
        ranked.sort_by(|(a, x), (b, y)| y.score.total_cmp(&x.score).then(a.cmp(b)));
        let top = ranked.first().map_or(0.0, |(_, passage)| passage.score);
        let same = |a: &Passage, b: &Passage| a.source == b.source && a.heading == b.heading;
        let rest = ranked.into_iter().map(|(_, passage)| passage);
        let rest: Vec<Passage> = rest.filter(|p| !named.iter().any(|step| same(step, p))).collect();
        let count = named.len();
        for (i, step) in named.iter_mut().enumerate() {
            // Above everything else, and in the runbook's order.
            step.score = top + 1.0 + (count - i) as f64;
        }
        named.extend(rest);
        named.truncate(limit);
        Ok(named)
    }

    /// Puts the tools on their shelf when they are not the ones that stand there.
    ///
    /// # Errors
    /// When SQLite refuses.
    pub fn shelve(&self, tools: &[ToolSpec]) -> Result<(), KnowledgeError> {
        let mut hasher = DefaultHasher::new();
        for tool in tools {
            (&tool.id, &tool.description).hash(&mut hasher);
        }
        let print = hasher.finish();
        let mut inner = self.lock();
        if inner.tools != print {
            inner
                .index
                .fill(Shelf::Tools, &tools.iter().map(of_tool).collect::<Vec<_>>())?;
            inner.tools = print;
        }
        Ok(())
    }

    /// A panic while the lock was held leaves the index as it was: each change is one transaction.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Corpus for Knowledge {
    async fn search(&self, queries: &[String], limit: usize) -> Result<Vec<Passage>, PortError> {
        if let Some(toolbox) = &self.toolbox {
            // Without tools the rest can still be searched.
            match toolbox.list().await {
                Ok(tools) => self
                    .shelve(&tools)
                    .map_err(|error| PortError(error.to_string()))?,
                Err(error) => tracing::warn!(%error, "tools are not searched"),
            }
        }
        self.find(queries, limit)
            .map_err(|error| PortError(error.to_string()))
    }
}

fn of_runbook(runbook: &Runbook) -> Vec<Passage> {
    let passage = |(i, text): (usize, &String)| Passage {
        source: runbook.source(),
        heading: format!("step {} · {}", i + 1, runbook.title(i)),
        text: text.clone(),
        score: 0.0,
    };
    runbook.steps.iter().enumerate().map(passage).collect()
}

fn of_note(note: &Note) -> Passage {
    Passage {
        source: note.source.clone(),
        heading: note.heading.clone(),
        text: note.text.clone(),
        score: 0.0,
    }
}

fn of_tool(tool: &ToolSpec) -> Passage {
    let arguments = tool.input_schema.get("properties").and_then(|p| p.as_object());
    let arguments: Vec<&str> = arguments
        .into_iter()
        .flat_map(|p| p.keys().map(String::as_str))
        .collect();
    let text = match arguments.is_empty() {
        true => tool.description.clone(),
        false => format!("{}\nArguments: {}", tool.description, arguments.join(", ")),
    };
    Passage {
        source: tool.id.clone(),
        heading: tool.name.clone(),
        text,
        score: 0.0,
    }
}

#[cfg(test)]
mod tests;
