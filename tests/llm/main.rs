//! The model room against servers that behave badly: real sockets, both dialects, no sleeps.
//!
//! The fake server plays a script a connection and waits at gates the test opens.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a panic in a test is the message"
)]

mod fake;
mod faults;
mod flow;
mod session;
mod transport;
