//! The command line: parses arguments and composes the rooms. The only place that prints.

use std::process::ExitCode;

/// Parses the command line, runs the command and returns its exit code.
pub fn run() -> ExitCode {
    ExitCode::SUCCESS
}
