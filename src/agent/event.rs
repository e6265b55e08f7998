//! What happened. Events are the only thing that is stored, and the only thing that changes the state.
//!
//! The tag each event bears on disk is a stable name with a version (`plan_settled.1`), independent of the
//! Rust identifier; a tag this build does not know is kept as [`Event::Unknown`] and written back as it was.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::effect::Effect;
use super::model::{
    Action, Answer, Assessment, Author, CallId, CallOutcome, Critique, Draft, Evidence, Fact, Finding,
    Hypothesis, Incident, LaneId, Note, Options, Outcome, Passage, Perception, PlanVersion, Prose, Query,
    Question, QuestionId, Reading, Steering, StepId, Timestamp, ToolCall, ToolSpec, Usage, Verdict,
};
use super::model::{Device, DeviceName};
use super::state::Phase;

/// An event with its place in the session.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recorded {
    /// From 1, without gaps.
    pub seq: u64,
    /// When.
    pub at: Timestamp,
    /// What.
    #[serde(flatten)]
    pub event: Event,
}

/// By hand: serde buffers what a derived `flatten` reads, and with serde_json's `arbitrary_precision` (which
/// a dependency switches on) a buffered fraction can't be read back.
impl<'de> Deserialize<'de> for Recorded {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Stored {
            seq: u64,
            at: Timestamp,
            tag: String,
            #[serde(default)]
            body: Value,
        }
        let stored = Stored::deserialize(deserializer)?;
        let event = Event::from_stored(&stored.tag, stored.body);
        Ok(Self {
            seq: stored.seq,
            at: stored.at,
            event,
        })
    }
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "tag", content = "body")]
pub enum Event {
    /// The session was opened.
    #[serde(rename = "session_opened.1")]
    SessionOpened {
        /// Query.
        query: Query,
        /// Options.
        options: Options,
    },
    /// A phase began.
    #[serde(rename = "phase_entered.1")]
    PhaseEntered {
        /// Phase.
        phase: Phase,
    },
    /// The tools are known.
    #[serde(rename = "tools_listed.1")]
    ToolsListed {
        /// Tools.
        tools: Vec<ToolSpec>,
    },
    /// The inventory is known.
    #[serde(rename = "devices_listed.1")]
    DevicesListed {
        /// Devices.
        devices: Vec<Device>,
    },
    /// The query was understood.
    #[serde(rename = "query_read.1")]
    QueryRead {
        /// Reading.
        reading: Box<Reading>,
    },
    /// The devices asked about are known.
    #[serde(rename = "targets_resolved.1")]
    TargetsResolved {
        /// Targets.
        targets: Vec<DeviceName>,
    },
    /// Similar incidents were looked up.
    #[serde(rename = "incidents_recalled.1")]
    IncidentsRecalled {
        /// Incidents, best first.
        incidents: Vec<Incident>,
        /// What is known and holds now.
        #[serde(default)]
        facts: Vec<Fact>,
    },
    /// The corpus was searched.
    #[serde(rename = "passages_found.1")]
    PassagesFound {
        /// The draft it was for.
        draft: u32,
        /// Passages, best first.
        passages: Vec<Passage>,
    },
    /// The planner proposed a plan.
    #[serde(rename = "plan_drafted.1")]
    PlanDrafted {
        /// Number.
        draft: u32,
        /// Draft.
        plan: Box<Draft>,
    },
    /// The critic judged it.
    #[serde(rename = "plan_criticised.1")]
    PlanCriticised {
        /// Number.
        draft: u32,
        /// Critique.
        critique: Critique,
    },
    /// A plan version stands.
    #[serde(rename = "plan_settled.1")]
    PlanSettled {
        /// Plan.
        plan: Box<PlanVersion>,
    },
    /// A revision of the plan was asked for.
    #[serde(rename = "revision_wanted.1")]
    RevisionWanted {
        /// Why.
        reason: String,
    },
    /// A step began on a lane.
    #[serde(rename = "step_started.1")]
    StepStarted {
        /// Lane.
        lane: LaneId,
        /// Step.
        step: StepId,
    },
    /// The executor chose what to do.
    #[serde(rename = "action_chosen.1")]
    ActionChosen {
        /// Lane.
        lane: LaneId,
        /// Step.
        step: StepId,
        /// Turn.
        turn: u32,
        /// Action; proposals in it were validated.
        action: Action,
        /// What was refused of it, and why; told to the reasoner.
        #[serde(default)]
        objections: Vec<String>,
    },
    /// A call was asked for.
    #[serde(rename = "call_requested.1")]
    CallRequested {
        /// Call.
        call: Box<ToolCall>,
    },
    /// An attempt at a call ended. The last attempt's outcome is the call's.
    #[serde(rename = "call_ended.1")]
    CallEnded {
        /// Call.
        call: CallId,
        /// Attempt, from 0.
        attempt: u32,
        /// Outcome; its value becomes evidence in the fold.
        outcome: Box<CallOutcome>,
    },
    /// Detectors saw something.
    #[serde(rename = "findings_added.1")]
    FindingsAdded {
        /// The call whose result showed it; `None` when it took several.
        #[serde(default)]
        call: Option<CallId>,
        /// Findings.
        findings: Vec<Finding>,
    },
    /// A step ended on a lane.
    #[serde(rename = "step_ended.1")]
    StepEnded {
        /// Lane.
        lane: LaneId,
        /// Step.
        step: StepId,
        /// What came of it.
        summary: String,
        /// What could not be done.
        #[serde(default)]
        limitation: Option<String>,
    },
    /// Stock was taken after a step.
    #[serde(rename = "perceived.1")]
    Perceived {
        /// Step.
        step: StepId,
        /// Perception.
        perception: Box<Perception>,
    },
    /// Hypotheses were ranked.
    #[serde(rename = "hypotheses_ranked.1")]
    HypothesesRanked {
        /// Hypotheses, best first.
        hypotheses: Vec<Hypothesis>,
    },
    /// The human is asked.
    #[serde(rename = "question_asked.1")]
    QuestionAsked {
        /// Question.
        question: Box<Question>,
    },
    /// A question was answered.
    #[serde(rename = "question_answered.1")]
    QuestionAnswered {
        /// Question.
        question: QuestionId,
        /// Answer.
        answer: Answer,
        /// Who.
        by: Author,
    },
    /// The human, or a budget, steered without being asked.
    #[serde(rename = "steered.1")]
    Steered {
        /// How.
        steering: Steering,
    },
    /// An effect other than a call failed.
    #[serde(rename = "effect_failed.1")]
    EffectFailed {
        /// Effect.
        effect: Effect,
        /// Why.
        reason: String,
    },
    /// The objective was judged.
    #[serde(rename = "assessed.1")]
    Assessed {
        /// Attempt, from 0.
        attempt: u32,
        /// Assessment.
        assessment: Box<Assessment>,
    },
    /// The verdict stands.
    #[serde(rename = "verdict_reached.1")]
    VerdictReached {
        /// Verdict.
        verdict: Box<Verdict>,
        /// What it stands on when an earlier session reached it; numbered on from this session's evidence.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        known: Vec<Evidence>,
    },
    /// The report is written.
    #[serde(rename = "report_written.1")]
    ReportWritten {
        /// Prose.
        prose: Prose,
    },
    /// Something worth telling: a note, or what a model call cost.
    #[serde(rename = "noted.1")]
    Noted {
        /// Note.
        #[serde(default)]
        note: Option<Note>,
        /// Usage of one model call.
        #[serde(default)]
        usage: Option<Usage>,
    },
    /// The session is over.
    #[serde(rename = "session_ended.1")]
    SessionEnded {
        /// How.
        outcome: Outcome,
    },
    /// An event of another version of this program: kept, and without effect.
    #[serde(rename = "unknown")]
    Unknown {
        /// Its tag.
        original: String,
        /// Its body.
        content: Value,
    },
}

impl Event {
    /// The tag on disk and the body, for the journal.
    ///
    /// # Errors
    /// When the event can't be written as JSON.
    pub fn to_stored(&self) -> Result<(String, Value), serde_json::Error> {
        if let Event::Unknown { original, content } = self {
            return Ok((original.clone(), content.clone()));
        }
        let mut whole = serde_json::to_value(self)?;
        let tag = whole["tag"].as_str().unwrap_or("unknown").to_owned();
        Ok((tag, whole["body"].take()))
    }

    /// Reads an event back. A tag or shape this build does not know becomes [`Event::Unknown`].
    pub fn from_stored(tag: &str, body: Value) -> Event {
        let whole = serde_json::json!({ "tag": tag, "body": body });
        match Event::deserialize(&whole) {
            Ok(Event::Unknown { .. }) | Err(_) => Event::Unknown {
                original: tag.to_owned(),
                content: body,
            },
            Ok(event) => event,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_tag_is_kept() {
        let body = serde_json::json!({"a": [1, 2]});
        let event = Event::from_stored("brand_new.7", body.clone());
        assert!(matches!(event, Event::Unknown { .. }));
        assert_eq!(event.to_stored().unwrap(), ("brand_new.7".to_owned(), body));
    }

    #[test]
    fn a_known_tag_with_a_strange_body_is_kept() {
        let event = Event::from_stored("steered.1", serde_json::json!({"steering": "perhaps"}));
        assert_eq!(event.to_stored().unwrap().0, "steered.1");
        assert!(matches!(event, Event::Unknown { .. }));
    }

    #[test]
    fn fractions_survive_the_disk() {
        let critique = Critique {
            pass: true,
            confidence: 0.5,
            missing: vec![],
            next_search: vec![],
            risk_flags: vec![],
        };
        let event = Event::PlanCriticised { draft: 0, critique };
        let recorded = Recorded {
            seq: 1,
            at: Timestamp(5),
            event,
        };
        let text = serde_json::to_string(&recorded).unwrap();
        assert_eq!(serde_json::from_str::<Recorded>(&text).unwrap(), recorded);
    }

    #[test]
    fn tags_are_stable() {
        let event = Event::Steered {
            steering: Steering::Pause,
        };
        let (tag, body) = event.to_stored().unwrap();
        assert_eq!(
            (tag.as_str(), body.to_string().as_str()),
            ("steered.1", "{\"steering\":{\"steering\":\"pause\"}}")
        );
        assert_eq!(Event::from_stored(&tag, body), event);
    }
}
