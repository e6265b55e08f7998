//! Signals that concern the terminal: hang-up, terminate, stop.
//!
//! The task restores the terminal itself on hang-up and terminate, because the loop may be busy; then it
//! tells the loop, which ends in order.

use std::io;

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

use super::restore_all;

/// SIGTSTP on Linux, macOS and the BSDs.
#[cfg(any(target_os = "linux", target_os = "android"))]
const SIGTSTP: i32 = 20;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const SIGTSTP: i32 = 18;

/// What the outside asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// The terminal went away (SIGHUP, 1).
    HangUp,
    /// Somebody wants us gone (SIGTERM, 15).
    Terminate,
    /// Somebody wants us stopped (SIGTSTP from outside; in raw mode Ctrl+Z is a key, not a signal).
    Suspend,
}

impl Signal {
    /// The exit code a shell expects after this signal: 128 + its number.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::HangUp => 129,
            Self::Terminate => 143,
            Self::Suspend => 148,
        }
    }
}

/// Receives signals in the event loop.
pub struct Signals {
    rx: mpsc::Receiver<Signal>,
    task: tokio::task::JoinHandle<()>,
}

impl Signals {
    /// Starts listening.
    ///
    /// # Errors
    /// The handlers could not be installed.
    pub fn listen() -> io::Result<Self> {
        let mut hang_up = signal(SignalKind::hangup())?;
        let mut terminate = signal(SignalKind::terminate())?;
        let mut suspend = signal(SignalKind::from_raw(SIGTSTP))?;
        let (tx, rx) = mpsc::channel(4);
        let task = tokio::spawn(async move {
            loop {
                let seen = tokio::select! {
                    Some(()) = hang_up.recv() => Signal::HangUp,
                    Some(()) = terminate.recv() => Signal::Terminate,
                    Some(()) = suspend.recv() => Signal::Suspend,
                    else => return,
                };
                if seen != Signal::Suspend {
                    // The loop ends with the signal's exit code; a write to a dead terminal may fail.
                    let _ = restore_all();
                }
                if tx.send(seen).await.is_err() {
                    return;
                }
            }
        });
        Ok(Self { rx, task })
    }

    /// The next signal. Safe to drop and call again.
    pub async fn next(&mut self) -> Signal {
        match self.rx.recv().await {
            Some(signal) => signal,
            None => std::future::pending().await,
        }
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Stops our process group, as the terminal would on Ctrl+Z, and returns when it is continued.
///
/// # Errors
/// Says why stopping makes no sense: when we lead the session there is no shell to come back to.
pub fn stop_process_group() -> Result<(), &'static str> {
    use rustix::process::{Signal as Number, getpid, getsid, kill_current_process_group};
    if getsid(None).is_ok_and(|session| session == getpid()) {
        return Err("cannot suspend: no shell started this program");
    }
    kill_current_process_group(Number::STOP).map_err(|_| "cannot suspend: the system refused")
}
