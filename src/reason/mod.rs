//! The `Reasoner` port, twice: `rules` (offline expert) and `model` (a language model).

pub mod model;
pub mod rules;
