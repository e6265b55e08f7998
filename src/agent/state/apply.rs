//! The fold: how each event changes the state.

use std::sync::Arc;

use serde_json::json;

use super::{Asked, CallRecord, Phase, State, StepRun, Turn};
use crate::agent::effect::read_role;
use crate::agent::event::{Event, Recorded};
use crate::agent::model::{
    Answer, Author, CallId, CallOutcome, Evidence, EvidenceId, EvidenceOrder, LaneId, Origin, QuestionId,
    QuestionKind, Reading, Steering, StepId, Timestamp, ToolCall, Usage,
};

impl State {
    /// Folds the events of a journal.
    pub fn fold<'a>(events: impl IntoIterator<Item = &'a Recorded>) -> State {
        let mut state = State::default();
        for recorded in events {
            state.apply(recorded);
        }
        state
    }

    /// The only mutation. Events that make no sense in this state change nothing but `seq`.
    pub fn apply(&mut self, recorded: &Recorded) {
        self.seq = recorded.seq;
        self.updated_at = recorded.at;
        let at = recorded.at;
        match &recorded.event {
            Event::SessionOpened { query, options } => {
                self.opened_at = at;
                self.query = Some(query.clone());
                self.options = options.clone();
            }
            Event::PhaseEntered { phase } => {
                self.phase = *phase;
                self.release();
            }
            Event::ToolsListed { tools } => self.intake.tools = Some(tools.clone()),
            Event::DevicesListed { devices } => self.intake.devices = Some(devices.clone()),
            Event::QueryRead { reading } => self.apply_reading(reading),
            Event::TargetsResolved { targets } => self.intake.targets = Some(targets.clone()),
            Event::IncidentsRecalled { incidents, facts } => {
                self.intake.incidents = Some(incidents.clone());
                self.intake.facts = facts.clone();
            }
            Event::PassagesFound { .. } | Event::PlanDrafted { .. } | Event::PlanCriticised { .. } => {
                self.apply_draft(&recorded.event);
            }
            Event::PlanSettled { plan } => {
                self.planning.versions.push((**plan).clone());
                self.planning.first_of_version = self.planning.drafts.len();
                self.planning.revision = None;
                self.planning.replans_seen = self.dialogue.replans();
                self.planning.perceptions_at_settling = self.judgement.perceptions.len();
            }
            Event::RevisionWanted { reason } => {
                self.planning.revision = Some(reason.clone());
                self.planning.revisions += 1;
                self.planning.replans_seen = self.dialogue.replans();
                self.dialogue.steering_seen = self.dialogue.steering.len();
                self.planning.first_of_version = self.planning.drafts.len();
            }
            Event::StepStarted { lane, step } => {
                self.execution.runs.entry((*lane, *step)).or_default();
            }
            Event::ActionChosen {
                lane,
                step,
                action,
                objections,
                ..
            } => {
                let turn = Turn {
                    action: action.clone(),
                    objections: objections.clone(),
                    calls: Vec::new(),
                };
                self.run_mut(*lane, *step).turns.push(turn);
            }
            Event::CallRequested { call } => self.apply_call(call),
            Event::CallEnded { call, outcome, .. } => self.apply_outcome(*call, outcome),
            Event::FindingsAdded { call, findings } => {
                self.diagnosed.findings.extend(findings.iter().cloned());
                match call {
                    Some(_) => {
                        self.diagnosed.examined += 1;
                        self.release();
                    }
                    None => self.diagnosed.compared = self.evidence.len(),
                }
            }
            Event::StepEnded {
                lane,
                step,
                summary,
                limitation,
            } => {
                let run = self.run_mut(*lane, *step);
                run.summary = Some(summary.clone());
                run.limitation = limitation.clone();
                self.judgement.limitations.extend(limitation.clone());
            }
            Event::Perceived { step, perception } => {
                self.judgement.perceptions.push((*step, (**perception).clone()))
            }
            Event::HypothesesRanked { hypotheses } => {
                self.diagnosed.hypotheses = hypotheses.clone();
                self.diagnosed.ranked_evidence = Some(self.evidence.len());
                let highest = hypotheses.iter().map(|h| h.id.0).max().unwrap_or(0);
                self.diagnosed.last_hypothesis = self.diagnosed.last_hypothesis.max(highest);
            }
            Event::QuestionAsked { question } => {
                let asked = Asked {
                    question: (**question).clone(),
                    answer: None,
                    answered_seq: 0,
                };
                self.dialogue.asked.push(asked);
            }
            Event::QuestionAnswered { question, answer, by } => {
                self.apply_answer(*question, answer, *by, at);
                self.release();
            }
            Event::Steered { steering } => self.apply_steering(steering),
            Event::EffectFailed { effect, reason } => {
                self.ledger.failed = Some((effect.clone(), reason.clone()))
            }
            Event::Assessed { assessment, .. } => {
                self.judgement
                    .limitations
                    .extend(assessment.tool_limitations.iter().cloned());
                self.judgement.assessments.push((**assessment).clone());
                self.judgement.assessed_version = self.planning.versions.len();
            }
            Event::VerdictReached { verdict, known } => {
                self.diagnosed.verdict = Some((**verdict).clone());
                self.take_over(known);
            }
            Event::ReportWritten { prose } => self.ending.prose = Some(prose.clone()),
            Event::Noted { note, usage } => {
                self.ledger.notes.extend(note.clone());
                if let Some(usage) = usage {
                    self.add_usage(usage);
                }
            }
            Event::SessionEnded { outcome } => {
                self.ending.outcome = Some(outcome.clone());
                self.phase = Phase::Ended;
            }
            Event::Unknown { .. } => {}
        }
    }

    fn apply_reading(&mut self, reading: &Reading) {
        self.intake.reading = Some(reading.clone());
        self.intake.readings += 1;
    }

    fn apply_draft(&mut self, event: &Event) {
        let (Event::PassagesFound { draft, .. }
        | Event::PlanDrafted { draft, .. }
        | Event::PlanCriticised { draft, .. }) = event
        else {
            return;
        };
        let Ok(index) = usize::try_from(*draft) else {
            return;
        };
        if index == self.planning.drafts.len() {
            self.planning.drafts.push(super::DraftRecord::default());
        }
        let Some(record) = self.planning.drafts.get_mut(index) else {
            return;
        };
        match event {
            Event::PassagesFound { passages, .. } => {
                record.passages = Some(passages.clone());
                record.steering = self.dialogue.steering.len();
            }
            Event::PlanDrafted { plan, .. } => {
                record.draft = Some((**plan).clone());
                // What was said while it was being drafted, the planner did not hear.
                self.dialogue.steering_seen = self.dialogue.steering_seen.max(record.steering);
            }
            Event::PlanCriticised { critique, .. } => record.critique = Some(critique.clone()),
            _ => {}
        }
    }

    fn run_mut(&mut self, lane: LaneId, step: StepId) -> &mut StepRun {
        self.execution.runs.entry((lane, step)).or_default()
    }

    fn apply_call(&mut self, call: &ToolCall) {
        let record = CallRecord {
            call: call.clone(),
            outcomes: Vec::new(),
            evidence: Vec::new(),
            ended_seq: 0,
            follow_up: None,
        };
        self.execution.calls.insert(call.id, record);
        match (call.lane, call.step) {
            (Some(lane), Some(step)) => {
                if let Some(turn) = self.run_mut(lane, step).turns.last_mut() {
                    turn.calls.push(call.id);
                }
            }
            _ if self.intake.inventory_call.is_none() => self.intake.inventory_call = Some(call.id),
            _ if self.intake.devices.is_some() => {
                for device in &call.devices {
                    self.intake.profile_calls.insert(device.clone(), call.id);
                }
            }
            _ => self.intake.inventory_call = Some(call.id),
        }
        self.link_follow_up(call);
    }

    /// A call with the same origin whose question asked for another try is followed up by this one.
    fn link_follow_up(&mut self, call: &ToolCall) {
        let Some(first) = call.follows else { return };
        if let Some(record) = self.execution.calls.get_mut(&first) {
            record.follow_up = Some(call.id);
        }
    }

    fn apply_outcome(&mut self, call: CallId, outcome: &CallOutcome) {
        let seq = self.seq;
        let Some(record) = self.execution.calls.get_mut(&call) else {
            return;
        };
        let mut slim = outcome.clone();
        let value = slim.value.take();
        record.outcomes.push(slim);
        record.ended_seq = seq;
        let origin = Origin::Tool {
            call,
            tool: record.call.tool.clone(),
            arguments: serde_json::Value::Object(record.call.arguments.clone()),
        };
        let devices = record.call.devices.clone();
        let value = match (value, &outcome.failure) {
            (Some(value), _) => value,
            (None, Some(failure)) => Arc::new(json!({ "status": "failed", "failure": failure })),
            (None, None) => return,
        };
        self.learn_role(call, &value);
        let evidence = Evidence {
            id: EvidenceId(0),
            origin,
            devices,
            at: outcome.ended_at,
            window: None,
            value,
            truncated: outcome.truncated,
        };
        self.execution.held.entry(call).or_default().push(evidence);
        self.release();
    }

    /// Makes evidence of the results that wait for nothing any more: the next once the last was examined, so
    /// that what detectors find in a result does not depend on what else has arrived.
    fn release(&mut self) {
        let free = |state: &State, call: &CallId| {
            state.options.evidence == EvidenceOrder::Arrival
                || state.phase >= Phase::Reporting
                || !state.waits_for_earlier(*call)
        };
        while (self.options.evidence == EvidenceOrder::Arrival
            || self.diagnosed.examined >= self.evidence.len())
            && let Some(call) = self.execution.held.keys().find(|c| free(self, c)).copied()
        {
            for evidence in self.execution.held.remove(&call).unwrap_or_default() {
                self.add_evidence(call, evidence);
            }
        }
    }

    fn add_evidence(&mut self, call: CallId, mut evidence: Evidence) {
        evidence.id = EvidenceId(u32::try_from(self.evidence.len() + 1).unwrap_or(u32::MAX));
        if let Some(record) = self.execution.calls.get_mut(&call) {
            record.evidence.push(evidence.id);
        }
        Arc::make_mut(&mut self.diagnosed.network).learn(&evidence);
        self.evidence.push(Arc::new(evidence));
    }

    /// Evidence of an earlier session is cited, not examined: that session has drawn its conclusions.
    fn take_over(&mut self, known: &[Evidence]) {
        if known.is_empty() {
            return;
        }
        self.evidence.extend(known.iter().cloned().map(Arc::new));
        self.diagnosed.examined = self.evidence.len();
        self.diagnosed.compared = self.evidence.len();
        self.diagnosed.ranked_evidence = Some(self.evidence.len());
    }

    fn learn_role(&mut self, call: CallId, value: &serde_json::Value) {
        let Some((device, _)) = self.intake.profile_calls.iter().find(|(_, c)| **c == call) else {
            return;
        };
        let role = value
            .pointer("/data/profile/role")
            .and_then(|r| r.as_str())
            .and_then(read_role);
        if let Some(role) = role {
            self.intake.roles.insert(device.clone(), role);
        }
    }

    fn apply_answer(&mut self, id: QuestionId, answer: &Answer, by: Author, at: Timestamp) {
        let seq = self.seq;
        let Some(asked) = self
            .dialogue
            .asked
            .iter_mut()
            .find(|a| a.question.id == id && a.answer.is_none())
        else {
            return;
        };
        asked.answer = Some((answer.clone(), by, at));
        asked.answered_seq = seq;
        let kind = asked.question.kind.clone();
        if *answer == Answer::Stop {
            self.ledger.stopped = Some("you stopped it".to_owned());
        }
        match (kind, answer) {
            (QuestionKind::ToolFailure { call, .. }, Answer::Supply { value }) => {
                let Some(record) = self.execution.calls.get(&call) else {
                    return;
                };
                let evidence = Evidence {
                    id: EvidenceId(0),
                    origin: Origin::Human {
                        call,
                        tool: record.call.tool.clone(),
                    },
                    devices: record.call.devices.clone(),
                    at,
                    window: None,
                    value: Arc::new(value.clone()),
                    truncated: false,
                };
                self.add_evidence(call, evidence);
            }
            (QuestionKind::StepFailure { .. }, Answer::Stop) => {}
            (QuestionKind::StepFailure { .. }, _) => self.ledger.failed = None,
            _ => {}
        }
    }

    fn apply_steering(&mut self, steering: &Steering) {
        match steering {
            Steering::Words { words } => self.dialogue.steering.push(words.clone()),
            Steering::Pause => self.dialogue.paused = true,
            Steering::Resume => self.dialogue.paused = false,
            Steering::Withdraw { question } => self.dialogue.withdrawn.push(*question),
            Steering::Stop { reason } => self.ledger.stopped = Some(reason.clone()),
        }
    }

    fn add_usage(&mut self, usage: &Usage) {
        match self.ledger.usage.iter_mut().find(|u| u.role == usage.role) {
            Some(sum) => sum.add(usage),
            None => self.ledger.usage.push(usage.clone()),
        }
    }
}
