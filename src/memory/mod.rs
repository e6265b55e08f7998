//! What outlives a process: the journal of events, the index of sessions, the incidents of the past,
//! and the facts that people told.
//!
//! One SQLite file in WAL mode, shared by every noctui process of the user. Sequence numbers guard against
//! two processes writing one session. Knows no screen and no tool.

mod calls;
mod facts;
mod journal;
mod recall;
mod sessions;
mod store;
#[cfg(test)]
mod tests;

pub use calls::CallRow;
pub use sessions::{SessionRow, new_session_id};
pub use store::{MemoryError, Store};
