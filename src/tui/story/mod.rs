//! What the screen knows of one session: the agent's state, and what only a screen wants.
//!
//! The state is the agent's own fold. Added to it are the chronicle (a line an event), times of steps,
//! the health of devices, and text that streams and is forgotten. No I/O, no clock.

mod chronicle;
mod health;
mod progress;

use std::collections::HashMap;

pub use chronicle::{Entry, EntryKind};
pub use health::{DeviceRow, Health, SPARK};
pub use progress::StepProgress;

use super::source::{Feed, ServerRow};
use crate::agent::event::{Event, Recorded};
use crate::agent::model::{
    CallId, Citation, Evidence, EvidenceId, FindingId, LaneId, Question, Severity, StepId, Timestamp,
};
use crate::agent::state::{Phase, State};

/// The most characters of streaming text that are kept for a role.
const LIVE_CHARS: usize = 4_000;

/// How often each part changed: the keys of every cache.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Versions {
    /// Anything at all.
    pub any: u64,
    /// Drafts, critiques, plan versions, streaming text.
    pub planning: u64,
    /// Steps and calls.
    pub work: u64,
    /// Evidence, findings, hypotheses, devices, verdict, report.
    pub knowledge: u64,
    /// Questions.
    pub dialogue: u64,
}

/// When a step ran on a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// First moment.
    pub from: Timestamp,
    /// Last moment, once it ended.
    pub until: Option<Timestamp>,
}

/// One session as the screen sees it.
#[derive(Debug, Clone, Default)]
pub struct Story {
    /// The agent's state.
    pub state: State,
    /// A line an event.
    pub chronicle: Vec<Entry>,
    /// When each step ran on each lane.
    pub spans: HashMap<(LaneId, StepId), Span>,
    /// How far each step is.
    pub steps: HashMap<StepId, StepProgress>,
    /// Findings by the call that showed them.
    pub by_call: HashMap<CallId, Vec<FindingId>>,
    /// Devices with their health, in inventory order.
    pub devices: Vec<DeviceRow>,
    /// What each role is writing right now.
    pub live: Vec<(String, String)>,
    /// What a long call says of its progress.
    pub progress: Option<String>,
    /// MCP servers, as far as they were told.
    pub servers: Vec<ServerRow>,
    /// Whether the source said that nothing more comes.
    pub closed: bool,
    /// Change counters.
    pub versions: Versions,
}

impl Story {
    /// A story folded from recorded events.
    pub fn of(records: &[Recorded]) -> Self {
        let mut story = Self::default();
        for recorded in records {
            story.apply(recorded);
        }
        story
    }

    /// Takes in a piece of news.
    pub fn hear(&mut self, feed: Feed) {
        match feed {
            Feed::Event(recorded) => self.apply(&recorded),
            Feed::Delta { role, text } => self.hear_delta(&role, &text),
            Feed::Progress { text, .. } => {
                self.progress = (!text.is_empty()).then_some(text);
                self.versions.any += 1;
            }
            Feed::Servers(servers) => {
                self.servers = servers;
                self.versions.any += 1;
                self.versions.knowledge += 1;
            }
            Feed::Broken(_) | Feed::Closed => {
                self.closed = true;
                self.versions.any += 1;
            }
        }
    }

    /// Takes in an event.
    pub fn apply(&mut self, recorded: &Recorded) {
        self.state.apply(recorded);
        self.chronicle.push(chronicle::entry(recorded, &self.state));
        self.note_work(recorded);
        progress::update(&mut self.steps, &self.state, &recorded.event);
        health::update(self, &recorded.event);
        self.bump(&recorded.event);
    }

    fn hear_delta(&mut self, role: &str, text: &str) {
        let index = self.live.iter().position(|(r, _)| r == role).unwrap_or_else(|| {
            self.live.push((role.to_owned(), String::new()));
            self.live.len() - 1
        });
        let kept = &mut self.live[index].1;
        kept.push_str(text);
        if kept.len() > LIVE_CHARS {
            let mut cut = kept.len() - LIVE_CHARS;
            while !kept.is_char_boundary(cut) {
                cut += 1;
            }
            kept.drain(..cut);
        }
        self.versions.any += 1;
        self.versions.planning += 1;
    }

    fn note_work(&mut self, recorded: &Recorded) {
        match &recorded.event {
            Event::StepStarted { lane, step } => {
                self.spans.insert(
                    (*lane, *step),
                    Span {
                        from: recorded.at,
                        until: None,
                    },
                );
            }
            Event::StepEnded { lane, step, .. } => {
                if let Some(span) = self.spans.get_mut(&(*lane, *step)) {
                    span.until = Some(recorded.at);
                }
            }
            Event::FindingsAdded {
                call: Some(call),
                findings,
            } => {
                self.by_call
                    .entry(*call)
                    .or_default()
                    .extend(findings.iter().map(|f| f.id));
            }
            Event::CallEnded { .. } => self.progress = None,
            Event::PlanDrafted { .. } => self.live.retain(|(role, _)| role != "planner"),
            Event::PlanCriticised { .. } => self.live.retain(|(role, _)| role != "critic"),
            Event::PhaseEntered { .. } | Event::ReportWritten { .. } => self.live.clear(),
            _ => {}
        }
    }

    fn bump(&mut self, event: &Event) {
        let v = &mut self.versions;
        v.any += 1;
        match event {
            Event::PassagesFound { .. }
            | Event::PlanDrafted { .. }
            | Event::PlanCriticised { .. }
            | Event::RevisionWanted { .. } => v.planning += 1,
            Event::PlanSettled { .. } | Event::StepStarted { .. } | Event::StepEnded { .. } => {
                v.planning += 1;
                v.work += 1;
            }
            Event::ActionChosen { .. } | Event::CallRequested { .. } => v.work += 1,
            Event::QuestionAsked { .. } | Event::QuestionAnswered { .. } | Event::Steered { .. } => {
                v.dialogue += 1;
                v.work += 1;
            }
            Event::Noted { .. } | Event::EffectFailed { .. } | Event::Unknown { .. } => {}
            _ => {
                v.knowledge += 1;
                v.work += 1;
            }
        }
    }

    /// How far a step of any plan version is.
    pub fn step(&self, id: StepId) -> Option<&StepProgress> {
        self.steps.get(&id)
    }

    /// Evidence by id. Ids are handed out in order, so this is a look, not a search.
    pub fn evidence(&self, id: EvidenceId) -> Option<&Evidence> {
        let index = usize::try_from(id.0.checked_sub(1)?).ok()?;
        self.state
            .evidence
            .get(index)
            .map(AsRef::as_ref)
            .filter(|e| e.id == id)
            .or_else(|| self.state.evidence(id))
    }

    /// Questions that wait, oldest first.
    pub fn waiting(&self) -> Vec<&Question> {
        self.state.open_questions()
    }

    /// The query as typed.
    pub fn query(&self) -> &str {
        self.state.query.as_ref().map_or("", |q| q.text.as_str())
    }

    /// Whether something moves by itself right now.
    pub fn is_busy(&self) -> bool {
        self.state.query.is_some()
            && !self.state.is_ended()
            && !self.closed
            && !self.state.dialogue.paused
            && self.waiting().is_empty()
    }

    /// Steps of the current plan that ended, and how many there are.
    pub fn progress_of_plan(&self) -> (usize, usize) {
        let Some(plan) = self.state.planning.current() else {
            return (0, 0);
        };
        (
            plan.steps
                .iter()
                .filter(|s| self.step(s.id).is_some_and(StepProgress::is_done))
                .count(),
            plan.steps.len(),
        )
    }

    /// Whether the session runs against a simulated network. A context nobody named counts as production.
    pub fn is_lab(&self) -> bool {
        let context = self.state.options.context.as_str();
        self.state.query.is_none() || context.starts_with("lab") || context.starts_with("demo")
    }

    /// Every place of the evidence `id` that something cites, with what cites it.
    pub fn citations_of(&self, id: EvidenceId) -> Vec<(&Citation, String)> {
        let findings = self.state.diagnosed.findings.iter();
        let mut list: Vec<(&Citation, String)> = findings
            .flat_map(|f| {
                f.citations
                    .iter()
                    .map(move |c| (c, format!("{} {}", f.id, f.statement)))
            })
            .filter(|(c, _)| c.evidence == id)
            .collect();
        if let Some(verdict) = &self.state.diagnosed.verdict {
            let causes = verdict.causes.iter();
            list.extend(
                causes
                    .flat_map(|c| {
                        c.citations
                            .iter()
                            .map(move |x| (x, format!("verdict: {}", c.statement)))
                    })
                    .filter(|(c, _)| c.evidence == id),
            );
        }
        list
    }

    /// The worst severity among the findings of a call.
    pub fn severity_of(&self, call: CallId) -> Option<Severity> {
        let ids = self.by_call.get(&call)?;
        ids.iter()
            .filter_map(|id| self.state.finding(*id))
            .map(|f| f.severity)
            .max()
    }

    /// What the session is doing, in a word or two.
    pub fn activity(&self) -> String {
        if self.state.query.is_none() {
            return "ready".to_owned();
        }
        if self.state.dialogue.paused && !self.state.is_ended() {
            return "paused".to_owned();
        }
        if !self.waiting().is_empty() {
            return "waiting for you".to_owned();
        }
        let (done, all) = self.progress_of_plan();
        match self.state.phase {
            Phase::Execution if all > 0 => format!("executing {done}/{all}"),
            Phase::Planning if self.state.planning.revision.is_some() => "replanning".to_owned(),
            phase => phase.name().to_owned(),
        }
    }
}
