//! Tests of the reading of results: made ones, and every answer recorded from a real server.

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

/// The recorded answers of a gNMIBuddy, where they are at hand.
fn samples() -> Option<Value> {
    let shared = std::env::var_os("NOCTUI_SHARED").map(std::path::PathBuf::from);
    let folder = shared.unwrap_or_else(|| std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"));
    let text = std::fs::read_to_string(folder.join("gnmibuddy/samples.json")).ok()?;
    serde_json::from_str(&text).ok()
}

#[test]
fn every_recorded_answer_is_read_as_what_it_says() {
    let Some(samples) = samples() else {
        println!("skipped: no recorded answers here");
        return;
    };
    let mut read_so_far = 0;
    for sample in samples["samples"].as_array().unwrap() {
        let Ok(result) = serde_json::from_value::<CallToolResult>(sample["result"].clone()) else {
            continue;
        };
        let reading = read(&result);
        let status = payload(&result)["status"].as_str().unwrap_or("none").to_owned();
        let kind = reading.failure.as_ref().map(|failure| failure.kind);
        let what = format!(
            "{} {}: {:?}",
            sample["tool"], sample["arguments"], reading.failure
        );
        match (result.is_error, status.as_str()) {
            (Some(true), _) => assert!(kind.is_some() && reading.payload.is_none(), "{what}"),
            (_, "failed") => {
                assert!(kind.is_some() && kind != Some(ErrorKind::NotAvailable), "{what}");
                let message = &reading.failure.as_ref().unwrap().message;
                assert!(!message.contains(NO_REASON), "{what}");
            }
            (_, "feature_not_available") => assert_eq!(kind, Some(ErrorKind::NotAvailable), "{what}"),
            _ => assert!(kind.is_none() && reading.payload.is_some(), "{what}"),
        }
        let dead = reading
            .failure
            .as_ref()
            .is_some_and(|failure| failure.message.contains("Connection timeout"));
        if dead {
            assert!(
                matches!(kind, Some(ErrorKind::Network | ErrorKind::Timeout)),
                "{what}"
            );
        }
        read_so_far += 1;
    }
    assert!(read_so_far > 50, "{read_so_far}");
}

#[test]
fn every_kind_a_server_can_name_is_understood() {
    use ErrorKind as E;
    for (code, kind) in [
        ("TOOL_NOT_FOUND", E::ToolNotFound),
        ("DEADLINE_EXCEEDED", E::Timeout),
        ("RATE_LIMITED", E::RateLimited),
        ("CIRCUIT_OPEN", E::CircuitOpen),
        ("RESOURCE_EXHAUSTED", E::ResourceExhausted),
        ("SANDBOX_VIOLATION", E::SandboxViolation),
        ("UNREACHABLE", E::Network),
        ("SERVICE_UNAVAILABLE", E::ServiceUnavailable),
        ("INVENTORY_ERROR", E::Configuration),
        ("INVALID_ARGUMENT", E::InvalidParameter),
        ("PERMISSION_DENIED", E::PermissionDenied),
        ("UNIMPLEMENTED", E::NotAvailable),
        ("SOMETHING_ELSE", E::ExecutionFailed),
    ] {
        assert_eq!(kind_of_code(Some(code), "it broke"), kind, "{code}");
    }
    assert_eq!(kind_of_code(None, "429 Too Many Requests"), E::RateLimited);
}
