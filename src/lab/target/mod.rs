//! gNMI servers of the lab: one per device, each answering as a router would.
//!
//! `service` is the gRPC face, `get` and `subscribe` the two ways of reading, `command` the log output,
//! `trouble` acts out what tools run into, `listener` opens and closes the port with the management plane,
//! `running` starts them all and hands out the inventory. Nothing here computes network state: a
//! [`Source`] does, and [`crate::lab::openconfig`] renders it.

mod access;
mod answer;
mod command;
mod device;
mod get;
mod inventory;
mod listener;
mod notice;
mod options;
mod running;
mod service;
mod subscribe;
#[cfg(test)]
mod tests;
mod trouble;

pub use access::Credentials;
pub use device::{Counts, Source};
pub use inventory::InventoryEntry;
pub use options::{LabOptions, Ports, Tls};
pub use running::{LabRunning, TargetError};
