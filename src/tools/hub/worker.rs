//! Keeps one process (or one HTTP session) of a server alive: start, watch, check, restart with backoff.
//!
//! It runs as a task until the hub stops. Calls do not pass through it; they take its connection from here.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, MissedTickBehavior};
use tokio_util::sync::CancellationToken;

use super::connection::Connection;
use super::events::{ServerState, millis};
use super::handshake::{Connected, connect};
use super::server::Shared;
use crate::agent::model::ErrorKind;
use crate::tools::failure::{Failure, one_line};

/// Pause between health checks of an idle server.
const HEALTH_EVERY: Duration = Duration::from_secs(30);
/// How long an idle server may take to answer a ping.
const HEALTH_LIMIT: Duration = Duration::from_secs(5);
/// How long a server may take to answer a ping after a call that was given up.
const SUSPECT_LIMIT: Duration = Duration::from_secs(2);
/// How long a re-listing of the tools may take.
const LIST_LIMIT: Duration = Duration::from_secs(10);
/// How long a process may take to leave after its stdin is closed.
const GRACE: Duration = Duration::from_secs(2);
/// First pause after a failure; it doubles up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Where a worker is in its life.
#[derive(Clone)]
pub(super) enum Life {
    /// Not started: nobody has needed it yet.
    Dormant,
    /// Starting.
    Starting,
    /// Answering.
    Ready(Arc<Connection>),
    /// Waiting for its next attempt.
    Backoff { attempt: u32, until: Instant },
    /// Cannot work as configured.
    Failed,
    /// Ended with the hub.
    Stopped,
}

/// One process of a server.
pub(super) struct Worker {
    life: Mutex<Life>,
    /// Calls running on it.
    pub(super) in_flight: AtomicUsize,
    /// A call was given up; not used until a ping is answered.
    pub(super) suspect: AtomicBool,
    /// Calls answered since it last started.
    pub(super) answered: AtomicUsize,
    /// Wakes a dormant worker.
    pub(super) wanted: Notify,
    /// Asks for a ping.
    pub(super) check: Notify,
    /// Asks for a restart now.
    pub(super) restart: Notify,
}

impl Worker {
    pub(super) fn new() -> Self {
        Self {
            life: Mutex::new(Life::Dormant),
            in_flight: AtomicUsize::new(0),
            suspect: AtomicBool::new(false),
            answered: AtomicUsize::new(0),
            wanted: Notify::new(),
            check: Notify::new(),
            restart: Notify::new(),
        }
    }

    pub(super) fn life(&self) -> Life {
        self.life.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn enter(&self, shared: &Shared, life: Life, reason: Option<&Failure>) {
        let state = match &life {
            Life::Dormant | Life::Starting => ServerState::Starting,
            Life::Ready(_) => ServerState::Ready,
            Life::Backoff { attempt, until } => ServerState::Backoff {
                attempt: *attempt,
                retry_in_ms: millis(until.saturating_duration_since(Instant::now())),
            },
            Life::Failed => ServerState::Failed,
            Life::Stopped => ServerState::Stopped,
        };
        *self.life.lock().unwrap_or_else(PoisonError::into_inner) = life;
        shared.tell(state, reason);
    }

    /// Lives until `stop`.
    pub(super) async fn run(self: Arc<Self>, shared: Arc<Shared>, first: bool, stop: CancellationToken) {
        if !first {
            tokio::select! {
                () = self.wanted.notified() => {}
                () = stop.cancelled() => return self.enter(&shared, Life::Stopped, None),
            }
        }
        let mut failures = 0;
        while !stop.is_cancelled() {
            self.enter(&shared, Life::Starting, None);
            let attempt = tokio::select! {
                attempt = connect(&shared.spec, &shared.diagnostics) => attempt,
                () = stop.cancelled() => break,
            };
            let failure = match attempt {
                Ok(connected) => match self.serve(&shared, connected, &stop).await {
                    Some(failure) => {
                        if self.answered.load(Ordering::SeqCst) > 0 {
                            failures = 0;
                        }
                        failure
                    }
                    None => break,
                },
                Err(failure) => failure,
            };
            failures += 1;
            if !self.pause(&shared, failures, &failure, &stop).await {
                break;
            }
            shared.restarts.fetch_add(1, Ordering::SeqCst);
        }
        self.enter(&shared, Life::Stopped, None);
    }

    /// Waits for the next attempt; false when the hub stops instead.
    async fn pause(
        &self,
        shared: &Shared,
        failures: u32,
        failure: &Failure,
        stop: &CancellationToken,
    ) -> bool {
        tracing::warn!(server = %shared.spec.name, failures, "{failure}");
        if failure.kind == ErrorKind::Configuration {
            self.enter(shared, Life::Failed, Some(failure));
            return tokio::select! {
                () = self.restart.notified() => true,
                () = stop.cancelled() => false,
            };
        }
        let delay = backoff(failures);
        let until = Instant::now() + delay;
        self.enter(
            shared,
            Life::Backoff {
                attempt: failures,
                until,
            },
            Some(failure),
        );
        tokio::select! {
            () = tokio::time::sleep_until(until) => true,
            () = self.restart.notified() => true,
            () = stop.cancelled() => false,
        }
    }

    /// Watches a live connection until it breaks (`Some`) or the hub stops (`None`).
    async fn serve(
        &self,
        shared: &Shared,
        connected: Connected,
        stop: &CancellationToken,
    ) -> Option<Failure> {
        let Connected {
            connection,
            service,
            process,
            tools,
        } = connected;
        shared.set_tools(tools);
        let said = service.peer_info().and_then(|info| info.server_info.clone());
        shared.set_version(said.map(|server| one_line(&format!("{} {}", server.name, server.version))));
        self.suspect.store(false, Ordering::SeqCst);
        self.answered.store(0, Ordering::SeqCst);
        self.enter(shared, Life::Ready(Arc::clone(&connection)), None);

        let close = service.cancellation_token();
        let mut over = std::pin::pin!(service.waiting());
        let broken = tokio::select! {
            _quit = &mut over => Some(Broken::Closed),
            reason = self.watch(shared, &connection) => Some(reason),
            () = stop.cancelled() => None,
        };
        // Calls that still hold the old connection get "transport closed" from here on.
        *self.life.lock().unwrap_or_else(PoisonError::into_inner) = Life::Starting;
        close.cancel();
        let ended = matches!(broken, Some(Broken::Closed));
        if !ended && tokio::time::timeout(GRACE, over).await.is_err() {
            tracing::debug!(server = %shared.spec.name, "session did not close in time");
        }
        let grace = if broken.is_none() {
            GRACE
        } else {
            Duration::from_millis(300)
        };
        let status = match process {
            Some(process) => process.end(grace).await,
            None => None,
        };
        broken.map(|broken| broken.describe(shared, status))
    }

    /// Checks health and follows the tool list; returns when the connection should be given up.
    async fn watch(&self, shared: &Shared, connection: &Connection) -> Broken {
        let mut health = tokio::time::interval_at(Instant::now() + HEALTH_EVERY, HEALTH_EVERY);
        health.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = self.restart.notified() => return Broken::Asked,
                () = self.check.notified() => {
                    if !connection.answers(SUSPECT_LIMIT).await {
                        return Broken::Deaf("it answers no ping after a call that was given up");
                    }
                    self.suspect.store(false, Ordering::SeqCst);
                    shared.pulse();
                }
                _ = health.tick() => {
                    let idle = self.in_flight.load(Ordering::SeqCst) == 0;
                    if idle && !connection.answers(HEALTH_LIMIT).await {
                        return Broken::Deaf("it answers no ping");
                    }
                }
                () = connection.session.tools_changed.notified() => {
                    match tokio::time::timeout(LIST_LIMIT, connection.tools()).await {
                        Ok(Ok(tools)) => shared.set_tools(tools),
                        Ok(Err(error)) => tracing::warn!(server = %shared.spec.name, %error, "tools not listed"),
                        Err(_elapsed) => return Broken::Deaf("it does not list its tools"),
                    }
                }
            }
        }
    }
}

/// Why a connection was given up.
enum Broken {
    Closed,
    Asked,
    Deaf(&'static str),
}

impl Broken {
    fn describe(&self, shared: &Shared, status: Option<std::process::ExitStatus>) -> Failure {
        let name = &shared.spec.name;
        let said = shared
            .diagnostics
            .stderr
            .last_words()
            .map(|line| format!("; stderr: {line}"))
            .unwrap_or_default();
        let what = match (self, status) {
            (Self::Asked, _) => format!("server \"{name}\" is being restarted as asked"),
            (Self::Deaf(why), _) => format!("server \"{name}\" was stopped: {why}{said}"),
            (Self::Closed, Some(status)) => format!("server \"{name}\" ended ({status}){said}"),
            (Self::Closed, None) => format!("server \"{name}\" closed the connection{said}"),
        };
        Failure::new(ErrorKind::ServiceUnavailable, what)
            .with_hint("it is being restarted: retry in a moment")
    }
}

/// Pause before the attempt after this many consecutive failures.
fn backoff(failures: u32) -> Duration {
    FIRST_PAUSE
        .saturating_mul(1 << failures.saturating_sub(1).min(8))
        .min(LONGEST_PAUSE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pause_doubles_up_to_its_limit() {
        assert_eq!(backoff(1), FIRST_PAUSE);
        assert_eq!(backoff(2), FIRST_PAUSE * 2);
        assert_eq!(backoff(5), FIRST_PAUSE * 16);
        assert_eq!(backoff(40), LONGEST_PAUSE);
    }
}
