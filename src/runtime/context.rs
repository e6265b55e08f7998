//! What ports may use while they work: telling, and asking the human in the middle of a call.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

use super::bus::{Bus, Signal};
use crate::agent::machine::Input;
use crate::agent::model::{Answer, CallId, Note, QuestionId, QuestionKind, Usage};
use crate::agent::ports::{CallContext, Elicitation, Reporter};
use crate::agent::state::State;

/// Tells the bus and the session.
pub(super) struct Teller {
    pub(super) bus: Arc<Bus>,
    pub(super) inbox: mpsc::WeakUnboundedSender<Input>,
}

impl Teller {
    fn send(&self, input: Input) {
        if let Some(inbox) = self.inbox.upgrade() {
            let _ = inbox.send(input);
        }
    }
}

impl Reporter for Teller {
    fn delta(&self, role: &str, text: &str) {
        self.bus.publish(Signal::Delta {
            role: role.to_owned(),
            text: text.to_owned(),
        });
    }

    fn note(&self, note: Note) {
        self.send(Input::Reported {
            note: Some(note),
            usage: None,
        });
    }

    fn usage(&self, usage: Usage) {
        self.send(Input::Reported {
            note: None,
            usage: Some(usage),
        });
    }

    fn progress(&self, _fraction: Option<f64>, text: &str) {
        self.bus.publish(Signal::Delta {
            role: String::new(),
            text: text.to_owned(),
        });
    }
}

/// Calls that wait for the human's answer to a server's question.
#[derive(Default)]
pub(super) struct Elicitations {
    waiting: Mutex<HashMap<CallId, oneshot::Sender<Option<Value>>>>,
}

impl Elicitations {
    fn wait(&self, call: CallId) -> oneshot::Receiver<Option<Value>> {
        let (sender, receiver) = oneshot::channel();
        self.waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(call, sender);
        receiver
    }

    /// Hands an answer to the call that waits for it.
    pub(super) fn answered(&self, state: &State, question: QuestionId, answer: &Answer) {
        let Some(asked) = state.dialogue.question(question) else {
            return;
        };
        let QuestionKind::Elicitation { call, .. } = &asked.question.kind else {
            return;
        };
        let waiting = self
            .waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(call);
        if let Some(sender) = waiting {
            let _ = sender.send(value_of(answer));
        }
    }
}

fn value_of(answer: &Answer) -> Option<Value> {
    match answer {
        Answer::Supply { value } => Some(value.clone()),
        Answer::Text { text } => Some(Value::String(text.clone())),
        _ => None,
    }
}

/// The context of one call.
pub(super) struct InCall {
    pub(super) call: CallId,
    pub(super) state: Arc<State>,
    pub(super) teller: Arc<Teller>,
    pub(super) elicitations: Arc<Elicitations>,
}

#[async_trait]
impl CallContext for InCall {
    fn progress(&self, fraction: Option<f64>, text: &str) {
        self.teller.bus.publish(Signal::Progress {
            call: self.call,
            fraction,
            text: text.to_owned(),
        });
    }

    async fn elicit(&self, elicitation: Elicitation) -> Option<Value> {
        // Answered before a crash: the answer still stands.
        let known = self.state.dialogue.asked.iter().find(|asked| {
            matches!(&asked.question.kind, QuestionKind::Elicitation { call, .. } if *call == self.call)
                && asked.question.text == elicitation.message
        });
        if let Some((answer, ..)) = known.and_then(|asked| asked.answer.as_ref()) {
            return value_of(answer);
        }
        let answer = self.elicitations.wait(self.call);
        self.teller.send(Input::Elicited {
            call: self.call,
            elicitation,
        });
        answer.await.ok().flatten()
    }
}
