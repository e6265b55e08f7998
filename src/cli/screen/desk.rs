//! The screen's desks: the studio, where sessions are opened and go on, and the shelf, where they are read.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::watch;

use super::super::compose::Composed;
use crate::agent::event::Recorded;
use crate::agent::model::{Query, SessionId};
use crate::agent::state::State;
use crate::memory::{MemoryError, Store};
use crate::report;
use crate::runtime::{Handle, Policy, stand_in};
use crate::tools::Hub;
use crate::tools::hub::{ServerState, ServerStatus};
use crate::tui::live;
use crate::tui::source::{Desk, ExportFormat, Opened, ServerHealth, ServerRow, SessionRow};

/// Sessions listed at most.
const LISTED: usize = 500;

/// Opens sessions on what was composed.
pub(super) struct Studio {
    composed: Arc<Composed>,
    shelf: Shelf,
    servers: watch::Receiver<Vec<ServerRow>>,
    patience: Duration,
}

impl Studio {
    /// A studio; follows the state of the servers as long as it lives. Questions that nobody answers for
    /// `patience` take their default answer; zero waits for ever.
    pub(super) fn new(composed: Arc<Composed>, patience: Duration) -> Self {
        let hub = composed.toolbox.hub().clone();
        let (rows, servers) = watch::channel(server_rows(&hub));
        tokio::spawn(follow(hub, rows));
        let shelf = Shelf::new(composed.store.clone());
        Self {
            composed,
            shelf,
            servers,
            patience,
        }
    }

    fn opened(&self, handle: &Handle) -> Opened {
        if !self.patience.is_zero() {
            tokio::spawn(stand_in(handle, Policy::defaults(), self.patience));
        }
        Opened {
            servers: Some(self.servers.clone()),
            ..live::open(handle)
        }
    }
}

async fn follow(hub: Arc<Hub>, rows: watch::Sender<Vec<ServerRow>>) {
    let mut news = hub.subscribe();
    while !rows.is_closed() {
        // A listener that lagged has missed nothing: the state is read anew.
        if let Err(tokio::sync::broadcast::error::RecvError::Closed) = news.recv().await {
            return;
        }
        rows.send_replace(server_rows(&hub));
    }
}

fn server_rows(hub: &Hub) -> Vec<ServerRow> {
    hub.statuses().into_iter().map(server_row).collect()
}

fn server_row(status: ServerStatus) -> ServerRow {
    ServerRow {
        name: status.name,
        health: match status.state {
            ServerState::Ready => ServerHealth::Ready,
            ServerState::Starting => ServerHealth::Starting,
            _ => ServerHealth::Failed,
        },
        tools: status.tools,
        last_line: status.last_error.or(status.last_stderr),
    }
}

#[async_trait]
impl Desk for Studio {
    async fn open(&self, query: Query) -> Result<Opened, String> {
        let (_, handle) = self.composed.open(query, self.composed.options.clone());
        Ok(self.opened(&handle))
    }

    async fn resume(&self, id: &SessionId) -> Result<Opened, String> {
        let handle = self.composed.resume(id.clone()).map_err(|failure| failure.what)?;
        Ok(self.opened(&handle))
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
        let row = |row: crate::memory::SessionRow| SessionRow {
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
        };
        Ok(rows.into_iter().map(row).collect())
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
}
