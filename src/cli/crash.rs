//! The last net: a panic becomes a log entry and a two-line failure, never a backtrace on the screen.
//!
//! It does not restore the terminal; whoever changes the terminal restores it.

use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook};
use std::sync::Mutex;

use super::{Exit, Failure, FailureKind};

/// Where the last panic happened and what it said.
static LAST: Mutex<Option<String>> = Mutex::new(None);

/// Runs `work`; a panic inside it comes back as an internal failure.
pub fn guard(work: impl FnOnce() -> Result<Exit, Failure>) -> Result<Exit, Failure> {
    set_hook(Box::new(note));
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result,
        Err(_) => Err(Failure::new(
            FailureKind::Internal,
            LAST.lock()
                .ok()
                .and_then(|mut last| last.take())
                .unwrap_or_else(|| "a panic".to_owned()),
            "this is a defect: please report it with the log file (`noctui config path` shows where)",
        )),
    }
}

fn note(info: &PanicHookInfo<'_>) {
    let payload = info.payload();
    let message = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    let place = info
        .location()
        .map_or_else(|| "?".to_owned(), |l| format!("{}:{}", l.file(), l.line()));
    let backtrace = std::backtrace::Backtrace::force_capture();
    tracing::error!(target: "noctui::panic", place, message, %backtrace, "panic");
    if let Ok(mut last) = LAST.lock() {
        *last = Some(format!("{message} (at {place})"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_failure_that_says_where() {
        let failure = guard(|| panic!("boom")).unwrap_err();
        let _ = std::panic::take_hook();
        assert_eq!(failure.kind, FailureKind::Internal);
        assert!(
            failure.what.contains("boom") && failure.what.contains("crash.rs"),
            "{}",
            failure.what
        );
    }
}
