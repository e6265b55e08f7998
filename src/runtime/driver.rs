//! The driver: one task a session. Decide, journal, publish, run what is outstanding; again.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::bus::{Bus, Signal};
use super::context::Elicitations;
use super::effects::{Runner, run};
use super::handle::{DropGuard, Handle, SessionError};
use crate::agent::effect::Effect;
use crate::agent::event::Event;
use crate::agent::machine::{Decision, Input, advance};
use crate::agent::model::{Options, Query, SessionId, Steering};
use crate::agent::ports::Ports;
use crate::agent::state::State;

/// Opens a session and starts it on the current tokio runtime.
pub fn open(ports: Ports, id: SessionId, query: Query, options: Options) -> Handle {
    start(ports, id, State::default(), Input::Open { query, options })
}

/// Goes on with a session from the journal. One that has ended is only shown.
///
/// # Errors
/// When the journal can't be read or has no such session.
pub fn resume(ports: Ports, id: SessionId) -> Result<Handle, SessionError> {
    let events = ports
        .journal
        .read(&id, 0)
        .map_err(|e| SessionError::Journal(e.to_string()))?;
    if events.is_empty() {
        return Err(SessionError::Unknown(id));
    }
    let state = State::fold(&events);
    Ok(start(ports, id, state, Input::Resume))
}

fn start(ports: Ports, id: SessionId, state: State, first: Input) -> Handle {
    let (inbox, inputs) = mpsc::unbounded_channel();
    let (states, state_rx) = watch::channel(Arc::new(state.clone()));
    let (broken, broken_rx) = watch::channel(None);
    let bus = Arc::new(Bus::new(id.clone(), ports.journal.clone()));
    let cancel = CancellationToken::new();
    let elicitations = Arc::new(Elicitations::default());
    let runner = Runner {
        ports: ports.clone(),
        session: id.clone(),
        bus: bus.clone(),
        // Weak on purpose: a running effect does not keep the session alive.
        inbox: inbox.downgrade(),
        elicitations: elicitations.clone(),
    };
    let driver = Driver {
        session: id.clone(),
        ports,
        runner,
        state,
        states,
        broken,
        bus: bus.clone(),
        cancel: cancel.clone(),
        running: HashMap::new(),
        left: Duration::ZERO,
        elicitations,
    };
    tokio::spawn(driver.drive(inputs, first));
    Handle {
        id,
        inbox,
        bus,
        state: state_rx,
        broken: broken_rx,
        cancel: Arc::new(DropGuard(cancel)),
    }
}

struct Driver {
    session: SessionId,
    ports: Ports,
    runner: Runner,
    state: State,
    states: watch::Sender<Arc<State>>,
    broken: watch::Sender<Option<String>>,
    bus: Arc<Bus>,
    cancel: CancellationToken,
    running: HashMap<Effect, CancellationToken>,
    /// Time left of the session's budget; runs only while nobody is asked and nothing is paused.
    left: Duration,
    elicitations: Arc<Elicitations>,
}

impl Driver {
    async fn drive(mut self, mut inputs: mpsc::UnboundedReceiver<Input>, first: Input) {
        let mut input = first;
        let mut budget_known = false;
        loop {
            if let Input::Replied { effect, .. } | Input::Failed { effect, .. } = &input {
                self.running.remove(effect);
            }
            let decision = match self.decide(input).await {
                Ok(decision) => decision,
                Err(reason) => {
                    self.bus.publish(Signal::Broken(reason.clone()));
                    let _ = self.broken.send(Some(reason));
                    break;
                }
            };
            if !budget_known && self.state.query.is_some() {
                self.left = Duration::from_secs(u64::from(self.state.options.limits.seconds));
                budget_known = true;
            }
            self.reconcile(&decision);
            if self.state.is_ended() {
                break;
            }
            match self.next_input(&mut inputs).await {
                Some(next) => input = next,
                None => break,
            }
        }
        self.cancel.cancel();
    }

    /// Decides and journals. When somebody steered the session through the journal meanwhile, that came
    /// first: it is taken in and the decision made anew, so a withdrawn grant allows nothing more.
    async fn decide(&mut self, input: Input) -> Result<Decision, String> {
        let before = self.state.seq;
        let decision = advance(&mut self.state, input.clone(), self.ports.clock.now());
        let Err(reason) = self.record(&decision).await else {
            return Ok(decision);
        };
        if !self.catch_up(before).await {
            return Err(reason);
        }
        let decision = advance(&mut self.state, input, self.ports.clock.now());
        self.record(&decision).await?;
        Ok(decision)
    }

    /// Takes in what another process appended after `seq`, if that is steering and nothing else: anything
    /// else means that it goes on with the session itself.
    async fn catch_up(&mut self, seq: u64) -> bool {
        let (journal, session) = (self.ports.journal.clone(), self.session.clone());
        let read = tokio::task::spawn_blocking(move || journal.read(&session, 0)).await;
        let Ok(Ok(events)) = read else {
            return false;
        };
        let mut foreign = events.iter().filter(|recorded| recorded.seq > seq).peekable();
        let steered = foreign.peek().is_some()
            && foreign
                .clone()
                .all(|recorded| matches!(recorded.event, Event::Steered { .. }));
        if steered {
            self.state = State::fold(&events);
            for recorded in foreign {
                self.bus.publish(Signal::Event(Arc::new(recorded.clone())));
            }
        }
        steered
    }

    /// Journals, then publishes. Nothing is acted on before it is on disk.
    async fn record(&mut self, decision: &Decision) -> Result<(), String> {
        if decision.events.is_empty() {
            return Ok(());
        }
        let (journal, session, events) = (
            self.ports.journal.clone(),
            self.session.clone(),
            decision.events.clone(),
        );
        let written = tokio::task::spawn_blocking(move || journal.append(&session, &events)).await;
        match written {
            Ok(Ok(())) => {}
            Ok(Err(error)) => return Err(error.to_string()),
            Err(_) => return Err("the journal failed while writing - see the log".to_owned()),
        }
        let _ = self.states.send(Arc::new(self.state.clone()));
        for recorded in &decision.events {
            if let Event::QuestionAnswered { question, answer, .. } = &recorded.event {
                self.elicitations.answered(&self.state, *question, answer);
            }
            self.bus.publish(Signal::Event(Arc::new(recorded.clone())));
        }
        Ok(())
    }

    /// Starts what is outstanding and does not run; stops what runs and is no longer wanted.
    fn reconcile(&mut self, decision: &Decision) {
        self.running.retain(|effect, token| {
            let wanted = decision.effects.contains(effect);
            if !wanted {
                token.cancel();
            }
            wanted
        });
        if self.state.dialogue.paused {
            return;
        }
        let state = Arc::new(self.state.clone());
        for effect in &decision.effects {
            if self.state.options.one_at_a_time && !self.running.is_empty() {
                return;
            }
            if !self.running.contains_key(effect) {
                let token = self.cancel.child_token();
                self.running.insert(effect.clone(), token.clone());
                tokio::spawn(run(self.runner.clone(), effect.clone(), state.clone(), token));
            }
        }
    }

    /// The next input; `None` when the session is left. When the time is up, that is the input.
    async fn next_input(&mut self, inputs: &mut mpsc::UnboundedReceiver<Input>) -> Option<Input> {
        let waits_for_human = self.state.dialogue.paused || !self.state.open_questions().is_empty();
        let stopped = self.state.ledger.stopped.is_some();
        let began = Instant::now();
        let input = tokio::select! {
            biased;
            () = self.cancel.cancelled() => None,
            input = inputs.recv() => input,
            () = tokio::time::sleep(self.left), if !waits_for_human && !stopped => {
                let seconds = self.state.options.limits.seconds;
                Some(Input::Steered(Steering::Stop { reason: format!("stopped by budget: {seconds} s") }))
            }
        };
        if !waits_for_human {
            self.left = self.left.saturating_sub(began.elapsed());
        }
        input
    }
}
