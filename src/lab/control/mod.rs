//! The control port of a running lab: another process lists it, injects faults, heals it and looks at a
//! device. One JSON line asks, one JSON line answers, over loopback TCP with a token.
//!
//! `message` is what is said, `server` the running lab's side, `client` the other, `record` the file by
//! which the one finds the other, `order` reads a fault from a line of text.

mod client;
mod message;
mod order;
mod record;
mod server;

pub use client::{ControlError, call};
pub use message::{Answer, Order, Refusal, Shown, Status};
pub use order::{OrderError, parse_fault};
pub use record::{LabRecord, find_all, folder};
pub use server::{Controlled, serve};
