//! The hub: every configured MCP server, started in the background, kept alive, called with deadlines.
//!
//! Servers are independent: each has its own tasks, and one that hangs, floods or dies never delays another.
//! The hub speaks raw tools and results; names, permissions and limits are the registry's and the guard's.

mod client;
mod connection;
mod events;
mod handshake;
mod lines;
mod process;
mod server;
mod spec;
mod worker;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{CallToolResult, Tool};
use tokio::sync::{broadcast, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub use connection::HubCall;
pub use events::{Ask, HubEvent, Progress, ServerState, ServerStatus};
pub use spec::{HttpEndpoint, Link, Pool, ServerSpec, StdioCommand};

use crate::agent::model::ErrorKind;
use crate::tools::failure::Failure;
use server::Server;

/// Events kept for a slow subscriber.
const EVENTS_KEPT: usize = 1024;

/// All MCP servers. Dropping it stops them; [`Hub::close`] also waits until they are gone.
pub struct Hub {
    servers: BTreeMap<String, Server>,
    generation: watch::Sender<u64>,
    events: broadcast::Sender<HubEvent>,
    stop: CancellationToken,
    tasks: TaskTracker,
}

impl Hub {
    /// Starts all servers in the background and returns at once. Must be called inside a tokio runtime.
    ///
    /// # Errors
    /// `Configuration` when a name is empty, has a dot, or is used twice.
    pub fn start(specs: Vec<ServerSpec>) -> Result<Self, Failure> {
        let generation = watch::Sender::new(0);
        let events = broadcast::Sender::new(EVENTS_KEPT);
        let mut servers = BTreeMap::new();
        for spec in specs {
            check_name(&spec.name, servers.contains_key(&spec.name))?;
            let name = spec.name.clone();
            servers.insert(name, Server::new(spec, generation.clone(), events.clone()));
        }
        let (stop, tasks) = (CancellationToken::new(), TaskTracker::new());
        for server in servers.values() {
            for (index, worker) in server.workers.iter().enumerate() {
                let run = Arc::clone(worker).run(Arc::clone(&server.shared), index == 0, stop.child_token());
                tasks.spawn(run);
            }
        }
        tasks.close();
        Ok(Self {
            servers,
            generation,
            events,
            stop,
            tasks,
        })
    }

    /// The state of every server, by name.
    #[must_use]
    pub fn statuses(&self) -> Vec<ServerStatus> {
        self.servers.values().map(Server::status).collect()
    }

    /// The last lines a server printed on stderr and, outside the protocol, on stdout.
    #[must_use]
    pub fn diagnostics(&self, server: &str) -> Option<(Vec<String>, Vec<String>)> {
        self.servers.get(server).map(Server::diagnostics)
    }

    /// The tools of every server as last listed.
    #[must_use]
    pub fn tools(&self) -> Vec<(String, Arc<Vec<Tool>>)> {
        self.servers
            .iter()
            .map(|(name, server)| (name.clone(), server.tools()))
            .collect()
    }

    /// The handshake's "name version" of a server.
    #[must_use]
    pub fn version(&self, server: &str) -> Option<String> {
        self.servers
            .get(server)
            .and_then(|server| server.status().version)
    }

    /// Grows with every change of a tool list.
    #[must_use]
    pub fn generation(&self) -> u64 {
        *self.generation.borrow()
    }

    /// A receiver that wakes with every change of a tool list.
    #[must_use]
    pub fn generations(&self) -> watch::Receiver<u64> {
        self.generation.subscribe()
    }

    /// State changes, tool changes and progress from now on.
    #[must_use]
    pub fn subscribe(&self) -> broadcast::Receiver<HubEvent> {
        self.events.subscribe()
    }

    /// Waits until every server has either answered or failed once, at most `within`.
    pub async fn settled(&self, within: Duration) {
        let all = futures::future::join_all(self.servers.values().map(Server::settled));
        if tokio::time::timeout(within, all).await.is_err() {
            tracing::debug!("not every server has settled within {within:?}");
        }
    }

    /// Calls a tool.
    ///
    /// # Errors
    /// Every way a call can fail short of what the result itself says; see [`ErrorKind`].
    pub async fn call(&self, call: &HubCall) -> Result<CallToolResult, Failure> {
        let Some(server) = self.servers.get(&call.server) else {
            let message = format!("no server is called \"{}\"", call.server);
            return Err(Failure::new(ErrorKind::ToolNotFound, message));
        };
        if self.stop.is_cancelled() {
            return Err(Failure::new(
                ErrorKind::ServiceUnavailable,
                "the tool servers are closed",
            ));
        }
        server.call(call).await
    }

    /// Restarts all processes of a server now, also one that had failed for good. False when unknown.
    pub fn restart(&self, server: &str) -> bool {
        let Some(server) = self.servers.get(server) else {
            return false;
        };
        server
            .workers
            .iter()
            .for_each(|worker| worker.restart.notify_one());
        true
    }

    /// Tasks of the hub that still run.
    #[must_use]
    pub fn tasks(&self) -> usize {
        self.tasks.len()
    }

    /// Stops all servers and waits until their processes are gone.
    pub async fn close(&self) {
        self.stop.cancel();
        self.tasks.wait().await;
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

fn check_name(name: &str, taken: bool) -> Result<(), Failure> {
    let problem = if name.is_empty() {
        "a server without a name".to_owned()
    } else if taken {
        format!("two servers are called \"{name}\"")
    } else if !name
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
    {
        format!("server name \"{name}\" has other characters than letters, digits, '-' and '_'")
    } else {
        return Ok(());
    };
    Err(Failure::new(ErrorKind::Configuration, problem).with_hint("rename it in mcp.json"))
}
