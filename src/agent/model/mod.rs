//! The vocabulary of an investigation: one word per idea, used by code, journal, screen and docs alike.
//!
//! Plain data: every type serialises, none does anything but describe.

mod device;
mod evidence;
mod finding;
mod grant;
mod id;
mod options;
mod perception;
mod plan;
mod question;
mod report;
mod statement;
mod time;
mod tool;

pub use device::{Device, Role};
pub use evidence::{Citation, Claim, Evidence, Fact, Incident, KnownAnswer, Origin, Passage};
pub use finding::{Cause, Check, Confidence, Finding, Hypothesis, Severity, Standing, Unobserved, Verdict};
pub use grant::{ArgumentScope, Grant, canonical, matches};
pub use id::{
    CallId, DeviceName, EvidenceId, FindingId, HypothesisId, LaneId, QuestionId, SessionId, StepId,
};
pub use options::{EvidenceOrder, FreshAnswer, Limits, Options, PlanApproval, Query};
pub use perception::{Entities, Goal, Intent, Perception, Reading, Targets};
pub use plan::{
    Action, Aspect, Critique, Draft, PlanVersion, Proposal, Provenance, RiskFlag, Scope, Step, StepKind,
};
pub use question::{Answer, Author, Choice, Question, QuestionKind, Steering};
pub use report::{Assessment, Next, Note, NoteSource, Outcome, Prose, Usage};
pub use statement::Statement;
pub use time::{Timestamp, Window};
pub use tool::{
    CallFailure, CallOutcome, CallTrace, DeviceFailure, ErrorKind, Purpose, Risk, ToolCall, ToolSpec,
};
