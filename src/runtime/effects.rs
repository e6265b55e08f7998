//! Runs one effect through its port and brings back the input it causes. A port that fails, panics or takes
//! too long causes an input like any other; only cancellation is silent.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::bus::Bus;
use super::context::{Elicitations, InCall, Teller};
use crate::agent::effect::{Effect, Reply};
use crate::agent::machine::{Input, activity};
use crate::agent::model::{Action, CallFailure, CallOutcome, ErrorKind, SessionId};
use crate::agent::ports::{Brief, PortError, Ports, deadline_ms};
use crate::agent::state::State;

/// Passages given to planner and critic for one draft.
const PASSAGES: usize = 12;
/// Similar incidents looked up at intake.
const INCIDENTS: usize = 3;

/// What an effect needs to run.
#[derive(Clone)]
pub(super) struct Runner {
    pub(super) ports: Ports,
    pub(super) session: SessionId,
    pub(super) bus: Arc<Bus>,
    pub(super) inbox: mpsc::WeakUnboundedSender<Input>,
    pub(super) elicitations: Arc<Elicitations>,
}

/// Runs `effect` and sends what it brought.
pub(super) async fn run(runner: Runner, effect: Effect, state: Arc<State>, token: CancellationToken) {
    let deadline = deadline_ms(&effect).map(Duration::from_millis);
    let work = AssertUnwindSafe(perform(&runner, &effect, state.clone())).catch_unwind();
    let finished = tokio::select! {
        biased;
        () = token.cancelled() => return,
        finished = work => finished.unwrap_or_else(|_| {
            tracing::error!(?effect, "a port panicked");
            Err(PortError(format!("{} broke off unexpectedly - see the log", activity(&effect))))
        }),
        () = sleep(deadline) => Err(PortError(format!("{} took too long", activity(&effect)))),
    };
    let input = match (finished, &effect) {
        (Ok(reply), _) => Input::Replied { effect, reply },
        (Err(error), Effect::Call { .. }) => {
            let now = runner.ports.clock.now();
            let failure = CallFailure {
                kind: ErrorKind::ExecutionFailed,
                message: error.to_string(),
            };
            Input::Replied {
                effect,
                reply: Reply::Outcome(Box::new(CallOutcome::failed(failure, now, now))),
            }
        }
        (Err(error), _) => Input::Failed {
            effect,
            reason: error.to_string(),
        },
    };
    if let Some(inbox) = runner.inbox.upgrade() {
        let _ = inbox.send(input);
    }
}

async fn sleep(deadline: Option<Duration>) {
    match deadline {
        Some(deadline) => tokio::time::sleep(deadline).await,
        None => std::future::pending().await,
    }
}

async fn perform(runner: &Runner, effect: &Effect, state: Arc<State>) -> Result<Reply, PortError> {
    let ports = &runner.ports;
    let teller = Arc::new(Teller {
        bus: runner.bus.clone(),
        inbox: runner.inbox.clone(),
    });
    let brief = || Brief {
        state: state.clone(),
        now: ports.clock.now(),
        reporter: teller.clone(),
    };
    let reasoner = &ports.reasoner;
    Ok(match effect {
        Effect::ListTools => Reply::Tools(ports.toolbox.list().await?),
        Effect::Read { .. } => Reply::Reading(Box::new(reasoner.read(brief()).await?)),
        Effect::Recall => Reply::Recalled {
            incidents: ports.recall.similar(&state, INCIDENTS).await?,
            facts: ports.recall.facts(ports.clock.now()).await?,
        },
        Effect::Search { draft } => {
            Reply::Passages(ports.corpus.search(&queries(&state, *draft), PASSAGES).await?)
        }
        Effect::Plan { draft } => Reply::Draft(Box::new(reasoner.plan(brief(), *draft).await?)),
        Effect::Criticise { draft } => Reply::Critique(reasoner.criticise(brief(), *draft).await?),
        Effect::Act { lane, step, turn } => Reply::Action(reasoner.act(brief(), *lane, *step, *turn).await?),
        Effect::Script { lane, step, .. } => Reply::Action(match &ports.scripts {
            Some(scripts) => scripts.run(brief(), *lane, *step).await?,
            None => Action::GiveUp {
                limitation: "scripts are not available here".to_owned(),
            },
        }),
        Effect::Call { call, .. } => {
            let record = state
                .execution
                .call(*call)
                .ok_or_else(|| PortError(format!("no call {call}")))?;
            let elicitations = runner.elicitations.clone();
            let context = InCall {
                call: *call,
                state: state.clone(),
                teller,
                elicitations,
            };
            Reply::Outcome(Box::new(ports.toolbox.call(&record.call, &context).await))
        }
        Effect::Perceive { step } => Reply::Perception(Box::new(reasoner.perceive(brief(), *step).await?)),
        Effect::Assess { .. } => Reply::Assessment(reasoner.assess(brief()).await?),
        Effect::Write => Reply::Prose(reasoner.write(brief()).await?),
        Effect::Reuse { session } => Reply::Known(Box::new(ports.recall.known(session).await?)),
        Effect::Remember => {
            ports.recall.remember(&runner.session, &state).await?;
            Reply::Remembered
        }
    })
}

/// What to search for a draft: the critic's wishes, or at first the query and its intent.
fn queries(state: &State, draft: u32) -> Vec<String> {
    let before = draft
        .checked_sub(1)
        .and_then(|number| state.planning.draft(number));
    if let Some(critique) = before
        .and_then(|d| d.critique.as_ref())
        .filter(|c| !c.next_search.is_empty())
    {
        return critique.next_search.clone();
    }
    let query = state.query.as_ref().map(|q| q.text.clone());
    // A query that is exactly a runbook's intent brings all of its steps.
    let intent = state.intake.reading.as_ref().map(|r| r.intent.0.clone());
    let top = state
        .diagnosed
        .hypotheses
        .first()
        .map(|h| h.fault.meaning().to_owned());
    query.into_iter().chain(intent).chain(top).collect()
}
