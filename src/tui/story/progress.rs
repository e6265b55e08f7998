//! How far each step is, kept as events come: asking the state anew for every frame would cost the number
//! of devices squared.

use std::collections::HashMap;

use crate::agent::event::Event;
use crate::agent::model::{LaneId, Scope, Step, StepId, StepKind};
use crate::agent::state::State;

/// How far a step is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StepProgress {
    /// The lanes it runs on.
    pub lanes: Vec<LaneId>,
    /// Lanes on which it began.
    pub started: usize,
    /// Lanes on which it ended.
    pub ended: usize,
    /// Lanes on which something could not be done.
    pub limited: usize,
}

impl StepProgress {
    /// Whether it ended on every lane.
    pub fn is_done(&self) -> bool {
        self.ended >= self.lanes.len()
    }
}

/// Takes in an event.
pub(super) fn update(steps: &mut HashMap<StepId, StepProgress>, state: &State, event: &Event) {
    match event {
        Event::PlanSettled { plan } => {
            let devices = state.intake.devices.iter().flatten();
            let lanes: HashMap<&str, u32> = devices.zip(1..).map(|(d, i)| (d.name.as_str(), i)).collect();
            for step in &plan.steps {
                steps.entry(step.id).or_default().lanes = lanes_of(step, state, &lanes);
            }
        }
        Event::StepStarted { step, .. } => steps.entry(*step).or_default().started += 1,
        Event::StepEnded { step, limitation, .. } => {
            let progress = steps.entry(*step).or_default();
            progress.ended += 1;
            progress.limited += usize::from(limitation.is_some());
        }
        _ => {}
    }
}

/// The lanes of a step, as [`State::lanes_of`] has them, with one look a device instead of a search.
fn lanes_of(step: &Step, state: &State, lanes: &HashMap<&str, u32>) -> Vec<LaneId> {
    let devices = match (&step.kind, &step.scope) {
        (StepKind::Conclude | StepKind::Nop { .. }, _) | (_, Scope::Network) => return vec![LaneId(0)],
        (_, Scope::Targets) => state.intake.targets.as_deref().unwrap_or_default(),
        (_, Scope::Devices(devices)) => devices,
    };
    devices
        .iter()
        .filter_map(|d| lanes.get(d.as_str()).copied().map(LaneId))
        .collect()
}
