//! Noctui: agents investigate a service-provider network with the on-call engineer.
//!
//! `docs/architecture.md` draws the house; `tests/architecture.rs` enforces who may import whom.

pub mod agent;
pub mod cli;
pub mod diagnosis;
pub mod ensemble;
pub mod eval;
pub mod gnmi;
pub mod knowledge;
pub mod lab;
pub mod llm;
pub mod memory;
pub mod proto;
pub mod reason;
pub mod redaction;
pub mod report;
pub mod runtime;
pub mod settings;
pub mod tools;
pub mod tui;
