//! The gNMI client: one shared session per device, with its connection, limits and memory of failures.
//!
//! Capabilities, Get and Subscribe; there is no Set. Every RPC has a deadline, transient refusals are
//! retried with backoff inside it, a device that stays silent is left alone for a while by a breaker.
//! It reads an [`inventory::Device`](super::inventory::Device) and knows no tool and no agent.

mod answer;
mod breaker;
mod channel;
mod error;
pub mod lookup;
mod session;
mod subscribe;
mod value;
mod verifier;

use super::inventory::Device;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

pub use answer::{Answer, Found, Update};
pub use error::{Error, Kind, code_name};
pub use session::{Capabilities, Get, Session};
pub use subscribe::{Event, Mode, StreamMode, Subscribe};

/// Bounds that hold for every device.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Largest answer accepted, in bytes. A bigger one is an error, not a memory problem.
    pub answer_bytes: usize,
    /// RPCs that may run on one device at a time; routers serve few.
    pub per_device: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            answer_bytes: 32 * 1024 * 1024,
            per_device: 8,
        }
    }
}

/// All sessions of a process. Cheap to share; a session opens its connection at the first RPC and keeps it.
#[derive(Debug, Default)]
pub struct Client {
    limits: Limits,
    sessions: Mutex<HashMap<String, Arc<Session>>>,
}

impl Client {
    /// A client without sessions.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            sessions: Mutex::default(),
        }
    }

    /// The one session with `device`, by its name.
    pub fn session(&self, device: &Arc<Device>) -> Arc<Session> {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions
            .entry(device.name.clone())
            .or_insert_with(|| Arc::new(Session::new(Arc::clone(device), self.limits.clone())))
            .clone()
    }
}
