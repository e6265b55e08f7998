//! A running session as a [`Source`]: the runtime's handle behind the screen's vocabulary.

use std::sync::Arc;

use async_trait::async_trait;

use super::source::{Feed, Opened, Say, Source, Voice};
use crate::agent::model::{Author, Steering};
use crate::runtime::{Handle, Signal, Subscription};

/// Makes a source of a running session, from its first event on.
pub fn open(handle: &Handle) -> Opened {
    let live = Live {
        subscription: handle.subscribe(0),
        handle: handle.clone(),
        failure: None,
    };
    Opened {
        id: handle.id().clone(),
        source: Box::new(live),
        servers: None,
    }
}

struct Live {
    subscription: Subscription,
    handle: Handle,
    failure: Option<String>,
}

#[async_trait]
impl Source for Live {
    async fn next(&mut self) -> Feed {
        if self.failure.take().is_some() {
            return Feed::Closed;
        }
        match self.subscription.next().await {
            Some(Signal::Event(recorded)) => Feed::Event(recorded),
            Some(Signal::Delta { role, text }) => Feed::Delta { role, text },
            Some(Signal::Progress { fraction, text, .. }) => Feed::Progress { fraction, text },
            Some(Signal::Broken(reason)) => {
                self.failure = Some(reason.clone());
                Feed::Broken(reason)
            }
            None => Feed::Closed,
        }
    }

    fn voice(&self) -> Arc<dyn Voice> {
        Arc::new(LiveVoice(self.handle.clone()))
    }
}

struct LiveVoice(Handle);

#[async_trait]
impl Voice for LiveVoice {
    async fn say(&self, say: Say) -> Result<(), String> {
        match say {
            Say::Answer(question, answer) => self.0.answer(question, answer, Author::Human),
            Say::Steer(Steering::Words { words }) => self.0.steer(words),
            Say::Steer(Steering::Pause) => self.0.pause(),
            Say::Steer(Steering::Resume) => self.0.proceed(),
            Say::Steer(Steering::Stop { .. }) => self.0.stop(),
            Say::Steer(Steering::Withdraw { question }) => self.0.withdraw(question),
        }
        Ok(())
    }
}
