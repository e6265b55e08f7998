//! The envelope of every answer about devices, and how a client error becomes part of it.

use crate::gnmi::client::{Error, Kind, code_name};
use crate::gnmi::inventory::{Device, Nos};
use serde::Serialize;
use serde_json::{Value, json};

/// How an operation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Everything asked was answered.
    Success,
    /// Nothing was answered.
    Failed,
    /// The device does not have the feature.
    FeatureNotAvailable,
    /// A part was answered; metadata says what is missing.
    PartialSuccess,
}

/// Why an operation failed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ErrorResponse {
    /// The contract's error type.
    #[serde(rename = "type")]
    pub error_type: &'static str,
    /// One line.
    pub message: String,
    /// `kind`, and `grpc_code` where there is one.
    pub details: Value,
}

/// A feature that is not configured or not supported.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FeatureNotFound {
    /// What was looked for.
    pub feature_name: String,
    /// One line.
    pub message: String,
    /// More, if there is more.
    pub details: Value,
}

/// An answer about one device, or about several under a collective name.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Envelope {
    /// Device asked, or a collective name such as `ALL_DEVICES`.
    pub device_name: String,
    /// Its management address.
    pub ip_address: Option<String>,
    /// Its operating system.
    pub nos: Nos,
    /// What was done.
    pub operation_type: &'static str,
    /// How it ended.
    pub status: Status,
    /// What was read.
    pub data: Value,
    /// About the reading.
    pub metadata: Value,
    /// Set when something failed.
    pub error_response: Option<ErrorResponse>,
    /// Set when the device lacks the feature.
    pub feature_not_found_response: Option<FeatureNotFound>,
}

impl Envelope {
    /// An answer about `device` with empty data.
    pub fn new(device: &Device, operation_type: &'static str, status: Status) -> Self {
        Self {
            device_name: device.name.clone(),
            ip_address: Some(device.host.clone()),
            nos: device.nos,
            operation_type,
            status,
            data: json!({}),
            metadata: json!({}),
            error_response: None,
            feature_not_found_response: None,
        }
    }

    /// An answer about several devices.
    pub fn of_many(name: &str, operation_type: &'static str, status: Status) -> Self {
        Self {
            device_name: name.to_owned(),
            ip_address: None,
            nos: Nos::Unknown,
            operation_type,
            status,
            data: json!({}),
            metadata: json!({}),
            error_response: None,
            feature_not_found_response: None,
        }
    }

    /// A complete answer.
    pub fn success(device: &Device, operation_type: &'static str, data: Value, metadata: Value) -> Self {
        Self {
            data,
            metadata,
            ..Self::new(device, operation_type, Status::Success)
        }
    }

    /// A failed operation.
    pub fn failed(device: &Device, operation_type: &'static str, error: &Error) -> Self {
        Self {
            error_response: Some(ErrorResponse::of(error)),
            ..Self::new(device, operation_type, Status::Failed)
        }
    }

    /// A failed or, for a missing element, a not available operation.
    pub fn failed_or_absent(
        device: &Device,
        operation_type: &'static str,
        feature: &str,
        error: &Error,
    ) -> Self {
        if error.kind != Kind::NotFound {
            return Self::failed(device, operation_type, error);
        }
        let absent = FeatureNotFound {
            feature_name: feature.to_owned(),
            message: format!("Feature not found on device {}: {}", device.name, error.message),
            details: json!({}),
        };
        Self {
            feature_not_found_response: Some(absent),
            ..Self::new(device, operation_type, Status::FeatureNotAvailable)
        }
    }

    /// A parameter that is well formed but makes no sense.
    pub fn invalid(device: &Device, operation_type: &'static str, message: String) -> Self {
        let error = ErrorResponse {
            error_type: "INVALID_PARAMETER",
            message,
            details: json!({}),
        };
        Self {
            error_response: Some(error),
            ..Self::new(device, operation_type, Status::Failed)
        }
    }

    /// A name that the inventory does not have.
    pub fn unknown_device(name: &str, nearest: &[&str]) -> Self {
        let message = format!("Device '{name}' not found in inventory");
        let details = if nearest.is_empty() {
            json!({})
        } else {
            json!({ "did_you_mean": nearest })
        };
        Self {
            metadata: json!({ "error_type": "device_not_found" }),
            error_response: Some(ErrorResponse {
                error_type: "DEVICE_ERROR",
                message,
                details,
            }),
            ..Self::of_many(name, "device_retrieval", Status::Failed)
        }
    }

    /// Adds what had to be repaired while reading; nothing when nothing had to.
    pub fn with_warnings(mut self, warnings: &[String]) -> Self {
        if !warnings.is_empty() {
            self.metadata["warnings"] = json!(warnings);
        }
        self
    }

    /// The JSON that goes to the client.
    pub fn into_json(self) -> Value {
        let operation = self.operation_type;
        serde_json::to_value(self).unwrap_or_else(|e| json!({ "operation_type": operation, "status": "failed", "error_response": { "type": "INTERNAL", "message": e.to_string(), "details": {} } }))
    }
}

impl ErrorResponse {
    /// Maps a client error to the contract's types; the finer kind is in `details.kind`.
    pub fn of(error: &Error) -> Self {
        let error_type = match error.kind {
            Kind::Unreachable | Kind::CircuitOpen | Kind::Tls => "CONNECTION_TIMEOUT",
            Kind::Model => "MODEL_NOT_SUPPORTED",
            Kind::Encoding => "ENCODING_NOT_SUPPORTED",
            Kind::InvalidRequest
            | Kind::Deadline
            | Kind::Unauthenticated
            | Kind::PermissionDenied
            | Kind::NotFound
            | Kind::Unimplemented
            | Kind::TooLarge
            | Kind::Exhausted
            | Kind::Unavailable
            | Kind::Undecodable
            | Kind::Configuration
            | Kind::Other => "gNMIException",
        };
        let mut details = json!({ "kind": error.kind.name() });
        if let Some(code) = error.code {
            details["grpc_code"] = json!(code_name(code));
        }
        Self {
            error_type,
            message: error.message.clone(),
            details,
        }
    }
}
