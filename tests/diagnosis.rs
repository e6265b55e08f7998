//! The diagnosis on the lab: every fault type, other instances, healthy networks, without sockets.
//!
//! Trees are rendered in process and given to the diagnosis as evidence in the collector's shape; the
//! way through MCP and gNMI is tested by `noctui eval`.

#![allow(clippy::unwrap_used, reason = "a test may: the panic is the message")]

#[path = "diagnosis/archetypes.rs"]
mod archetypes;
#[path = "diagnosis/bench.rs"]
mod bench;
#[path = "diagnosis/drawn.rs"]
mod drawn;
#[path = "diagnosis/faults.rs"]
mod faults;
#[path = "diagnosis/sessions.rs"]
mod sessions;
#[path = "diagnosis/stage.rs"]
mod stage;
