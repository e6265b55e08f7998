//! The screen's desks: the studio, where sessions are opened and go on; the shelf, where they are read; the
//! doorstep, where noctui is set up.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use super::super::compose::Composed;
use super::super::{Context, Failure, Globals, setup};
use super::stage::{Stage, Stages};
use crate::agent::event::Recorded;
use crate::agent::model::{Query, SessionId};
use crate::agent::state::State;
use crate::memory::{self, MemoryError, Store};
use crate::report;
use crate::runtime::{Handle, Policy, stand_in};
use crate::tui::live;
use crate::tui::source::{Answers, Desk, ExportFormat, Opened, SessionRow};

/// Sessions listed at most.
const LISTED: usize = 500;

/// Opens sessions where they belong, and sets up.
pub(super) struct Studio {
    stages: Stages,
    shelf: Shelf,
    patience: Duration,
}

impl Studio {
    /// A studio that begins at the screen's own place. Questions that nobody answers for `patience` take their
    /// default answer; zero waits for ever.
    pub(super) fn new(context: &Context, home: Composed, patience: Duration) -> Self {
        Self {
            patience,
            shelf: Shelf::new(home.store.clone()),
            stages: Stages::new(context, home),
        }
    }

    /// Ends servers and labs.
    pub(super) async fn close(self) {
        self.stages.close().await;
    }

    fn on_screen(&self, stage: &Stage, handle: &Handle) -> Opened {
        if !self.patience.is_zero() {
            tokio::spawn(stand_in(handle, Policy::defaults(), self.patience));
        }
        Opened {
            servers: Some(stage.servers.clone()),
            ..live::open(handle)
        }
    }
}

/// A failure in one line, what to do next included.
fn one_line(failure: Failure) -> String {
    format!("{} - {}", failure.what, failure.next)
}

/// Writes the answers of the set-up, off the workers: it reads and writes files.
async fn configure(globals: Globals, answers: Answers) -> Result<String, String> {
    let work = move || setup::write(&Context::new(globals), &answers);
    match tokio::task::spawn_blocking(work).await {
        Ok(Ok(file)) => Ok(format!(
            "wrote {}; noctui reads it when it starts",
            file.display()
        )),
        Ok(Err(failure)) => Err(one_line(failure)),
        Err(_) => Err("the set-up failed - see the log".to_owned()),
    }
}

#[async_trait]
impl Desk for Studio {
    async fn open(&self, query: Query) -> Result<Opened, String> {
        let stage = self.stages.home();
        let (_, handle) = stage.composed.open(query, stage.composed.options.clone());
        Ok(self.on_screen(stage, &handle))
    }

    async fn resume(&self, id: &SessionId) -> Result<Opened, String> {
        let stage = self.stages.of_session(id).await.map_err(one_line)?;
        let handle = stage.composed.resume(id.clone()).map_err(one_line)?;
        Ok(self.on_screen(&stage, &handle))
    }

    async fn sessions(&self) -> Result<Vec<SessionRow>, String> {
        self.shelf.sessions().await
    }

    async fn recording(&self, id: &SessionId) -> Result<Vec<Recorded>, String> {
        self.shelf.recording(id).await
    }

    async fn rename(&self, id: &SessionId, name: &str) -> Result<(), String> {
        self.shelf.rename(id, name).await
    }

    async fn delete(&self, id: &SessionId) -> Result<(), String> {
        self.shelf.delete(id).await
    }

    async fn export(&self, id: &SessionId, format: ExportFormat) -> Result<String, String> {
        self.shelf.export(id, format).await
    }

    async fn configure(&self, answers: Answers) -> Result<String, String> {
        configure(self.stages.globals(), answers).await
    }
}

/// Reads the journal; opens nothing.
pub(super) struct Shelf {
    store: Arc<Store>,
}

impl Shelf {
    pub(super) fn new(store: Arc<Store>) -> Self {
        Self { store }
    }

    /// SQLite blocks: the screen must not.
    async fn ask<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Store) -> Result<T, MemoryError> + Send + 'static,
    ) -> Result<T, String> {
        let store = self.store.clone();
        match tokio::task::spawn_blocking(move || work(&store)).await {
            Ok(done) => done.map_err(|error| error.to_string()),
            Err(_) => Err("the journal failed - see the log".to_owned()),
        }
    }
}

/// A row of the journal as the screen shows it.
pub(super) fn shown(row: memory::SessionRow) -> SessionRow {
    SessionRow {
        name: (!row.name.is_empty()).then_some(row.name),
        query: row.query,
        opened: row.opened_at,
        found: row.headline,
        open: row.outcome.is_empty(),
        ended: if row.outcome.is_empty() {
            "can go on".to_owned()
        } else {
            row.outcome
        },
        id: row.id,
    }
}

#[async_trait]
impl Desk for Shelf {
    async fn open(&self, _query: Query) -> Result<Opened, String> {
        Err("this is a recording - start `noctui` to ask something".to_owned())
    }

    async fn resume(&self, _id: &SessionId) -> Result<Opened, String> {
        Err("this is a recording - `noctui sessions resume` goes on with it".to_owned())
    }

    async fn sessions(&self) -> Result<Vec<SessionRow>, String> {
        let rows = self.ask(|store| store.sessions("", LISTED)).await?;
        Ok(rows.into_iter().map(shown).collect())
    }

    async fn recording(&self, id: &SessionId) -> Result<Vec<Recorded>, String> {
        let id = id.clone();
        self.ask(move |store| store.events(&id, 0)).await
    }

    async fn rename(&self, id: &SessionId, name: &str) -> Result<(), String> {
        let (id, name) = (id.clone(), name.to_owned());
        self.ask(move |store| store.rename_session(&id, &name)).await
    }

    async fn delete(&self, id: &SessionId) -> Result<(), String> {
        let id = id.clone();
        self.ask(move |store| store.delete_session(&id)).await
    }

    async fn export(&self, id: &SessionId, format: ExportFormat) -> Result<String, String> {
        let events = self.recording(id).await?;
        let format = match format {
            ExportFormat::Markdown => report::Format::Markdown,
            ExportFormat::Html => report::Format::Html,
            ExportFormat::Json => report::Format::Json,
        };
        Ok(report::write(format, id, &State::fold(&events)))
    }

    async fn configure(&self, _answers: Answers) -> Result<String, String> {
        Err("this is a recording - `noctui setup` sets up".to_owned())
    }
}

/// The doorstep: before the program proper there is nothing but the set-up.
pub(super) struct Doorstep {
    globals: Globals,
}

impl Doorstep {
    pub(super) fn new(context: &Context) -> Self {
        Self {
            globals: context.globals.clone(),
        }
    }
}

/// What the doorstep says to all else.
const OUTSIDE: &str = "noctui is being set up - start it again to investigate";

#[async_trait]
impl Desk for Doorstep {
    async fn open(&self, _query: Query) -> Result<Opened, String> {
        Err(OUTSIDE.to_owned())
    }

    async fn resume(&self, _id: &SessionId) -> Result<Opened, String> {
        Err(OUTSIDE.to_owned())
    }

    async fn sessions(&self) -> Result<Vec<SessionRow>, String> {
        Err(OUTSIDE.to_owned())
    }

    async fn recording(&self, _id: &SessionId) -> Result<Vec<Recorded>, String> {
        Err(OUTSIDE.to_owned())
    }

    async fn rename(&self, _id: &SessionId, _name: &str) -> Result<(), String> {
        Err(OUTSIDE.to_owned())
    }

    async fn delete(&self, _id: &SessionId) -> Result<(), String> {
        Err(OUTSIDE.to_owned())
    }

    async fn export(&self, _id: &SessionId, _format: ExportFormat) -> Result<String, String> {
        Err(OUTSIDE.to_owned())
    }

    async fn configure(&self, answers: Answers) -> Result<String, String> {
        configure(self.globals.clone(), answers).await
    }
}
