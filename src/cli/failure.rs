//! How a command ends: the documented exit codes, and the failure that is shown as two lines.
//!
//! It does not print; `print::failure` does.

use std::process::ExitCode;

/// How a command ended. [`Exit::code`] gives the documented exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// 0: healthy, or the command did what was asked.
    Healthy,
    /// 1: an anomaly was found.
    Anomaly,
    /// 2: wrong usage, wrong configuration or an unknown device.
    Usage,
    /// 3: a question was left unanswered.
    NeedsInput,
    /// 4: the work could not be finished.
    Failed,
    /// 128 and the number of the signal that ended the screen, as shells have it.
    Signal(u8),
}

impl Exit {
    /// The number the shell gets.
    pub fn code(self) -> u8 {
        match self {
            Self::Healthy => 0,
            Self::Anomaly => 1,
            Self::Usage => 2,
            Self::NeedsInput => 3,
            Self::Failed => 4,
            Self::Signal(code) => code,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit.code())
    }
}

/// What sort of failure it is; decides the exit code and the first word on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// The command line is wrong.
    Usage,
    /// A settings, server, plan or inventory file is wrong.
    Config,
    /// A device is not in the inventory.
    UnknownDevice,
    /// A question has no answer and nobody is there to ask.
    NeedsInput,
    /// Something could not be done (I/O, network, a dead server).
    Failed,
    /// A defect in noctui itself.
    Internal,
}

impl FailureKind {
    fn label(self) -> &'static str {
        match self {
            Self::Usage => "usage",
            Self::Config => "config",
            Self::UnknownDevice => "unknown device",
            Self::NeedsInput => "needs input",
            Self::Failed => "failed",
            Self::Internal => "internal error",
        }
    }
}

/// A failed command: kind, what happened, and what to do next. Shown as two lines on stderr.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{}: {what}", kind.label())]
pub struct Failure {
    /// What sort of failure.
    pub kind: FailureKind,
    /// What happened, naming the file, key, device or server.
    pub what: String,
    /// What the reader can do about it.
    pub next: String,
}

impl Failure {
    /// A failure of the given kind.
    pub fn new(kind: FailureKind, what: impl Into<String>, next: impl Into<String>) -> Self {
        Self {
            kind,
            what: what.into(),
            next: next.into(),
        }
    }

    /// A wrong command line (exit code 2).
    pub fn usage(what: impl Into<String>, next: impl Into<String>) -> Self {
        Self::new(FailureKind::Usage, what, next)
    }

    /// A wrong file (exit code 2).
    pub fn config(what: impl Into<String>, next: impl Into<String>) -> Self {
        Self::new(FailureKind::Config, what, next)
    }

    /// Work that could not be finished (exit code 4).
    pub fn failed(what: impl Into<String>, next: impl Into<String>) -> Self {
        Self::new(FailureKind::Failed, what, next)
    }

    /// The exit code that goes with the kind.
    pub fn exit(&self) -> Exit {
        match self.kind {
            FailureKind::Usage | FailureKind::Config | FailureKind::UnknownDevice => Exit::Usage,
            FailureKind::NeedsInput => Exit::NeedsInput,
            FailureKind::Failed | FailureKind::Internal => Exit::Failed,
        }
    }

    /// The two lines for the terminal. Control characters are replaced, so that a name that came from
    /// outside can neither add lines nor send escape sequences.
    pub fn lines(&self) -> [String; 2] {
        let next = if self.next.is_empty() {
            "see `noctui --help`"
        } else {
            &self.next
        };
        [
            format!("noctui: {}", one_line(&self.to_string())),
            format!("  next: {}", one_line(next)),
        ]
    }
}

/// Longest line of an error, in characters.
const LINE_LIMIT: usize = 600;

fn one_line(text: &str) -> String {
    let mut line: String = text
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect();
    if let Some((cut, _)) = line.char_indices().nth(LINE_LIMIT) {
        line.truncate(cut);
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_are_the_documented_ones() {
        let code = |kind| Failure::new(kind, "", "").exit().code();
        assert_eq!(code(FailureKind::Usage), 2);
        assert_eq!(code(FailureKind::Config), 2);
        assert_eq!(code(FailureKind::UnknownDevice), 2);
        assert_eq!(code(FailureKind::NeedsInput), 3);
        assert_eq!(code(FailureKind::Failed), 4);
        assert_eq!(code(FailureKind::Internal), 4);
        assert_eq!((Exit::Healthy.code(), Exit::Anomaly.code()), (0, 1));
        assert_eq!(
            Exit::Signal(143).code(),
            143,
            "what a shell expects after SIGTERM"
        );
    }

    #[test]
    fn a_failure_is_two_lines_whatever_it_holds() {
        let failure = Failure::failed("a\nb\u{1b}[31mc".to_owned() + &"x".repeat(5000), "one\ntwo");
        let [what, next] = failure.lines();
        assert!(what.starts_with("noctui: failed: a b\u{fffd}[31mc"), "{what}");
        assert!(what.chars().count() < 700 && !what.contains('\n'));
        assert_eq!(next, "  next: one two");
    }
}
