//! Tools, calls and what comes of them.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{CallId, DeviceName, LaneId, QuestionId, StepId, Timestamp};

/// What a tool is for, as far as the registry can tell from its name, description and schema.
/// Rules choose tools by purpose and schema, never by one server's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// Lists the devices.
    Inventory,
    /// Role and features of a device.
    Profile,
    /// Interfaces: brief list or one in detail.
    Interfaces,
    /// BGP and IS-IS state.
    Routing,
    /// MPLS and segment routing.
    Mpls,
    /// VRFs, route distinguishers and route targets.
    Vpn,
    /// System: version, boot time, resources.
    System,
    /// Device log.
    Logs,
    /// Links between devices.
    Topology,
    /// Any gNMI path of one device.
    Get,
    /// Any gNMI path of several devices in one call.
    GetMany,
    /// Logs of several devices in one call.
    LogsMany,
    /// Counters sampled twice, with rates.
    Counters,
    /// One path compared across devices.
    Compare,
    /// What models a device speaks.
    Capabilities,
    /// Nothing the rules know how to use.
    Other,
}

/// What a call of the tool can do to the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    /// Reads.
    ReadOnly,
    /// Changes state; also what nobody vouched for.
    ChangesState,
    /// Can interrupt service.
    Dangerous,
}

/// A tool as it is offered to reasoners.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// `server.tool`, unique in the session.
    pub id: String,
    /// The server that offers it.
    pub server: String,
    /// The tool's name on that server.
    pub name: String,
    /// What the server says it does; neutralised and capped.
    pub description: String,
    /// JSON Schema of the arguments.
    pub input_schema: Arc<Value>,
    /// Purpose as the registry classified it.
    pub purpose: Purpose,
    /// Risk as the registry classified it.
    pub risk: Risk,
}

impl ToolSpec {
    /// What is wrong with arguments for this tool, the first problem with its place. `None` when they fit, and
    /// when the schema is itself unusable: then the server decides.
    pub fn objection(&self, arguments: &Map<String, Value>) -> Option<String> {
        let validator = jsonschema::validator_for(&self.input_schema).ok()?;
        let arguments = Value::Object(arguments.clone());
        let error = validator.iter_errors(&arguments).next()?;
        Some(match error.instance_path().as_str() {
            "" => error.to_string(),
            path => format!("{path}: {error}"),
        })
    }
}

/// One call, as the agent asks for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Its number.
    pub id: CallId,
    /// The lane that asked; `None` during intake.
    #[serde(default)]
    pub lane: Option<LaneId>,
    /// The step it serves.
    #[serde(default)]
    pub step: Option<StepId>,
    /// `server.tool`.
    pub tool: String,
    /// Arguments, valid against the tool's schema.
    pub arguments: Map<String, Value>,
    /// Devices it reads.
    pub devices: Vec<DeviceName>,
    /// Why it is made, in a few words.
    pub why: String,
    /// A human allowed this very call, or what a standing grant covers.
    #[serde(default)]
    pub approved: bool,
    /// The question whose "always" covers it, when that is why it is approved.
    #[serde(default)]
    pub grant: Option<QuestionId>,
    /// The call that this one makes again: for the devices that failed, with other arguments, or approved.
    #[serde(default)]
    pub follows: Option<CallId>,
}

/// The one vocabulary of things that go wrong with a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// No server offers it.
    ToolNotFound,
    /// The tool ran and failed.
    ExecutionFailed,
    /// No answer in time.
    Timeout,
    /// A token bucket is empty.
    RateLimited,
    /// The breaker is open.
    CircuitOpen,
    /// Memory, size or token limit.
    ResourceExhausted,
    /// A script left its sandbox.
    SandboxViolation,
    /// The device could not be reached.
    Network,
    /// The server is gone or not ready.
    ServiceUnavailable,
    /// Wrong configuration: inventory, credentials, certificate.
    Configuration,
    /// Arguments refused.
    InvalidParameter,
    /// Not allowed: profile, policy or device.
    PermissionDenied,
    /// The device does not have the asked feature or model.
    NotAvailable,
    /// The policy wants a human to approve this call first.
    NeedsApproval,
    /// Cancelled by the human or the session.
    Cancelled,
}

impl ErrorKind {
    /// True when the same call may well succeed a moment later.
    pub fn is_transient(self) -> bool {
        matches!(
            self,
            ErrorKind::Timeout | ErrorKind::RateLimited | ErrorKind::Network | ErrorKind::ServiceUnavailable
        )
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            ErrorKind::ToolNotFound => "tool not found",
            ErrorKind::ExecutionFailed => "execution failed",
            ErrorKind::Timeout => "timeout",
            ErrorKind::RateLimited => "rate limited",
            ErrorKind::CircuitOpen => "circuit open",
            ErrorKind::ResourceExhausted => "resource exhausted",
            ErrorKind::SandboxViolation => "sandbox violation",
            ErrorKind::Network => "network",
            ErrorKind::ServiceUnavailable => "service unavailable",
            ErrorKind::Configuration => "configuration",
            ErrorKind::InvalidParameter => "invalid parameter",
            ErrorKind::PermissionDenied => "permission denied",
            ErrorKind::NotAvailable => "not available",
            ErrorKind::NeedsApproval => "needs approval",
            ErrorKind::Cancelled => "cancelled",
        })
    }
}

/// Why a call failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallFailure {
    /// Kind.
    pub kind: ErrorKind,
    /// What happened and what to do next, one or two lines, neutralised and redacted.
    pub message: String,
}

/// One device of a several-device call that did not answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceFailure {
    /// Device.
    pub device: DeviceName,
    /// Why.
    pub failure: CallFailure,
}

/// What the guard did on the way, in order: `schema ok`, `profile ok`, `cache miss`, …
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CallTrace(pub Vec<String>);

/// What came of a call. A result may hold data and failures at once (`partial_success`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallOutcome {
    /// The result as JSON, neutralised, redacted and capped; absent when the call failed as a whole.
    #[serde(default)]
    pub value: Option<Arc<Value>>,
    /// The failure of the call as a whole.
    #[serde(default)]
    pub failure: Option<CallFailure>,
    /// Devices that failed inside a several-device call.
    #[serde(default)]
    pub device_failures: Vec<DeviceFailure>,
    /// True when the result was cut to the size cap.
    #[serde(default)]
    pub truncated: bool,
    /// True when it came from the cache.
    #[serde(default)]
    pub cached: bool,
    /// When the call left.
    pub started_at: Timestamp,
    /// When the result was there.
    pub ended_at: Timestamp,
    /// The guard's steps.
    #[serde(default)]
    pub trace: CallTrace,
}

impl CallOutcome {
    /// A result without failures.
    pub fn success(value: Value, started_at: Timestamp, ended_at: Timestamp) -> Self {
        Self {
            value: Some(Arc::new(value)),
            failure: None,
            device_failures: Vec::new(),
            truncated: false,
            cached: false,
            started_at,
            ended_at,
            trace: CallTrace::default(),
        }
    }

    /// A failure as a whole.
    pub fn failed(failure: CallFailure, started_at: Timestamp, ended_at: Timestamp) -> Self {
        Self {
            value: None,
            failure: Some(failure),
            ..Self::success(Value::Null, started_at, ended_at)
        }
    }
}
