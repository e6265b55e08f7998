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
        _ => {
            let parts: Vec<String> = part_errors(envelope)
                .map(|(part, error)| format!("{part}: {}", plain(error)))
                .collect();
            (
                issue,
                if parts.is_empty() {
                    NO_REASON.to_owned()
                } else {
                    parts.join("; ")
                },
            )
        }
    }
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
        Some("RESOURCE_EXHAUSTED") => ErrorKind::ResourceExhausted,
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
mod tests {
    use rmcp::model::ContentBlock;
    use serde_json::json;

    use super::*;

    fn text(text: &str) -> CallToolResult {
        CallToolResult::success(vec![ContentBlock::text(text)])
    }

    #[test]
    fn structured_content_wins_then_json_text_then_text() {
        let mut both = text("{\"a\": 2}");
        both.structured_content = Some(json!({"a": 1}));
        assert_eq!(read(&both).payload, Some(json!({"a": 1})));
        assert_eq!(read(&text("{\"a\": 2}")).payload, Some(json!({"a": 2})));
        assert_eq!(read(&text("{not json")).payload, Some(json!("{not json")));
        assert_eq!(read(&text("up")).payload, Some(json!("up")));
        let mut wrapped = text("");
        wrapped.structured_content = Some(json!({"result": [1, 2]}));
        assert_eq!(read(&wrapped).payload, Some(json!([1, 2])));
    }

    #[test]
    fn failures_inside_a_success_are_failures() {
        let cases = [
            (
                json!({"status": "failed", "device_name": "xrd-9", "error_response":
                    {"type": "CONNECTION_TIMEOUT", "message": "no answer after 5 s"}}),
                ErrorKind::Network,
            ),
            (
                json!({"status": "failed", "error_response":
                    {"type": "gNMIException", "message": "GRPC ERROR: deadline exceeded"}}),
                ErrorKind::Timeout,
            ),
            (
                json!({"status": "failed", "error_response": {"type": "X", "message": "no"},
                    "metadata": {"issue_type": "INTERFACE_NOT_FOUND"}}),
                ErrorKind::InvalidParameter,
            ),
            (
                json!({"status": "failed", "error_response": null, "metadata": {"protocol_errors":
                    {"bgp": {"type": "error", "message": "Connection timeout when connecting to xrd-down"}}}}),
                ErrorKind::Timeout,
            ),
        ];
        for (payload, kind) in cases {
            let reading = read(&text(&payload.to_string()));
            assert_eq!(reading.failure.map(|f| f.kind), Some(kind), "{payload}");
            assert_eq!(reading.payload, None);
        }
        for fine in [
            json!({"status": "success"}),
            json!({"status": "up", "name": "eth0"}),
            json!([1]),
        ] {
            let reading = read(&text(&fine.to_string()));
            assert_eq!((reading.payload, reading.failure), (Some(fine), None));
        }
    }

    #[test]
    fn an_absent_feature_is_an_answer() {
        let payload = json!({"status": "feature_not_available", "feature_not_found_response":
            {"feature_name": "bgp", "message": "BGP is not configured"}});
        let reading = read(&text(&payload.to_string()));
        assert_eq!(reading.failure.map(|f| f.kind), Some(ErrorKind::NotAvailable));
        assert_eq!(reading.payload, Some(payload));
    }

    #[test]
    fn a_partial_success_fails_only_where_something_went_wrong() {
        let absent = json!({"status": "partial_success", "device_name": "xrd-3", "data": {"isis": {}}, "metadata":
            {"protocol_errors": {"bgp": {"type": "feature_not_found", "message": "Feature not found"}}}});
        assert_eq!(read(&text(&absent.to_string())).devices, vec![]);
        let broken = json!({"status": "partial_success", "device_name": "xrd-3", "metadata":
            {"path_errors": {"/x": {"type": "error", "message": "deadline exceeded"}}}});
        let reading = read(&text(&broken.to_string()));
        assert_eq!(reading.failure, None);
        assert_eq!(reading.devices.len(), 1);
        assert_eq!(
            (reading.devices[0].0.as_str(), reading.devices[0].1.kind),
            ("xrd-3", ErrorKind::Timeout)
        );
    }

    #[test]
    fn devices_inside_a_call_of_several_are_read_one_by_one() {
        let dead =
            json!({"status": "failed", "error_response": {"type": "CONNECTION_TIMEOUT", "message": "dead"}});
        let payload = json!({"status": "partial_success", "data": {"devices":
            {"a": {"status": "success"}, "b": dead, "c": {"status": "feature_not_available"}}}});
        let reading = read(&text(&payload.to_string()));
        assert_eq!(reading.devices.len(), 1);
        assert_eq!(
            (reading.devices[0].0.as_str(), reading.devices[0].1.kind),
            ("b", ErrorKind::Network)
        );
    }

    #[test]
    fn is_error_results_are_classified_by_their_words() {
        for (words, kind) in [
            ("Unknown tool: nope", ErrorKind::ToolNotFound),
            ("1 validation error for get_logs", ErrorKind::InvalidParameter),
            (
                "Error executing tool: 'NoneType' object has no attribute",
                ErrorKind::ExecutionFailed,
            ),
        ] {
            let reading = read(&CallToolResult::error(vec![ContentBlock::text(words)]));
            assert_eq!(reading.failure.map(|f| f.kind), Some(kind), "{words}");
        }
        assert!(read(&CallToolResult::error(vec![])).failure.is_some());
    }
}
