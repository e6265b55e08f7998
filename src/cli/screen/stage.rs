//! Where sessions are played: what was composed for a place, and the state of its servers.

use std::sync::Arc;

use tokio::sync::{Mutex, watch};

use super::super::compose::{self, Composed, Place};
use super::super::{Context, Failure, Globals};
use crate::agent::model::SessionId;
use crate::agent::state::State;
use crate::tools::Hub;
use crate::tools::hub::{ServerState, ServerStatus};
use crate::tui::source::{ServerHealth, ServerRow};

/// One place, composed.
pub(super) struct Stage {
    /// What sessions run on.
    pub(super) composed: Composed,
    /// Its servers, as they are.
    pub(super) servers: watch::Receiver<Vec<ServerRow>>,
}

impl Stage {
    /// Follows the state of the servers as long as somebody looks.
    pub(super) fn new(composed: Composed) -> Self {
        let hub = composed.toolbox.hub().clone();
        let (rows, servers) = watch::channel(server_rows(&hub));
        tokio::spawn(follow(hub, rows));
        Self { composed, servers }
    }

    fn fits(&self, state: &State) -> bool {
        let (own, wanted) = (&self.composed.options, &state.options);
        own.context == wanted.context && own.seed == wanted.seed && own.reasoner == wanted.reasoner
    }
}

/// The place the screen was opened for, and others that resumed sessions turned out to need: a session of the
/// lab must not go on in the network.
pub(super) struct Stages {
    /// A context of its own, so that places can be composed while the screen runs.
    context: Context,
    home: Arc<Stage>,
    others: Mutex<Vec<Arc<Stage>>>,
}

impl Stages {
    /// Begins with the place of the screen.
    pub(super) fn new(context: &Context, home: Composed) -> Self {
        Self {
            context: Context::new(context.globals.clone()),
            home: Arc::new(Stage::new(home)),
            others: Mutex::default(),
        }
    }

    /// The place of the screen.
    pub(super) fn home(&self) -> &Arc<Stage> {
        &self.home
    }

    /// The flags the program was started with.
    pub(super) fn globals(&self) -> Globals {
        self.context.globals.clone()
    }

    /// The place of a recorded session; composed when it is not there yet.
    ///
    /// # Errors
    /// When the session can't be read or its place can't be composed.
    pub(super) async fn of_session(&self, id: &SessionId) -> Result<Arc<Stage>, Failure> {
        let state = State::fold(&self.home.composed.store.events(id, 0)?);
        if self.home.fits(&state) {
            return Ok(self.home.clone());
        }
        let mut others = self.others.lock().await;
        if let Some(stage) = others.iter().find(|stage| stage.fits(&state)) {
            return Ok(stage.clone());
        }
        let place = Place::of_session(&state.options, &self.context)?;
        let wanted = compose::reasoner_named(&state.options.reasoner);
        let composed = compose::compose(&self.context, place, wanted, state.options.without_memory).await?;
        let stage = Arc::new(Stage::new(composed));
        others.push(stage.clone());
        Ok(stage)
    }

    /// Ends servers and labs.
    pub(super) async fn close(self) {
        let others = self.others.into_inner();
        for stage in std::iter::once(self.home).chain(others) {
            if let Ok(stage) = Arc::try_unwrap(stage) {
                stage.composed.close().await;
            }
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
