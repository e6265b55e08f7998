//! The terminal: everything the engineer sees and presses.
//!
//! Model, update, view with no I/O in update; one terminal owner; frames on demand. It knows sessions
//! through [`source`] and the agent's events and state, nothing of how they come about.

pub mod action;
pub mod app;
pub mod dialogs;
pub mod frame;
pub mod keymap;
pub mod layers;
pub mod live;
pub mod markdown;
pub mod panes;
pub mod rows;
mod run;
pub mod source;
pub mod story;
pub mod terminal;
pub mod text;
pub mod theme;
pub mod view;

pub use app::{Ending, Occasion, Setting};
pub use run::{Exit, Options, Start, TuiError, run};
