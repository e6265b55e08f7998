//! `noctui tools approvals`: what was answered with "always" in sessions that can go on, and taking it back.
//!
//! A withdrawal is an event in the session's journal. A session that runs in another process takes it in
//! before its next step, so it allows no call after that.

use clap::Subcommand;
use serde_json::json;

use super::super::{Context, Exit, Failure, compose, print};
use super::pretty;
use crate::agent::event::{Event, Recorded};
use crate::agent::model::{QuestionId, Steering, Timestamp};
use crate::agent::state::State;
use crate::memory::{SessionRow, Store};

/// Sessions looked at when none is named.
const NEWEST: usize = 200;

/// Arguments of `noctui tools approvals`.
#[derive(Debug, clap::Args)]
pub(super) struct ApprovalsArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List what is allowed always, with its exact scope
    List {
        /// Only this session: its id, the start of it, its name, or `last`
        #[arg(long)]
        session: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Take an "always" back: what it covered is asked about again
    Withdraw {
        /// The session
        session: String,
        /// The question that was answered so, e.g. Q3
        #[arg(value_parser = question)]
        question: QuestionId,
    },
}

fn question(text: &str) -> Result<QuestionId, String> {
    text.trim_start_matches(['Q', 'q'])
        .parse()
        .map(QuestionId)
        .map_err(|_| "a question is written like Q3".to_owned())
}

pub(super) fn run(args: &ApprovalsArgs, context: &Context) -> Result<Exit, Failure> {
    let store = compose::store(context)?;
    match &args.action {
        Action::List { session, json } => list(&store, session.as_deref(), *json),
        Action::Withdraw { session, question } => withdraw(&store, session, *question),
    }
}

fn list(store: &Store, session: Option<&str>, as_json: bool) -> Result<Exit, Failure> {
    let rows = match session {
        Some(which) => vec![store.find_session(which)?],
        None => {
            let all = store.sessions("", NEWEST)?;
            all.into_iter().filter(|row| row.outcome.is_empty()).collect()
        }
    };
    let mut found = Vec::new();
    for row in rows {
        let state = state_of(store, &row)?;
        if state.is_ended() {
            continue;
        }
        let standing = state.dialogue.grants();
        found.extend(standing.map(|(question, grant)| (row.id.clone(), question, grant.clone())));
    }
    if as_json {
        let rows: Vec<_> = found
            .iter()
            .map(|(session, question, grant)| {
                json!({"session": session, "question": question, "grant": grant})
            })
            .collect();
        print::line(pretty(&rows)?)?;
        return Ok(Exit::Healthy);
    }
    if found.is_empty() {
        print::hint("nothing is allowed always in a session that can go on");
    }
    for (session, question, grant) in found {
        let question = question.to_string();
        print::line(format_args!("{session}  {question:<4}  {grant}"))?;
    }
    Ok(Exit::Healthy)
}

fn state_of(store: &Store, row: &SessionRow) -> Result<State, Failure> {
    Ok(State::fold(&store.events(&row.id, 0)?))
}

fn withdraw(store: &Store, session: &str, question: QuestionId) -> Result<Exit, Failure> {
    let row = store.find_session(session)?;
    let state = state_of(store, &row)?;
    let Some((_, grant)) = state
        .dialogue
        .grants()
        .find(|(id, _)| *id == question && !state.is_ended())
    else {
        return Err(Failure::usage(
            format!("{question} of session {} allows nothing", row.id),
            "see `noctui tools approvals list`",
        ));
    };
    let recorded = Recorded {
        seq: state.seq + 1,
        at: Timestamp(jiff::Timestamp::now().as_millisecond()),
        event: Event::Steered {
            steering: Steering::Withdraw { question },
        },
    };
    store.append_all(&row.id, &[recorded])?;
    print::hint(format_args!("withdrawn: {grant}"));
    Ok(Exit::Healthy)
}
