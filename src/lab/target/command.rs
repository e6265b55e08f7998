//! Command output over gNMI: `show logging` with IOS-XR's pipes, asked with ASCII encoding as one path
//! element. Other commands are refused.

use crate::proto::gnmi::Path;
use regex::Regex;
use tonic::Status;

/// The command a path holds, if it holds one: a path of origin `cli`, or one that starts with `show `.
/// A `/` inside a command has split it into elements; they are put together again.
pub(super) fn command(path: &Path) -> Option<String> {
    let text = path
        .elem
        .iter()
        .map(|elem| elem.name.as_str())
        .collect::<Vec<_>>()
        .join("/");
    (path.origin == "cli" || text.starts_with("show ")).then_some(text)
}

/// Runs a command over the device's log lines.
///
/// # Errors
/// `INVALID_ARGUMENT` for another command or a pipe that is not known.
pub(super) fn run(command: &str, log: Vec<String>) -> Result<String, Status> {
    let mut stages = split_pipes(command).into_iter();
    let show = stages.next().unwrap_or_default();
    if show.split_whitespace().collect::<Vec<_>>() != ["show", "logging"] {
        return Err(Status::invalid_argument(format!(
            "command \"{}\" is not supported; \"show logging\" is",
            show.trim()
        )));
    }
    let mut lines = log;
    for stage in stages {
        lines = pipe(stage.trim(), lines)?;
    }
    Ok(lines.join("\n"))
}

/// Splits at `|` outside single or double quotes.
fn split_pipes(command: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut quote = None;
    for c in command.chars() {
        match quote {
            None if c == '|' => {
                parts.push(String::new());
                continue;
            }
            None if c == '\'' || c == '"' => quote = Some(c),
            Some(open) if c == open => quote = None,
            _ => {}
        }
        if let Some(last) = parts.last_mut() {
            last.push(c);
        }
    }
    parts
}

fn pipe(stage: &str, lines: Vec<String>) -> Result<Vec<String>, Status> {
    let words = split_words(stage);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["utility", "egrep" | "grep", rest @ ..] => egrep(rest, lines),
        ["include", rest @ ..] => Ok(matching(&rest.join(" "), Keep::Matching, Case::Exact, lines)),
        ["exclude", rest @ ..] => Ok(matching(&rest.join(" "), Keep::Others, Case::Exact, lines)),
        ["utility", "head", rest @ ..] => Ok(lines.into_iter().take(count(rest)?).collect()),
        ["utility", "tail", rest @ ..] => {
            let skip = lines.len().saturating_sub(count(rest)?);
            Ok(lines.into_iter().skip(skip).collect())
        }
        _ => Err(Status::invalid_argument(format!(
            "\"| {stage}\" is not a pipe of this device"
        ))),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Keep {
    Matching,
    Others,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    Exact,
    Ignored,
}

fn egrep(words: &[&str], lines: Vec<String>) -> Result<Vec<String>, Status> {
    let (mut keep, mut case, mut pattern) = (Keep::Matching, Case::Exact, None);
    for word in words {
        match *word {
            "-v" if pattern.is_none() => keep = Keep::Others,
            "-i" if pattern.is_none() => case = Case::Ignored,
            text if pattern.is_none() => pattern = Some(text),
            text => {
                return Err(Status::invalid_argument(format!(
                    "egrep: \"{text}\" after the pattern"
                )));
            }
        }
    }
    Ok(matching(pattern.unwrap_or_default(), keep, case, lines))
}

/// A pattern that does not parse matches nothing, as the device's egrep prints nothing but its complaint.
fn matching(pattern: &str, keep: Keep, case: Case, lines: Vec<String>) -> Vec<String> {
    let flags = if case == Case::Ignored { "(?i)" } else { "" };
    let Ok(regex) = Regex::new(&format!("{flags}{pattern}")) else {
        return Vec::new();
    };
    lines
        .into_iter()
        .filter(|line| regex.is_match(line) == (keep == Keep::Matching))
        .collect()
}

/// `-n 5`, `count 5` or `5`.
fn count(words: &[&str]) -> Result<usize, Status> {
    let number = words
        .iter()
        .find(|word| !matches!(**word, "-n" | "count"))
        .unwrap_or(&"10");
    number
        .parse()
        .map_err(|_| Status::invalid_argument(format!("\"{number}\" is not a number of lines")))
}

/// Words outside quotes; the quotes go.
fn split_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = None::<String>;
    let mut quote = None;
    for c in text.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::gnmi::PathElem;

    fn log() -> Vec<String> {
        [
            "bgp[1084]: %ROUTING-BGP-5-ADJCHANGE : neighbor 100.100.100.107 Down (VRF: default)",
            "ifmgr[277]: %PKT_INFRA-LINK-3-UPDOWN : Interface Gi0/0/0/0, changed state to Up",
            "sshd[69]: %SECURITY-SSHD-6-INFO : user logged in",
            "exec[70]: %SECURITY-LOGIN-6-INFO_GENERAL : banner",
        ]
        .map(str::to_owned)
        .to_vec()
    }

    #[test]
    fn a_collectors_question_is_answered() {
        let asked = "show logging | utility egrep '(-[1-5]-|BGP|LINK-3)' | utility egrep -v logged ";
        assert_eq!(run(asked, log()).unwrap().lines().count(), 2);
        // The pipe inside the quotes belongs to the pattern, so the words must be followed by a blank.
        let quoted = "show logging | utility egrep '(-[1-5]-|ADJCHANGE) | utility egrep -v logged' | utility egrep -v logged ";
        assert_eq!(run(quoted, log()).unwrap().lines().count(), 1);
        assert_eq!(run("show logging", log()).unwrap().lines().count(), 4);
    }

    #[test]
    fn pipes_of_the_device() {
        for (command, lines) in [
            ("show logging | include LINK-3", 1),
            ("show logging | exclude SECURITY", 2),
            ("show logging | utility egrep -i updown", 1),
            ("show logging | utility tail -n 1", 1),
            ("show logging | utility head count 3", 3),
            ("show logging | utility egrep '('", 0),
        ] {
            assert_eq!(run(command, log()).unwrap().lines().count(), lines, "{command}");
        }
        for command in [
            "show version",
            "reload",
            "show logging | file disk0:x",
            "show logging | utility head x",
        ] {
            assert_eq!(
                run(command, log()).unwrap_err().code(),
                tonic::Code::InvalidArgument,
                "{command}"
            );
        }
    }

    #[test]
    fn a_command_is_found_in_a_path() {
        let elem = |name: &str| PathElem {
            name: name.into(),
            ..PathElem::default()
        };
        let split = Path {
            elem: vec![elem("show logging | include Gi0"), elem("0")],
            ..Path::default()
        };
        assert_eq!(command(&split).as_deref(), Some("show logging | include Gi0/0"));
        let cli = Path {
            origin: "cli".into(),
            elem: vec![elem("reload")],
            ..Path::default()
        };
        assert_eq!(command(&cli).as_deref(), Some("reload"));
        assert_eq!(
            command(&Path {
                elem: vec![elem("interfaces")],
                ..Path::default()
            }),
            None
        );
    }
}
