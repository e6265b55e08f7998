//! The terminal modes we switch on, and the one list that switches them off again.
//!
//! Writes bytes to any writer, so the tests read the very bytes a terminal would.

use std::io::{self, Write};

use crossterm::cursor::{SetCursorStyle, Show};
use crossterm::event::{
    DisableBracketedPaste, DisableFocusChange, DisableMouseCapture, EnableBracketedPaste, EnableFocusChange,
    EnableMouseCapture,
};
use crossterm::style::ResetColor;
use crossterm::terminal::{EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen};
use crossterm::{Command, QueueableCommand};

/// Modes that the user can change while the program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Modes {
    /// Whether clicks and the wheel come to us (`true`) or to the terminal's own selection (`false`).
    pub mouse: bool,
}

impl Default for Modes {
    fn default() -> Self {
        Self { mouse: true }
    }
}

/// Switches on the alternate screen, bracketed paste, focus events and, when asked, the mouse.
///
/// # Errors
/// The first write that failed; the caller then leaves the modes again.
pub fn enter_modes(out: &mut impl Write, modes: Modes) -> io::Result<()> {
    out.queue(EnterAlternateScreen)?
        .queue(EnableBracketedPaste)?
        .queue(EnableFocusChange)?;
    if modes.mouse {
        out.queue(EnableMouseCapture)?;
    }
    out.flush()
}

/// Switches every mode off. Runs every step even when one fails and returns the first error: a terminal
/// that is half restored is worse than an error message.
///
/// # Errors
/// The first step that failed, after all were tried.
pub fn leave_modes(out: &mut impl Write) -> io::Result<()> {
    let mut first = Ok(());
    step(&mut first, out, EndSynchronizedUpdate);
    step(&mut first, out, DisableMouseCapture);
    step(&mut first, out, DisableFocusChange);
    step(&mut first, out, DisableBracketedPaste);
    step(&mut first, out, ResetColor);
    step(&mut first, out, SetCursorStyle::DefaultUserShape);
    step(&mut first, out, LeaveAlternateScreen);
    step(&mut first, out, Show);
    keep_first(&mut first, out.flush());
    first
}

fn step(first: &mut io::Result<()>, out: &mut impl Write, command: impl Command) {
    let done = out.queue(command).map(|_| ());
    keep_first(first, done);
}

/// Remembers `result` when it is the first failure.
pub(super) fn keep_first(first: &mut io::Result<()>, result: io::Result<()>) {
    if first.is_ok() {
        *first = result;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mode_that_is_entered_is_left() {
        let (mut on, mut off) = (Vec::new(), Vec::new());
        enter_modes(&mut on, Modes { mouse: true }).unwrap();
        leave_modes(&mut off).unwrap();
        let (on, off) = (String::from_utf8(on).unwrap(), String::from_utf8(off).unwrap());
        let set: Vec<&str> = on
            .split("\x1b[?")
            .skip(1)
            .filter_map(|s| s.strip_suffix('h'))
            .collect();
        assert!(set.len() >= 4, "{on:?}");
        for mode in set {
            assert!(
                off.contains(&format!("\x1b[?{mode}l")),
                "mode {mode} is never left: {off:?}"
            );
        }
        assert!(off.contains("\x1b[?25h"), "the cursor is shown again");
        assert!(
            off.contains("\x1b[?2026l"),
            "a synchronised update never stays open"
        );
    }

    /// Fails on the first write, works afterwards, and counts.
    struct Flaky {
        failed: bool,
        written: Vec<u8>,
    }

    impl Write for Flaky {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if !self.failed {
                self.failed = true;
                return Err(io::Error::other("first write fails"));
            }
            self.written.extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_failing_step_does_not_stop_the_others_and_the_first_error_is_kept() {
        let mut out = Flaky {
            failed: false,
            written: Vec::new(),
        };
        let error = leave_modes(&mut out).unwrap_err();
        assert_eq!(error.to_string(), "first write fails");
        let written = String::from_utf8(out.written).unwrap();
        assert!(
            written.contains("\x1b[?1049l") && written.contains("\x1b[?25h"),
            "{written:?}"
        );
    }
}
