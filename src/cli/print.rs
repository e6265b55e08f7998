//! Writing to stdout and stderr. A closed pipe (`noctui … | head`) is no error and no panic.
//!
//! It formats nothing: callers bring finished text.

use std::fmt::Display;
use std::io::{ErrorKind, Write, stderr, stdout};

use super::Failure;

/// Writes text as it is to stdout.
pub fn out(text: impl Display) -> Result<(), Failure> {
    let mut stream = stdout().lock();
    match write!(stream, "{text}").and_then(|()| stream.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::failed(
            format!("cannot write to standard output: {error}"),
            "check the disk or the pipe behind it",
        )),
        _ => Ok(()),
    }
}

/// Writes text and a line end to stdout.
pub fn line(text: impl Display) -> Result<(), Failure> {
    out(format_args!("{text}\n"))
}

/// Writes a line to stderr: hints and progress, never results. Nothing can be done when that fails.
pub fn hint(text: impl Display) {
    let _ = writeln!(stderr().lock(), "{text}");
}

/// Shows a failure: two lines on stderr.
pub fn failure(failure: &Failure) {
    let [what, next] = failure.lines();
    hint(format_args!("{what}\n{next}"));
}
