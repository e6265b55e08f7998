//! What happens on a panic: the terminal first, then whatever the program does about panics.

use std::panic;
use std::thread;

use super::restore_all;

/// Restores the terminal when the thread that owns the screen panics, then calls the hook that was there
/// before. A panic on another thread (a task of the agent) is caught there and reported as a failed effect:
/// the screen stays.
pub fn install_panic_hook() {
    let screen_thread = thread::current().id();
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if thread::current().id() == screen_thread {
            // The panic matters more than how the restoring went.
            let _ = restore_all();
        }
        before(info);
    }));
}
