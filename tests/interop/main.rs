//! Against software of others, where it is installed: a real model behind a real server.
//!
//! Skipped, with a message, unless it is asked for: `tests/interop/README.md` says how.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a panic in a test is the message, and a skipped one says so"
)]

mod model;
