//! `noctui sessions`: what was investigated: list, show, resume, export, rename, delete.

use std::path::PathBuf;

use clap::Subcommand;

use super::ask::{Format, conclude, follow_resumed};
use super::compose::{self, Place};
use super::{Context, Exit, Failure, print};
use crate::agent::state::State;
use crate::memory::{MemoryError, SessionRow, Store};
use crate::report;

/// Arguments of `noctui sessions`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

/// What to do with sessions. SESSION is an id, the beginning of one, a name, or `last`.
#[derive(Debug, Subcommand)]
enum Command {
    /// List sessions, newest first
    List {
        /// Only those that contain all of these words
        words: Vec<String>,
        /// At most so many
        #[arg(long, default_value_t = 30)]
        limit: usize,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Show the report of a session
    Show {
        /// Session
        session: String,
        /// Format of the report
        #[arg(long, value_enum, default_value_t = Format::Markdown)]
        format: Format,
    },
    /// Go on with a session that has not ended
    Resume {
        /// Session
        session: String,
        /// Answer the next clarification with these words (may be repeated)
        #[arg(long = "answer", value_name = "TEXT")]
        answers: Vec<String>,
        /// Format of the report
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// Write the report of a session to a file; the ending chooses the format (.md, .json, .html, .txt)
    Export {
        /// Session
        session: String,
        /// File
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
    },
    /// Give a session a name
    Rename {
        /// Session
        session: String,
        /// Name
        name: String,
    },
    /// Delete a session and all that was kept of it
    Delete {
        /// Session
        session: String,
    },
}

impl From<MemoryError> for Failure {
    fn from(error: MemoryError) -> Self {
        let text = error.to_string();
        let (what, next) = text.rsplit_once(" - ").unwrap_or((text.as_str(), ""));
        match error {
            MemoryError::UnknownSession(_) => Failure::usage(what, next),
            _ => Failure::failed(what, next),
        }
    }
}

/// Runs `noctui sessions`.
pub fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let store = compose::store(context)?;
    match args.command {
        Command::List { words, limit, json } => list(&store, &words.join(" "), limit, json),
        Command::Show { session, format } => {
            let (row, state) = load(&store, &session)?;
            print::line(report::write(format.into(), &row.id, &state).trim_end())?;
            Ok(Exit::Healthy)
        }
        Command::Resume {
            session,
            answers,
            format,
        } => resume(context, &store, &session, answers, format),
        Command::Export { session, output } => export(&store, &session, &output),
        Command::Rename { session, name } => {
            let row = store.find_session(&session)?;
            store.rename_session(&row.id, name.trim())?;
            Ok(Exit::Healthy)
        }
        Command::Delete { session } => {
            let row = store.find_session(&session)?;
            store.delete_session(&row.id)?;
            print::hint(format_args!("deleted {}", row.id));
            Ok(Exit::Healthy)
        }
    }
}

fn load(store: &Store, session: &str) -> Result<(SessionRow, State), Failure> {
    let row = store.find_session(session)?;
    let state = State::fold(&store.events(&row.id, 0)?);
    Ok((row, state))
}

fn list(store: &Store, words: &str, limit: usize, json: bool) -> Result<Exit, Failure> {
    let rows = store.sessions(words, limit)?;
    if json {
        let text = serde_json::to_string_pretty(&rows)
            .map_err(|error| Failure::failed(error.to_string(), "list without --json"))?;
        print::line(text)?;
        return Ok(Exit::Healthy);
    }
    if rows.is_empty() {
        print::hint("no sessions yet: `noctui ask \"…\" --lab S` makes one");
    }
    for row in rows {
        let ended = if row.outcome.is_empty() {
            "open"
        } else {
            row.outcome.as_str()
        };
        let name = if row.name.is_empty() {
            row.query.clone()
        } else {
            format!("{} · {}", row.name, row.query)
        };
        print::line(format_args!("{}  {ended:<8}  {}", row.id, cut(&name, 70)))?;
        if !row.headline.is_empty() {
            print::line(format_args!("{:22}{}", "", cut(&row.headline, 90)))?;
        }
    }
    Ok(Exit::Healthy)
}

fn cut(text: &str, width: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(width) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

fn export(store: &Store, session: &str, output: &std::path::Path) -> Result<Exit, Failure> {
    let format = match output.extension().and_then(|e| e.to_str()) {
        Some("md") => report::Format::Markdown,
        Some("json") => report::Format::Json,
        Some("html" | "htm") => report::Format::Html,
        Some("txt") => report::Format::Text,
        _ => {
            let what = format!("{}: no format for this ending", output.display());
            return Err(Failure::usage(
                what,
                "name a file that ends in .md, .json, .html or .txt",
            ));
        }
    };
    let (row, state) = load(store, session)?;
    std::fs::write(output, report::write(format, &row.id, &state))
        .map_err(|error| Failure::failed(format!("{}: {error}", output.display()), "choose another file"))?;
    print::hint(format_args!("{} written", output.display()));
    Ok(Exit::Healthy)
}

fn resume(
    context: &Context,
    store: &Store,
    session: &str,
    answers: Vec<String>,
    format: Format,
) -> Result<Exit, Failure> {
    let (row, state) = load(store, session)?;
    if state.is_ended() {
        return conclude(&row.id, &state, format, None);
    }
    context.block_on(async {
        let place = Place::of_session(&state.options, context)?;
        let wanted = compose::reasoner_named(&state.options.reasoner);
        let composed = compose::compose(context, place, wanted, state.options.without_memory).await?;
        let handle = composed.resume(row.id.clone())?;
        let ended = follow_resumed(context, &handle, &answers).await;
        drop(handle);
        composed.close().await;
        conclude(&row.id, &*ended?, format, None)
    })
}
