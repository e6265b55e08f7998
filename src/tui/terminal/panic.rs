//! What happens on a panic: the terminal first, then two lines a human can use.

use std::io::Write;
use std::panic;
use std::thread;

use super::restore_all;

/// Installs a hook that restores the terminal when the thread that owns the screen panics. A panic on
/// another thread (a task of the agent) is caught there and reported as a failed effect: it is only
/// logged, and the screen stays.
pub fn install_panic_hook(hint: String) {
    let screen_thread = thread::current().id();
    panic::set_hook(Box::new(move |info| {
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(%place, "panic: {info}");
        if thread::current().id() != screen_thread {
            return;
        }
        // The message matters more than how the restoring went.
        let _ = restore_all();
        let mut err = std::io::stderr();
        let _ = writeln!(err, "noctui: internal error at {place}: {}", message(info));
        let _ = writeln!(err, "{hint}");
    }));
}

fn message(info: &panic::PanicHookInfo<'_>) -> String {
    let payload = info.payload();
    payload
        .downcast_ref::<&str>()
        .map(|s| (*s).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "unknown panic".to_owned())
}
