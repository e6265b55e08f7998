//! The terminal itself: entered once, always given back.
//!
//! [`Screen`] is the RAII guard that the event loop draws through. However the program ends - return,
//! error, panic, SIGHUP, SIGTERM, Ctrl+Z - the one function [`restore_all`] puts the terminal back. This
//! module knows escape sequences and signals; it knows nothing of what is drawn.

mod capability;
mod clipboard;
mod guard;
mod modes;
mod panic;
mod signals;

pub use capability::{Capability, ColorDepth};
pub use clipboard::{CopyRoute, copy_sequence};
pub use guard::{Screen, restore_all};
pub use modes::{Modes, enter_modes, leave_modes};
pub use panic::install_panic_hook;
pub use signals::{Signal, Signals, stop_process_group};
