//! Tools on several devices at once: `gnmi_get_many`, `get_logs_many`, and `call_many` for all others.
//!
//! Each device gets the answer that the single tool would give, under `data.devices`. A device that fails
//! or is unknown fails alone.

use super::arguments::Arguments;
use super::catalog::{Spec, Tool, find};
use super::envelope::{Envelope, Status};
use super::{Collector, Outcome, PARALLEL_DEVICES, Progress, Silent};
use futures::StreamExt as _;
use serde_json::{Map, Value, json};

/// The device names of a call: `*` is the whole inventory, a name counts once.
pub(super) fn names(collector: &Collector, arguments: &Arguments) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let all = || collector.inventory.devices().iter().map(|d| d.name.clone());
    for given in arguments.texts("devices") {
        let meant: Vec<String> = if given == "*" {
            all().collect()
        } else {
            vec![given.to_owned()]
        };
        for name in meant {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

pub(super) async fn call(
    collector: &Collector,
    tool: Tool,
    arguments: &Arguments,
    progress: &dyn Progress,
) -> Outcome {
    let names = names(collector, arguments);
    let (single, shared) = match tool {
        Tool::GnmiGetMany => (Tool::GnmiGet, Ok(arguments.clone())),
        Tool::GetLogsMany => (Tool::Logs, Ok(arguments.clone())),
        _ => {
            let wanted = arguments.text("tool").unwrap_or_default();
            match find(wanted).filter(|spec| device_parameter(spec).is_some()) {
                Some(spec) => (spec.tool, checked(spec, arguments.raw("arguments"))),
                None => return Outcome::Refused(not_single(wanted)),
            }
        }
    };
    let shared = match shared {
        Ok(shared) => shared,
        Err(refusal) => return Outcome::Refused(refusal),
    };
    let reads = names.iter().map(|name| {
        let shared = &shared;
        async move {
            (
                name,
                Box::pin(collector.on_device(single, name, shared, &Silent)).await,
            )
        }
    });
    let mut reads = futures::stream::iter(reads.collect::<Vec<_>>()).buffer_unordered(PARALLEL_DEVICES);
    let mut answers: Vec<(&String, Envelope)> = Vec::with_capacity(names.len());
    while let Some((name, answer)) = reads.next().await {
        answers.push((name, answer));
        progress.report(answers.len(), names.len(), name);
    }
    answers.sort_by_key(|(name, _)| names.iter().position(|n| n == *name));
    let operation = match tool {
        Tool::GnmiGetMany => "gnmi_get_many",
        Tool::GetLogsMany => "logs_many",
        _ => "call_many",
    };
    assemble(operation, answers).into()
}

fn device_parameter(spec: &Spec) -> Option<&'static str> {
    spec.parameters
        .iter()
        .map(|p| p.name)
        .find(|name| matches!(*name, "device_name" | "device"))
}

fn not_single(wanted: &str) -> String {
    let singles: Vec<&str> = super::TOOLS
        .iter()
        .filter(|s| device_parameter(s).is_some())
        .map(|s| s.name)
        .collect();
    format!(
        "call_many: tool: \"{wanted}\" is no tool about one device; those are {}",
        singles.join(", ")
    )
}

/// The arguments of the single tool, checked once for all devices.
fn checked(spec: &Spec, given: &Value) -> Result<Arguments, String> {
    let mut given = given.as_object().cloned().unwrap_or_default();
    let device = device_parameter(spec).unwrap_or("device");
    if given.contains_key(device) {
        return Err(format!(
            "call_many: arguments: leave \"{device}\" out; the devices are in \"devices\""
        ));
    }
    // Any name passes the check; each device's own is used in its call.
    given.insert(device.to_owned(), json!("each device"));
    Arguments::read(spec, &given)
}

fn assemble(operation: &'static str, answers: Vec<(&String, Envelope)>) -> Envelope {
    let with = |statuses: &[Status]| -> Vec<&str> {
        answers
            .iter()
            .filter(|(_, e)| statuses.contains(&e.status))
            .map(|(n, _)| n.as_str())
            .collect()
    };
    let failed = with(&[Status::Failed]);
    let absent = with(&[Status::FeatureNotAvailable]);
    let partial = with(&[Status::PartialSuccess]);
    let status = match (failed.len(), partial.len()) {
        (0, 0) => Status::Success,
        (n, _) if n == answers.len() => Status::Failed,
        _ => Status::PartialSuccess,
    };
    let metadata = json!({
        "requested": answers.len(),
        "failed_devices": failed,
        "partial_devices": partial,
        "feature_not_available_devices": absent,
    });
    let mut envelope = Envelope::of_many("MULTIPLE_DEVICES", operation, status);
    envelope.metadata = metadata;
    if status == Status::Failed {
        envelope.error_response = answers.iter().find_map(|(_, e)| e.error_response.clone());
    }
    let devices: Map<String, Value> = answers
        .into_iter()
        .map(|(name, e)| (name.clone(), e.into_json()))
        .collect();
    envelope.data = json!({ "devices": devices });
    envelope
}
