//! Answers for unattended runs: what was said beforehand, otherwise what the policy says, otherwise nobody.

use std::collections::VecDeque;
use std::sync::Arc;

use super::handle::{Handle, SessionError};
use crate::agent::model::{Answer, Author, Question, QuestionKind};
use crate::agent::state::State;

/// What to do with a kind of question when nobody is there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Reaction {
    /// Leave it open: the run ends as "needs input" and can be resumed.
    #[default]
    Leave,
    /// Go on without it.
    Skip,
    /// Stop with a report of what is known.
    Stop,
    /// Try again as it was, once; then go on without.
    RetryOnce,
}

/// What to answer when nobody is there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Policy {
    /// Words for clarifications, first come, first served.
    pub answers: VecDeque<String>,
    /// Clarifications once the words have run out.
    pub clarification: Reaction,
    /// Failed tools.
    pub tool_failure: Reaction,
    /// Failed planner, critic, executor, …
    pub step_failure: Reaction,
    /// Approve plans without asking. Calls are never approved by policy.
    pub approve_plans: bool,
}

impl Policy {
    /// The answer to a question, given how often it was asked before; `None` leaves it to a person.
    pub fn answer(&mut self, question: &Question, asked_before: usize) -> Option<Answer> {
        let by = |reaction: Reaction| match reaction {
            Reaction::Leave => None,
            Reaction::Skip => Some(Answer::Skip),
            Reaction::Stop => Some(Answer::Stop),
            Reaction::RetryOnce if asked_before == 0 => Some(Answer::Retry),
            Reaction::RetryOnce => Some(Answer::Skip),
        };
        let answer = match &question.kind {
            QuestionKind::Clarification { .. } | QuestionKind::Elicitation { .. } => {
                match self.answers.pop_front() {
                    Some(text) => Some(Answer::Text { text }),
                    None => by(self.clarification),
                }
            }
            QuestionKind::ToolFailure { .. } => by(self.tool_failure),
            QuestionKind::StepFailure { .. } => by(self.step_failure),
            QuestionKind::Approval { .. } => Some(Answer::Decline),
            QuestionKind::PlanApproval { .. } => self.approve_plans.then_some(Answer::Approve),
        }?;
        let fits = question.kind.accepts(&answer);
        Some(if fits { answer } else { refusal(&question.kind) })
    }
}

/// The nearest to "go on without" that a kind of question takes.
fn refusal(kind: &QuestionKind) -> Answer {
    match kind {
        QuestionKind::Elicitation { .. } | QuestionKind::Approval { .. } => Answer::Decline,
        _ => Answer::Stop,
    }
}

/// Answers by policy until the session has ended or a question is left to a person.
///
/// # Errors
/// When the journal failed or the session was left.
pub async fn attend(handle: &Handle, mut policy: Policy) -> Result<Arc<State>, SessionError> {
    let mut done = Vec::new();
    loop {
        let state = handle
            .wait_for(|state| {
                state
                    .open_questions()
                    .iter()
                    .any(|question| !done.contains(&question.id))
            })
            .await?;
        if state.is_ended() {
            return Ok(state);
        }
        let mut left = false;
        for question in state.open_questions() {
            if done.contains(&question.id) {
                continue;
            }
            let before = state
                .dialogue
                .asked
                .iter()
                .filter(|a| same_subject(&a.question, question))
                .count();
            match policy.answer(question, before) {
                Some(answer) => handle.answer(question.id, answer, Author::Policy),
                None => left = true,
            }
            done.push(question.id);
        }
        if left {
            return Ok(handle.state());
        }
    }
}

/// True for an earlier question about the same call or effect.
fn same_subject(earlier: &Question, question: &Question) -> bool {
    earlier.id < question.id
        && match (&earlier.kind, &question.kind) {
            (QuestionKind::ToolFailure { call: a, .. }, QuestionKind::ToolFailure { call: b, .. }) => a == b,
            (QuestionKind::StepFailure { effect: a, .. }, QuestionKind::StepFailure { effect: b, .. }) => {
                a == b
            }
            _ => false,
        }
}
