//! The handle of a running session: what faces hold. Cheap to clone; dropping all of them stops the session.

use std::sync::Arc;

use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

use super::bus::{Bus, Subscription};
use crate::agent::machine::Input;
use crate::agent::model::{Answer, Author, QuestionId, SessionId, Steering};
use crate::agent::state::State;

/// Why a session could not be opened, resumed or continued.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SessionError {
    /// The journal failed.
    #[error("{0}")]
    Journal(String),
    /// There is no such session.
    #[error("session \"{0}\" is not in the journal - see `noctui sessions list`")]
    Unknown(SessionId),
}

/// A running session.
#[derive(Clone)]
pub struct Handle {
    pub(super) id: SessionId,
    pub(super) inbox: mpsc::UnboundedSender<Input>,
    pub(super) bus: Arc<Bus>,
    pub(super) state: watch::Receiver<Arc<State>>,
    pub(super) broken: watch::Receiver<Option<String>>,
    pub(super) cancel: Arc<DropGuard>,
}

/// Cancels the session when the last handle is gone.
pub(super) struct DropGuard(pub(super) CancellationToken);

impl Drop for DropGuard {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl Handle {
    /// The session.
    pub fn id(&self) -> &SessionId {
        &self.id
    }

    /// The state after the last event.
    pub fn state(&self) -> Arc<State> {
        self.state.borrow().clone()
    }

    /// Everything after sequence number `after`; 0 for the whole session.
    pub fn subscribe(&self, after: u64) -> Subscription {
        self.bus.subscribe(after)
    }

    /// Answers a question. An answer to one that is closed, or that does not fit it, changes nothing.
    pub fn answer(&self, question: QuestionId, answer: Answer, by: Author) {
        self.send(Input::Answered { question, answer, by });
    }

    /// Tells the planner something without being asked.
    pub fn steer(&self, words: impl Into<String>) {
        self.send(Input::Steered(Steering::Words { words: words.into() }));
    }

    /// Starts nothing new until [`Handle::proceed`].
    pub fn pause(&self) {
        self.send(Input::Steered(Steering::Pause));
    }

    /// Goes on after [`Handle::pause`].
    pub fn proceed(&self) {
        self.send(Input::Steered(Steering::Resume));
    }

    /// Takes the "always" of a question back; nothing happens when there is none.
    pub fn withdraw(&self, question: QuestionId) {
        self.send(Input::Steered(Steering::Withdraw { question }));
    }

    /// Ends the session with a report of what is known.
    pub fn stop(&self) {
        self.send(Input::stop());
    }

    /// Leaves the session as it is: it can be resumed.
    pub fn leave(&self) {
        self.cancel.0.cancel();
    }

    /// Waits for the end of the session and returns its last state.
    ///
    /// # Errors
    /// When the journal failed or the session was left.
    pub async fn ended(&self) -> Result<Arc<State>, SessionError> {
        self.wait_for(State::is_ended).await
    }

    /// Waits until `condition` holds or the session has ended.
    ///
    /// # Errors
    /// When the journal failed or the session was left before.
    pub async fn wait_for(
        &self,
        mut condition: impl FnMut(&State) -> bool,
    ) -> Result<Arc<State>, SessionError> {
        let mut states = self.state.clone();
        let found = states
            .wait_for(|state| state.is_ended() || condition(state))
            .await;
        if let Ok(state) = found {
            return Ok(state.clone());
        }
        let reason = self
            .broken
            .borrow()
            .clone()
            .unwrap_or_else(|| "the session was left".to_owned());
        Err(SessionError::Journal(reason))
    }

    fn send(&self, input: Input) {
        // The driver is gone only when the session is over; then no input means anything.
        let _ = self.inbox.send(input);
    }
}
