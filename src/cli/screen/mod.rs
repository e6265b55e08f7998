//! `noctui`, `noctui demo` and `noctui replay`: the full screen over the investigation that `compose` puts
//! together.

mod desk;
mod doorstep;
mod stage;

use std::io::{IsTerminal, stdin, stdout};
use std::sync::Arc;
use std::time::Duration;

use super::ask::Reasoner;
use super::compose::{self, Composed, Place};
use super::{Context, Exit, Failure};
use crate::agent::model::FreshAnswer;
use crate::agent::state::State;
use crate::settings::{LabSize, Notify, Profile, ReasonerKind};
use crate::tui::{self, Ending, Occasion, Options, Setting, Start};
use desk::{Shelf, Studio};

/// The scenario of `noctui demo` when none is named: a customer is cut off, and one router does not answer.
const DEMO: &str = "J02";

/// Arguments of `noctui` without a subcommand.
#[derive(Debug, Default, clap::Args)]
pub struct OpenArgs {
    /// Start with this query
    #[arg(long, value_name = "TEXT")]
    query: Option<String>,
    /// Investigate the built-in lab of this size instead of your network
    #[arg(long, value_name = "SIZE", ignore_case = true, value_parser = super::lab_size)]
    lab: Option<LabSize>,
    /// Break the lab as this scenario says; implies its size
    #[arg(long, value_name = "ID")]
    scenario: Option<String>,
    /// Who reasons
    #[arg(long, value_enum)]
    reasoner: Option<Reasoner>,
}

/// Arguments of `noctui demo`.
#[derive(Debug, clap::Args)]
pub struct DemoArgs {
    /// The fault to find (see `noctui lab list`)
    #[arg(long, value_name = "ID", default_value = DEMO)]
    scenario: String,
    /// Who reasons
    #[arg(long, value_enum, default_value = "rules")]
    reasoner: Reasoner,
}

impl Default for DemoArgs {
    fn default() -> Self {
        Self {
            scenario: DEMO.to_owned(),
            reasoner: Reasoner::Rules,
        }
    }
}

/// Arguments of `noctui replay`.
#[derive(Debug, clap::Args)]
pub struct ReplayArgs {
    /// An id, the beginning of one, a name, or `last`
    session: String,
    /// How fast; 1 is as it was
    #[arg(long, default_value_t = 4.0, value_parser = speed)]
    speed: f64,
}

fn speed(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(speed) if (0.05..=1000.0).contains(&speed) => Ok(speed),
        _ => Err("a speed is a number from 0.05 to 1000".to_owned()),
    }
}

/// Whether a person sits at a terminal that a full screen can be drawn on.
pub(super) fn has_terminal() -> bool {
    stdin().is_terminal() && stdout().is_terminal()
}

fn need_terminal() -> Result<(), Failure> {
    if has_terminal() {
        return Ok(());
    }
    Err(Failure::usage(
        "the full screen needs a terminal, and there is none here",
        "`noctui ask \"…\"` works without one",
    ))
}

/// Runs `noctui`.
pub fn open(args: OpenArgs, context: &Context) -> Result<Exit, Failure> {
    need_terminal()?;
    let place = Place::choose(args.lab, args.scenario.clone(), context)?;
    let plain = place == Place::Network && args.query.is_none();
    let unfinished = if plain {
        doorstep::cut_short(context)?
    } else {
        None
    };
    if plain && unfinished.is_none() && doorstep::first_run(context)? {
        return match doorstep::run(context, true)? {
            tui::Exit::Left(Ending::Demo) => demo(DemoArgs::default(), context),
            // The set-up may have changed what this process has read already.
            tui::Exit::Left(Ending::Open) => {
                proper(args, &Context::new(context.globals.clone()), Start::Empty)
            }
            other => Ok(exit(other)),
        };
    }
    let start = match (&args.query, unfinished) {
        (Some(query), _) => Start::Suggest(query.clone()),
        (None, Some(row)) => Start::Offer(row),
        (None, None) => Start::Empty,
    };
    proper(args, context, start)
}

fn proper(args: OpenArgs, context: &Context, start: Start) -> Result<Exit, Failure> {
    let place = Place::choose(args.lab, args.scenario, context)?;
    let reasoner = args.reasoner.map(ReasonerKind::from);
    show(context, place, reasoner, start, None)
}

/// Runs the questions of `noctui setup`.
pub(super) fn setup(context: &Context) -> Result<(), Failure> {
    doorstep::run(context, false).map(|_| ())
}

/// Runs `noctui demo`.
pub fn demo(args: DemoArgs, context: &Context) -> Result<Exit, Failure> {
    need_terminal()?;
    let scenario = compose::scenario(&args.scenario)?;
    let place = Place::choose(None, Some(scenario.id.clone()), context)?;
    let devices = match &place {
        Place::Lab { size: LabSize::M, .. } => 24,
        Place::Lab { size: LabSize::L, .. } => 96,
        _ => 8,
    };
    let welcome = format!(
        "It is 03:00 and the pager rang. This is a lab of {devices} routers in your computer with a real fault in it; \
         no key, no network. The query is typed already: press Enter."
    );
    let reasoner = Some(args.reasoner.into());
    show(
        context,
        place,
        reasoner,
        Start::Suggest(scenario.query),
        Some(welcome),
    )
}

/// Runs the screen on a place. `tour` is what a demo says at its beginning; it is then guided.
fn show(
    context: &Context,
    place: Place,
    reasoner: Option<ReasonerKind>,
    start: Start,
    tour: Option<String>,
) -> Result<Exit, Failure> {
    context.block_on(async {
        let mut composed = compose::compose(context, place, reasoner, false).await?;
        if tour.is_some() {
            // A demonstration investigates, however often it was shown.
            composed.options.fresh_answer = FreshAnswer::Run;
        }
        let mut options = options(context, &composed, start)?;
        options.setting.guided = tour.is_some();
        options.setting.welcome = tour.unwrap_or_default();
        let patience = Duration::from_secs(context.settings()?.human.answer_timeout_s);
        let studio = Arc::new(Studio::new(context, composed, patience));
        let ended = tui::run(studio.clone(), options).await;
        if let Ok(studio) = Arc::try_unwrap(studio) {
            studio.close().await;
        }
        finish(ended)
    })
}

/// Runs `noctui replay`.
pub fn replay(args: ReplayArgs, context: &Context) -> Result<Exit, Failure> {
    need_terminal()?;
    let store = compose::store(context)?;
    let row = store.find_session(&args.session)?;
    let events = store.events(&row.id, 0)?;
    let state = State::fold(&events);
    let start = Start::Replay {
        events: events.into(),
        session: Some(row.id),
        speed: args.speed,
    };
    let setting = Setting {
        context: state.options.context.clone(),
        reasoner: state.options.reasoner.clone(),
        profile: "RECORDING".to_owned(),
        ..Setting::default()
    };
    let options = Options {
        setting,
        start,
        ..base(context)?
    };
    context.block_on(async { finish(tui::run(Arc::new(Shelf::new(store)), options).await) })
}

fn finish(ended: Result<tui::Exit, tui::TuiError>) -> Result<Exit, Failure> {
    leave(ended).map(exit)
}

fn exit(ended: tui::Exit) -> Exit {
    match ended {
        tui::Exit::Left(_) => Exit::Healthy,
        tui::Exit::Signal(code) => Exit::Signal(code),
    }
}

/// A screen that could not be opened, as a failure.
fn leave(ended: Result<tui::Exit, tui::TuiError>) -> Result<tui::Exit, Failure> {
    ended.map_err(|error| {
        let text = error.to_string();
        let (what, next) = text
            .rsplit_once(" - ")
            .unwrap_or((text.as_str(), "see `noctui ask --help`"));
        Failure::failed(what, next)
    })
}

/// What every screen is opened with.
fn base(context: &Context) -> Result<Options, Failure> {
    let ui = &context.settings()?.ui;
    let folders = context.folders()?;
    Ok(Options {
        theme: Some(ui.theme.clone()),
        config: Some(folders.config.clone()),
        history: Some(folders.state.join("history")),
        reduced_motion: ui.reduced_motion,
        without_mouse: !ui.mouse,
        without_color: context.globals.no_color,
        silent: silent(&ui.notify),
        ..Options::default()
    })
}

/// What the settings do not want to ring.
fn silent(notify: &[Notify]) -> Vec<Occasion> {
    [
        (Notify::Question, Occasion::Question),
        (Notify::End, Occasion::End),
        (Notify::Failure, Occasion::Failure),
    ]
    .into_iter()
    .filter(|(wanted, _)| !notify.contains(wanted))
    .map(|(_, occasion)| occasion)
    .collect()
}

fn options(context: &Context, composed: &Composed, start: Start) -> Result<Options, Failure> {
    let profile = match context.settings()?.tools.profile {
        Profile::ReadOnly => "READ-ONLY",
        Profile::All => "CHANGES ALLOWED",
    };
    let runbooks = super::plans::load(context)?;
    let setting = Setting {
        context: composed.options.context.clone(),
        reasoner: composed.options.reasoner.clone(),
        profile: profile.to_owned(),
        words: runbooks
            .iter()
            .map(|(_, runbook)| runbook.intent.clone())
            .collect(),
        examples: [
            "Check BGP neighbors on xrd-1",
            "How are my PE routers doing?",
            "troubleshoot VRF CUST-A on xrd-2",
        ]
        .map(str::to_owned)
        .to_vec(),
        known: super::setup::known(context),
        ..Setting::default()
    };
    Ok(Options {
        setting,
        start,
        ..base(context)?
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_named_does_not_ring() {
        assert_eq!(silent(&[Notify::Question]), [Occasion::End, Occasion::Failure]);
        let settings = crate::settings::built_in().unwrap();
        assert!(
            silent(&settings.ui.notify).is_empty(),
            "by default everything rings"
        );
    }
}
