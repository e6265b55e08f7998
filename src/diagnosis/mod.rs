//! Fault ontology, facts, detectors, correlation and verdict: from tool results to a cited cause. Pure.
//!
//! `observe` turns evidence into facts, `detect` facts into findings, `correlate` findings into ranked
//! hypotheses, `verdict` those into the answer. No clock, no I/O, no tool names.

mod cited;
mod correlate;
mod detect;
mod expect;
mod focus;
pub mod network;
mod observe;
pub mod ontology;
mod remedy;
mod verdict;

pub use cited::{Cited, Known};
pub use correlate::rank;
pub use detect::examine;
pub use expect::is_material;
pub use focus::Focus;
pub use network::Network;
pub use verdict::verdict;
