//! The reasoner without a model: reads the query, plans from the runbook, picks tools by purpose, judges.
//!
//! Deterministic and offline: in an outage the cloud is what one can't reach. It knows no server's tool
//! names, sees nothing but the session's state, and stands on the same diagnosis as every other reasoner.

mod arguments;
mod around;
mod aspects;
mod assessing;
mod calls;
mod critic;
mod executor;
mod intent;
mod names;
mod planning;
mod prose;
mod reading;
mod sweep;
mod targets;
mod window;
mod words;

use async_trait::async_trait;

use crate::agent::model::{Action, Assessment, Critique, Draft, LaneId, Perception, Prose, Reading, StepId};
use crate::agent::ports::{Brief, PortError, Reasoner};

/// Parts of the reasoner that can be switched off, to measure what each is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parts {
    /// Plan further checks while hypotheses are open.
    pub checks: bool,
    /// Criticise plans.
    pub critic: bool,
}

impl Default for Parts {
    fn default() -> Self {
        Self {
            checks: true,
            critic: true,
        }
    }
}

/// The offline expert.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rules {
    parts: Parts,
}

impl Rules {
    /// With some parts switched off.
    pub fn with(parts: Parts) -> Self {
        Self { parts }
    }
}

#[async_trait]
impl Reasoner for Rules {
    fn name(&self) -> String {
        "rules".to_owned()
    }

    async fn read(&self, brief: Brief) -> Result<Reading, PortError> {
        Ok(reading::read(&brief.state, brief.now))
    }

    async fn plan(&self, brief: Brief, _draft: u32) -> Result<Draft, PortError> {
        Ok(planning::plan(&brief.state))
    }

    async fn criticise(&self, brief: Brief, draft: u32) -> Result<Critique, PortError> {
        Ok(if self.parts.critic {
            critic::criticise(&brief.state, draft)
        } else {
            critic::pass()
        })
    }

    async fn act(&self, brief: Brief, lane: LaneId, step: StepId, turn: u32) -> Result<Action, PortError> {
        Ok(executor::act(&brief.state, lane, step, turn))
    }

    async fn perceive(&self, brief: Brief, step: StepId) -> Result<Perception, PortError> {
        Ok(assessing::perceive(&brief.state, step, brief.now))
    }

    async fn assess(&self, brief: Brief) -> Result<Assessment, PortError> {
        Ok(assessing::assess(&brief.state, self.parts))
    }

    async fn write(&self, brief: Brief) -> Result<Prose, PortError> {
        Ok(prose::write(&brief.state))
    }
}
