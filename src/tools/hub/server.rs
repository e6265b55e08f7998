//! One server as callers see it: its tools, its state, and a free slot on one of its processes.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::model::{CallToolResult, Tool};
use tokio::sync::{broadcast, watch};
use tokio::time::Instant;

use super::connection::{Connection, HubCall};
use super::events::{HubEvent, ServerState, ServerStatus, millis};
use super::process::Diagnostics;
use super::spec::ServerSpec;
use super::worker::{Life, Worker};
use crate::agent::model::ErrorKind;
use crate::tools::failure::Failure;

/// How long a call waits for a server that is down but about to be tried again.
const PATIENCE: Duration = Duration::from_secs(2);

/// What a server's workers share.
pub(super) struct Shared {
    pub(super) spec: ServerSpec,
    pub(super) diagnostics: Arc<Diagnostics>,
    pub(super) restarts: AtomicU64,
    known: Mutex<Known>,
    /// Counts changes of state and freed slots; callers wait on it.
    pulse: watch::Sender<u64>,
    /// Counts changes of any tool list in the hub.
    generation: watch::Sender<u64>,
    events: broadcast::Sender<HubEvent>,
}

/// What is known of a server.
#[derive(Default)]
struct Known {
    tools: Arc<Vec<Tool>>,
    version: Option<String>,
    last_error: Option<Failure>,
    /// How often it has gone down.
    downs: u64,
}

impl Shared {
    fn known(&self) -> std::sync::MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes the calls that wait for a slot.
    pub(super) fn pulse(&self) {
        self.pulse.send_modify(|count| *count += 1);
    }

    /// Announces a new state of one worker.
    pub(super) fn tell(&self, state: ServerState, reason: Option<&Failure>) {
        if let Some(failure) = reason {
            let mut known = self.known();
            known.last_error = Some(failure.clone());
            known.downs += 1;
        }
        let reason = reason.map(ToString::to_string);
        // Nobody listening is fine.
        let _unheard = self.events.send(HubEvent::Server {
            name: self.spec.name.clone(),
            state,
            reason,
        });
        self.pulse();
    }

    /// Takes over a tool list; tells when it differs.
    pub(super) fn set_tools(&self, tools: Vec<Tool>) {
        let count = tools.len();
        {
            let mut known = self.known();
            if *known.tools == tools && !known.tools.is_empty() {
                return;
            }
            known.tools = Arc::new(tools);
        }
        self.generation.send_modify(|count| *count += 1);
        let _unheard = self.events.send(HubEvent::Tools {
            name: self.spec.name.clone(),
            count,
        });
    }

    pub(super) fn set_version(&self, version: Option<String>) {
        self.known().version = version;
    }
}

/// A server of the hub.
pub(super) struct Server {
    pub(super) shared: Arc<Shared>,
    pub(super) workers: Vec<Arc<Worker>>,
}

impl Server {
    pub(super) fn new(
        spec: ServerSpec,
        generation: watch::Sender<u64>,
        events: broadcast::Sender<HubEvent>,
    ) -> Self {
        let workers = (0..spec.pool.processes.max(1))
            .map(|_| Arc::new(Worker::new()))
            .collect();
        let shared = Shared {
            spec,
            diagnostics: Arc::default(),
            restarts: AtomicU64::new(0),
            known: Mutex::default(),
            pulse: watch::Sender::new(0),
            generation,
            events,
        };
        Self {
            shared: Arc::new(shared),
            workers,
        }
    }

    pub(super) fn tools(&self) -> Arc<Vec<Tool>> {
        Arc::clone(&self.shared.known().tools)
    }

    /// Whether the first attempt to start is over, well or badly.
    pub(super) fn is_settled(&self) -> bool {
        self.workers
            .first()
            .is_none_or(|worker| !matches!(worker.life(), Life::Dormant | Life::Starting))
    }

    pub(super) async fn settled(&self) {
        let mut pulse = self.shared.pulse.subscribe();
        while !self.is_settled() {
            if pulse.changed().await.is_err() {
                return;
            }
        }
    }

    pub(super) fn status(&self) -> ServerStatus {
        let lives: Vec<Life> = self.workers.iter().map(|worker| worker.life()).collect();
        let known = self.shared.known();
        ServerStatus {
            name: self.shared.spec.name.clone(),
            state: best_state(&lives),
            processes: lives.iter().filter(|life| matches!(life, Life::Ready(_))).count(),
            restarts: self.shared.restarts.load(Ordering::SeqCst),
            in_flight: self
                .workers
                .iter()
                .map(|worker| worker.in_flight.load(Ordering::SeqCst))
                .sum(),
            tools: known.tools.len(),
            version: known.version.clone(),
            last_error: known.last_error.as_ref().map(ToString::to_string),
            last_stderr: self.shared.diagnostics.stderr.last(),
        }
    }

    pub(super) fn diagnostics(&self) -> (Vec<String>, Vec<String>) {
        (
            self.shared.diagnostics.stderr.all(),
            self.shared.diagnostics.noise.all(),
        )
    }

    /// Runs a call on a free process, waiting for one at most as long as the call itself may take.
    pub(super) async fn call(&self, call: &HubCall) -> Result<CallToolResult, Failure> {
        let timeout = call.timeout.unwrap_or(self.shared.spec.call_timeout);
        let mut slot = self.slot(timeout).await?;
        let downs = self.shared.known().downs;
        let result = slot.connection.call(call, timeout).await;
        match &result {
            Err(failure) if failure.kind == ErrorKind::Timeout => {}
            Err(failure) => {
                slot.done = true;
                if failure.kind == ErrorKind::ServiceUnavailable {
                    return Err(self.explain(failure, downs).await);
                }
            }
            Ok(_) => {
                slot.done = true;
                slot.worker.answered.fetch_add(1, Ordering::SeqCst);
            }
        }
        result
    }

    /// The process died under the call: a moment later its exit status and last words are known.
    async fn explain(&self, failure: &Failure, downs: u64) -> Failure {
        let mut pulse = self.shared.pulse.subscribe();
        let told = async {
            loop {
                let cause = {
                    let known = self.shared.known();
                    known.last_error.clone().filter(|_| known.downs > downs)
                };
                if cause.is_some() || pulse.changed().await.is_err() {
                    return cause;
                }
            }
        };
        match tokio::time::timeout(Duration::from_millis(500), told).await {
            Ok(Some(cause)) => Failure {
                message: format!("{}: {}", failure.message, cause.message),
                ..failure.clone()
            },
            Ok(None) | Err(_) => failure.clone(),
        }
    }

    async fn slot(&self, patience: Duration) -> Result<Slot, Failure> {
        let deadline = Instant::now() + patience;
        let mut pulse = self.shared.pulse.subscribe();
        loop {
            match self.pick(deadline) {
                Pick::Slot(slot) => return Ok(slot),
                Pick::Never(failure) => return Err(failure),
                Pick::Wait => {}
            }
            match tokio::time::timeout_at(deadline, pulse.changed()).await {
                Ok(Ok(())) => {}
                Ok(Err(_closed)) => return Err(self.unavailable("is stopped")),
                Err(_elapsed) => {
                    let starting = self
                        .workers
                        .iter()
                        .any(|worker| matches!(worker.life(), Life::Starting));
                    return Err(self.unavailable(if starting { "is still starting" } else { "is busy" }));
                }
            }
        }
    }

    fn pick(&self, deadline: Instant) -> Pick {
        let most = self.shared.spec.pool.concurrency.max(1);
        let mut ready = Vec::new();
        let mut hope = false;
        let mut dormant = None;
        for worker in &self.workers {
            match worker.life() {
                Life::Ready(connection) => {
                    hope = true;
                    if !worker.suspect.load(Ordering::SeqCst) {
                        ready.push((worker.in_flight.load(Ordering::SeqCst), worker, connection));
                    }
                }
                Life::Dormant => dormant = dormant.or(Some(worker)),
                Life::Starting => hope = true,
                Life::Backoff { until, .. } => hope |= until <= deadline.min(Instant::now() + PATIENCE),
                Life::Failed | Life::Stopped => {}
            }
        }
        ready.sort_by_key(|(load, ..)| *load);
        for (_, worker, connection) in ready {
            if let Some(slot) = Slot::take(worker, connection, &self.shared, most) {
                return Pick::Slot(slot);
            }
        }
        if let Some(worker) = dormant {
            worker.wanted.notify_one();
            hope = true;
        }
        if hope {
            Pick::Wait
        } else {
            Pick::Never(self.unavailable("is not available"))
        }
    }

    fn unavailable(&self, how: &str) -> Failure {
        let name = &self.shared.spec.name;
        let last = self.shared.known().last_error.clone();
        match last {
            Some(failure) if how == "is not available" => failure,
            _ => Failure::new(ErrorKind::ServiceUnavailable, format!("server \"{name}\" {how}"))
                .with_hint("retry in a moment"),
        }
    }
}

/// What a look for a free process found.
enum Pick {
    Slot(Slot),
    Wait,
    Never(Failure),
}

/// A call's place on a process; given back on drop. Dropped before `done`, the process is checked first.
struct Slot {
    worker: Arc<Worker>,
    connection: Arc<Connection>,
    shared: Arc<Shared>,
    done: bool,
}

impl Slot {
    fn take(
        worker: &Arc<Worker>,
        connection: Arc<Connection>,
        shared: &Arc<Shared>,
        most: usize,
    ) -> Option<Self> {
        let taken = worker
            .in_flight
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |load| {
                (load < most).then_some(load + 1)
            })
            .is_ok();
        taken.then(|| Self {
            worker: Arc::clone(worker),
            connection,
            shared: Arc::clone(shared),
            done: false,
        })
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if !self.done {
            self.worker.suspect.store(true, Ordering::SeqCst);
            self.worker.check.notify_one();
        }
        self.worker.in_flight.fetch_sub(1, Ordering::SeqCst);
        self.shared.pulse();
    }
}

fn best_state(lives: &[Life]) -> ServerState {
    let rank = |life: &Life| match life {
        Life::Ready(_) => 0,
        Life::Starting => 1,
        Life::Backoff { .. } => 2,
        Life::Failed => 3,
        Life::Dormant => 4,
        Life::Stopped => 5,
    };
    match lives.iter().min_by_key(|life| rank(life)) {
        Some(Life::Ready(_)) => ServerState::Ready,
        Some(Life::Backoff { attempt, until }) => ServerState::Backoff {
            attempt: *attempt,
            retry_in_ms: millis(until.saturating_duration_since(Instant::now())),
        },
        Some(Life::Failed) => ServerState::Failed,
        Some(Life::Stopped) | None => ServerState::Stopped,
        Some(Life::Starting | Life::Dormant) => ServerState::Starting,
    }
}
