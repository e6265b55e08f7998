//! One line for every event: the log view and the timeline.

use crate::agent::event::{Event, Recorded};
use crate::agent::model::{Action, Next, Outcome, Severity, Steering, Timestamp};
use crate::agent::state::State;
use crate::tui::text::{one_line, plural};

/// What kind of line it is: its glyph and colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// The course of the session: phases, steps.
    Course,
    /// Planner and critic.
    Plan,
    /// A call went out or came back.
    Call,
    /// Something failed.
    Failure,
    /// A finding, the worse the brighter.
    Finding(Severity),
    /// A hypothesis, the verdict, the report.
    Verdict,
    /// The human, asked or not.
    Human,
    /// A remark.
    Note,
}

/// A line of the chronicle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its place in the session.
    pub seq: u64,
    /// When.
    pub at: Timestamp,
    /// Kind.
    pub kind: EntryKind,
    /// What, in a line.
    pub text: Box<str>,
}

/// The line for an event; `state` has taken the event in already.
pub(super) fn entry(recorded: &Recorded, state: &State) -> Entry {
    let (kind, text) = describe(&recorded.event, state);
    Entry {
        seq: recorded.seq,
        at: recorded.at,
        kind,
        text: one_line(&text).into_boxed_str(),
    }
}

fn describe(event: &Event, state: &State) -> (EntryKind, String) {
    use EntryKind as K;
    match event {
        Event::SessionOpened { query, .. } => (K::Human, format!("asked: {}", query.text)),
        Event::PhaseEntered { phase } => (K::Course, format!("phase: {}", phase.name())),
        Event::ToolsListed { tools } => (K::Course, format!("{} on offer", plural(tools.len(), "tool"))),
        Event::DevicesListed { devices } => (
            K::Course,
            format!("{} in the inventory", plural(devices.len(), "device")),
        ),
        Event::QueryRead { reading } => (
            K::Course,
            format!("understood as {}: {}", reading.intent.0, reading.objective),
        ),
        Event::TargetsResolved { targets } => {
            let names: Vec<&str> = targets.iter().map(|t| t.as_str()).collect();
            (K::Course, format!("targets: {}", names.join(", ")))
        }
        Event::IncidentsRecalled { incidents, .. } => (
            K::Note,
            format!("{} recalled", plural(incidents.len(), "similar incident")),
        ),
        Event::PassagesFound { draft, passages } => (
            K::Plan,
            format!("draft {}: {} found", draft + 1, plural(passages.len(), "passage")),
        ),
        Event::PlanDrafted { draft, plan } => (
            K::Plan,
            format!(
                "planner: draft {} with {}",
                draft + 1,
                plural(plan.steps.len(), "step")
            ),
        ),
        Event::PlanCriticised { draft, critique } => {
            let word = if critique.pass { "passes" } else { "refuses" };
            (
                K::Plan,
                format!("critic {word} draft {} ({:.2})", draft + 1, critique.confidence),
            )
        }
        Event::PlanSettled { plan } => (K::Plan, format!("plan v{} stands: {}", plan.version, plan.reason)),
        Event::RevisionWanted { reason } => (K::Plan, format!("a new plan version is wanted: {reason}")),
        other => describe_work(other, state),
    }
}

fn describe_work(event: &Event, state: &State) -> (EntryKind, String) {
    use EntryKind as K;
    match event {
        Event::StepStarted { lane, step } => {
            let device = state.lane_device(*lane).map_or("the network", |d| d.as_str());
            let title = state.planning.step(*step).map_or("", |s| s.title.as_str());
            (K::Course, format!("{step} on {device}: {title}"))
        }
        Event::ActionChosen {
            step,
            action,
            objections,
            ..
        } => {
            let what = match action {
                Action::Call { calls } => format!("{} to make", plural(calls.len(), "call")),
                Action::Finish { summary } => summary.clone(),
                Action::GiveUp { limitation } => format!("gives up: {limitation}"),
                Action::Ask { question } => format!("asks: {question}"),
            };
            let refused = if objections.is_empty() {
                String::new()
            } else {
                format!(" (refused: {})", objections.join("; "))
            };
            (K::Course, format!("{step}: {what}{refused}"))
        }
        Event::CallRequested { call } => (
            K::Call,
            format!("{} {}({})", call.id, call.tool, devices_of(call)),
        ),
        Event::CallEnded { call, outcome, .. } => match &outcome.failure {
            Some(failure) => (
                K::Failure,
                format!("{call} failed: {}: {}", failure.kind, failure.message),
            ),
            None => {
                let ms = outcome.ended_at.since_ms(outcome.started_at);
                (K::Call, format!("{call} answered in {ms} ms"))
            }
        },
        Event::FindingsAdded { findings, .. } => {
            let worst = findings
                .iter()
                .map(|f| f.severity)
                .max()
                .unwrap_or(Severity::Info);
            let texts: Vec<String> = findings
                .iter()
                .map(|f| format!("{} {}", f.id, f.statement))
                .collect();
            (
                K::Finding(worst),
                if texts.is_empty() {
                    "nothing conspicuous".to_owned()
                } else {
                    texts.join("; ")
                },
            )
        }
        Event::StepEnded {
            step,
            summary,
            limitation,
            ..
        } => match limitation {
            Some(limitation) => (K::Failure, format!("{step} ended: {limitation}")),
            None => (K::Course, format!("{step} ended: {summary}")),
        },
        other => describe_end(other),
    }
}

fn describe_end(event: &Event) -> (EntryKind, String) {
    use EntryKind as K;
    match event {
        Event::Perceived { perception, .. } => (K::Note, perception.solution_summary.clone()),
        Event::HypothesesRanked { hypotheses } => match hypotheses.first() {
            Some(best) => (
                K::Verdict,
                format!(
                    "{} leads of {}: {} {}",
                    best.id,
                    hypotheses.len(),
                    best.resource,
                    best.fault
                ),
            ),
            None => (K::Verdict, "no hypothesis".to_owned()),
        },
        Event::QuestionAsked { question } => (
            K::Human,
            format!("{} {}: {}", question.id, question.kind.name(), question.text),
        ),
        Event::QuestionAnswered { question, answer, .. } => {
            (K::Human, format!("{question} answered: {answer}"))
        }
        Event::Steered { steering } => (K::Human, describe_steering(steering)),
        Event::EffectFailed { reason, .. } => (K::Failure, reason.clone()),
        Event::Assessed { assessment, .. } => {
            let next = match &assessment.next {
                Next::Report => "report".to_owned(),
                Next::Retry { feedback } => format!("once more: {feedback}"),
            };
            (
                K::Verdict,
                format!("assessment: {} - {next}", assessment.reasoning),
            )
        }
        Event::VerdictReached { verdict, .. } => match verdict.causes.first() {
            Some(cause) => (
                K::Verdict,
                format!("verdict {}: {}", cause.confidence, cause.statement),
            ),
            None if verdict.anomaly => (
                K::Verdict,
                "verdict: something is wrong, no cause named".to_owned(),
            ),
            None => (K::Verdict, "verdict: healthy".to_owned()),
        },
        Event::ReportWritten { prose } => (K::Verdict, format!("report: {}", prose.headline)),
        Event::Noted { note, usage } => match (note, usage) {
            (Some(note), _) => (K::Note, note.text.clone()),
            (None, Some(usage)) => (
                K::Note,
                format!(
                    "{}: {} tokens in, {} out",
                    usage.role, usage.tokens_in, usage.tokens_out
                ),
            ),
            (None, None) => (K::Note, String::new()),
        },
        Event::SessionEnded { outcome } => match outcome {
            Outcome::Reported => (K::Course, "the session ended with a report".to_owned()),
            Outcome::Stopped => (K::Course, "the session was stopped".to_owned()),
            Outcome::Failed { reason } => (K::Failure, format!("the session failed: {reason}")),
            Outcome::Refused { reason } => (K::Failure, format!("the query was refused: {reason}")),
        },
        Event::Unknown { original, .. } => (K::Note, format!("an event of another version: {original}")),
        _ => (K::Note, String::new()),
    }
}

fn describe_steering(steering: &Steering) -> String {
    match steering {
        Steering::Words { words } => format!("steered: {words}"),
        Steering::Pause => "paused".to_owned(),
        Steering::Resume => "goes on".to_owned(),
        Steering::Stop { reason } => format!("stopped: {reason}"),
        Steering::Withdraw { question } => format!("the \"always\" of {question} was withdrawn"),
    }
}

fn devices_of(call: &crate::agent::model::ToolCall) -> String {
    let names: Vec<&str> = call.devices.iter().take(3).map(|d| d.as_str()).collect();
    let more = call.devices.len().saturating_sub(names.len());
    if more > 0 {
        format!("{} +{more}", names.join(", "))
    } else {
        names.join(", ")
    }
}
