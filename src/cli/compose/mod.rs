//! Puts an investigation together: which tools, which reasoner, which memory, and the lab when it is one.
//!
//! The lab takes the same way as a real network: a collector as a child process, MCP over stdio, gNMI over
//! loopback. Only the inventory differs.

mod claim;
pub(in crate::cli) mod lab;
mod place;
mod thinking;
mod toolbox;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::{Context, Failure, knowledge, model_config};
use crate::agent::model::{FreshAnswer, Limits, Options, PlanApproval, Query, SessionId, Timestamp};
use crate::agent::ports::{Clock, Ports};
use crate::memory::{Store, new_session_id};
use crate::runtime::{self, Handle, SessionError};
use crate::settings::{self, ReasonerKind};
use crate::tools::McpToolbox;

use claim::Claim;
pub(super) use lab::{RunningLab, scenario};
pub(super) use place::Place;
pub(super) use thinking::{benchmark_model, scripts};
pub(super) use toolbox::own_program;

/// Everything an investigation runs on.
pub(super) struct Composed {
    /// The options that follow from settings and flags.
    pub(super) options: Options,
    /// The tools.
    pub(super) toolbox: Arc<McpToolbox>,
    /// The journal.
    pub(super) store: Arc<Store>,
    /// The lab, when it is one.
    pub(super) lab: Option<RunningLab>,
    ports: Ports,
    claims_folder: PathBuf,
    claims: Mutex<Vec<Claim>>,
}

/// The wall clock.
struct WallClock;

impl Clock for WallClock {
    fn now(&self) -> Timestamp {
        Timestamp(jiff::Timestamp::now().as_millisecond())
    }
}

/// Opens the journal of the settings.
///
/// # Errors
/// Names the file and what is wrong with it.
pub(super) fn store(context: &Context) -> Result<Arc<Store>, Failure> {
    let memory = &context.settings()?.memory;
    let variable = |name: &str| std::env::var(name).ok();
    let database = settings::expand(&memory.database, &variable).map_err(|error| {
        Failure::config(format!("memory.database: {error}"), "correct it in the settings")
    })?;
    let path = if memory.database.is_empty() {
        context.folders()?.data.join("noctui.db")
    } else {
        std::path::PathBuf::from(database)
    };
    Ok(Arc::new(Store::open(&path)?))
}

/// The reasoner kind that a session's options name.
pub(super) fn reasoner_named(name: &str) -> Option<ReasonerKind> {
    match name {
        "rules" => Some(ReasonerKind::Rules),
        "" => None,
        _ => Some(ReasonerKind::Model),
    }
}

/// Starts the tool servers of a place, and the lab when it is one. Servers start in the background.
///
/// # Errors
/// When the lab can't start, or settings or servers are wrong.
pub(super) async fn tools(
    context: &Context,
    place: &Place,
) -> Result<(McpToolbox, Option<RunningLab>), Failure> {
    let lab = match place {
        Place::Network => None,
        Place::Lab { size, scenario, seed } => {
            let port = context.settings()?.lab.port;
            Some(RunningLab::start(*size, scenario.as_deref(), *seed, port).await?)
        }
    };
    Ok((toolbox::start(context, lab.as_ref())?, lab))
}

/// Starts what the place needs and puts the ports together. Servers start in the background.
///
/// # Errors
/// When the lab can't start, or settings, servers, plans or journal are wrong.
pub(super) async fn compose(
    context: &Context,
    place: Place,
    wanted: Option<ReasonerKind>,
    without_memory: bool,
) -> Result<Composed, Failure> {
    let settings = context.settings()?;
    let store = store(context)?;
    let (toolbox, lab) = tools(context, &place).await?;
    let toolbox = Arc::new(toolbox);
    let corpus = knowledge::open(context)?.with_toolbox(toolbox.clone());
    let kind = wanted.unwrap_or(settings.reasoner.kind);
    let reasoner = thinking::reasoner(context, kind)?;
    let options = Options {
        limits: limits(settings),
        plan_approval: match settings.agent.plan_approval {
            settings::PlanApproval::Never => PlanApproval::Automatic,
            settings::PlanApproval::Scripts => PlanApproval::Scripts,
            settings::PlanApproval::Ask => PlanApproval::Ask,
        },
        reasoner: reasoner.name(),
        context: place.to_string(),
        without_memory: without_memory || !settings.memory.enabled,
        fresh_answer: match settings.memory.fresh_answer {
            _ if settings.memory.fresh_minutes == 0 => FreshAnswer::Run,
            settings::FreshAnswer::Ask => FreshAnswer::Ask,
            settings::FreshAnswer::Run => FreshAnswer::Run,
            settings::FreshAnswer::Use => FreshAnswer::Use,
        },
        fresh_seconds: settings.memory.fresh_minutes.saturating_mul(60),
        seed: match place {
            Place::Lab { seed, .. } => seed,
            Place::Network => 0,
        },
        one_at_a_time: kind == ReasonerKind::Model && model_config::on_tape()?,
        ..Options::default()
    };
    let ports = Ports {
        reasoner,
        toolbox: toolbox.clone(),
        scripts: thinking::scripts(),
        corpus: Arc::new(corpus),
        recall: store.clone(),
        journal: store.clone(),
        clock: Arc::new(WallClock),
    };
    Ok(Composed {
        options,
        toolbox,
        store,
        lab,
        ports,
        claims_folder: claims_folder(context)?,
        claims: Mutex::default(),
    })
}

fn claims_folder(context: &Context) -> Result<PathBuf, Failure> {
    Ok(context.folders()?.state.join("live"))
}

/// Whether another living process plays a session.
///
/// # Errors
/// When there is no home folder.
pub(super) fn is_played(context: &Context, session: &SessionId) -> Result<bool, Failure> {
    Ok(claim::holder(&claims_folder(context)?, session).is_some())
}

/// Something different each time, for ids.
fn chance() -> u32 {
    use std::hash::{BuildHasher, Hasher};
    let hasher = std::hash::RandomState::new().build_hasher();
    u32::try_from(hasher.finish() >> 32).unwrap_or_default()
}

fn limits(settings: &settings::Settings) -> Limits {
    let agent = &settings.agent;
    Limits {
        planning_loops: agent.max_loops,
        retries: agent.max_retries,
        tool_calls: agent.max_calls,
        seconds: u32::try_from(agent.max_seconds).unwrap_or(u32::MAX),
        turns: agent.max_turns,
        transient_retries: agent.max_transient_retries,
        clarification_rounds: agent.max_question_rounds,
    }
}

impl Composed {
    /// Opens a session. Must be called on the background runtime.
    pub(super) fn open(&self, query: Query, options: Options) -> (SessionId, Handle) {
        let id = new_session_id(WallClock.now(), chance());
        // Nobody else knows the id yet.
        let _ = self.claim(&id);
        let handle = runtime::open(self.ports.clone(), id.clone(), query, options);
        (id, handle)
    }

    /// Goes on with a session. Must be called on the background runtime.
    ///
    /// # Errors
    /// When there is no such session, the journal can't be read, or another process plays it.
    pub(super) fn resume(&self, id: SessionId) -> Result<Handle, Failure> {
        self.claim(&id).map_err(|process| {
            Failure::failed(
                format!("session {id} is open in another noctui, process {process}"),
                "go on there, or end that one first",
            )
        })?;
        runtime::resume(self.ports.clone(), id).map_err(Failure::from)
    }

    fn claim(&self, id: &SessionId) -> Result<(), i32> {
        let claim = Claim::take(&self.claims_folder, id)?;
        self.claims
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(claim);
        Ok(())
    }

    /// Ends servers and lab.
    pub(super) async fn close(self) {
        self.toolbox.hub().close().await;
        if let Some(lab) = self.lab {
            lab.stop().await;
        }
    }
}

impl From<SessionError> for Failure {
    fn from(error: SessionError) -> Self {
        let text = error.to_string();
        let (what, next) = text.rsplit_once(" - ").unwrap_or((text.as_str(), "see the log"));
        match error {
            SessionError::Unknown(_) => Failure::usage(what, next),
            SessionError::Journal(_) => Failure::failed(what, next),
        }
    }
}
