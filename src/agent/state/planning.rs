//! Drafts, critiques and the versions that stand.

use crate::agent::model::{Critique, Draft, Passage, PlanVersion, Step, StepId};

/// One round of planner and critic.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DraftRecord {
    /// What was found in the corpus for it; `None` until it was searched.
    pub passages: Option<Vec<Passage>>,
    /// The draft.
    pub draft: Option<Draft>,
    /// The critique.
    pub critique: Option<Critique>,
    /// How many words of steering the planner knew when it began.
    pub steering: usize,
}

/// Planning so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Planning {
    /// All drafts of the session.
    pub drafts: Vec<DraftRecord>,
    /// The draft from which the current round of loops counts.
    pub first_of_version: usize,
    /// Versions that stand or stood.
    pub versions: Vec<PlanVersion>,
    /// Why the next version is wanted; `None` for the first one and once it is settled.
    pub revision: Option<String>,
    /// Revisions asked for so far.
    pub revisions: u32,
    /// Answers "new plan" that a revision has taken into account.
    pub replans_seen: usize,
    /// Perceptions there were when the current version was settled.
    pub perceptions_at_settling: usize,
}

impl Planning {
    /// The plan that stands.
    pub fn current(&self) -> Option<&PlanVersion> {
        self.versions.last()
    }

    /// A step of the current plan.
    pub fn step(&self, id: StepId) -> Option<&Step> {
        self.current()?.steps.iter().find(|step| step.id == id)
    }

    /// Critiques since the last settled version.
    pub fn loops(&self) -> usize {
        self.drafts[self.first_of_version.min(self.drafts.len())..]
            .iter()
            .filter(|d| d.critique.is_some())
            .count()
    }

    /// The number of the draft that is being made or judged now.
    pub fn current_draft(&self) -> u32 {
        let open = self.drafts.len() > self.first_of_version
            && self.drafts.last().is_some_and(|d| d.critique.is_none());
        let number = if open {
            self.drafts.len() - 1
        } else {
            self.drafts.len()
        };
        u32::try_from(number).unwrap_or(u32::MAX)
    }

    /// A draft by number.
    pub fn draft(&self, number: u32) -> Option<&DraftRecord> {
        self.drafts.get(usize::try_from(number).ok()?)
    }

    /// The highest step id handed out so far.
    pub fn last_step_id(&self) -> u32 {
        self.versions
            .iter()
            .flat_map(|v| &v.steps)
            .map(|s| s.id.0)
            .max()
            .unwrap_or(0)
    }
}
