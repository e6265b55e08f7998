//! The benchmark: runs scenarios as whole investigations, scores the verdicts, prints and compares.
//!
//! A [`Stage`] puts an investigation together - lab, tools, reasoner - so what is measured is the way a user
//! takes. Scoring is deterministic and has no judge. All figures are of a simulated network.

mod compare;
mod evidence;
mod naive;
mod score;
mod table;
mod trial;

use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::lab::scenario::Scenario;
use crate::runtime::Handle;

pub use compare::compare;
pub use score::Scores;
pub use table::render;
pub use trial::Trial;

/// How much of the agent takes part; each adds to the one before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ablation {
    /// The sweep, and every finding taken for a cause.
    Sweep,
    /// Findings put into causes and consequences.
    Correlation,
    /// Further checks while hypotheses are open.
    Checks,
    /// All of it: the critic too.
    #[default]
    Full,
}

/// An investigation that was opened on a lab of its own.
pub struct Opened {
    /// The session.
    pub handle: Handle,
    /// Ends servers and lab; returns how often a device was asked to change (each was refused).
    pub close: Box<dyn FnOnce() -> futures::future::BoxFuture<'static, u64> + Send>,
    /// Words that must never be told: keys and passwords of the lab.
    pub secrets: Vec<String>,
}

/// Puts investigations together.
#[async_trait]
pub trait Stage: Send + Sync {
    /// Starts a lab as the scenario says and opens its query as a session.
    ///
    /// # Errors
    /// In words: an infrastructure failure, counted apart.
    async fn open(&self, scenario: &Scenario) -> Result<Opened, String>;
}

/// A whole run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Run {
    /// What was run: reasoner, tools, ablation, seed.
    pub setting: String,
    /// Trials, in the order of their scenarios.
    pub trials: Vec<Trial>,
}

/// Runs scenarios, so many side by side.
pub async fn run(
    stage: Arc<dyn Stage>,
    scenarios: Vec<Scenario>,
    jobs: usize,
    ablation: Ablation,
    told: &(dyn Fn(&Trial) + Sync),
) -> Vec<Trial> {
    use futures::StreamExt as _;
    let trials = scenarios.into_iter().enumerate().map(|(n, scenario)| {
        let stage = stage.clone();
        async move {
            let trial = trial::run(stage.as_ref(), &scenario, ablation).await;
            told(&trial);
            (n, trial)
        }
    });
    let mut done: Vec<(usize, Trial)> = futures::stream::iter(trials)
        .buffer_unordered(jobs.max(1))
        .collect()
        .await;
    done.sort_by_key(|(n, _)| *n);
    done.into_iter().map(|(_, trial)| trial).collect()
}
