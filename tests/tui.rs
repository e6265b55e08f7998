//! The screen from outside: pictures of every pane, keys to effects, real bytes, storms.

#![allow(clippy::unwrap_used, reason = "in a test a panic is the message")]

#[path = "tui/behaviour.rs"]
mod behaviour;
#[path = "tui/budget.rs"]
mod budget;
#[path = "tui/bytes.rs"]
mod bytes;
#[path = "tui/harness.rs"]
mod harness;
#[path = "tui/large.rs"]
mod large;
#[cfg(unix)]
#[path = "tui/pty.rs"]
mod pty;
#[path = "tui/scenes.rs"]
mod scenes;
#[path = "tui/session.rs"]
mod session;
#[path = "tui/snapshots.rs"]
mod snapshots;
#[path = "tui/storms.rs"]
mod storms;
#[cfg(unix)]
#[path = "tui/svg.rs"]
mod svg;
