//! From configuration, conditions and time to what every router shows.
//!
//! `simulation` walks through history; `control` holds the outcome as long as nothing happens; `device` and the files
//! beside it read state out of it. Everything is a pure function of network, seed, faults and the time asked for.

mod adjacency;
mod complaints;
mod control;
mod counters;
mod device;
mod graph;
mod labels;
mod log;
mod matrix;
mod moment;
mod noise;
mod ports;
mod protocols;
mod routes;
mod session;
mod shown;
mod simulation;
mod situation;
mod system;
mod tables;
mod traffic;
mod vrf;
mod wiring;

pub(super) use control::Control;
pub(super) use moment::Base;
pub(super) use noise::mix;
