//! `noctui tools call`: one call by hand, through every gate of the guard.
//!
//! A call that needs approval is asked for on a terminal, where only "y" means yes; elsewhere `--yes` says so.

use std::io::{BufRead, stdin};

use async_trait::async_trait;
use serde_json::{Map, Value};

use super::super::{Context, Exit, Failure, FailureKind, print};
use super::pretty;
use crate::agent::model::{CallFailure, CallId, CallOutcome, DeviceName, ErrorKind, ToolCall};
use crate::agent::ports::{CallContext, Elicitation, Toolbox};
use crate::tools::McpToolbox;

/// Arguments of `noctui tools call`.
#[derive(Debug, clap::Args)]
pub(super) struct CallArgs {
    /// The tool: `server.tool`
    id: String,
    /// Arguments, each as name=value; a value that is JSON is taken as JSON
    arguments: Vec<String>,
    /// Arguments as one JSON object
    #[arg(long, value_name = "OBJECT", conflicts_with = "arguments")]
    json_arguments: Option<String>,
    /// Allow the call without asking
    #[arg(long)]
    yes: bool,
    /// Also print the guard's steps
    #[arg(long)]
    trace: bool,
}

/// Shows progress as hints and puts a server's question on the terminal.
struct Terminal {
    interactive: bool,
    quiet: bool,
}

#[async_trait]
impl CallContext for Terminal {
    fn progress(&self, fraction: Option<f64>, text: &str) {
        if !self.quiet {
            let percent = fraction
                .map(|part| format!("{:>3.0}% ", part * 100.0))
                .unwrap_or_default();
            print::hint(format_args!("{percent}{text}"));
        }
    }

    async fn elicit(&self, elicitation: Elicitation) -> Option<Value> {
        if !self.interactive {
            print::hint(format_args!(
                "{} asks \"{}\": declined",
                elicitation.server, elicitation.message
            ));
            return None;
        }
        print::hint(format_args!(
            "{} asks: {}",
            elicitation.server, elicitation.message
        ));
        print::hint(format_args!(
            "answer with JSON for {} (empty declines):",
            elicitation.schema
        ));
        let line = read_line().await?;
        serde_json::from_str(line.trim()).ok()
    }
}

/// A line of stdin, `None` when it is empty or at its end.
async fn read_line() -> Option<String> {
    let read = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        stdin().lock().read_line(&mut line).map(|_| line)
    });
    read.await.ok()?.ok().filter(|line| !line.trim().is_empty())
}

pub(super) async fn run(args: CallArgs, context: &Context, tools: &McpToolbox) -> Result<Exit, Failure> {
    let arguments = arguments(&args)?;
    let devices = devices(&arguments);
    let mut call = ToolCall {
        id: CallId(1),
        lane: None,
        step: None,
        tool: args.id.clone(),
        arguments,
        devices,
        why: "called by hand".to_owned(),
        approved: args.yes,
        grant: None,
        follows: None,
    };
    let terminal = Terminal {
        interactive: context.interactive(),
        quiet: context.globals.quiet,
    };
    let mut outcome = tools.call(&call, &terminal).await;
    if needs_approval(&outcome) && terminal.interactive && approve(&outcome).await {
        call.approved = true;
        outcome = tools.call(&call, &terminal).await;
    }
    if args.trace {
        outcome
            .trace
            .0
            .iter()
            .for_each(|step| print::hint(format_args!("  {step}")));
    }
    show(&outcome)
}

fn needs_approval(outcome: &CallOutcome) -> bool {
    outcome
        .failure
        .as_ref()
        .is_some_and(|failure| failure.kind == ErrorKind::NeedsApproval)
}

async fn approve(outcome: &CallOutcome) -> bool {
    let what = outcome
        .failure
        .as_ref()
        .map(|failure| failure.message.as_str())
        .unwrap_or_default();
    print::hint(format_args!("{what}\nCall it? Only \"y\" means yes:"));
    read_line()
        .await
        .is_some_and(|line| line.trim().eq_ignore_ascii_case("y"))
}

fn show(outcome: &CallOutcome) -> Result<Exit, Failure> {
    match outcome.value.as_deref() {
        Some(Value::String(text)) => print::line(text)?,
        Some(value) => print::line(pretty(value)?)?,
        None => {}
    }
    if outcome.truncated {
        print::hint("the result was cut: --trace says where the whole is");
    }
    for failed in &outcome.device_failures {
        print::hint(format_args!("{}: {}", failed.device, failed.failure.message));
    }
    match &outcome.failure {
        None => Ok(Exit::Healthy),
        // The device answered: what was asked about is not there.
        Some(failure) if failure.kind == ErrorKind::NotAvailable => {
            print::hint(&failure.message);
            Ok(Exit::Healthy)
        }
        Some(failure) => Err(failed(failure)),
    }
}

fn failed(failure: &CallFailure) -> Failure {
    let (what, next) = failure
        .message
        .rsplit_once(" - ")
        .unwrap_or((&failure.message, ""));
    match failure.kind {
        ErrorKind::ToolNotFound | ErrorKind::InvalidParameter | ErrorKind::PermissionDenied => {
            Failure::usage(what, next)
        }
        ErrorKind::NeedsApproval => Failure::new(FailureKind::NeedsInput, what, "say --yes to allow it"),
        ErrorKind::Configuration => Failure::config(what, next),
        kind => Failure::failed(format!("{kind}: {what}"), next),
    }
}

fn arguments(args: &CallArgs) -> Result<Map<String, Value>, Failure> {
    if let Some(text) = &args.json_arguments {
        return serde_json::from_str(text).map_err(|error| {
            Failure::usage(
                format!("--json-arguments is no JSON object: {error}"),
                "for instance '{\"device_name\": \"xrd-1\"}'",
            )
        });
    }
    args.arguments
        .iter()
        .map(|pair| {
            let (name, value) = pair.split_once('=').ok_or_else(|| {
                Failure::usage(
                    format!("\"{pair}\" is not name=value"),
                    "for instance device_name=xrd-1",
                )
            })?;
            let value = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
            Ok((name.to_owned(), value))
        })
        .collect()
}

/// The devices that the usual argument names mention, for limits and circuits.
fn devices(arguments: &Map<String, Value>) -> Vec<DeviceName> {
    let one = ["device_name", "device", "hostname", "target"]
        .iter()
        .find_map(|name| arguments.get(*name)?.as_str());
    let many = arguments.get("devices").and_then(Value::as_array);
    let many = many.into_iter().flatten().filter_map(Value::as_str);
    one.into_iter()
        .chain(many)
        .filter(|name| *name != "*")
        .map(DeviceName::from)
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn args(pairs: &[&str]) -> CallArgs {
        CallArgs {
            id: "s.t".to_owned(),
            arguments: pairs.iter().map(|pair| (*pair).to_owned()).collect(),
            json_arguments: None,
            yes: false,
            trace: false,
        }
    }

    #[test]
    fn pairs_become_json() {
        let read = arguments(&args(&[
            "device_name=xrd-1",
            "minutes=5",
            "paths=[\"/a=b\"]",
            "empty=",
        ]))
        .unwrap();
        let expected = json!({"device_name": "xrd-1", "minutes": 5, "paths": ["/a=b"], "empty": ""});
        assert_eq!(Value::Object(read.clone()), expected);
        assert_eq!(devices(&read), vec![DeviceName::from("xrd-1")]);
        assert!(arguments(&args(&["oops"])).is_err());
    }

    #[test]
    fn failures_end_with_their_exit_code() {
        let exit = |kind| {
            failed(&CallFailure {
                kind,
                message: "what - next".to_owned(),
            })
            .exit()
        };
        assert_eq!(exit(ErrorKind::InvalidParameter), Exit::Usage);
        assert_eq!(exit(ErrorKind::NeedsApproval), Exit::NeedsInput);
        assert_eq!(exit(ErrorKind::Timeout), Exit::Failed);
        assert_eq!(
            failed(&CallFailure {
                kind: ErrorKind::Timeout,
                message: "a - b".to_owned()
            })
            .next,
            "b"
        );
    }
}
