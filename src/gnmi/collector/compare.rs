//! `compare`: one path on several devices, leaf by leaf.
//!
//! List entries are matched by their keys, so an entry that one device lacks is one difference and not a
//! shift of all that follow.

use super::arguments::Arguments;
use super::envelope::{Envelope, ErrorResponse, Status};
use super::get::data_type;
use super::many::names;
use super::shrink::shrink;
use super::{Collector, Outcome, PARALLEL_DEVICES, Progress};
use crate::gnmi::client::lookup::{KEY_LEAVES, text};
use crate::gnmi::client::{Error, Get, Kind, Session};
use crate::proto::gnmi::Path;
use crate::proto::gnmi::get_request::DataType;
use crate::proto::path::{local_name, parse};
use futures::StreamExt as _;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

const OPERATION: &str = "compare";
pub(super) async fn compare(
    collector: &Collector,
    arguments: &Arguments,
    progress: &dyn Progress,
) -> Outcome {
    let names = names(collector, arguments);
    if names.len() < 2 {
        return Outcome::Refused("compare: devices: at least two different devices are expected".into());
    }
    let asked = arguments.text("path").unwrap_or_default();
    let path = match parse(asked) {
        Ok(path) => path,
        Err(error) => return Outcome::Refused(format!("compare: {error}")),
    };
    let data_type = data_type(arguments);
    let reads = names.iter().map(|name| {
        let session = collector.session(name);
        let path = path.clone();
        async move {
            match session {
                Some(session) => (
                    name,
                    read(&session, path, data_type)
                        .await
                        .map_err(|e| json!(ErrorResponse::of(&e))),
                ),
                None => (name, Err(json!(collector.unknown(name).error_response))),
            }
        }
    });
    let mut reads = futures::stream::iter(reads.collect::<Vec<_>>()).buffer_unordered(PARALLEL_DEVICES);
    let mut trees: BTreeMap<&str, Value> = BTreeMap::new();
    let mut failed = Map::new();
    let mut done = 0;
    while let Some((name, result)) = reads.next().await {
        done += 1;
        progress.report(done, names.len(), name);
        match result {
            Ok(tree) => {
                trees.insert(name, tree);
            }
            Err(error) => {
                failed.insert(name.clone(), error);
            }
        }
    }
    assemble(arguments, asked, trees, failed).into()
}

async fn read(session: &Session, path: Path, data_type: DataType) -> Result<Value, Error> {
    let encoding = session.json_encoding().await?;
    let answer = session
        .get(&Get {
            paths: vec![path.clone()],
            data_type,
            encoding,
        })
        .await?;
    answer.value_of(&path).ok_or_else(|| Error {
        kind: Kind::NotFound,
        message: "The device answered, but with nothing at that path".into(),
        code: None,
    })
}

fn assemble(
    arguments: &Arguments,
    path: &str,
    trees: BTreeMap<&str, Value>,
    failed: Map<String, Value>,
) -> Envelope {
    let fields = arguments.texts("fields");
    let mut leaves: BTreeMap<&str, BTreeMap<String, Value>> = BTreeMap::new();
    for (name, tree) in trees {
        let mut wrapped = json!({ "tree": tree });
        shrink(&mut wrapped, &fields, None);
        let mut flat = BTreeMap::new();
        flatten(&wrapped["tree"], &mut String::new(), &mut flat);
        leaves.insert(name, flat);
    }
    let (equal, differences) = differ(&leaves);
    let total = differences.len();
    let limit = arguments
        .number("limit")
        .and_then(|l| usize::try_from(l).ok())
        .unwrap_or(usize::MAX);
    let status = match (leaves.len(), failed.is_empty()) {
        (0 | 1, _) => Status::Failed,
        (_, true) => Status::Success,
        (_, false) => Status::PartialSuccess,
    };
    let mut envelope = Envelope::of_many("MULTIPLE_DEVICES", OPERATION, status);
    envelope.data = json!({
        "path": path,
        "identical": status == Status::Success && total == 0,
        "equal_leaves": equal,
        "different_leaves": total,
        "differences": differences.into_iter().take(limit).collect::<Vec<_>>(),
    });
    envelope.metadata = json!({ "compared_devices": leaves.keys().collect::<Vec<_>>() });
    if total > limit {
        envelope.metadata["truncated"] = json!({ "/differences": total });
    }
    if let Some((name, first)) = failed.iter().next() {
        let message = first["message"].as_str().unwrap_or_default();
        envelope.error_response = (status == Status::Failed).then(|| ErrorResponse {
            error_type: "gNMIException",
            message: format!("Fewer than two devices answered; {name}: {message}"),
            details: json!({}),
        });
        envelope.metadata["unobserved_devices"] = Value::Object(failed);
    }
    envelope
}

/// Leaves by path; an entry of a list is addressed by its key as `name=Gi0`, else by its index.
fn flatten(value: &Value, path: &mut String, leaves: &mut BTreeMap<String, Value>) {
    let depth = path.len();
    match value {
        Value::Object(object) => {
            for (name, node) in object {
                path.push('/');
                path.push_str(local_name(name));
                flatten(node, path, leaves);
                path.truncate(depth);
            }
        }
        Value::Array(list) if list.iter().any(Value::is_object) => {
            for (index, entry) in list.iter().enumerate() {
                let keys = KEY_LEAVES.iter().filter_map(|k| Some((k, text(entry, k)?)));
                let keys: Vec<String> = keys.map(|(name, value)| format!("[{name}={value}]")).collect();
                path.push_str(&if keys.is_empty() {
                    format!("[{index}]")
                } else {
                    keys.concat()
                });
                flatten(entry, path, leaves);
                path.truncate(depth);
            }
        }
        leaf => {
            leaves.insert(
                if path.is_empty() { "/".into() } else { path.clone() },
                leaf.clone(),
            );
        }
    }
}

/// Number of leaves that are equal everywhere, and the others with who holds what.
fn differ(leaves: &BTreeMap<&str, BTreeMap<String, Value>>) -> (usize, Vec<Value>) {
    let mut all: Vec<&String> = leaves.values().flat_map(BTreeMap::keys).collect();
    all.sort_unstable();
    all.dedup();
    let mut equal = 0;
    let mut differences = Vec::new();
    for leaf in all {
        let mut groups: Vec<(Value, Vec<&str>)> = Vec::new();
        for (device, held) in leaves {
            let value = held.get(leaf).cloned().unwrap_or(Value::Null);
            match groups.iter_mut().find(|(v, _)| *v == value) {
                Some((_, devices)) => devices.push(device),
                None => groups.push((value, vec![device])),
            }
        }
        if groups.len() == 1 {
            equal += 1;
            continue;
        }
        groups.sort_by_key(|(_, devices)| std::cmp::Reverse(devices.len()));
        let majority = groups[0].1.len();
        let clear = groups[1].1.len() < majority;
        let minority: Vec<&str> = groups[1..].iter().flat_map(|(_, d)| d.iter().copied()).collect();
        let values: Vec<Value> = groups
            .iter()
            .map(|(v, d)| json!({ "value": v, "devices": d }))
            .collect();
        differences.push(
            json!({ "leaf": leaf, "values": values, "minority": if clear { minority } else { Vec::new() } }),
        );
    }
    (equal, differences)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flat(value: Value) -> BTreeMap<String, Value> {
        let mut leaves = BTreeMap::new();
        flatten(&value, &mut String::new(), &mut leaves);
        leaves
    }

    #[test]
    fn entries_are_matched_by_key_and_the_minority_is_named() {
        let interface = |name: &str, mtu: u32| json!({"name": name, "oc:config": {"mtu": mtu}});
        let leaves = BTreeMap::from([
            (
                "a",
                flat(json!({"interface": [interface("Gi0", 1514), interface("Gi1", 9000)]})),
            ),
            (
                "b",
                flat(json!({"interface": [interface("Gi1", 9000), interface("Gi0", 1514)]})),
            ),
            (
                "c",
                flat(json!({"interface": [interface("Gi1", 1500), interface("Gi0", 1514)]})),
            ),
        ]);
        let (equal, differences) = differ(&leaves);
        assert_eq!(equal, 3);
        assert_eq!(differences.len(), 1);
        assert_eq!(differences[0]["leaf"], "/interface[name=Gi1]/config/mtu");
        assert_eq!(
            differences[0]["values"][0],
            json!({"value": 9000, "devices": ["a", "b"]})
        );
        assert_eq!(differences[0]["minority"], json!(["c"]));
    }

    #[test]
    fn what_one_lacks_is_null_and_a_tie_has_no_minority() {
        let leaves = BTreeMap::from([("a", flat(json!({"x": [1, 2]}))), ("b", flat(json!({})))]);
        let (equal, differences) = differ(&leaves);
        assert_eq!(equal, 0);
        assert_eq!(
            differences[0]["values"][1],
            json!({"value": null, "devices": ["b"]})
        );
        assert_eq!(differences[0]["minority"], json!([]));
    }
}
