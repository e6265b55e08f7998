//! What can go wrong with a device, by kind, with the gRPC status behind it.
//!
//! A kind decides what the caller does (retry, mark as unobserved, ask for another path); the message is
//! for the engineer. Statuses are classified by code and by the errors that caused them.

use crate::gnmi::inventory::Device;
use tonic::Code;

/// What happened, as far as it changes what to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// No TCP connection: refused, no route, or no answer in time.
    Unreachable,
    /// Connected, but the answer did not come in time.
    Deadline,
    /// Left alone because it failed several times in a row.
    CircuitOpen,
    /// The TLS handshake failed: certificate, name or protocol.
    Tls,
    /// User name or password refused.
    Unauthenticated,
    /// Logged in, but not allowed.
    PermissionDenied,
    /// The device has no such element: the feature is not configured, or the path is wrong.
    NotFound,
    /// The device refused the request as malformed.
    InvalidRequest,
    /// The encoding is not offered.
    Encoding,
    /// A required model is not offered.
    Model,
    /// RPC or option not implemented by the device.
    Unimplemented,
    /// The answer exceeds the size limit.
    TooLarge,
    /// The device is out of sessions or requests.
    Exhausted,
    /// The connection broke or the device said it is unavailable.
    Unavailable,
    /// The answer cannot be decoded.
    Undecodable,
    /// Our own credentials or certificate files cannot be read.
    Configuration,
    /// Anything else the device reported.
    Other,
}

impl Kind {
    /// Stable name, shown as `details.kind` in an error.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unreachable => "unreachable",
            Self::Deadline => "deadline",
            Self::CircuitOpen => "circuit_open",
            Self::Tls => "tls",
            Self::Unauthenticated => "unauthenticated",
            Self::PermissionDenied => "permission_denied",
            Self::NotFound => "not_found",
            Self::InvalidRequest => "invalid_request",
            Self::Encoding => "encoding_not_supported",
            Self::Model => "model_not_supported",
            Self::Unimplemented => "unimplemented",
            Self::TooLarge => "too_large",
            Self::Exhausted => "exhausted",
            Self::Unavailable => "unavailable",
            Self::Undecodable => "undecodable",
            Self::Configuration => "configuration",
            Self::Other => "other",
        }
    }

    /// Worth another try within the same deadline.
    pub(super) fn is_transient(self) -> bool {
        matches!(self, Self::Exhausted | Self::Unavailable)
    }

    /// Says something about the device as a whole, so the breaker counts it.
    pub(super) fn is_outage(self) -> bool {
        matches!(
            self,
            Self::Unreachable | Self::Deadline | Self::Tls | Self::Unavailable
        )
    }
}

/// A failed RPC.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// What happened.
    pub kind: Kind,
    /// One line: what, where, and what to do where that is not plain.
    pub message: String,
    /// gRPC status, when the device or the transport gave one.
    pub code: Option<Code>,
}

impl Error {
    pub(super) fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            code: None,
        }
    }

    pub(super) fn deadline(device: &Device) -> Self {
        Self {
            kind: Kind::Deadline,
            message: format!(
                "No answer from {} ({}) within {} s; raise gnmi_timeout if the device is merely slow",
                device.name,
                device.address(),
                device.timeout.as_secs()
            ),
            code: Some(Code::DeadlineExceeded),
        }
    }

    /// Classifies a gRPC status.
    pub(super) fn from_status(device: &Device, status: &tonic::Status) -> Self {
        let causes = causes(status);
        let kind = classify(status, &causes);
        let address = device.address();
        let said = if status.message().is_empty() {
            code_name(status.code())
        } else {
            status.message()
        };
        let message = match kind {
            Kind::Unreachable => {
                format!(
                    "Cannot connect to {} ({address}): {}",
                    device.name,
                    last_word(&causes, said)
                )
            }
            Kind::Tls => {
                let reason = last_word(&causes, said);
                // What rustls says of an answer that is no TLS record.
                let clear = if reason.to_lowercase().contains("invalidcontenttype") {
                    " - it may speak clear text (--insecure, \"insecure\": true in an inventory)"
                } else {
                    ""
                };
                format!(
                    "TLS handshake with {} ({address}) failed: {reason}{clear}",
                    device.name
                )
            }
            Kind::Deadline => return Self::deadline(device),
            Kind::TooLarge => format!(
                "The answer of {} ({address}) is over the size limit ({said}); ask for a narrower path",
                device.name
            ),
            Kind::Undecodable => format!(
                "The answer of {} ({address}) cannot be decoded: {said}",
                device.name
            ),
            _ => format!("GRPC ERROR Host: {address}, Error: {said}"),
        };
        Self {
            kind,
            message,
            code: Some(status.code()),
        }
    }
}

fn classify(status: &tonic::Status, causes: &[String]) -> Kind {
    let has = |words: &[&str]| {
        let said = status.message().to_lowercase();
        words
            .iter()
            .any(|w| said.contains(w) || causes.iter().any(|c| c.contains(w)))
    };
    match status.code() {
        Code::NotFound => Kind::NotFound,
        Code::Unauthenticated => Kind::Unauthenticated,
        Code::PermissionDenied => Kind::PermissionDenied,
        Code::InvalidArgument if has(&["encoding"]) => Kind::Encoding,
        Code::Unimplemented if has(&["encoding"]) => Kind::Encoding,
        Code::InvalidArgument => Kind::InvalidRequest,
        Code::Unimplemented => Kind::Unimplemented,
        Code::DeadlineExceeded => Kind::Deadline,
        Code::Cancelled if has(&["timeout expired"]) => Kind::Deadline,
        Code::OutOfRange if has(&["message length too large"]) => Kind::TooLarge,
        Code::ResourceExhausted if has(&["larger than max", "too large"]) => Kind::TooLarge,
        Code::ResourceExhausted => Kind::Exhausted,
        _ if has(&[
            "invalid peer certificate",
            "certificate",
            "received fatal alert",
            "corrupt message",
            "handshake",
        ]) =>
        {
            Kind::Tls
        }
        _ if has(&[
            "tcp connect error",
            "dns error",
            "connection refused",
            "tcp open error",
            "deadline has elapsed",
        ]) =>
        {
            Kind::Unreachable
        }
        Code::Internal if has(&["failed to decode", "utf-8", "invalid wire type"]) => Kind::Undecodable,
        Code::Unavailable => Kind::Unavailable,
        _ if has(&[
            "connection reset",
            "broken pipe",
            "connection closed",
            "h2 protocol error",
            "http2 error",
            "transport error",
        ]) =>
        {
            Kind::Unavailable
        }
        _ => Kind::Other,
    }
}

/// The chain of causes below a status, lower case, outermost first.
fn causes(status: &tonic::Status) -> Vec<String> {
    let mut chain = Vec::new();
    let mut cause = std::error::Error::source(status);
    while let Some(error) = cause {
        chain.push(error.to_string().to_lowercase());
        cause = error.source();
    }
    chain
}

fn last_word<'a>(causes: &'a [String], said: &'a str) -> &'a str {
    causes.last().map_or(said, String::as_str)
}

/// gRPC's own name of a code, as logs and other tools print it.
pub fn code_name(code: Code) -> &'static str {
    match code {
        Code::Ok => "OK",
        Code::Cancelled => "CANCELLED",
        Code::Unknown => "UNKNOWN",
        Code::InvalidArgument => "INVALID_ARGUMENT",
        Code::DeadlineExceeded => "DEADLINE_EXCEEDED",
        Code::NotFound => "NOT_FOUND",
        Code::AlreadyExists => "ALREADY_EXISTS",
        Code::PermissionDenied => "PERMISSION_DENIED",
        Code::ResourceExhausted => "RESOURCE_EXHAUSTED",
        Code::FailedPrecondition => "FAILED_PRECONDITION",
        Code::Aborted => "ABORTED",
        Code::OutOfRange => "OUT_OF_RANGE",
        Code::Unimplemented => "UNIMPLEMENTED",
        Code::Internal => "INTERNAL",
        Code::Unavailable => "UNAVAILABLE",
        Code::DataLoss => "DATA_LOSS",
        Code::Unauthenticated => "UNAUTHENTICATED",
    }
}
