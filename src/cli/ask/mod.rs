//! `noctui ask`: a whole investigation on the terminal's normal screen.
//!
//! The linear mode: the same story as the full screen, for pipes, CI, logs and screen readers. `progress`
//! tells how it goes (stderr), `dialogue` puts questions, the report goes to stdout or a file.

mod dialogue;
mod progress;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ValueEnum;

use super::compose::{self, Place};
use super::{Context, Exit, Failure, FailureKind, plans, print};
use crate::agent::machine::MAX_QUERY_BYTES;
use crate::agent::model::{FreshAnswer, Outcome, PlanApproval, Query, SessionId};
use crate::agent::state::State;
use crate::report;
use crate::runtime::{Handle, Policy, Reaction};
use crate::settings::{LabSize, ReasonerKind, Unattended};

/// How the report is written.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub enum Format {
    /// Plain lines for a terminal.
    #[default]
    Text,
    /// Markdown.
    Markdown,
    /// JSON, for programs.
    Json,
    /// One self-contained HTML page.
    Html,
}

impl From<Format> for report::Format {
    fn from(format: Format) -> Self {
        match format {
            Format::Text => report::Format::Text,
            Format::Markdown => report::Format::Markdown,
            Format::Json => report::Format::Json,
            Format::Html => report::Format::Html,
        }
    }
}

/// Arguments of `noctui ask`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The problem in your words; `-` reads it from standard input
    #[arg(value_name = "QUERY")]
    query: String,
    /// Investigate the built-in lab of this size instead of your network
    #[arg(long, value_name = "SIZE", ignore_case = true, value_parser = super::lab_size)]
    lab: Option<LabSize>,
    /// Break the lab as this scenario says (see `noctui lab list`); implies its size
    #[arg(long, value_name = "ID")]
    scenario: Option<String>,
    /// Who reasons
    #[arg(long, value_enum)]
    reasoner: Option<Reasoner>,
    /// Devices it is about, when the query does not say (may be repeated)
    #[arg(short, long = "device", value_name = "NAME")]
    devices: Vec<String>,
    /// Use this runbook (see `noctui plans list`)
    #[arg(long, value_name = "INTENT")]
    plan: Option<String>,
    /// Answer the next clarification with these words (may be repeated)
    #[arg(long = "answer", value_name = "TEXT")]
    answers: Vec<String>,
    /// Go on without tools that fail and clarifications nobody gives
    #[arg(long)]
    skip_failures: bool,
    /// Neither look for past incidents nor remember this one
    #[arg(long)]
    no_memory: bool,
    /// Format of the report
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Write the report to this file
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Who reasons.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Reasoner {
    /// The offline expert.
    Rules,
    /// A language model.
    Model,
}

impl From<Reasoner> for ReasonerKind {
    fn from(reasoner: Reasoner) -> Self {
        match reasoner {
            Reasoner::Rules => ReasonerKind::Rules,
            Reasoner::Model => ReasonerKind::Model,
        }
    }
}

/// Runs `noctui ask`.
pub fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let text = query_text(&args.query)?;
    if let Some(intent) = &args.plan {
        plans::choose(&plans::load(context)?, intent)?;
    }
    context.block_on(async {
        let place = Place::choose(args.lab, args.scenario.clone(), context)?;
        let wanted = args.reasoner.map(ReasonerKind::from);
        let composed = compose::compose(context, place, wanted, args.no_memory).await?;
        let query = Query {
            text: plain(&text),
            devices: args.devices.clone(),
            runbook: args.plan.clone(),
        };
        let mut options = composed.options.clone();
        options.without_memory |= args.no_memory;
        // nobody is there to read a plan; a script that must be seen waits all the same
        if !context.interactive() && options.plan_approval == PlanApproval::Ask {
            options.plan_approval = PlanApproval::Automatic;
            if options.fresh_answer == FreshAnswer::Ask {
                options.fresh_answer = FreshAnswer::Run;
            }
        }
        let (id, handle) = composed.open(query, options);
        let ended = follow(
            context,
            &handle,
            policy(context, &args.answers, args.skip_failures)?,
        )
        .await;
        drop(handle);
        composed.close().await;
        conclude(&id, &*ended?, args.format, args.output.as_deref())
    })
}

/// The query, whole: what is too long is refused, not cut.
fn query_text(argument: &str) -> Result<String, Failure> {
    let text = if argument == "-" {
        piped()?
    } else {
        argument.to_owned()
    };
    if text.len() > MAX_QUERY_BYTES {
        let what = format!(
            "the query has {} kB, more than {}",
            text.len() / 1024,
            MAX_QUERY_BYTES / 1024
        );
        return Err(Failure::usage(what, "say in a sentence what hurts"));
    }
    Ok(text)
}

/// The query without what a terminal's colours and a careless paste leave in it.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c == '\u{1b}' {
            // A control sequence ends at its first letter (ECMA-48, 5.4).
            let _ = chars.by_ref().take_while(|c| !c.is_ascii_alphabetic()).count();
            continue;
        }
        plain.push(c);
    }
    let visible = crate::redaction::neutralise(&plain);
    visible
        .chars()
        .filter(|c| *c != '\u{fffd}' && !('\u{2400}'..='\u{2421}').contains(c))
        .collect()
}

fn piped() -> Result<String, Failure> {
    let mut text = String::new();
    std::io::stdin()
        .take(1 << 20)
        .read_to_string(&mut text)
        .map_err(|error| {
            Failure::usage(
                format!("cannot read the query from standard input: {error}"),
                "give it as an argument",
            )
        })?;
    Ok(text)
}

/// What to answer when nobody is asked or nobody is there.
fn policy(context: &Context, answers: &[String], skip_failures: bool) -> Result<Policy, Failure> {
    let mut policy = Policy {
        answers: answers.to_vec().into(),
        ..Policy::default()
    };
    if skip_failures || context.settings()?.human.unattended == Unattended::Defaults {
        policy = Policy {
            answers: policy.answers,
            approve_plans: true,
            ..Policy::defaults()
        };
    } else if !context.interactive() {
        policy.step_failure = Reaction::Stop;
    }
    Ok(policy)
}

/// Tells how the session goes and puts its questions until it has ended or waits for somebody else.
pub(super) async fn follow(
    context: &Context,
    handle: &Handle,
    policy: Policy,
) -> Result<Arc<State>, Failure> {
    let interactive = context.interactive() && policy.clarification == Reaction::Leave;
    let teller = progress::Progress::start(handle, context.globals.quiet);
    let ended = dialogue::attend(handle, policy, interactive, &teller).await;
    teller.finish().await;
    ended.map_err(|error| Failure::failed(error.to_string(), "see the log, then `noctui sessions list`"))
}

/// Like [`follow`], for a session that goes on.
pub(super) async fn follow_resumed(
    context: &Context,
    handle: &Handle,
    answers: &[String],
) -> Result<Arc<State>, Failure> {
    follow(context, handle, policy(context, answers, false)?).await
}

/// Writes the report and chooses the exit code.
pub(super) fn conclude(
    id: &SessionId,
    state: &State,
    format: Format,
    output: Option<&Path>,
) -> Result<Exit, Failure> {
    match &state.ending.outcome {
        None => {
            let question = state
                .open_questions()
                .first()
                .map(|q| q.text.clone())
                .unwrap_or_default();
            return Err(Failure::new(
                FailureKind::NeedsInput,
                question,
                format!("go on with `noctui sessions resume {id}`, or answer beforehand with --answer"),
            ));
        }
        Some(Outcome::Refused { reason }) => {
            let (what, next) = split(reason);
            return Err(Failure::new(FailureKind::UnknownDevice, what, next));
        }
        Some(Outcome::Failed { reason }) => {
            let (what, next) = split(reason);
            return Err(Failure::failed(what, next));
        }
        Some(Outcome::Reported | Outcome::Stopped) => {}
    }
    let text = report::write(format.into(), id, state);
    match output {
        None => print::line(text.trim_end())?,
        Some(path) => {
            std::fs::write(path, text).map_err(|error| {
                Failure::failed(
                    format!("{}: {error}", path.display()),
                    "choose another file with -o",
                )
            })?;
            print::hint(format_args!("report written to {}", path.display()));
        }
    }
    Ok(exit_of(state))
}

/// The exit code of a session that was reported.
fn exit_of(state: &State) -> Exit {
    let anomaly = state.diagnosed.verdict.as_ref().is_some_and(|v| v.anomaly);
    match (&state.ending.outcome, anomaly) {
        (Some(Outcome::Reported), false) => Exit::Healthy,
        (Some(Outcome::Reported | Outcome::Stopped), true) => Exit::Anomaly,
        (Some(Outcome::Refused { .. }), _) => Exit::Usage,
        (None, _) => Exit::NeedsInput,
        (Some(Outcome::Stopped | Outcome::Failed { .. }), _) => Exit::Failed,
    }
}

/// "what - next" as its two lines.
fn split(reason: &str) -> (String, String) {
    match reason.rsplit_once(" - ") {
        Some((what, next)) => (what.to_owned(), next.to_owned()),
        None => (reason.to_owned(), "see the log, then try again".to_owned()),
    }
}
