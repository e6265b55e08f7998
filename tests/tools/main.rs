//! The tool servers as they really behave: started, called, killed, flooded, restarted, over real processes.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test may panic, and a test server speaks on its standard streams"
)]

mod approvals;
mod bench;
mod chaos;
mod command;
mod guarded;
mod hub;
mod server;

/// Not a test of the product: the way in for the server processes that the tests start.
#[test]
fn serve() {
    server::serve_if_asked();
}
