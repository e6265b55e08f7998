//! Evidence, and what it takes for a claim to stand on it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{CallId, DeviceName, EvidenceId, SessionId, Timestamp, Verdict, Window};
use crate::diagnosis::ontology::Resource;

/// Where evidence comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "from")]
pub enum Origin {
    /// A tool call.
    Tool {
        /// The call.
        call: CallId,
        /// `server.tool`.
        tool: String,
        /// Arguments as sent.
        arguments: Value,
    },
    /// An earlier session read it; it was taken over with that session's verdict.
    Session {
        /// That session.
        session: SessionId,
        /// Its number there.
        evidence: EvidenceId,
        /// `server.tool`.
        tool: String,
    },
    /// The human pasted or typed it in place of a tool's result.
    Human {
        /// The call it stands in for.
        call: CallId,
        /// `server.tool` that failed.
        tool: String,
    },
}

impl Origin {
    /// The call of this session that it came from or stands in for.
    pub fn call(&self) -> Option<CallId> {
        match self {
            Origin::Tool { call, .. } | Origin::Human { call, .. } => Some(*call),
            Origin::Session { .. } => None,
        }
    }

    /// `server.tool`.
    pub fn tool(&self) -> &str {
        match self {
            Origin::Tool { tool, .. } | Origin::Human { tool, .. } | Origin::Session { tool, .. } => tool,
        }
    }
}

/// A result that claims may cite.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// Its number.
    pub id: EvidenceId,
    /// Origin.
    pub origin: Origin,
    /// Devices it speaks about.
    pub devices: Vec<DeviceName>,
    /// When it was read.
    pub at: Timestamp,
    /// The stretch of time it covers (logs, samples); a moment when absent.
    #[serde(default)]
    pub window: Option<Window>,
    /// The result.
    pub value: Arc<Value>,
    /// True when it was cut to the size cap: silence proves nothing then.
    #[serde(default)]
    pub truncated: bool,
}

/// What the cited place must say for the claim to hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is", content = "value")]
pub enum Claim {
    /// The value there equals this one (numbers also as strings, as JSON_IETF writes 64-bit ones).
    Equals(Value),
    /// There is a value and it is another one.
    Differs(Value),
    /// The text there, or any text below there, contains this one.
    Contains(String),
    /// There is something, and neither it nor any text below it is this one.
    Lacks(String),
    /// A number of at least this much.
    AtLeast(f64),
    /// A number of at most this much.
    AtMost(f64),
    /// Nothing is there: no such member, null, or an empty list.
    Absent,
    /// Something is there.
    Present,
}

/// A pointer into evidence with what it must say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Citation {
    /// Evidence.
    pub evidence: EvidenceId,
    /// JSON pointer (RFC 6901) into its value; empty means the whole.
    pub pointer: String,
    /// What is claimed of it.
    pub claim: Claim,
}

impl Citation {
    /// True when `evidence` is the cited one and its value really says what is claimed.
    pub fn holds(&self, evidence: &Evidence) -> bool {
        evidence.id == self.evidence && self.claim.holds(evidence.value.pointer(&self.pointer))
    }
}

impl Claim {
    /// True when the value found at the cited place (`None`: nothing there) satisfies the claim.
    pub fn holds(&self, found: Option<&Value>) -> bool {
        match self {
            Claim::Equals(wanted) => found.is_some_and(|v| same(v, wanted)),
            Claim::Differs(other) => found.is_some_and(|v| !v.is_null() && !same(v, other)),
            Claim::Contains(text) => found.is_some_and(|v| contains(v, text)),
            Claim::Lacks(text) => found.is_some_and(|v| !v.is_null() && !holds_text(v, text)),
            Claim::AtLeast(bound) => found.and_then(number).is_some_and(|n| n >= *bound),
            Claim::AtMost(bound) => found.and_then(number).is_some_and(|n| n <= *bound),
            Claim::Absent => found.is_none_or(is_empty),
            Claim::Present => found.is_some_and(|v| !is_empty(v)),
        }
    }
}

fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::String(text), Value::Number(n)) | (Value::Number(n), Value::String(text)) => {
            *text == n.to_string()
        }
        _ => a == b,
    }
}

fn contains(value: &Value, text: &str) -> bool {
    match value {
        Value::String(s) => s.contains(text),
        Value::Array(items) => items.iter().any(|v| contains(v, text)),
        Value::Object(map) => map.values().any(|v| contains(v, text)),
        other => other.to_string().contains(text),
    }
}

/// The value is this text or has it as a word, or a text or member name below it does; identities count
/// without their module.
fn holds_text(value: &Value, text: &str) -> bool {
    let is = |s: &str| s == text || s.rsplit_once(':').is_some_and(|(_, local)| local == text);
    match value {
        Value::String(s) => is(s) || s.split([' ', '\n', ',', ':', '(', ')']).any(|word| word == text),
        Value::Array(items) => items.iter().any(|v| holds_text(v, text)),
        Value::Object(map) => map.iter().any(|(k, v)| is(k) || holds_text(v, text)),
        _ => false,
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(n) => n.as_f64(),
        Value::String(s) => s.trim().parse().ok(),
        _ => None,
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
        _ => false,
    }
}

/// A piece of the corpus that a search found: runbook, note or tool description.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Passage {
    /// File or capability id.
    pub source: String,
    /// Heading within it.
    pub heading: String,
    /// The text.
    pub text: String,
    /// Relevance, higher is better; comparable within one search only.
    pub score: f64,
}

/// Something the humans said is known: what it covers is no cause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    /// Its number in memory.
    pub id: i64,
    /// Their words: "decommissioned, waits for removal".
    pub words: String,
    /// What it is about; a node covers everything on it.
    pub scope: Resource,
    /// When it stops to hold; never when absent.
    #[serde(default)]
    pub expires_at: Option<Timestamp>,
}

/// A past session like this one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Incident {
    /// The session.
    pub session: SessionId,
    /// What was asked then.
    pub query: String,
    /// What was found.
    pub summary: String,
    /// When it ended.
    pub at: Timestamp,
    /// Similarity, higher is better.
    pub score: f64,
    /// How alike the two questions are: telling words they share of all their telling words, 0..1.
    #[serde(default)]
    pub likeness: f64,
    /// The devices it was about.
    #[serde(default)]
    pub devices: Vec<DeviceName>,
    /// Every cause of its verdict was confirmed, and there was one.
    #[serde(default)]
    pub confirmed: bool,
}

/// The answer of an earlier session, with the evidence that its verdict cites.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KnownAnswer {
    /// That session.
    pub session: SessionId,
    /// When its verdict was reached.
    pub at: Timestamp,
    /// Its report in a line.
    pub headline: String,
    /// Its verdict.
    pub verdict: Verdict,
    /// The cited evidence, with its numbers there.
    pub evidence: Vec<Evidence>,
}
