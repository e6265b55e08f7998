//! The bus: every subscriber gets every event, in order, once.
//!
//! Text deltas and progress may be lost when a subscriber is slow; events may not: one that lags behind
//! re-reads the journal from the last sequence number it saw.

use std::sync::Arc;

use tokio::sync::broadcast::{self, error::RecvError};

use crate::agent::event::{Event, Recorded};
use crate::agent::model::{CallId, SessionId};
use crate::agent::ports::{Journal, PortError};

/// Signals kept for slow subscribers before they must re-read the journal.
const CAPACITY: usize = 1024;

/// What a subscriber hears.
#[derive(Debug, Clone)]
pub enum Signal {
    /// An event, already in the journal.
    Event(Arc<Recorded>),
    /// Text as a role writes it.
    Delta {
        /// `planner`, `critic`, …
        role: String,
        /// The next piece.
        text: String,
    },
    /// Progress of a call.
    Progress {
        /// The call.
        call: CallId,
        /// 0..1 where known.
        fraction: Option<f64>,
        /// A few words.
        text: String,
    },
    /// The session can't go on: the journal failed. Nothing follows.
    Broken(String),
}

/// The sending side.
pub(super) struct Bus {
    session: SessionId,
    journal: Arc<dyn Journal>,
    sender: broadcast::Sender<Signal>,
}

impl Bus {
    pub(super) fn new(session: SessionId, journal: Arc<dyn Journal>) -> Self {
        Self {
            session,
            journal,
            sender: broadcast::channel(CAPACITY).0,
        }
    }

    /// Nobody listening is no error.
    pub(super) fn publish(&self, signal: Signal) {
        let _ = self.sender.send(signal);
    }

    /// Subscribes to what comes after `seq`; what is in the journal already comes first.
    pub(super) fn subscribe(&self, after: u64) -> Subscription {
        Subscription {
            session: self.session.clone(),
            journal: self.journal.clone(),
            receiver: self.sender.subscribe(),
            seen: after,
            backlog: Vec::new().into_iter(),
            stale: true,
            over: false,
        }
    }
}

/// The receiving side.
pub struct Subscription {
    session: SessionId,
    journal: Arc<dyn Journal>,
    receiver: broadcast::Receiver<Signal>,
    seen: u64,
    backlog: std::vec::IntoIter<Recorded>,
    stale: bool,
    over: bool,
}

impl Subscription {
    /// The next signal; `None` after the session's last event, or when the session is gone.
    pub async fn next(&mut self) -> Option<Signal> {
        loop {
            if let Some(signal) = self.take_from_backlog() {
                return Some(signal);
            }
            if self.over {
                return None;
            }
            if self.stale {
                self.stale = false;
                if let Err(error) = self.reread() {
                    self.over = true;
                    return Some(Signal::Broken(error.to_string()));
                }
                continue;
            }
            match self.receiver.recv().await {
                Ok(Signal::Event(recorded)) if recorded.seq <= self.seen => {}
                Ok(Signal::Event(recorded)) if recorded.seq > self.seen + 1 => self.stale = true,
                Ok(Signal::Event(recorded)) => return Some(Signal::Event(self.saw(recorded))),
                Ok(Signal::Broken(reason)) => {
                    self.over = true;
                    return Some(Signal::Broken(reason));
                }
                Ok(other) => return Some(other),
                Err(RecvError::Lagged(_)) => self.stale = true,
                Err(RecvError::Closed) => self.over = self.reread().is_err() || self.backlog.len() == 0,
            }
        }
    }

    fn take_from_backlog(&mut self) -> Option<Signal> {
        let recorded = self.backlog.next()?;
        Some(Signal::Event(self.saw(Arc::new(recorded))))
    }

    fn saw(&mut self, recorded: Arc<Recorded>) -> Arc<Recorded> {
        self.seen = recorded.seq;
        self.over |= matches!(recorded.event, Event::SessionEnded { .. });
        recorded
    }

    fn reread(&mut self) -> Result<(), PortError> {
        self.backlog = self.journal.read(&self.session, self.seen)?.into_iter();
        Ok(())
    }
}
