//! `noctui doctor`: checks all that noctui stands on, one line each: ok, warn or fail, and what to do next.
//!
//! It changes nothing and asks no router. A check that fails does not keep the others from being made.

mod files;
mod reach;
mod terminal;

use std::fmt::Write as _;

use clap::ValueEnum;

use super::{Context, Exit, Failure, print};

/// Arguments of `noctui doctor`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// How to print what was found
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// A line a check
    Text,
    /// A JSON list
    Json,
}

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
enum Grade {
    Ok,
    Warn,
    Fail,
}

impl Grade {
    fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warn => "warn",
            Self::Fail => "FAIL",
        }
    }

    /// SGR parameters for a terminal with colours.
    fn color(self) -> &'static str {
        match self {
            Self::Ok => "32",
            Self::Warn => "33",
            Self::Fail => "1;31",
        }
    }
}

/// What a check found.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
struct Finding {
    check: &'static str,
    grade: Grade,
    /// What was seen.
    seen: String,
    /// What to do next; empty when nothing is to be done.
    next: String,
}

impl Finding {
    fn ok(check: &'static str, seen: impl Into<String>) -> Self {
        Self {
            check,
            grade: Grade::Ok,
            seen: seen.into(),
            next: String::new(),
        }
    }

    fn warn(check: &'static str, seen: impl Into<String>, next: impl Into<String>) -> Self {
        Self {
            check,
            grade: Grade::Warn,
            seen: seen.into(),
            next: next.into(),
        }
    }

    fn fail(check: &'static str, seen: impl Into<String>, next: impl Into<String>) -> Self {
        Self {
            grade: Grade::Fail,
            ..Self::warn(check, seen, next)
        }
    }

    fn failure(check: &'static str, failure: Failure) -> Self {
        Self::fail(check, failure.what, failure.next)
    }
}

/// Runs `noctui doctor`. Exit code 0 when nothing failed, 4 when something did; warnings cost nothing.
pub fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let mut found = terminal::check(context);
    found.extend(files::check(context));
    found.extend(reach::check(context));
    let worst = found.iter().map(|f| f.grade).max().unwrap_or(Grade::Ok);
    match args.format {
        Format::Json => {
            let text = serde_json::to_string_pretty(&found)
                .map_err(|error| Failure::failed(error.to_string(), "run it without --format json"))?;
            print::line(text)?;
        }
        Format::Text => print::out(lines(&found, context.color(), context.globals.quiet))?,
    }
    Ok(if worst == Grade::Fail {
        Exit::Failed
    } else {
        Exit::Healthy
    })
}

/// The findings as lines. Quiet leaves out what is well.
fn lines(found: &[Finding], color: bool, quiet: bool) -> String {
    let mut text = String::new();
    let kept = found.iter().filter(|f| !quiet || f.grade > Grade::Ok);
    for finding in kept {
        let word = format!("{:<5}", finding.grade.word());
        let word = match color {
            true => format!("\x1b[{}m{word}\x1b[0m", finding.grade.color()),
            false => word,
        };
        // A string takes every write.
        let _ = writeln!(text, "{word} {:<10} {}", finding.check, shown(&finding.seen));
        if !finding.next.is_empty() {
            let _ = writeln!(text, "{:<16} next: {}", "", shown(&finding.next));
        }
    }
    text
}

/// Text of files and servers: one line, no control characters.
fn shown(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.replace(char::is_control, "\u{fffd}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_each_with_what_to_do_and_no_escapes_of_others() {
        let found = [
            Finding::ok("terminal", "xterm, 120x40"),
            Finding::fail("servers", "a\u{1b}[2Jb\nc", "mend mcp.json"),
        ];
        let all = lines(&found, false, false);
        assert_eq!(
            all,
            "ok    terminal   xterm, 120x40\nFAIL  servers    a\u{fffd}[2Jb c\n                 next: mend mcp.json\n"
        );
        assert!(!lines(&found, false, true).contains("terminal"), "quiet");
        assert!(lines(&found, true, false).starts_with("\x1b[32mok   \x1b[0m"));
    }
}
