//! The `Reasoner` port, twice: `rules` (offline expert) and `model` (a language model); and `script`, which
//! runs CODE steps.

pub mod model;
pub mod rules;
pub mod script;
