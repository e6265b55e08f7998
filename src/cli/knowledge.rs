//! `noctui knowledge`: searches runbooks and notes as planner and critic do.

use super::{Context, Exit, Failure, plans, print};
use crate::knowledge::{Knowledge, handbook, read_notes};

/// Arguments of `noctui knowledge`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What to search for
    #[arg(required = true)]
    query: Vec<String>,
    /// Most passages
    #[arg(short = 'n', long, default_value_t = 5)]
    limit: usize,
    /// Print each passage in full
    #[arg(long)]
    full: bool,
}

/// Prints the best passages with their score, source and heading.
pub fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let knowledge = open(context)?;
    let found = knowledge
        .find(&[args.query.join(" ")], args.limit)
        .map_err(|error| Failure::failed(error.to_string(), ""))?;
    let mut text = String::new();
    for passage in &found {
        text.push_str(&format!(
            "{:.2}  {}  {}\n",
            passage.score, passage.source, passage.heading
        ));
        if args.full {
            text.push_str(&format!("{}\n\n", passage.text));
        }
    }
    print::out(text)?;
    if found.is_empty() && !context.globals.quiet {
        print::hint("nothing found");
    }
    Ok(Exit::Healthy)
}

/// Runbooks, the handbook and the user's notes in one index; tools are added with `with_toolbox`.
///
/// # Errors
/// When the plans folder cannot be listed or the index cannot be built.
pub fn open(context: &Context) -> Result<Knowledge, Failure> {
    let mut notes = handbook();
    notes.extend(read_notes(&context.folders()?.notes()));
    Knowledge::new(&plans::load(context)?, &notes)
        .map_err(|error| Failure::failed(error.to_string(), "this is a defect: please report it"))
}
