//! `noctui memory`: what the engineers told once and need not find again: list, add, forget.

use clap::Subcommand;

use super::{Context, Exit, Failure, compose, print};
use crate::agent::model::Timestamp;
use crate::diagnosis::ontology::Resource;
use crate::report;

/// Arguments of `noctui memory`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the facts that hold now
    List,
    /// Keep a fact: what it covers is a remark in reports, not a cause
    Add {
        /// What is known, e.g. "decommissioned, waits for removal"
        words: String,
        /// What it is about: node/N, interface/N/IF, link/N:IF--N:IF, session/N--PEER or vrf/N/NAME
        #[arg(long = "on", value_name = "RESOURCE")]
        scope: Resource,
        /// Days it holds; for ever when left out
        #[arg(long)]
        days: Option<u32>,
    },
    /// Forget a fact
    Forget {
        /// Its number, see `noctui memory list`
        id: i64,
    },
}

/// Runs `noctui memory`.
pub fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let store = compose::store(context)?;
    let now = Timestamp(jiff::Timestamp::now().as_millisecond());
    match args.command {
        Command::List => {
            let facts = store.facts_at(now)?;
            if facts.is_empty() {
                print::hint("nothing is known yet: noctui memory add \"…\" --on node/NAME");
            }
            for fact in facts {
                let until = fact
                    .expires_at
                    .map_or(String::new(), |at| format!("  until {}", report::clock(at)));
                print::line(format_args!(
                    "{:>4}  {}  {}{until}",
                    fact.id, fact.scope, fact.words
                ))?;
            }
        }
        Command::Add { words, scope, days } => {
            if words.trim().is_empty() {
                return Err(Failure::usage(
                    "the fact has no words",
                    "say what is known: noctui memory add \"…\"",
                ));
            }
            let expires = days.map(|days| Timestamp(now.0 + i64::from(days) * 86_400_000));
            let id = store.add_fact(words.trim(), &scope, now, expires)?;
            print::hint(format_args!("fact {id} kept"));
        }
        Command::Forget { id } => {
            if !store.forget_fact(id)? {
                return Err(Failure::usage(
                    format!("there is no fact {id}"),
                    "see `noctui memory list`",
                ));
            }
        }
    }
    Ok(Exit::Healthy)
}
