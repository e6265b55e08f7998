//! Questions to the human and their answers. Each is asked once and answered once.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{CallFailure, CallId, DeviceName, Grant, LaneId, QuestionId, SessionId, StepId, Timestamp};
use crate::agent::effect::Effect;

/// What is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum QuestionKind {
    /// Something about the query or a step is unclear (NOP).
    Clarification {
        /// Round, from 1.
        round: u32,
    },
    /// A tool failed.
    ToolFailure {
        /// The call.
        call: CallId,
        /// Why; for a several-device call the first device's reason.
        failure: CallFailure,
        /// The devices that did not answer.
        devices: Vec<DeviceName>,
    },
    /// Planner, critic, executor or another part of the agent failed.
    StepFailure {
        /// What was being done.
        effect: Effect,
        /// Why it failed.
        reason: String,
    },
    /// A call wants grant.
    Approval {
        /// The call.
        call: CallId,
    },
    /// A plan wants grant.
    PlanApproval {
        /// The version it will become.
        version: u32,
    },
    /// A fresh session has answered the same question.
    KnownAnswer {
        /// That session.
        session: SessionId,
    },
    /// A tool server asks something in the middle of a call.
    Elicitation {
        /// The call.
        call: CallId,
        /// The server that asks.
        server: String,
        /// JSON Schema of the wanted answer.
        schema: Value,
    },
}

/// One way to answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// The key that picks it.
    pub key: char,
    /// What it does, in a few words.
    pub label: String,
}

/// A question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// Its number.
    pub id: QuestionId,
    /// Kind.
    #[serde(flatten)]
    pub kind: QuestionKind,
    /// The question in words.
    pub text: String,
    /// Suggestions for a clarification, e.g. the nearest device names.
    #[serde(default)]
    pub suggestions: Vec<String>,
    /// The lane that waits.
    #[serde(default)]
    pub lane: Option<LaneId>,
    /// The step it concerns.
    #[serde(default)]
    pub step: Option<StepId>,
    /// When it was asked.
    pub at: Timestamp,
}

/// Who answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Author {
    /// A person.
    Human,
    /// A policy set beforehand, in an unattended run.
    Policy,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "answer")]
pub enum Answer {
    /// Words; for clarifications, and for an edited step.
    Text {
        /// The words.
        text: String,
    },
    /// Do it again as it was.
    Retry,
    /// Do it again with these arguments.
    EditArguments {
        /// New arguments.
        arguments: Map<String, Value>,
    },
    /// Here is the result.
    Supply {
        /// The result; plain text is a JSON string.
        value: Value,
    },
    /// Go on without it; lowers confidence.
    Skip,
    /// End the session with a report of what is known.
    Stop,
    /// Allowed.
    Approve,
    /// Allowed, and for the rest of the session whatever the grant covers.
    Always {
        /// What it covers; the call that was asked about in any case.
        grant: Grant,
    },
    /// Not allowed.
    Decline,
    /// Make another plan.
    Replan,
}

/// What the human, or a budget, says without being asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "steering")]
pub enum Steering {
    /// Words for the planner: "look at xrd-5 too".
    Words {
        /// The words.
        words: String,
    },
    /// Start nothing new.
    Pause,
    /// Go on.
    Resume,
    /// Takes an "always" back: what it covered is asked about again.
    Withdraw {
        /// The question that was answered so.
        question: QuestionId,
    },
    /// End with a report of what is known.
    Stop {
        /// Who or what stopped it.
        reason: String,
    },
}

impl QuestionKind {
    /// The name of the kind, as screens and exports write it.
    pub fn name(&self) -> &'static str {
        match self {
            QuestionKind::Clarification { .. } => "clarification",
            QuestionKind::ToolFailure { .. } => "tool failure",
            QuestionKind::StepFailure { .. } => "step failure",
            QuestionKind::Approval { .. } => "approval",
            QuestionKind::PlanApproval { .. } => "plan approval",
            QuestionKind::KnownAnswer { .. } => "known answer",
            QuestionKind::Elicitation { .. } => "server question",
        }
    }

    /// The ways to answer, in the order to show them.
    pub fn choices(&self) -> Vec<Choice> {
        let pairs: &[(char, &str)] = match self {
            QuestionKind::Clarification { .. } => &[('a', "answer"), ('s', "skip"), ('x', "stop")],
            QuestionKind::ToolFailure { .. } => &[
                ('r', "retry"),
                ('e', "edit arguments"),
                ('p', "paste the result"),
                ('s', "skip (lowers confidence)"),
                ('x', "stop"),
            ],
            QuestionKind::StepFailure { .. } => &[
                ('r', "retry"),
                ('n', "new plan"),
                ('s', "continue without"),
                ('x', "stop"),
            ],
            QuestionKind::Approval { .. } => &[
                ('y', "allow this call"),
                ('w', "always, in a scope you see"),
                ('d', "decline"),
            ],
            QuestionKind::PlanApproval { .. } => &[('y', "run it"), ('n', "new plan"), ('x', "stop")],
            QuestionKind::KnownAnswer { .. } => &[('y', "use it"), ('s', "run anyway"), ('x', "stop")],
            QuestionKind::Elicitation { .. } => &[('a', "answer"), ('d', "decline")],
        };
        pairs
            .iter()
            .map(|(key, label)| Choice {
                key: *key,
                label: (*label).to_owned(),
            })
            .collect()
    }

    /// True when `answer` makes sense for this kind of question.
    pub fn accepts(&self, answer: &Answer) -> bool {
        use Answer as A;
        match self {
            QuestionKind::Clarification { .. } => matches!(answer, A::Text { .. } | A::Skip | A::Stop),
            QuestionKind::ToolFailure { .. } => {
                matches!(
                    answer,
                    A::Retry | A::EditArguments { .. } | A::Supply { .. } | A::Skip | A::Stop
                )
            }
            QuestionKind::StepFailure { effect, .. } if is_indispensable(effect) => {
                matches!(answer, A::Retry | A::Stop)
            }
            QuestionKind::StepFailure { .. } => {
                matches!(answer, A::Retry | A::Replan | A::Skip | A::Stop | A::Text { .. })
            }
            QuestionKind::Approval { .. } => {
                matches!(answer, A::Approve | A::Always { .. } | A::Decline | A::Stop)
            }
            QuestionKind::KnownAnswer { .. } => {
                matches!(answer, A::Approve | A::Skip | A::Decline | A::Stop)
            }
            QuestionKind::Elicitation { .. } => {
                matches!(answer, A::Text { .. } | A::Supply { .. } | A::Decline)
            }
            QuestionKind::PlanApproval { .. } => {
                matches!(
                    answer,
                    A::Approve | A::Replan | A::Decline | A::Stop | A::Text { .. }
                )
            }
        }
    }
}

/// True when there is no going on without the effect.
fn is_indispensable(effect: &Effect) -> bool {
    matches!(
        effect,
        Effect::ListTools | Effect::Read { .. } | Effect::Plan { .. }
    )
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Answer::Text { text } => write!(f, "\"{text}\""),
            Answer::Retry => f.write_str("retry"),
            Answer::EditArguments { arguments } => {
                write!(f, "retry with {}", Value::Object(arguments.clone()))
            }
            Answer::Supply { .. } => f.write_str("result supplied"),
            Answer::Skip => f.write_str("skip"),
            Answer::Stop => f.write_str("stop"),
            Answer::Approve => f.write_str("allow"),
            Answer::Always { grant } => write!(f, "always {grant}"),
            Answer::Decline => f.write_str("decline"),
            Answer::Replan => f.write_str("new plan"),
        }
    }
}
