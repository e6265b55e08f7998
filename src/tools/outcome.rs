//! Reads what a tool result really says: payload, success, partial success or failure.
//!
//! Servers report device failures inside a successful result (`status: failed`), as `isError`, or as a
//! protocol error; all become one [`Reading`] with one vocabulary. `structuredContent` is preferred, JSON
//! text in the content comes next, plain text last.

use rmcp::model::CallToolResult;
use serde_json::{Map, Value};

use super::failure::Failure;
use crate::agent::model::ErrorKind;

/// What a result says.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The payload as JSON, plain text as a JSON string; absent when the call failed as a whole.
    pub payload: Option<Value>,
    /// The failure of the call as a whole. `NotAvailable` keeps its payload: it is an answer.
    pub failure: Option<Failure>,
    /// Devices that failed inside a call that otherwise answered.
    pub devices: Vec<(String, Failure)>,
}

/// Reads a result.
#[must_use]
pub fn read(result: &CallToolResult) -> Reading {
    let payload = payload(result);
    let failure = if result.is_error == Some(true) {
        Some(tool_error(&payload))
    } else {
        payload.as_object().and_then(reported_failure)
    };
    match failure {
        Some(failure) if failure.kind != ErrorKind::NotAvailable => Reading {
            payload: None,
            failure: Some(failure),
            devices: Vec::new(),
        },
        failure => {
            let devices = payload.as_object().map(device_failures).unwrap_or_default();
            Reading {
                payload: Some(payload),
                failure,
                devices,
            }
        }
    }
}

fn payload(result: &CallToolResult) -> Value {
    if let Some(structured) = &result.structured_content
        && !structured.is_null()
    {
        return unwrap_single(structured.clone());
    }
    let texts: Vec<&str> = result
        .content
        .iter()
        .filter_map(|block| block.as_text())
        .map(|text| text.text.as_str())
        .collect();
    match texts.as_slice() {
        [] => Value::Null,
        [one] => parse(one),
        many => {
            let parsed: Vec<Value> = many.iter().map(|text| parse(text)).collect();
            if parsed.iter().all(Value::is_string) {
                Value::String(many.join("\n"))
            } else {
                Value::Array(parsed)
            }
        }
    }
}

/// JSON objects and arrays are read as such, everything else stays text.
fn parse(text: &str) -> Value {
    let trimmed = text.trim_start();
    if trimmed.starts_with(['{', '[']) {
        serde_json::from_str(trimmed).unwrap_or_else(|_| Value::String(text.to_owned()))
    } else {
        Value::String(text.to_owned())
    }
}

/// Some servers wrap a plain value as `{"result": …}` because structured content must be an object.
fn unwrap_single(value: Value) -> Value {
    match value {
        Value::Object(mut map) if map.len() == 1 && map.contains_key("result") => {
            map.remove("result").unwrap_or_default()
        }
        other => other,
    }
}

fn text_of<'a>(map: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    map.get(name).and_then(Value::as_str)
}

/// The failure that an envelope reports for the call as a whole, if any.
fn reported_failure(envelope: &Map<String, Value>) -> Option<Failure> {
    let place = text_of(envelope, "device_name")
        .map(|device| format!("{device}: "))
        .unwrap_or_default();
    match text_of(envelope, "status")? {
        "failed" | "error" | "failure" => {
            let (code, message) = error_text(envelope, "error_response");
            Some(Failure::new(
                kind_of_code(code.as_deref(), &message),
                format!("{place}{message}"),
            ))
        }
        "feature_not_available" => {
            let (_, message) = error_text(envelope, "feature_not_found_response");
            Some(Failure::new(ErrorKind::NotAvailable, format!("{place}{message}")))
        }
        _ => None,
    }
}

/// Devices that failed inside an answer: the members of `data.devices`, or the one device of a partial
/// success whose missing part failed rather than being absent.
fn device_failures(envelope: &Map<String, Value>) -> Vec<(String, Failure)> {
    let of_one = |name: &str, answer: &Value| {
        let failure = reported_failure(answer.as_object()?)?;
        (failure.kind != ErrorKind::NotAvailable).then(|| (name.to_owned(), failure))
    };
    match envelope.get("data").and_then(|data| data.get("devices")) {
        Some(Value::Object(answers)) => answers
            .iter()
            .filter_map(|(name, answer)| of_one(name, answer))
            .collect(),
        Some(Value::Array(answers)) => answers
            .iter()
            .filter_map(|answer| of_one(text_of(answer.as_object()?, "device_name")?, answer))
            .collect(),
        _ => partial_failure(envelope).into_iter().collect(),
    }
}

fn partial_failure(envelope: &Map<String, Value>) -> Option<(String, Failure)> {
    if text_of(envelope, "status")? != "partial_success" {
        return None;
    }
    let device = text_of(envelope, "device_name")?;
    let (part, error) = part_errors(envelope).find(|(_, error)| !is_absence(error))?;
    let message = plain(error);
    Some((
        device.to_owned(),
        Failure::new(kind_of_words(&message), format!("{device}: {part}: {message}")),
    ))
}

/// The errors of single protocols or paths, as `metadata` lists them.
fn part_errors(envelope: &Map<String, Value>) -> impl Iterator<Item = (&str, &Value)> {
    let metadata = envelope.get("metadata");
    ["protocol_errors", "path_errors"]
        .into_iter()
        .filter_map(move |name| metadata?.get(name)?.as_object())
        .flat_map(|errors| errors.iter().map(|(part, error)| (part.as_str(), error)))
}

/// Whether an error says that the thing asked about does not exist on the device.
fn is_absence(error: &Value) -> bool {
    let code = error
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_uppercase();
    let words = plain(error).to_lowercase();
    code.contains("NOT_FOUND") || code.contains("NOT_SUPPORTED") || words.contains("not found")
}

/// Type and message of an error object, wherever the server put them.
fn error_text(envelope: &Map<String, Value>, field: &str) -> (Option<String>, String) {
    let found = [field, "error_response", "error"];
    let error = found
        .iter()
        .find_map(|name| envelope.get(*name).filter(|value| !value.is_null()));
    let issue = envelope
        .get("metadata")
        .and_then(|metadata| metadata.get("issue_type"));
    let issue = issue.and_then(Value::as_str).map(str::to_owned);
    match error {
        Some(Value::String(message)) => (issue, message.clone()),
        Some(Value::Object(error)) => {
            let code = issue.or_else(|| {
                text_of(error, "type")
                    .or(text_of(error, "code"))
                    .map(str::to_owned)
            });
            let message = text_of(error, "message")
                .or(text_of(error, "details"))
                .map(str::to_owned);
            let message = message.or_else(|| code.clone());
            (code, message.unwrap_or_else(|| NO_REASON.to_owned()))
        }
        _ => (
            issue,
            words_of_metadata(envelope).unwrap_or_else(|| NO_REASON.to_owned()),
        ),
    }
}

/// The reason as `metadata` gives it: one message, or the errors of single parts.
fn words_of_metadata(envelope: &Map<String, Value>) -> Option<String> {
    let message = envelope
        .get("metadata")
        .and_then(|metadata| metadata.get("message"))
        .and_then(Value::as_str);
    let parts = || {
        let parts: Vec<String> = part_errors(envelope)
            .map(|(part, error)| format!("{part}: {}", plain(error)))
            .collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    };
    message.map(str::to_owned).or_else(parts)
}

const NO_REASON: &str = "the tool reports a failure without a reason";

/// A value as words: the message of an error object, else its text.
fn plain(value: &Value) -> String {
    let message = value
        .as_str()
        .or_else(|| value.get("message").and_then(Value::as_str));
    message.map_or_else(|| value.to_string(), str::to_owned)
}

/// Vocabulary for an error code of the device collector, else for its words.
fn kind_of_code(code: Option<&str>, message: &str) -> ErrorKind {
    match code.map(str::to_uppercase).as_deref() {
        Some(
            "CONNECTION_TIMEOUT" | "CONNECTION_REFUSED" | "CONNECTION_ERROR" | "NETWORK_ERROR"
            | "UNREACHABLE",
        ) => ErrorKind::Network,
        Some("TIMEOUT" | "DEADLINE_EXCEEDED") => ErrorKind::Timeout,
        Some(
            "INVALID_PARAMETER"
            | "INVALID_ARGUMENT"
            | "DEVICE_ERROR"
            | "INTERFACE_NOT_FOUND"
            | "DEVICE_NOT_FOUND",
        ) => ErrorKind::InvalidParameter,
        Some("MODEL_NOT_SUPPORTED" | "ENCODING_NOT_SUPPORTED" | "NOT_FOUND" | "UNIMPLEMENTED") => {
            ErrorKind::NotAvailable
        }
        Some("UNAUTHENTICATED" | "PERMISSION_DENIED") => ErrorKind::PermissionDenied,
        Some("CONFIGURATION" | "CONFIGURATION_ERROR" | "INVENTORY_ERROR") => ErrorKind::Configuration,
        Some("UNAVAILABLE") => ErrorKind::Network,
        Some("RESOURCE_EXHAUSTED" | "OUT_OF_MEMORY" | "TOKEN_LIMIT") => ErrorKind::ResourceExhausted,
        Some("TOOL_NOT_FOUND") => ErrorKind::ToolNotFound,
        Some("RATE_LIMITED" | "RATE_LIMIT_EXCEEDED" | "TOO_MANY_REQUESTS") => ErrorKind::RateLimited,
        Some("CIRCUIT_OPEN") => ErrorKind::CircuitOpen,
        Some("SANDBOX_VIOLATION") => ErrorKind::SandboxViolation,
        Some("SERVICE_UNAVAILABLE") => ErrorKind::ServiceUnavailable,
        _ => kind_of_words(message),
    }
}

/// Vocabulary for an error that has only words.
fn kind_of_words(message: &str) -> ErrorKind {
    let lower = message.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if has(&["unknown tool", "no such tool"]) {
        ErrorKind::ToolNotFound
    } else if has(&["timed out", "timeout", "deadline"]) {
        ErrorKind::Timeout
    } else if has(&[
        "unreachable",
        "connection refused",
        "failed to connect",
        "unavailable",
        "connection reset",
        "no route",
    ]) {
        ErrorKind::Network
    } else if has(&[
        "permission denied",
        "unauthenticated",
        "unauthorized",
        "authentication fail",
        "forbidden",
    ]) {
        ErrorKind::PermissionDenied
    } else if has(&[
        "validation error",
        "invalid argument",
        "invalid parameter",
        "missing required",
        "not a valid",
    ]) {
        ErrorKind::InvalidParameter
    } else if has(&["rate limit", "too many requests"]) {
        ErrorKind::RateLimited
    } else if has(&["sandbox violation"]) {
        ErrorKind::SandboxViolation
    } else if has(&["resource exhausted", "out of memory", "too many"]) {
        ErrorKind::ResourceExhausted
    } else {
        ErrorKind::ExecutionFailed
    }
}

fn tool_error(payload: &Value) -> Failure {
    let message = match payload {
        Value::String(text) if !text.trim().is_empty() => text.clone(),
        Value::Object(map) => {
            let (code, message) = error_text(map, "error");
            return Failure::new(kind_of_code(code.as_deref(), &message), message);
        }
        Value::Null => "the tool failed without saying why".to_owned(),
        other => plain(other),
    };
    Failure::new(kind_of_words(&message), message)
}

#[cfg(test)]
mod tests;
