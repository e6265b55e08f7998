//! One trial: a scenario run to its end with a scripted human, and what came of it.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::score::{Scores, score};
use super::{Ablation, Stage, naive};
use crate::agent::model::{Answer, Author, Question, QuestionKind, Usage, Verdict};
use crate::agent::state::State;
use crate::lab::scenario::{Expect, Scenario};
use crate::runtime::Handle;

/// What came of one scenario.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Trial {
    /// Scenario.
    pub id: String,
    /// Group, the letter.
    pub group: String,
    /// Size of the network.
    pub size: String,
    /// Scores; `None` when the infrastructure failed, which is no answer.
    pub scores: Option<Scores>,
    /// Why it failed, if it did.
    #[serde(default)]
    pub failure: Option<String>,
    /// Wall time, seconds.
    pub seconds: f64,
    /// Attempts at tool calls.
    pub calls: usize,
    /// Of these, failed.
    pub failed_calls: usize,
    /// Model tokens, both ways.
    pub tokens: u64,
    /// What each role of the model cost; empty with the rules.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub usage: Vec<Usage>,
    /// Answers of the model that the rules or the human had to replace.
    #[serde(default)]
    pub fallbacks: usize,
    /// Causes found, as `type resource confidence`.
    pub found: Vec<String>,
    /// Causes there are, as `type resource`.
    pub wanted: Vec<String>,
    /// Required evidence that no citation shows.
    pub unshown: Vec<String>,
    /// Citations that don't hold.
    pub false_claims: Vec<String>,
    /// Questions that were asked, by kind.
    pub asked: Vec<String>,
}

/// Runs a scenario.
pub async fn run(stage: &dyn Stage, scenario: &Scenario, ablation: Ablation) -> Trial {
    let started = Instant::now();
    let mut trial = Trial {
        id: scenario.id.clone(),
        group: scenario.group().to_owned(),
        size: scenario.size.clone(),
        scores: None,
        failure: None,
        seconds: 0.0,
        calls: 0,
        failed_calls: 0,
        tokens: 0,
        usage: Vec::new(),
        fallbacks: 0,
        found: Vec::new(),
        wanted: scenario
            .truth
            .causes
            .iter()
            .map(|c| format!("{} {}", c.fault_type, c.resource))
            .collect(),
        unshown: Vec::new(),
        false_claims: Vec::new(),
        asked: Vec::new(),
    };
    let opened = match stage.open(scenario).await {
        Ok(opened) => opened,
        Err(failure) => {
            trial.failure = Some(failure);
            return trial;
        }
    };
    let limit = std::time::Duration::from_secs(u64::from(scenario.budget.seconds));
    let ended = tokio::time::timeout(limit, attend(&opened.handle, scenario)).await;
    let state = opened.handle.state();
    trial.seconds = started.elapsed().as_secs_f64();
    if let Ok(Err(failure)) = &ended {
        trial.failure = Some(failure.clone());
    }
    if ended.is_err() {
        opened.handle.leave();
    }
    drop(opened.handle);
    let writes = (opened.close)().await;
    observe(&mut trial, &state);
    let verdict = match ablation {
        Ablation::Sweep => naive::verdict(&state),
        _ => state.diagnosed.verdict.clone(),
    };
    if trial.failure.is_none() {
        trial.found = verdict
            .iter()
            .flat_map(|v| &v.causes)
            .map(|c| format!("{} {} {}", c.fault, c.resource, c.confidence))
            .collect();
        conclude(
            &mut trial,
            scenario,
            &state,
            verdict.as_ref(),
            writes,
            &opened.secrets,
        );
    }
    trial
}

fn observe(trial: &mut Trial, state: &State) {
    let outcomes = || state.execution.calls.values().flat_map(|r| &r.outcomes);
    trial.calls = outcomes().count();
    trial.failed_calls = outcomes()
        .filter(|o| o.failure.is_some() || !o.device_failures.is_empty())
        .count();
    trial.tokens = state
        .ledger
        .usage
        .iter()
        .map(|u| u.tokens_in + u.tokens_out)
        .sum();
    trial.usage = state.ledger.usage.clone();
    trial.fallbacks = state
        .ledger
        .notes
        .iter()
        .filter(|n| n.tells_of_fallback())
        .count();
    trial.asked = state
        .dialogue
        .asked
        .iter()
        .map(|a| a.question.kind.name().to_owned())
        .collect();
}

fn conclude(
    trial: &mut Trial,
    scenario: &Scenario,
    state: &State,
    verdict: Option<&Verdict>,
    writes: u64,
    secrets: &[String],
) {
    let judged = score(scenario, state, verdict, writes, secrets);
    trial.unshown = judged.unshown;
    trial.false_claims = judged.false_claims;
    trial.scores = Some(judged.scores);
}

/// Answers as the scenario's human would, until the session ends.
async fn attend(handle: &Handle, scenario: &Scenario) -> Result<(), String> {
    let mut answered = Vec::new();
    loop {
        let waiting = |state: &State| state.open_questions().iter().any(|q| !answered.contains(&q.id));
        let state = handle
            .wait_for(waiting)
            .await
            .map_err(|error| error.to_string())?;
        if state.is_ended() {
            return Ok(());
        }
        for question in state.open_questions() {
            if answered.contains(&question.id) {
                continue;
            }
            answered.push(question.id);
            handle.answer(
                question.id,
                answer(question, scenario, answered.len()),
                Author::Human,
            );
        }
    }
}

fn answer(question: &Question, scenario: &Scenario, count: usize) -> Answer {
    let human = &scenario.human;
    let words = human.answer.as_deref().unwrap_or_default();
    match &question.kind {
        QuestionKind::Clarification { .. } if human.expect == Expect::Clarify => Answer::Text {
            text: words.to_owned(),
        },
        QuestionKind::Clarification { .. } => Answer::Skip,
        QuestionKind::ToolFailure { .. } => match words {
            "retry" if count <= 6 => Answer::Retry,
            "stop" => Answer::Stop,
            _ => Answer::Skip,
        },
        QuestionKind::StepFailure { .. } => Answer::Skip,
        QuestionKind::PlanApproval { .. } => Answer::Approve,
        _ => Answer::Decline,
    }
}
