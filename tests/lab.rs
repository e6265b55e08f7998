//! The lab as a client sees it: real networks computed, served over gRPC on loopback, broken and healed.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may: the panic is the message"
)]

#[path = "lab/client.rs"]
mod client;
#[path = "lab/command.rs"]
mod command;
#[path = "lab/interop.rs"]
mod interop;
#[path = "lab/secure.rs"]
mod secure;
#[path = "lab/visible.rs"]
mod visible;
#[path = "lab/whole.rs"]
mod whole;
