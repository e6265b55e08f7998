//! Clap's answers in our shape: help and version go to stdout, a usage error becomes a two-line failure.

use clap::error::{ContextKind, ErrorKind};

use super::{Exit, Failure, print};

/// Turns what clap says into an exit (help, version) or a failure (wrong usage).
pub fn answer(error: &clap::Error) -> Result<Exit, Failure> {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            print::out(error.render())?;
            Ok(Exit::Healthy)
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            print::out(error.render())?;
            Ok(Exit::Usage)
        }
        _ => Err(failure(error)),
    }
}

fn failure(error: &clap::Error) -> Failure {
    let text = error.render().to_string();
    // The message is the first paragraph; after it come tips, the usage and a pointer to --help.
    let message = text.split("\n\n").next().unwrap_or(&text);
    let what = message
        .trim()
        .strip_prefix("error: ")
        .unwrap_or(message)
        .to_owned();
    let next = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("tip: "))
        .next()
        .map_or_else(|| usage_line(error, &text), str::to_owned);
    Failure::usage(what, next)
}

fn usage_line(error: &clap::Error, text: &str) -> String {
    if let Some(usage) = error.get(ContextKind::Usage) {
        let usage = usage.to_string();
        return format!("usage: {}", usage.trim().trim_start_matches("Usage: "));
    }
    text.lines()
        .find_map(|line| line.strip_prefix("Usage: "))
        .map_or_else(String::new, |usage| format!("usage: {usage}"))
}

#[cfg(test)]
mod tests {
    use super::super::Cli;
    use clap::Parser;

    fn lines(arguments: &[&str]) -> [String; 2] {
        let error = Cli::try_parse_from(arguments).unwrap_err();
        super::answer(&error).unwrap_err().lines()
    }

    #[test]
    fn an_unknown_command_names_the_nearest() {
        let [what, next] = lines(&["noctui", "completion"]);
        assert!(what.contains("'completion'"), "{what}");
        assert!(next.contains("completions"), "{next}");
    }

    #[test]
    fn a_missing_argument_shows_the_usage() {
        let [what, next] = lines(&["noctui", "completions"]);
        assert!(what.contains("<SHELL>"), "{what}");
        assert!(next.contains("usage: noctui completions"), "{next}");
    }
}
