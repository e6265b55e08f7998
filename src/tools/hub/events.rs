//! What the hub tells the outside: server states and changed tool lists, and per call progress and questions.
//!
//! Events may be lost by a slow subscriber; the state itself can always be read with `Hub::statuses`.

use std::time::Duration;

use serde::Serialize;
use serde_json::Value;
use tokio::sync::oneshot;

use crate::agent::ports::Elicitation;

/// How one server is doing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "state")]
pub enum ServerState {
    /// Being started or connected.
    Starting,
    /// Answering.
    Ready,
    /// Down; the next attempt follows by itself.
    Backoff {
        /// Consecutive failures so far.
        attempt: u32,
        /// Time until the next attempt, milliseconds.
        retry_in_ms: u64,
    },
    /// Cannot work as configured; waits for a restart by hand.
    Failed,
    /// Closed with the hub.
    Stopped,
}

/// State and diagnostics of one server.
#[derive(Debug, Clone, Serialize)]
pub struct ServerStatus {
    /// Name in the configuration.
    pub name: String,
    /// Best state among its processes.
    pub state: ServerState,
    /// Processes that answer now.
    pub processes: usize,
    /// Times a process had to be started again.
    pub restarts: u64,
    /// Calls in flight.
    pub in_flight: usize,
    /// Tools it offers.
    pub tools: usize,
    /// Name and version it gave in the handshake.
    pub version: Option<String>,
    /// Why it last failed, in one line.
    pub last_error: Option<String>,
    /// Its last line on stderr.
    pub last_stderr: Option<String>,
}

/// Something changed in the hub.
#[derive(Debug, Clone, PartialEq)]
pub enum HubEvent {
    /// A server changed its state.
    Server {
        /// Which.
        name: String,
        /// Its state now.
        state: ServerState,
        /// Why, when it went down.
        reason: Option<String>,
    },
    /// A server's tool list is known or has changed.
    Tools {
        /// Which.
        name: String,
        /// How many tools it offers now.
        count: usize,
    },
}

/// How far a call is.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// Done so far, in the server's unit.
    pub done: f64,
    /// The whole, where known.
    pub total: Option<f64>,
    /// The server's words.
    pub message: Option<String>,
}

/// A server's question on its way to the human, with the way back; `None` declines it.
pub type Ask = (Elicitation, oneshot::Sender<Option<Value>>);

/// Milliseconds of a duration, saturating.
pub(super) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
