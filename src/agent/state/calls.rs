//! The life of a call: attempts, failures, questions about it, and what becomes of it.

use serde_json::{Map, Value};

use super::{Dialogue, State};
use crate::agent::model::{
    Answer, CallFailure, CallId, CallOutcome, Confidence, DeviceName, ErrorKind, EvidenceId, QuestionId,
    QuestionKind, Standing, ToolCall,
};
use crate::diagnosis::ontology::{FaultType, Resource};

/// A call with everything that came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct CallRecord {
    /// The call.
    pub call: ToolCall,
    /// Outcomes, one an attempt; values are in the evidence.
    pub outcomes: Vec<CallOutcome>,
    /// Evidence it brought, one an attempt that answered; the human's paste included.
    pub evidence: Vec<EvidenceId>,
    /// Sequence number of the event that brought the last outcome.
    pub ended_seq: u64,
    /// The call that was made again for the devices that failed, or with edited arguments.
    pub follow_up: Option<CallId>,
}

/// What happens to a call next.
#[derive(Debug, Clone, PartialEq)]
pub enum Fate {
    /// The attempt is to be made, or is being made.
    Run {
        /// Attempt, from 0.
        attempt: u32,
    },
    /// It failed; the human must be asked.
    AskFailure {
        /// Why.
        failure: CallFailure,
        /// Which devices did not answer.
        devices: Vec<DeviceName>,
    },
    /// The policy wants grant.
    AskApproval,
    /// A question about it, or about another call to the same dead device, is open.
    Wait(QuestionId),
    /// It is to be made again with other arguments.
    FollowUp(Box<ToolCall>),
    /// Nothing more will come.
    Resolved,
}

impl CallRecord {
    /// The last outcome.
    pub fn outcome(&self) -> Option<&CallOutcome> {
        self.outcomes.last()
    }

    /// Milliseconds of the last attempt.
    pub fn elapsed_ms(&self) -> Option<i64> {
        self.outcome().map(|o| o.ended_at.since_ms(o.started_at))
    }

    /// The failure that someone must deal with: of the whole, or of a device within.
    fn trouble(&self) -> Option<(CallFailure, Vec<DeviceName>)> {
        let outcome = self.outcome()?;
        match (&outcome.failure, outcome.device_failures.first()) {
            (Some(failure), _) if failure.kind == ErrorKind::NotAvailable => None,
            (Some(failure), _) => Some((failure.clone(), self.call.devices.clone())),
            (None, Some(first)) => {
                let devices = outcome.device_failures.iter().map(|f| f.device.clone()).collect();
                Some((first.failure.clone(), devices))
            }
            (None, None) => None,
        }
    }

    /// The question by which a human declined it, if one did.
    pub fn declined(&self, dialogue: &Dialogue) -> Option<QuestionId> {
        let declined = |asked: &&super::Asked| matches!(asked.answer, Some((Answer::Decline, ..)));
        dialogue
            .about_call(self.call.id)
            .find(declined)
            .map(|asked| asked.question.id)
    }

    /// What it did not show for good: device and reason.
    pub(super) fn unobserved(&self, dialogue: &Dialogue) -> Vec<(DeviceName, String)> {
        let supplied = dialogue
            .about_call(self.call.id)
            .any(|a| matches!(a.answer, Some((Answer::Supply { .. }, ..))));
        if self.follow_up.is_some() || supplied {
            return Vec::new();
        }
        let Some(outcome) = self.outcome() else {
            return Vec::new();
        };
        if let Some(failure) = &outcome.failure {
            let reason = match self.declined(dialogue) {
                Some(question) => format!("{}: you declined the call ({question})", self.call.tool),
                None => format!("{}: {}", self.call.tool, failure.message),
            };
            return self
                .call
                .devices
                .iter()
                .map(|d| (d.clone(), reason.clone()))
                .collect();
        }
        outcome
            .device_failures
            .iter()
            .map(|f| {
                (
                    f.device.clone(),
                    format!("{}: {}", self.call.tool, f.failure.message),
                )
            })
            .collect()
    }
}

/// A failure that lies with the device, not with the arguments of one call: its other calls fail alike.
fn is_of_the_device(kind: ErrorKind) -> bool {
    !matches!(
        kind,
        ErrorKind::InvalidParameter
            | ErrorKind::NeedsApproval
            | ErrorKind::ToolNotFound
            | ErrorKind::NotAvailable
    )
}

/// A device that says nothing, for whatever reason; what its neighbours show may settle why.
fn is_silence(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::Network | ErrorKind::Timeout | ErrorKind::ServiceUnavailable | ErrorKind::CircuitOpen
    )
}

/// One trouble under two names: a device that is silent is soon left alone by its breaker.
fn is_same_trouble(one: ErrorKind, other: ErrorKind) -> bool {
    one == other || is_silence(one) && is_silence(other)
}

impl State {
    /// What is wrong with new arguments for a call, by the schema of its tool; `None` when they fit.
    pub fn objection(&self, call: CallId, arguments: &Map<String, Value>) -> Option<String> {
        let record = self.execution.call(call)?;
        self.intake.tool(&record.call.tool)?.objection(arguments)
    }

    /// True when the diagnosis knows why these devices are silent: nobody need be asked about them.
    fn is_explained(&self, devices: &[DeviceName]) -> bool {
        let known = |device: &DeviceName| {
            self.diagnosed.hypotheses.iter().any(|h| {
                matches!(h.fault, FaultType::NodeDown | FaultType::MgmtUnreachable)
                    && h.standing == Standing::Supported
                    && h.confidence == Confidence::Confirmed
                    && h.resource == Resource::Node(device.0.clone())
            })
        };
        !devices.is_empty() && devices.iter().all(known)
    }

    /// True when a second try for these devices failed too.
    fn was_tried_again(&self, devices: &[DeviceName]) -> bool {
        self.execution.calls.values().any(|r| {
            let again = r.outcomes.len() > 1 || r.call.follows.is_some();
            again
                && r.trouble().is_some_and(|(failure, theirs)| {
                    is_silence(failure.kind) && devices.iter().all(|d| theirs.contains(d))
                })
        })
    }

    /// True while a second try for these devices is under way.
    pub fn is_being_tried_again(&self, record: &CallRecord) -> bool {
        let Some((_, devices)) = record.trouble() else {
            return false;
        };
        self.execution.calls.values().any(|r| {
            let again = r.call.follows.is_some() || !r.outcomes.is_empty();
            again
                && r.call.id != record.call.id
                && matches!(self.fate(r), Fate::Run { .. })
                && devices.iter().all(|d| r.call.devices.contains(d))
        })
    }

    /// True when the call failed for a silence that a second try did not end, and that other results may
    /// explain.
    pub fn may_be_explained(&self, record: &CallRecord) -> bool {
        let Some((failure, devices)) = record.trouble() else {
            return false;
        };
        !devices.is_empty()
            && is_silence(failure.kind)
            && self.dialogue.about_call(record.call.id).next_back().is_none()
            && self.was_tried_again(&devices)
            && matches!(self.fate(record), Fate::AskFailure { .. } | Fate::FollowUp(_))
    }

    /// True while an earlier call of the same turn is still to bring a result.
    pub fn waits_for_earlier(&self, call: CallId) -> bool {
        let Some(record) = self.execution.call(call) else {
            return false;
        };
        let place = (record.call.lane, record.call.step);
        self.execution
            .calls
            .range(..call)
            .any(|(_, r)| (r.call.lane, r.call.step) == place && matches!(self.fate(r), Fate::Run { .. }))
    }

    /// True while any call of the same turn is still to bring a result.
    pub fn is_among_running(&self, record: &CallRecord) -> bool {
        let place = (record.call.lane, record.call.step);
        let mut calls = self.execution.calls.values();
        calls.any(|r| (r.call.lane, r.call.step) == place && matches!(self.fate(r), Fate::Run { .. }))
    }

    /// What happens to the call next.
    pub fn fate(&self, record: &CallRecord) -> Fate {
        let attempts = u32::try_from(record.outcomes.len()).unwrap_or(u32::MAX);
        if attempts == 0 {
            return Fate::Run { attempt: 0 };
        }
        if record.follow_up.is_some() {
            return Fate::Resolved;
        }
        let Some((failure, devices)) = record.trouble() else {
            return Fate::Resolved;
        };
        if let Some(asked) = self.dialogue.about_call(record.call.id).next_back() {
            return self.after_answer(record, attempts, &devices, asked);
        }
        if failure.kind == ErrorKind::NeedsApproval {
            let call = &record.call;
            return match self.dialogue.grant_for(&call.tool, &call.arguments) {
                Some(grant) if !call.approved => Fate::FollowUp(Box::new(self.allowed(call, Some(grant)))),
                _ => Fate::AskApproval,
            };
        }
        if is_silence(failure.kind) && self.is_explained(&devices) && self.was_tried_again(&devices) {
            return Fate::Resolved;
        }
        if is_of_the_device(failure.kind)
            && let Some(fate) = self.as_for_the_same_devices(record, failure.kind, &devices, attempts)
        {
            return fate;
        }
        if let Some(fate) = self.try_again(record, &failure, &devices, attempts) {
            return fate;
        }
        Fate::AskFailure { failure, devices }
    }

    /// A transient failure is tried again before anybody is asked: the call, or for some of its devices a
    /// narrower one.
    fn try_again(
        &self,
        record: &CallRecord,
        failure: &CallFailure,
        devices: &[DeviceName],
        attempts: u32,
    ) -> Option<Fate> {
        let retries = self.options.limits.transient_retries;
        let outcome = record.outcome()?;
        if outcome.failure.is_some() {
            let again = failure.kind.is_transient() && attempts <= retries;
            return again.then_some(Fate::Run { attempt: attempts });
        }
        let transient = outcome
            .device_failures
            .iter()
            .all(|f| f.failure.kind.is_transient());
        let again = transient && record.call.follows.is_none() && retries > 0;
        again.then(|| Fate::FollowUp(Box::new(self.narrowed(&record.call, devices))))
    }

    fn after_answer(
        &self,
        record: &CallRecord,
        attempts: u32,
        devices: &[DeviceName],
        asked: &super::Asked,
    ) -> Fate {
        let Some((answer, ..)) = &asked.answer else {
            return Fate::Wait(asked.question.id);
        };
        let retried = record.ended_seq > asked.answered_seq;
        match answer {
            Answer::Retry if retried => self.ask_again(record),
            Answer::Retry if record.outcome().is_some_and(|o| o.failure.is_none()) => {
                Fate::FollowUp(Box::new(self.narrowed(&record.call, devices)))
            }
            Answer::Retry => Fate::Run { attempt: attempts },
            Answer::Approve | Answer::Always { .. } if retried && !record.call.approved => {
                self.ask_again(record)
            }
            Answer::Approve => Fate::FollowUp(Box::new(self.allowed(&record.call, None))),
            Answer::Always { .. } => {
                Fate::FollowUp(Box::new(self.allowed(&record.call, Some(asked.question.id))))
            }
            Answer::EditArguments { arguments } => {
                Fate::FollowUp(Box::new(self.edited(&record.call, arguments)))
            }
            _ => Fate::Resolved,
        }
    }

    /// After a retry that failed again: the same question once more.
    fn ask_again(&self, record: &CallRecord) -> Fate {
        match record.trouble() {
            Some((failure, devices)) => Fate::AskFailure { failure, devices },
            None => Fate::Resolved,
        }
    }

    fn renumbered(&self, call: &ToolCall) -> ToolCall {
        ToolCall {
            id: self.execution.next_call(),
            follows: Some(call.id),
            ..call.clone()
        }
    }

    /// The same call, allowed by an answer; by a standing one when `grant` names it.
    fn allowed(&self, call: &ToolCall, grant: Option<QuestionId>) -> ToolCall {
        ToolCall {
            approved: true,
            grant,
            ..self.renumbered(call)
        }
    }

    /// The call with other arguments. What was allowed before was another call: only a standing grant
    /// that covers the new arguments allows this one. Its devices are those that the new arguments name.
    fn edited(&self, call: &ToolCall, arguments: &Map<String, Value>) -> ToolCall {
        let grant = self.dialogue.grant_for(&call.tool, arguments);
        let named = self.devices_named(arguments);
        ToolCall {
            arguments: arguments.clone(),
            devices: if named.is_empty() {
                call.devices.clone()
            } else {
                named
            },
            approved: grant.is_some(),
            grant,
            ..self.renumbered(call)
        }
    }

    /// The devices of the inventory that arguments name, by any string in them.
    fn devices_named(&self, arguments: &Map<String, Value>) -> Vec<DeviceName> {
        let texts = arguments.values().flat_map(|value| match value {
            Value::String(text) => vec![text.as_str()],
            Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        });
        texts
            .map(DeviceName::from)
            .filter(|name| self.intake.knows(name))
            .collect()
    }

    /// The same call for some of its devices only: list arguments are cut to them.
    fn narrowed(&self, call: &ToolCall, devices: &[DeviceName]) -> ToolCall {
        let mut narrowed = self.renumbered(call);
        for value in narrowed.arguments.values_mut() {
            let Value::Array(items) = value else {
                continue;
            };
            let all_devices = items
                .iter()
                .all(|i| i.as_str().is_some_and(|s| call.devices.contains(&s.into())));
            if all_devices && !items.is_empty() {
                items.retain(|i| i.as_str().is_some_and(|s| devices.contains(&s.into())));
            }
        }
        narrowed.devices = devices.to_vec();
        narrowed
    }

    /// One card a dead device: other calls to it share the answer.
    fn as_for_the_same_devices(
        &self,
        record: &CallRecord,
        kind: ErrorKind,
        devices: &[DeviceName],
        attempts: u32,
    ) -> Option<Fate> {
        let last = self
            .dialogue
            .asked
            .iter()
            .rev()
            .find(|asked| match &asked.question.kind {
                QuestionKind::ToolFailure {
                    call,
                    failure,
                    devices: theirs,
                } => {
                    *call != record.call.id
                        && is_same_trouble(failure.kind, kind)
                        && !devices.is_empty()
                        && devices.iter().all(|d| theirs.contains(d))
                }
                _ => false,
            })?;
        match &last.answer {
            None => Some(Fate::Wait(last.question.id)),
            Some((Answer::Skip | Answer::Supply { .. }, ..)) => Some(Fate::Resolved),
            Some(_)
                if record.ended_seq < last.answered_seq
                    && record.outcome().is_some_and(|o| o.failure.is_some()) =>
            {
                Some(Fate::Run { attempt: attempts })
            }
            Some(_) => None,
        }
    }
}
