//! The pure agent: vocabulary, state, and the machine that decides what happens next.
//!
//! Nothing here reads a clock, does I/O or knows tokio: `decide` turns a state and an input into events
//! and effects, `State::apply` folds the events.

pub mod effect;
pub mod event;
pub mod machine;
pub mod model;
pub mod ports;
pub mod state;
