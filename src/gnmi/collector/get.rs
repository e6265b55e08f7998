//! `gnmi_get` and `gnmi_capabilities`: what a device holds and offers, without interpretation.
//!
//! All paths go in one Get; when the device refuses it, each path is asked alone so that one bad path
//! does not hide the others.

use super::arguments::Arguments;
use super::envelope::{Envelope, ErrorResponse, Status};
use super::shrink::shrink;
use crate::gnmi::client::{Answer, Error, Get, Kind, Session};
use crate::proto::gnmi::get_request::DataType;
use crate::proto::gnmi::{Encoding, Path};
use crate::proto::path::parse;
use serde_json::{Map, Value, json};

const GET: &str = "gnmi_get";
const CAPABILITIES: &str = "gnmi_capabilities";

/// A path as asked and as parsed, and what came of it.
type Asked<'a> = (&'a str, Path);

pub(super) async fn get(session: &Session, arguments: &Arguments) -> Envelope {
    let device = session.device();
    let mut paths: Vec<Asked<'_>> = Vec::new();
    let mut errors = Map::new();
    for text in arguments.texts("paths") {
        match parse(text) {
            Ok(path) => paths.push((text, path)),
            Err(error) => {
                let flat = error.to_string().lines().next().unwrap_or_default().to_owned();
                errors.insert(
                    text.into(),
                    json!({ "type": "INVALID_PARAMETER", "message": flat, "details": {} }),
                );
            }
        }
    }
    if paths.is_empty() {
        let message = format!("No path is valid: {}", first_message(&errors));
        return Envelope {
            metadata: json!({ "path_errors": errors }),
            ..Envelope::invalid(device, GET, message)
        };
    }
    let read = read_all(session, &paths, data_type(arguments)).await;
    let (answers, failure) = match read {
        Ok(answers) => (answers, None),
        Err(error) => (Vec::new(), Some(error)),
    };
    if let Some(error) = failure {
        return Envelope::failed_or_absent(device, GET, &arguments.texts("paths").join(", "), &error);
    }
    assemble(session, arguments, answers, errors)
}

/// Puts the answers of the paths together: data, errors per path, and the status that follows.
fn assemble(
    session: &Session,
    arguments: &Arguments,
    answers: Vec<(&str, Path, Result<Answer, Error>)>,
    mut errors: Map<String, Value>,
) -> Envelope {
    let mut data = Map::new();
    let mut warnings = Vec::new();
    let mut absent = 0;
    let mut timestamp = 0;
    let asked = answers.len() + errors.len();
    for (text, path, answer) in answers {
        let value = answer.and_then(|answer| {
            warnings.extend_from_slice(&answer.warnings);
            timestamp = timestamp.max(answer.timestamp_ns);
            answer.value_of(&path).ok_or_else(|| nothing_at(text))
        });
        match value {
            Ok(value) => {
                data.insert(text.to_owned(), value);
            }
            Err(error) => {
                absent += usize::from(error.kind == Kind::NotFound);
                errors.insert(text.to_owned(), json!(ErrorResponse::of(&error)));
            }
        }
    }
    warnings.dedup();
    let status = match (data.len(), absent) {
        (n, _) if n == asked => Status::Success,
        (0, n) if n == asked => Status::FeatureNotAvailable,
        (0, _) => Status::Failed,
        _ => Status::PartialSuccess,
    };
    let mut data = Value::Object(data);
    let truncated = shrink(&mut data, &arguments.texts("fields"), arguments.number("limit"));
    let mut metadata = json!({ "timestamp_ns": timestamp.to_string() });
    if !errors.is_empty() {
        metadata["path_errors"] = Value::Object(errors.clone());
    }
    if !truncated.is_empty() {
        metadata["truncated"] = Value::Object(truncated);
    }
    let mut envelope = Envelope {
        data,
        metadata,
        ..Envelope::new(session.device(), GET, status)
    };
    finish(&mut envelope, &errors);
    envelope.with_warnings(&warnings)
}

/// Repeats the first path's error where the contract's readers look for it.
fn finish(envelope: &mut Envelope, errors: &Map<String, Value>) {
    match envelope.status {
        Status::Failed => {
            let kind = errors.values().next().and_then(|e| e["type"].as_str());
            envelope.error_response = Some(ErrorResponse {
                error_type: if kind == Some("INVALID_PARAMETER") {
                    "INVALID_PARAMETER"
                } else {
                    "gNMIException"
                },
                message: first_message(errors),
                details: json!({}),
            });
        }
        Status::FeatureNotAvailable => {
            envelope.feature_not_found_response = Some(super::envelope::FeatureNotFound {
                feature_name: errors.keys().cloned().collect::<Vec<_>>().join(", "),
                message: first_message(errors),
                details: json!({}),
            });
        }
        Status::Success | Status::PartialSuccess => {}
    }
}

fn first_message(errors: &Map<String, Value>) -> String {
    errors
        .values()
        .next()
        .and_then(|e| e["message"].as_str())
        .unwrap_or_default()
        .to_owned()
}

fn nothing_at(path: &str) -> Error {
    Error {
        kind: Kind::NotFound,
        message: format!("The device answered, but with nothing at {path}"),
        code: None,
    }
}

/// One Get for all paths; when the device refuses a path, one Get for each.
async fn read_all<'a>(
    session: &Session,
    paths: &[Asked<'a>],
    data_type: DataType,
) -> Result<Vec<(&'a str, Path, Result<Answer, Error>)>, Error> {
    let encoding = session.json_encoding().await?;
    let ask = |paths: Vec<Path>| async move {
        session
            .get(&Get {
                paths,
                data_type,
                encoding,
            })
            .await
    };
    match ask(paths.iter().map(|(_, p)| p.clone()).collect()).await {
        Ok(answer) => Ok(paths
            .iter()
            .map(|(text, path)| (*text, path.clone(), Ok(answer.clone())))
            .collect()),
        Err(error) if paths.len() > 1 && is_about_a_path(error.kind) => {
            let each = paths
                .iter()
                .map(|(text, path)| async move { (*text, path.clone(), ask(vec![path.clone()]).await) });
            Ok(futures::future::join_all(each).await)
        }
        Err(error) if is_about_a_path(error.kind) => Ok(paths
            .iter()
            .map(|(text, path)| (*text, path.clone(), Err(error.clone())))
            .collect()),
        Err(error) => Err(error),
    }
}

fn is_about_a_path(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::NotFound
            | Kind::InvalidRequest
            | Kind::Unimplemented
            | Kind::TooLarge
            | Kind::Undecodable
            | Kind::PermissionDenied
            | Kind::Other
    )
}

/// The argument `type` as gNMI's number.
pub(super) fn data_type(arguments: &Arguments) -> DataType {
    match arguments.text("type") {
        Some("config") => DataType::Config,
        Some("state") => DataType::State,
        Some("operational") => DataType::Operational,
        _ => DataType::All,
    }
}

pub(super) async fn capabilities(session: &Session, arguments: &Arguments) -> Envelope {
    let device = session.device();
    let offered = match session.fetch_capabilities().await {
        Ok(offered) => offered,
        Err(error) => return Envelope::failed(device, CAPABILITIES, &error),
    };
    let wanted: Vec<String> = arguments
        .texts("fields")
        .iter()
        .map(|f| f.to_lowercase())
        .collect();
    let total = offered.supported_models.len();
    let models: Vec<Value> = offered
        .supported_models
        .iter()
        .filter(|m| wanted.is_empty() || wanted.iter().any(|w| m.name.to_lowercase().contains(w)))
        .map(|m| json!({ "name": m.name, "organization": m.organization, "version": m.version }))
        .collect();
    let encodings: Vec<String> = offered
        .supported_encodings
        .iter()
        .map(|n| Encoding::try_from(*n).map_or_else(|_| n.to_string(), |e| e.as_str_name().to_lowercase()))
        .collect();
    let mut data = json!({
        "gnmi_version": offered.g_nmi_version,
        "supported_encodings": encodings,
        "supported_models": models,
    });
    let truncated = shrink(&mut data, &[], arguments.number("limit"));
    let mut metadata = json!({ "total_models": total });
    if !truncated.is_empty() {
        metadata["truncated"] = Value::Object(truncated);
    }
    Envelope::success(device, CAPABILITIES, data, metadata)
}
