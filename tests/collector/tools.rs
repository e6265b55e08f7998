//! The tools that the contract does not have, over MCP.

use super::fake::{Behaviour, Device, closed_port, start};
use super::{call, call_raw, connect, entry, trees};
use noctui::gnmi::client::Limits;
use rmcp::model::{CallToolRequestParams, ProgressNotificationParam};
use rmcp::service::NotificationContext;
use rmcp::{ClientHandler, RoleClient, ServiceExt};
use serde_json::json;
use std::sync::{Arc, Mutex};

const STATE: &str = "openconfig-interfaces:interfaces/interface[name=GigabitEthernet0/0/0/0]/state";
const OPER: &str = "openconfig-interfaces:interfaces/interface[name=*]/state/oper-status";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn gnmi_get_answers_per_path_as_asked() {
    let device = start(Device::new(trees::pe("a"))).await;
    let client = connect(&[entry("a", device.port)], Limits::default()).await;
    let missing = "openconfig-interfaces:interfaces/interface[name=Absent]/state";
    let broken = "interfaces/interface[name";
    let got = call(
        &client,
        "gnmi_get",
        json!({ "device": "a", "paths": [STATE, OPER, missing, broken], "type": "STATE" }),
    )
    .await;
    assert_eq!(got["status"], "partial_success", "{got}");
    assert_eq!(got["data"][STATE]["counters"]["in-pkts"], "9698428");
    let first = "/openconfig-interfaces:interfaces/interface[name=Loopback0]/state/oper-status";
    assert_eq!(got["data"][OPER][first], "UP", "{got}");
    assert_eq!(
        got["metadata"]["path_errors"][missing]["details"]["kind"],
        "not_found"
    );
    assert_eq!(
        got["metadata"]["path_errors"][broken]["type"],
        "INVALID_PARAMETER"
    );

    let small = json!({ "device": "a", "paths": ["openconfig-interfaces:interfaces", OPER], "fields": ["oper-status"], "limit": 2 });
    let got = call(&client, "gnmi_get", small).await;
    let list = &got["data"]["openconfig-interfaces:interfaces"]["interface"];
    assert_eq!(
        *list,
        json!([{ "name": "Loopback0", "state": { "name": "Loopback0", "oper-status": "UP" } },
        { "name": "GigabitEthernet0/0/0/0", "state": { "name": "GigabitEthernet0/0/0/0", "oper-status": "UP" } }])
    );
    assert_eq!(
        got["metadata"]["truncated"]["/openconfig-interfaces:interfaces/interface"], 4,
        "{got}"
    );
    assert_eq!(
        got["data"][OPER].as_object().unwrap().len(),
        2,
        "matches of a wildcard are a list too"
    );

    let none = call(&client, "gnmi_get", json!({ "device": "a", "paths": [missing] })).await;
    assert_eq!(none["status"], "feature_not_available", "{none}");
    let unknown = call(&client, "gnmi_get", json!({ "device": "b", "paths": [missing] })).await;
    assert_eq!(unknown["error_response"]["type"], "DEVICE_ERROR");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn capabilities_are_listed_and_filtered() {
    let device = start(Device::new(trees::pe("a"))).await;
    let client = connect(&[entry("a", device.port)], Limits::default()).await;
    let got = call(
        &client,
        "gnmi_capabilities",
        json!({ "device": "a", "fields": ["system"] }),
    )
    .await;
    assert_eq!(got["data"]["gnmi_version"], "0.8.0");
    assert_eq!(got["data"]["supported_encodings"], json!(["json_ietf", "ascii"]));
    assert_eq!(got["data"]["supported_models"].as_array().unwrap().len(), 1);
    assert_eq!(got["metadata"]["total_models"], 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_devices_fail_alone() {
    let mut device = Device::new(trees::pe("a"));
    device.log = "RP/0/RP0/CPU0:Nov 22 00:10:10.123 UTC: bgp[1]: one (VRF: default)\nRP/0/RP0/CPU0:Nov 22 00:12:10.123 UTC: bgp[1]: two\n".into();
    let (a, b) = (start(device).await, start(Device::new(trees::p("b"))).await);
    let entries = [
        entry("a", a.port),
        entry("b", b.port),
        entry("down", closed_port().await),
    ];
    let client = connect(&entries, Limits::default()).await;

    let logs = call(
        &client,
        "get_logs_many",
        json!({ "devices": ["*", "a"], "show_all_logs": true, "limit": 1 }),
    )
    .await;
    assert_eq!(logs["status"], "partial_success");
    assert_eq!(logs["metadata"]["failed_devices"], json!(["down"]));
    let lines = &logs["data"]["devices"]["a"]["data"]["logs"];
    assert_eq!(lines.as_array().unwrap().len(), 1);
    assert!(
        lines[0]["message"].as_str().unwrap().ends_with("two"),
        "the newest lines stay"
    );
    let words = call(
        &client,
        "get_logs",
        json!({ "device_name": "a", "show_all_logs": true, "keywords": "vrf: DEFAULT" }),
    )
    .await;
    assert_eq!(words["data"]["summary"]["count"], 1, "{words}");

    let routing = json!({ "tool": "get_routing_info", "devices": ["a", "b", "nobody"], "arguments": { "protocol": "bgp" } });
    let many = call(&client, "call_many", routing).await;
    let devices = &many["data"]["devices"];
    assert_eq!(devices["a"]["status"], "success");
    assert_eq!(devices["b"]["status"], "feature_not_available");
    assert_eq!(devices["nobody"]["error_response"]["type"], "DEVICE_ERROR");
    assert_eq!(many["metadata"]["feature_not_available_devices"], json!(["b"]));

    for (wrong, part) in [
        (
            json!({ "tool": "get_devices", "devices": ["a"] }),
            "no tool about one device",
        ),
        (
            json!({ "tool": "get_routing_info", "devices": ["a"], "arguments": { "device_name": "b" } }),
            "leave \"device_name\" out",
        ),
        (
            json!({ "tool": "get_routing_info", "devices": ["a"], "arguments": { "protocols": "bgp" } }),
            "unexpected argument",
        ),
        (
            json!({ "tool": "get_routing_info", "devices": [] }),
            "at least one",
        ),
    ] {
        let refused = call_raw(&client, "call_many", wrong).await;
        assert_eq!(refused.is_error, Some(true));
        assert!(
            refused.content[0].as_text().unwrap().text.contains(part),
            "{:?}",
            refused.content
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn compare_names_the_odd_one_out() {
    let mut odd = trees::pe("c");
    *odd.pointer_mut("/openconfig-interfaces:interfaces/interface/1/config/mtu")
        .unwrap() = json!(9000);
    let mut entries = Vec::new();
    let mut running = Vec::new();
    for (name, tree) in [("a", trees::pe("a")), ("b", trees::pe("b")), ("c", odd)] {
        let device = start(Device::new(tree)).await;
        entries.push(entry(name, device.port));
        running.push(device);
    }
    let client = connect(&entries, Limits::default()).await;
    let path = "openconfig-interfaces:interfaces";
    let got = call(
        &client,
        "compare",
        json!({ "devices": ["*"], "path": path, "fields": ["mtu"] }),
    )
    .await;
    assert_eq!(got["data"]["different_leaves"], 1, "{got}");
    let difference = &got["data"]["differences"][0];
    assert_eq!(
        difference["leaf"],
        "/interface[name=GigabitEthernet0/0/0/0]/config/mtu"
    );
    assert_eq!(difference["minority"], json!(["c"]));
    let alone = call_raw(&client, "compare", json!({ "devices": ["a"], "path": path })).await;
    assert_eq!(alone.is_error, Some(true));
}

/// A client that keeps the progress it hears.
#[derive(Clone, Default)]
struct Listener(Arc<Mutex<Vec<f64>>>);

impl ClientHandler for Listener {
    async fn on_progress(&self, note: ProgressNotificationParam, _context: NotificationContext<RoleClient>) {
        self.0.lock().unwrap().push(note.progress);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn counters_are_sampled_twice_with_progress() {
    use noctui::gnmi::{collector::Collector, server::Server};
    let device = start(Device::new(trees::pe("a"))).await;
    let collector = Collector::new(super::inventory(&[entry("a", device.port)]), Limits::default());
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    tokio::spawn(Server::new(Arc::new(collector)).serve(theirs, Default::default()));
    let listener = Listener::default();
    let client = listener.clone().serve(ours).await.unwrap();
    let arguments = json!({ "device": "a", "interface": "GigabitEthernet0/0/0/0", "seconds": 1 });
    let params =
        CallToolRequestParams::new("sample_counters").with_arguments(arguments.as_object().unwrap().clone());
    let got = client
        .call_tool(params)
        .await
        .unwrap()
        .structured_content
        .unwrap();
    assert_eq!(got["status"], "success", "{got}");
    let interface = &got["data"]["interfaces"][0];
    assert_eq!(interface["deltas"]["in-errors"], 0);
    assert_eq!(interface["rates"]["in-bits-per-second"], 0.0);
    assert_eq!(device.gets(), 2);
    assert_eq!(*listener.0.lock().unwrap(), [1.0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wrong_calls_are_refused_in_one_line() {
    let device = start(Device::behaving(json!({}), Behaviour::Answer)).await;
    let client = connect(&[entry("a", device.port)], Limits::default()).await;
    for (tool, arguments, part) in [
        ("no_such_tool", json!({}), "Unknown tool: 'no_such_tool'"),
        (
            "get_system_info",
            json!({}),
            "device_name: missing required argument",
        ),
        (
            "get_system_info",
            json!({ "device_name": "a", "bogus": 1 }),
            "bogus: unexpected argument; it takes device_name",
        ),
        (
            "gnmi_get",
            json!({ "device": "a", "paths": "x" }),
            "paths: a list of at least one text is expected, got \"x\"",
        ),
        (
            "gnmi_get",
            json!({ "device": "a", "paths": ["x"], "type": "both" }),
            "one of all, config, state, operational",
        ),
        (
            "sample_counters",
            json!({ "device": "a", "seconds": 0 }),
            "a whole number from 1 to 300",
        ),
        ("compare", json!({ "devices": ["a", "b"], "path": "a[b" }), "path"),
    ] {
        let refused = call_raw(&client, tool, arguments).await;
        assert_eq!(refused.is_error, Some(true), "{tool}");
        let text = &refused.content[0].as_text().unwrap().text;
        assert!(text.contains(part), "{text:?} has no {part:?}");
    }
    assert_eq!(device.gets(), 0, "no device was asked");
}
