//! CODE steps: small Starlark scripts, evaluated in a child process behind resource limits.
//!
//! The script sees the tools as functions but calls nothing itself: what it asks for becomes an action of
//! the step, which the machine validates and makes like any other call. Then the script runs again from its
//! beginning with the answers it has got so far, so a session can be resumed in its middle. Knows no tools.

mod answers;
mod evaluate;
mod process;
mod wire;

pub use evaluate::serve;
pub use process::{Limits, Sandbox, Script};
pub use wire::{Call, Ended, Reply};

use std::path::PathBuf;

use async_trait::async_trait;

use crate::agent::{
    model::{Action, LaneId, Proposal, StepId, StepKind},
    ports::{Brief, PortError, ScriptRunner},
};
use crate::llm::neutralise;

/// Longest summary that a script's output becomes, in characters.
const MAX_SUMMARY: usize = 2_000;

/// Runs the scripts of CODE steps.
pub struct Scripts {
    sandbox: Sandbox,
}

impl Scripts {
    /// `program` is this program itself: it is started again as `program sandbox`.
    pub fn new(program: PathBuf, limits: Limits) -> Self {
        Self {
            sandbox: Sandbox::new(program, limits),
        }
    }
}

#[async_trait]
impl ScriptRunner for Scripts {
    async fn run(&self, brief: Brief, lane: LaneId, step: StepId) -> Result<Action, PortError> {
        let state = &*brief.state;
        let source = match state.planning.step(step).map(|s| &s.kind) {
            Some(StepKind::Code { source }) => source.clone(),
            Some(_) => return Err(PortError(format!("{step} is no script - plan it as code"))),
            None => return Err(PortError(format!("{step} is not in the plan - make a new plan"))),
        };
        let targets = state
            .intake
            .targets
            .iter()
            .flatten()
            .map(|d| d.0.clone())
            .collect();
        let script = Script {
            source,
            device: state.lane_device(lane).map(|d| d.0.clone()),
            targets,
        };
        let ended = self
            .sandbox
            .run(&script, |call| answers::answer(state, lane, step, call))
            .await;
        Ok(match ended {
            Ended::Waits { calls } => {
                let why = "the script asked for it".to_owned();
                let proposals = calls
                    .into_iter()
                    .map(|c| Proposal {
                        tool: c.tool,
                        arguments: c.arguments,
                        why: why.clone(),
                    })
                    .collect();
                Action::Call { calls: proposals }
            }
            Ended::Done { output } if output.trim().is_empty() => Action::Finish {
                summary: "the script ended without output".into(),
            },
            Ended::Done { output } => Action::Finish {
                summary: shown(&output),
            },
            Ended::Failed { reason } => Action::GiveUp {
                limitation: format!("the script failed: {}", shown(&reason)),
            },
        })
    }
}

fn shown(text: &str) -> String {
    let text = neutralise(text.trim());
    match text.char_indices().nth(MAX_SUMMARY) {
        None => text,
        Some((at, _)) => format!("{}… (cut)", &text[..at]),
    }
}
