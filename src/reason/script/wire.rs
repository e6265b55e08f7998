//! What travels between a script's child process and us: one JSON document a line.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The first line to the child.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Start {
    pub source: String,
    /// The device of the lane.
    pub device: Option<String>,
    pub targets: Vec<String>,
    pub limits: ChildLimits,
}

/// Limits that the child keeps itself; the operating system keeps the others.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct ChildLimits {
    /// Steps of the evaluator.
    pub ticks: u64,
    /// Bytes of the script's heap.
    pub heap: usize,
    /// Depth of calls.
    pub depth: usize,
    /// Tool calls.
    pub calls: u32,
    /// Bytes of output.
    pub output: usize,
    /// Bytes of address space.
    pub memory: u64,
    /// Seconds of processor time.
    pub cpu_s: u64,
}

/// A tool call of a script.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// `server.tool`.
    pub tool: String,
    pub arguments: Map<String, Value>,
}

/// A line from the child.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum FromChild {
    /// Calls it waits for, to be answered in one line, in order.
    Calls(Vec<Call>),
    /// The script ended; what it printed and emitted.
    Done(String),
    Failed(String),
}

/// The answer to a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    Value(Value),
    /// Why there is none, in words.
    Error(String),
}

/// How a run of a script ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Ended {
    /// It needs these calls answered; run it again when they are.
    Waits {
        calls: Vec<Call>,
    },
    Done {
        output: String,
    },
    /// An error in it, a limit it ran into, or a lost child.
    Failed {
        reason: String,
    },
}
