//! Answers for unattended runs: what was said beforehand, otherwise what the policy says, otherwise nobody;
//! and for a human who does not answer in time.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::handle::{Handle, SessionError};
use crate::agent::machine::Input;
use crate::agent::model::{Answer, Author, Question, QuestionId, QuestionKind};
use crate::agent::state::{Asked, State};

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
    /// The default answer of every kind of question: go on, once after another try. Plans wait, calls are
    /// declined.
    #[must_use]
    pub fn defaults() -> Self {
        Self {
            clarification: Reaction::Skip,
            tool_failure: Reaction::RetryOnce,
            step_failure: Reaction::RetryOnce,
            ..Self::default()
        }
    }

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
            // Nobody there to judge whether old news will do: look anew.
            QuestionKind::KnownAnswer { .. } => Some(Answer::Skip),
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
            match policy.answer(question, asked_before(&state, question)) {
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

/// Answers for a human who is expected and does not come: each question that has waited for `patience`, by
/// policy; what the policy leaves goes on waiting. Ends with the session and does not keep it alive.
pub fn stand_in(
    handle: &Handle,
    mut policy: Policy,
    patience: Duration,
) -> impl Future<Output = ()> + Send + use<> {
    let (mut states, inbox) = (handle.state.clone(), handle.inbox.clone());
    async move {
        let mut waiting: BTreeMap<QuestionId, Instant> = BTreeMap::new();
        let mut done = BTreeSet::new();
        loop {
            let state = states.borrow_and_update().clone();
            if state.is_ended() {
                return;
            }
            let open = state.open_questions();
            waiting.retain(|id, _| open.iter().any(|question| question.id == *id));
            for question in open {
                let since = *waiting.entry(question.id).or_insert_with(Instant::now);
                if done.contains(&question.id) || since.elapsed() < patience {
                    continue;
                }
                done.insert(question.id);
                if let Some(answer) = policy.answer(question, asked_before(&state, question)) {
                    let (question, by) = (question.id, Author::Policy);
                    // The driver is gone only when the session is over.
                    let _ = inbox.send(Input::Answered { question, answer, by });
                }
            }
            let next = waiting
                .iter()
                .filter(|(id, _)| !done.contains(*id))
                .map(|(_, since)| *since)
                .min();
            tokio::select! {
                changed = states.changed() => if changed.is_err() { return },
                () = until(next.map(|since| since + patience)) => {}
            }
        }
    }
}

async fn until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}

/// How often the same thing was asked before.
fn asked_before(state: &State, question: &Question) -> usize {
    let earlier = |asked: &&Asked| same_subject(&asked.question, question);
    state.dialogue.asked.iter().filter(earlier).count()
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
