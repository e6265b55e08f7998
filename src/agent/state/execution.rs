//! Lanes, the steps on them and the calls they make.

use std::collections::BTreeMap;

use super::{CallRecord, State};
use crate::agent::model::{Action, CallId, DeviceName, Evidence, LaneId, Scope, Step, StepId, StepKind};

/// One turn of the executor within a step.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    /// What it chose; refused proposals are left out.
    pub action: Action,
    /// What was refused, and why.
    pub objections: Vec<String>,
    /// The calls made for it, in the order of the proposals, then follow-ups.
    pub calls: Vec<CallId>,
}

/// A step on a lane.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StepRun {
    /// Turns so far.
    pub turns: Vec<Turn>,
    /// What came of it; `None` while it runs.
    pub summary: Option<String>,
    /// What could not be done.
    pub limitation: Option<String>,
}

/// A line of execution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lane {
    /// `L0` is the network, `L1`… the devices in inventory order.
    pub id: LaneId,
    /// The device; `None` for the network as a whole.
    pub device: Option<DeviceName>,
}

/// Execution so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Execution {
    /// Steps begun, by lane.
    pub runs: BTreeMap<(LaneId, StepId), StepRun>,
    /// Calls.
    pub calls: BTreeMap<CallId, CallRecord>,
    /// Results that wait for those of earlier calls of their turn before they become evidence.
    pub held: BTreeMap<CallId, Vec<Evidence>>,
}

impl Execution {
    /// A call by its id.
    pub fn call(&self, id: CallId) -> Option<&CallRecord> {
        self.calls.get(&id)
    }

    /// The id of the next call.
    pub fn next_call(&self) -> CallId {
        CallId(self.calls.keys().next_back().map_or(1, |last| last.0 + 1))
    }

    /// Attempts made at all calls; what the budget counts.
    pub fn attempts(&self) -> u32 {
        self.calls
            .values()
            .map(|call| call.outcomes.len().max(1) as u32)
            .sum()
    }
}

impl State {
    /// The device of a lane; `None` for the network lane and unknown lanes.
    pub fn lane_device(&self, lane: LaneId) -> Option<&DeviceName> {
        let index = usize::try_from(lane.0.checked_sub(1)?).ok()?;
        self.intake
            .devices
            .as_ref()?
            .get(index)
            .map(|device| &device.name)
    }

    /// The lane of a device.
    pub fn lane_of(&self, device: &DeviceName) -> Option<LaneId> {
        let index = self
            .intake
            .devices
            .as_ref()?
            .iter()
            .position(|d| d.name == *device)?;
        Some(LaneId(u32::try_from(index).ok()?.checked_add(1)?))
    }

    /// The lanes a step runs on.
    pub fn lanes_of(&self, step: &Step) -> Vec<LaneId> {
        let devices = match &step.scope {
            Scope::Network => return vec![LaneId(0)],
            Scope::Targets => self.intake.targets.as_deref().unwrap_or_default(),
            Scope::Devices(devices) => devices,
        };
        match step.kind {
            StepKind::Conclude | StepKind::Nop { .. } => vec![LaneId(0)],
            StepKind::Code { .. } | StepKind::Instruction => {
                devices.iter().filter_map(|d| self.lane_of(d)).collect()
            }
        }
    }

    /// Every lane the current plan uses, in order.
    pub fn lanes(&self) -> Vec<Lane> {
        let mut ids: Vec<LaneId> = self
            .planning
            .current()
            .map(|p| p.steps.iter().flat_map(|s| self.lanes_of(s)).collect())
            .unwrap_or_default();
        ids.sort_unstable();
        ids.dedup();
        ids.into_iter()
            .map(|id| Lane {
                id,
                device: self.lane_device(id).cloned(),
            })
            .collect()
    }

    /// True when the step has ended on every lane it runs on.
    pub fn step_ended(&self, step: &Step) -> bool {
        self.lanes_of(step)
            .iter()
            .all(|lane| self.run(*lane, step.id).is_some_and(|run| run.summary.is_some()))
    }

    /// A step on a lane, once it has begun.
    pub fn run(&self, lane: LaneId, step: StepId) -> Option<&StepRun> {
        self.execution.runs.get(&(lane, step))
    }
}
