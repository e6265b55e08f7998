//! A simulated service-provider network whose state is computed, its faults and its gNMI targets.
//!
//! `network` (what is built) and `config` (what is typed) meet `fault` (what goes wrong and when); `compute` derives
//! `state` (what each router shows at an instant). Pure and deterministic: time is a parameter, noise has a seed.
//! It does no I/O and knows nothing of the agent.

mod compute;
pub mod config;
pub mod control;
mod engine;
pub mod fault;
pub mod live;
pub mod network;
pub mod openconfig;
pub mod scenario;
pub mod state;
pub mod target;

pub use engine::{Lab, NetworkState};

#[cfg(test)]
mod checks;
