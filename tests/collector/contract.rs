//! The contract: tools and parameters, and for every recorded situation the same envelope, status and
//! error type. Where the collector answers better on purpose, the table below says how.

use super::fake::{Behaviour, Device, closed_port, start};
use super::{Client, call_raw, connect, entry, recorded, trees};
use noctui::gnmi::client::Limits;
use noctui::proto::gnmi::Encoding;
use serde_json::{Map, Value, json};
use tonic::Code;

/// Situations in which the collector answers differently on purpose: (note or argument in the recording,
/// recorded status, our status).
const BETTER: [(&str, &str, &str); 4] = [
    // One dead device takes only its own links away.
    ("inventory has one dead device", "failed", "partial_success"),
    // A keyword is text to search, never a path.
    ("keyword with [k=v]", "failed", "success"),
    // A transient refusal is retried within the deadline.
    ("RESOURCE_EXHAUSTED once", "failed", "success"),
    // Recorded from a server that had cached older capabilities.
    ("model missing from Capabilities", "success", "failed"),
];
/// Error types that differ on purpose: the recording shows a Python exception's name.
const ERROR_TYPES: [(&str, &str); 1] = [("ValueError", "ENCODING_NOT_SUPPORTED")];

/// A contract, or a set of recorded situations: the compact ones of this repository (values are blanked, members and
/// types kept), and the whole ones where they are.
fn all(file: &str) -> Vec<Value> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/contract");
    let text = std::fs::read_to_string(std::path::Path::new(folder).join(file)).unwrap();
    let own = serde_json::from_str(&text).unwrap();
    std::iter::once(own).chain(recorded(file)).collect()
}

/// The devices of the recording.
struct Recorded {
    /// Sees all of them, and one more that is dead.
    client: Client,
    /// Sees the live ones only.
    alive: Client,
    devices: Vec<super::fake::Running>,
}

async fn network() -> Recorded {
    const LOG: &str = "RP/0/RP0/CPU0:Nov 22 00:10:10.123 UTC: isis[1003]: %ROUTING-ISIS-5-ADJCHANGE : up\n";
    let mut devices = Vec::new();
    for n in 1..=10 {
        let name = format!("xrd-{n}");
        let tree = match n {
            3 => trees::p(&name),
            7 => trees::igp(&name),
            8 => trees::rr(&name),
            9 => trees::ce(&name),
            _ => trees::pe(&name),
        };
        let mut device = Device::new(tree);
        device.log = LOG.into();
        if n == 4 {
            device.models.retain(|(name, _)| *name != "openconfig-system");
        }
        if n == 5 {
            device.encodings = vec![Encoding::Proto];
        }
        devices.push((name, start(device).await));
    }
    let mut entries: Vec<Value> = devices.iter().map(|(name, d)| entry(name, d.port)).collect();
    let fit = |entry: &&Value| entry["name"] != "xrd-5";
    let live: Vec<Value> = entries.iter().filter(fit).cloned().collect();
    let alive = connect(&live, Limits::default()).await;
    entries.push(entry("xrd-down", closed_port().await));
    Recorded {
        client: connect(&entries, Limits::default()).await,
        alive,
        devices: devices.into_iter().map(|(_, d)| d).collect(),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_tool_of_the_contract_exists_with_its_parameters() {
    let client = connect(&[entry("a", 1)], Limits::default()).await;
    let ours = client.list_all_tools().await.unwrap();
    for contract in all("tools.json") {
        same_tools(&ours, &contract);
    }
    for tool in &ours {
        let hints = tool.annotations.as_ref().unwrap();
        let hints = (hints.read_only_hint, hints.destructive_hint);
        assert_eq!(hints, (Some(true), Some(false)), "{}", tool.name);
        assert!(tool.output_schema.is_some(), "{}", tool.name);
        let more = &tool.input_schema["additionalProperties"];
        assert_eq!(*more, json!(false), "{}", tool.name);
    }
}

fn same_tools(ours: &[rmcp::model::Tool], contract: &Value) {
    let strip = |schema: &Value| {
        let mut schema = schema.clone();
        let properties = schema["properties"].as_object_mut();
        for property in properties.into_iter().flat_map(Map::values_mut) {
            property.as_object_mut().unwrap().remove("description");
        }
        schema.as_object_mut().unwrap().remove("description");
        schema
    };
    let wanted = contract["tools_list"]["tools"].as_array().unwrap();
    assert_eq!(wanted.len(), 10);
    for tool in wanted {
        let name = tool["name"].as_str().unwrap();
        let own = ours.iter().find(|t| t.name == name);
        let own = own.unwrap_or_else(|| panic!("{name} is missing"));
        let input = strip(&Value::Object((*own.input_schema).clone()));
        assert_eq!(input, strip(&tool["inputSchema"]), "{name}: parameters");
        let output = Value::Object((**own.output_schema.as_ref().unwrap()).clone());
        let required = &tool["outputSchema"]["required"];
        assert_eq!(output["required"], *required, "{name}: required members");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn recorded_situations_get_the_same_envelope_status_and_error_type() {
    let Recorded {
        client,
        alive,
        devices,
    } = network().await;
    let tools = client.list_all_tools().await.unwrap();
    let schema = |t: &rmcp::model::Tool| Value::Object((**t.output_schema.as_ref().unwrap()).clone());
    let schemas: Vec<(String, jsonschema::Validator)> = tools
        .iter()
        .map(|t| (t.name.to_string(), jsonschema::validator_for(&schema(t)).unwrap()))
        .collect();
    for file in all("samples.json") {
        let samples = file["samples"].as_array().unwrap();
        assert!(samples.len() > 50, "{} situations", samples.len());
        for sample in samples {
            let note = sample["note"].as_str().unwrap();
            devices[1].behave(behaviour(note, devices[1].gets()));
            let tool = sample["tool"].as_str().unwrap();
            // Recorded with every device alive.
            let everyone = tool.contains("topology") && note.starts_with("ok");
            let client = if everyone { &alive } else { &client };
            let result = call_raw(client, tool, sample["arguments"].clone()).await;
            if let Some(answer) = &result.structured_content {
                let schema = &schemas.iter().find(|(name, _)| name == tool).unwrap().1;
                assert!(
                    schema.is_valid(answer),
                    "{tool} breaks its own output schema: {answer}"
                );
            }
            let ours = json!({ "isError": result.is_error, "structuredContent": result.structured_content });
            compare(note, tool, sample, &ours);
        }
    }
}

/// What a tool answers in a situation: refused as a call, or an envelope of this status and error type.
#[derive(Debug, PartialEq)]
enum Answered {
    Refused,
    Envelope(&'static str, Option<&'static str>),
}

/// Tools about one device: what they answer when the device is down, and when it has nothing of the kind (`{}`).
const ABOUT_ONE: [(&str, Answered, Answered); 8] = {
    use Answered::Envelope;
    const DOWN: Answered = Envelope("failed", Some("CONNECTION_TIMEOUT"));
    const ABSENT: Answered = Envelope("feature_not_available", None);
    [
        ("get_device_profile_api", DOWN, Envelope("success", None)),
        ("get_system_info", DOWN, ABSENT),
        ("get_interface_info", DOWN, ABSENT),
        // One entry a protocol; the error type stands there.
        ("get_routing_info", Envelope("failed", None), ABSENT),
        ("get_mpls_info", DOWN, Envelope("success", None)),
        ("get_vpn_info", DOWN, Envelope("success", None)),
        ("get_logs", DOWN, Envelope("success", None)),
        (
            "get_topology_neighbors",
            Envelope("failed", Some("gNMIException")),
            Envelope("failed", Some("gNMIException")),
        ),
    ]
};

/// Every tool in every situation that can befall it, recorded or not: ok, unknown device, device down, bad argument,
/// missing argument, feature not found, partial.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_tool_answers_every_situation() {
    let Recorded { client, alive, .. } = network().await;
    let bare = start(Device::new(json!({}))).await;
    let bare = connect(&[entry("bare", bare.port)], Limits::default()).await;
    let refused = Answered::Refused;
    for (tool, down, absent) in &ABOUT_ONE {
        let of = |name: &str| json!({ "device_name": name });
        expect(&alive, tool, of("xrd-1"), &Answered::Envelope("success", None)).await;
        let unknown = Answered::Envelope("failed", Some("DEVICE_ERROR"));
        expect(&client, tool, of("no-such-device"), &unknown).await;
        expect(&client, tool, of("xrd-down"), down).await;
        expect(
            &client,
            tool,
            json!({ "device_name": "xrd-1", "bogus": 1 }),
            &refused,
        )
        .await;
        expect(&client, tool, json!({ "device_name": ["xrd-1"] }), &refused).await;
        expect(&client, tool, json!({ "device_name": "" }), &refused).await;
        expect(&client, tool, json!({}), &refused).await;
        expect(&bare, tool, of("bare"), absent).await;
    }
    for tool in ["get_devices", "get_network_topology_api"] {
        expect(&client, tool, json!({ "bogus": 1 }), &refused).await;
    }
    let partial = Answered::Envelope("partial_success", None);
    expect(
        &client,
        "get_routing_info",
        json!({ "device_name": "xrd-3" }),
        &partial,
    )
    .await;
    let dead = Answered::Envelope("partial_success", Some("gNMIException"));
    expect(&client, "get_network_topology_api", json!({}), &dead).await;
    expect(
        &client,
        "get_topology_neighbors",
        json!({ "device_name": "xrd-1" }),
        &dead,
    )
    .await;
}

async fn expect(client: &Client, tool: &str, arguments: Value, wanted: &Answered) {
    let what = format!("{tool} {arguments}");
    let result = call_raw(client, tool, arguments).await;
    let refused = result.is_error == Some(true);
    assert_eq!(
        refused,
        *wanted == Answered::Refused,
        "{what}: {:?}",
        result.content
    );
    let Answered::Envelope(status, error) = wanted else {
        return;
    };
    let answer = result.structured_content.unwrap();
    assert_eq!(answer["status"], *status, "{what}: {answer}");
    assert_eq!(
        answer["error_response"]["type"].as_str(),
        *error,
        "{what}: {answer}"
    );
}

/// What the device that is made to fail does in a recorded situation.
fn behaviour(note: &str, gets: usize) -> Behaviour {
    if note.contains("UNAVAILABLE") {
        Behaviour::Fail(Code::Unavailable, "Connection reset by peer")
    } else if note.contains("INTERNAL") {
        Behaviour::Fail(Code::Internal, "sysdb: internal error")
    } else if note.contains("UNAUTHENTICATED") {
        Behaviour::Fail(Code::Unauthenticated, "authentication failed")
    } else if note.contains("RESOURCE_EXHAUSTED") {
        Behaviour::FailFirst(gets + 1, Code::ResourceExhausted, "gNMI: exceeded requests limit")
    } else {
        Behaviour::Answer
    }
}

fn compare(note: &str, tool: &str, sample: &Value, ours: &Value) {
    let what = format!("{tool} {} ({note})", sample["arguments"]);
    let theirs = &sample["result"];
    assert_eq!(ours["isError"], theirs["isError"], "{what}: {ours}");
    let (ours, theirs) = (&ours["structuredContent"], &theirs["structuredContent"]);
    let Some(members) = theirs.as_object() else { return };
    for name in members.keys() {
        assert!(ours.get(name).is_some(), "{what}: {name} is missing");
    }
    let model_after = note.contains("after model came back");
    let better = BETTER
        .iter()
        .find(|(n, status, _)| note.contains(n) && theirs["status"] == *status);
    match better {
        Some((_, _, status)) => assert_eq!(ours["status"], *status, "{what}: {ours}"),
        None if model_after => assert_eq!(ours["error_response"]["type"], "MODEL_NOT_SUPPORTED", "{what}"),
        None => {
            assert_eq!(ours["status"], theirs["status"], "{what}: {ours}");
            let kind = theirs["error_response"]["type"].as_str();
            let wanted = kind.map(|k| ERROR_TYPES.iter().find(|(t, _)| *t == k).map_or(k, |(_, o)| *o));
            assert_eq!(ours["error_response"]["type"].as_str(), wanted, "{what}: {ours}");
            same_shape(&what, "/data", &theirs["data"], &ours["data"]);
            same_shape(&what, "/metadata", &theirs["metadata"], &ours["metadata"]);
        }
    }
    for name in ["device_name", "ip_address", "nos", "operation_type"] {
        assert_eq!(ours[name], theirs[name], "{what}: {name}");
    }
    if tool == "get_device_profile_api" && theirs["status"] == "success" {
        assert_eq!(ours["data"], theirs["data"], "{what}");
    }
}

/// Every member of the recording is in our answer, with a value of the same type.
fn same_shape(what: &str, at: &str, theirs: &Value, ours: &Value) {
    match (theirs, ours) {
        (Value::Object(theirs), Value::Object(ours)) => {
            // Members named after what was found (address families) are data, not shape.
            let open = at.ends_with("/prefixes");
            for (name, value) in theirs.iter().filter(|_| !open) {
                let own = ours
                    .get(name)
                    .unwrap_or_else(|| panic!("{what}: {at}/{name} is missing"));
                same_shape(what, &format!("{at}/{name}"), value, own);
            }
        }
        (Value::Array(theirs), Value::Array(ours)) => {
            if let (Some(a), Some(b)) = (theirs.first(), ours.first()) {
                same_shape(what, &format!("{at}/0"), a, b);
            }
        }
        (Value::Null, _) | (_, Value::Null) => {}
        _ => assert_eq!(
            std::mem::discriminant(theirs),
            std::mem::discriminant(ours),
            "{what}: {at}: {theirs} was recorded, {ours} is ours"
        ),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn topology_joins_both_ends_and_survives_a_dead_device() {
    let (one, three) = (
        start(Device::new(trees::pe("xrd-1"))).await,
        start(Device::new(trees::p("xrd-3"))).await,
    );
    let entries = [
        entry("xrd-1", one.port),
        entry("xrd-3", three.port),
        entry("dead", closed_port().await),
    ];
    let whole = connect(&entries[..2], Limits::default()).await;
    let topology = super::call(&whole, "get_network_topology_api", json!({})).await;
    assert_eq!(topology["status"], "success");
    let link = &topology["data"]["direct_connections"][0];
    assert_eq!(
        (link["source"].as_str(), link["target"].as_str()),
        (Some("xrd-1"), Some("xrd-3"))
    );
    assert_eq!(link["attributes"]["network"], "100.101.103.0/24");

    let partial = connect(&entries, Limits::default()).await;
    let near = super::call(
        &partial,
        "get_topology_neighbors",
        json!({ "device_name": "xrd-3" }),
    )
    .await;
    assert_eq!(near["status"], "partial_success");
    assert_eq!(near["data"]["neighbors"][0]["neighbor"], "xrd-1");
    let attributes = &near["data"]["neighbors"][0]["attributes"];
    assert_eq!(
        attributes["local_interface"], "GigabitEthernet0/0/0/2",
        "local is the asked device's side"
    );
    assert!(near["metadata"]["unobserved_devices"]["dead"]["type"] == "CONNECTION_TIMEOUT");
}
