//! Tells on stderr how an investigation goes: lines, and on a terminal a spinner with the step counter.

use std::io::{IsTerminal, Write, stderr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::task::JoinHandle;

use crate::agent::event::Event;
use crate::agent::model::{CallOutcome, Severity};
use crate::agent::state::{Phase, State};
use crate::runtime::{Handle, Signal};

/// How often the spinner moves while something is being done.
const TURN: Duration = Duration::from_millis(120);
const SPINNER: [char; 8] = ['⠋', '⠙', '⠸', '⠴', '⠦', '⠇', '⠏', '⠛'];

/// The lines and the spinner, until [`Progress::finish`].
pub(super) struct Progress {
    screen: Arc<Screen>,
    done: Arc<Notify>,
    task: Option<JoinHandle<()>>,
}

/// What may write to stderr while the spinner is there.
pub(super) struct Screen {
    spins: bool,
    quiet: bool,
    line: Mutex<String>,
}

impl Screen {
    /// Writes a line above the spinner.
    pub(super) fn line(&self, text: &str) {
        let mut out = stderr().lock();
        let erase = if self.spins { "\r\x1b[2K" } else { "" };
        let _ = writeln!(out, "{erase}{text}");
    }

    fn spin(&self, turn: usize) {
        if !self.spins {
            return;
        }
        let line = self.line.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if !line.is_empty() {
            let _ = write!(
                stderr().lock(),
                "\r\x1b[2K{} {line}",
                SPINNER[turn % SPINNER.len()]
            );
        }
        let _ = stderr().flush();
    }

    /// Takes the spinner away, for a question.
    pub(super) fn still(&self) {
        self.set(String::new());
        if self.spins {
            let _ = write!(stderr().lock(), "\r\x1b[2K");
            let _ = stderr().flush();
        }
    }

    fn set(&self, line: String) {
        *self.line.lock().unwrap_or_else(PoisonError::into_inner) = line;
    }
}

impl Progress {
    /// Starts to tell. With `quiet` nothing is told.
    pub(super) fn start(handle: &Handle, quiet: bool) -> Self {
        let spins = !quiet && stderr().is_terminal();
        let screen = Arc::new(Screen {
            spins,
            quiet,
            line: Mutex::new(String::new()),
        });
        let done = Arc::new(Notify::new());
        let task = (!quiet).then(|| tokio::spawn(tell(handle.clone(), screen.clone(), done.clone())));
        Self { screen, done, task }
    }

    /// Where questions are put.
    pub(super) fn screen(&self) -> &Screen {
        &self.screen
    }

    /// Tells what is left and stops.
    pub(super) async fn finish(mut self) {
        self.done.notify_one();
        if let Some(task) = self.task.take() {
            // A teller that panicked has nothing more to say.
            let _ = task.await;
        }
        if !self.screen.quiet {
            self.screen.still();
        }
    }
}

async fn tell(handle: Handle, screen: Arc<Screen>, done: Arc<Notify>) {
    let mut signals = handle.subscribe(0);
    let mut state = State::default();
    let mut turns = tokio::time::interval(TURN);
    let started = Instant::now();
    let mut turn = 0;
    let mut leaving = false;
    loop {
        tokio::select! {
            biased;
            signal = signals.next() => match signal {
                Some(Signal::Event(recorded)) => {
                    state.apply(&recorded);
                    if let Some(text) = words(&state, &recorded.event) {
                        screen.line(&format!("{:>7.1} s  {text}", started.elapsed().as_secs_f64()));
                    }
                    let waits = !state.open_questions().is_empty();
                    screen.set(if waits { String::new() } else { status(&state) });
                }
                Some(Signal::Delta { .. } | Signal::Progress { .. }) => {}
                Some(Signal::Broken(_)) | None => return,
            },
            () = done.notified(), if !leaving => leaving = true,
            _ = turns.tick(), if screen.spins && !leaving => {
                turn += 1;
                screen.spin(turn);
            }
            () = std::future::ready(()), if leaving => return,
        }
    }
}

/// The spinner's words: phase and steps done of steps planned.
fn status(state: &State) -> String {
    let Some(plan) = state.planning.current() else {
        return state.phase.name().to_owned();
    };
    let done = plan.steps.iter().filter(|step| state.step_ended(step)).count();
    format!(
        "{} · step {}/{}",
        state.phase.name(),
        (done + 1).min(plan.steps.len()),
        plan.steps.len()
    )
}

/// A line for events that people want to follow.
fn words(state: &State, event: &Event) -> Option<String> {
    Some(match event {
        Event::DevicesListed { devices } => {
            let tools = state.intake.tools.as_ref().map_or(0, Vec::len);
            format!("inventory   {} devices, {tools} tools", devices.len())
        }
        Event::TargetsResolved { targets } => {
            let names: Vec<&str> = targets.iter().take(6).map(|d| d.as_str()).collect();
            let more = targets.len().saturating_sub(names.len());
            let rest = if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            };
            format!("targets     {}{rest}", names.join(", "))
        }
        Event::IncidentsRecalled { incidents, .. } if !incidents.is_empty() => {
            format!(
                "memory      {} similar: {}",
                incidents.len(),
                incidents[0].summary
            )
        }
        Event::PlanDrafted { draft, plan } => {
            format!("planner     draft {}: {} steps", draft + 1, plan.steps.len())
        }
        Event::PlanCriticised { critique, .. } => {
            let word = if critique.pass { "pass" } else { "fail" };
            let missing = critique.missing.join("; ");
            format!("critic      {word} {:.2} {missing}", critique.confidence)
        }
        Event::PlanSettled { plan } => format!("plan v{}     {}", plan.version, plan.objective),
        Event::StepStarted { lane, step } => {
            let device = state.lane_device(*lane).map_or("network", |d| d.as_str());
            let title = state.planning.step(*step).map_or("", |s| s.title.as_str());
            format!("step        {device}: {title}")
        }
        Event::CallEnded { call, outcome, .. } => called(state, *call, outcome)?,
        Event::FindingsAdded { findings, .. } => {
            let telling: Vec<String> = findings
                .iter()
                .filter(|f| f.severity > Severity::Info)
                .map(|f| format!("finding     {} {}", f.id, f.statement))
                .collect();
            if telling.is_empty() {
                return None;
            }
            telling.join("\n           ")
        }
        Event::HypothesesRanked { hypotheses } => {
            let top = hypotheses.first()?;
            format!(
                "hypothesis  {} {} on {} ({:.2})",
                top.id, top.fault, top.resource, top.weight
            )
        }
        Event::QuestionAnswered { question, answer, .. } => format!("answer      {question} {answer}"),
        Event::PhaseEntered {
            phase: Phase::Reporting,
        } => "verdict".to_owned(),
        Event::Noted { note: Some(note), .. } => format!("note        {}", note.text),
        _ => return None,
    })
}

fn called(state: &State, call: crate::agent::model::CallId, outcome: &CallOutcome) -> Option<String> {
    let record = state.execution.call(call)?;
    let devices = match record.call.devices.as_slice() {
        [] => String::new(),
        [one] => one.to_string(),
        many => format!("{} devices", many.len()),
    };
    let took = crate::report::duration(outcome.ended_at.since_ms(outcome.started_at));
    let result = match (&outcome.failure, outcome.device_failures.len()) {
        (Some(failure), _) => format!("failed: {}", failure.message),
        (None, 0) => record
            .evidence
            .last()
            .map(ToString::to_string)
            .unwrap_or_default(),
        (None, n) => format!("partly: {n} devices failed"),
    };
    Some(format!(
        "call {call:<6} {} {devices} {took} {result}",
        record.call.tool
    ))
}
