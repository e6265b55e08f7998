//! The terminal: everything the engineer sees and presses.
//!
//! Model, update, view with no I/O in update; one terminal owner; frames on demand. It knows sessions
//! through their events, nothing of how they come about.

pub mod action;
pub mod frame;
pub mod keymap;
pub mod layers;
pub mod terminal;
pub mod text;
pub mod theme;
