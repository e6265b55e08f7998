//! Reasoners from outside: scripts in their real child process.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a panic in a test is the message"
)]

mod script;
