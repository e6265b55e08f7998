//! Runs the agent: journals and publishes events, runs effects through the ports, hands out handles.
//!
//! Knows the ports as traits only; which adapters stand behind them is composed in `cli`.

mod bus;
mod context;
mod driver;
mod effects;
mod handle;
mod policy;

pub use bus::{Signal, Subscription};
pub use driver::{open, resume};
pub use handle::{Handle, SessionError};
pub use policy::{Policy, Reaction, attend, stand_in};
