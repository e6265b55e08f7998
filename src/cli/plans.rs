//! `noctui plans`: the runbooks in force, one in full, a check of files, a new one to fill in.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Subcommand;
use serde_json::json;

use super::{Context, Exit, Failure, FailureKind, print};
use crate::knowledge::{Place, Runbook, RunbookError, Runbooks};
use crate::settings::nearest;

/// Arguments of `noctui plans`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List the runbooks
    List,
    /// Print one runbook
    Show {
        /// Its intent, e.g. check_bgp_neighbors
        intent: String,
        /// Print the file's JSON
        #[arg(long)]
        json: bool,
    },
    /// Check runbook files; without names all that are in force
    Validate {
        /// Files to check
        files: Vec<PathBuf>,
    },
    /// Write a new runbook into your plans folder
    New {
        /// Its intent: lower-case words joined by _, also the file's name
        intent: String,
        /// Start from the steps of this runbook
        #[arg(long, value_name = "INTENT")]
        from: Option<String>,
    },
}

impl From<RunbookError> for Failure {
    fn from(error: RunbookError) -> Self {
        Failure::config(
            error.to_string(),
            "correct that field; `noctui plans validate` checks all runbooks",
        )
    }
}

/// Runs `noctui plans …`.
pub fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    match args.action {
        Action::List => list(context),
        Action::Show { intent, json } => show(context, &intent, json),
        Action::Validate { files } if files.is_empty() => validate_all(context),
        Action::Validate { files } => validate(&files),
        Action::New { intent, from } => create(context, &intent, from.as_deref()),
    }
}

/// The runbooks of this user in this folder.
///
/// # Errors
/// When a folder of plans is there and cannot be listed.
pub fn load(context: &Context) -> Result<Runbooks, Failure> {
    let project = Path::new(".noctui").join("plans");
    Ok(Runbooks::load(&context.folders()?.plans(), &project)?)
}

/// The runbook of an intent, or a failure that names the nearest.
///
/// # Errors
/// Unknown (exit code 2), or its file is broken.
pub fn choose<'a>(runbooks: &'a Runbooks, intent: &str) -> Result<&'a Runbook, Failure> {
    runbooks.get(intent)?.ok_or_else(|| {
        let next = nearest(intent, runbooks.names()).map_or_else(
            || "`noctui plans list` shows all".to_owned(),
            |near| format!("did you mean \"{near}\"? `noctui plans list` shows all"),
        );
        Failure::usage(format!("there is no runbook \"{intent}\""), next)
    })
}

fn list(context: &Context) -> Result<Exit, Failure> {
    let runbooks = load(context)?;
    let mut text = String::new();
    for (place, runbook) in runbooks.iter() {
        let origin = match place {
            Place::BuiltIn => String::new(),
            Place::User | Place::Project => format!(" [{}]", place.name()),
        };
        let steps = runbook.steps.len();
        text.push_str(&format!(
            "{:<28} {steps:>2} steps  {}{origin}\n",
            runbook.intent, runbook.description
        ));
    }
    print::out(text)?;
    for problem in runbooks.problems() {
        print::hint(format_args!("broken: {problem}"));
    }
    Ok(Exit::Healthy)
}

fn show(context: &Context, intent: &str, json: bool) -> Result<Exit, Failure> {
    let runbooks = load(context)?;
    let runbook = choose(&runbooks, intent)?;
    if json {
        print::line(to_json(runbook)?)?;
        return Ok(Exit::Healthy);
    }
    let mut text = format!(
        "{}\n{}\n({})\n",
        runbook.intent,
        runbook.description,
        runbook.file.display()
    );
    for (i, step) in runbook.steps.iter().enumerate() {
        text.push_str(&format!("\n{:>2}. {step}\n", i + 1));
    }
    print::out(text)?;
    Ok(Exit::Healthy)
}

fn to_json(runbook: &Runbook) -> Result<String, Failure> {
    let body = json!({
        "intent": runbook.intent, "description": runbook.description, "steps": runbook.steps,
    });
    serde_json::to_string_pretty(&body)
        .map_err(|error| Failure::failed(format!("cannot write the runbook: {error}"), ""))
}

fn validate_all(context: &Context) -> Result<Exit, Failure> {
    let runbooks = load(context)?;
    report(runbooks.iter().map(|(_, runbook)| runbook), runbooks.problems())
}

fn validate(files: &[PathBuf]) -> Result<Exit, Failure> {
    let read: Vec<Result<Runbook, RunbookError>> = files.iter().map(|file| read(file)).collect();
    report(
        read.iter().filter_map(|r| r.as_ref().ok()),
        read.iter().filter_map(|r| r.as_ref().err()),
    )
}

fn read(file: &Path) -> Result<Runbook, RunbookError> {
    let text = fs::read_to_string(file).map_err(|error| RunbookError {
        file: file.to_owned(),
        field: "file".to_owned(),
        problem: format!("cannot be read: {error}"),
    })?;
    Runbook::parse(&text, file)
}

/// Names the good ones; the first bad one is the failure, the others are named before it.
fn report<'a>(
    good: impl Iterator<Item = &'a Runbook>,
    bad: impl Iterator<Item = &'a RunbookError>,
) -> Result<Exit, Failure> {
    let mut text = String::new();
    for runbook in good {
        text.push_str(&format!(
            "ok  {} ({} steps)\n",
            runbook.file.display(),
            runbook.steps.len()
        ));
    }
    print::out(text)?;
    let mut bad: Vec<&RunbookError> = bad.collect();
    let Some(last) = bad.pop() else {
        return Ok(Exit::Healthy);
    };
    for error in bad {
        print::hint(format_args!("bad {error}"));
    }
    Err(last.clone().into())
}

fn create(context: &Context, intent: &str, from: Option<&str>) -> Result<Exit, Failure> {
    let runbooks = load(context)?;
    let file = context.folders()?.plans().join(format!("{intent}.json"));
    let mut runbook = match from {
        Some(from) => choose(&runbooks, from)?.clone(),
        None => template(),
    };
    runbook.intent = intent.to_owned();
    let text = to_json(&runbook)? + "\n";
    // Refuses a bad name before anything is written.
    Runbook::parse(&text, &file)
        .map_err(|error| Failure::usage(error.problem, "for example: `noctui plans new check_optics`"))?;
    write_new(&file, &text).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => Failure::new(
            FailureKind::Usage,
            format!("{} is already there", file.display()),
            "edit it",
        ),
        _ => Failure::failed(
            format!("cannot write {}: {error}", file.display()),
            "check the folder",
        ),
    })?;
    print::line(format_args!("wrote {}", file.display()))?;
    Ok(Exit::Healthy)
}

fn template() -> Runbook {
    Runbook {
        intent: String::new(),
        description: "Say in a sentence what this runbook is for.".to_owned(),
        steps: vec![
            "Say what to look at first. Then why, what is normal and what is not, in words a junior engineer \
             understands."
                .to_owned(),
            "If the first step shows a fault, say what to look at next. Read the logs of the time asked about."
                .to_owned(),
        ],
        extends: None,
        file: PathBuf::new(),
    }
}

fn write_new(file: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(file)?
        .write_all(text.as_bytes())
}
