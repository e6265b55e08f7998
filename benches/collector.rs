//! Speed of the collector: warm calls through the real child (MCP on stdio, gRPC on loopback to the lab's
//! targets in this process), the same without MCP, and every tool over every device of the large network.

#![allow(
    clippy::unwrap_used,
    reason = "a bench that cannot run has nothing to measure"
)]

use criterion::{Criterion, criterion_group, criterion_main};
use noctui::gnmi::client::{Client, Get, Limits};
use noctui::gnmi::inventory::{Fallback, Inventory};
use noctui::lab::Lab;
use noctui::lab::live::{LiveLab, system_clock};
use noctui::lab::network::builtin;
use noctui::lab::target::{LabOptions, LabRunning};
use noctui::proto::gnmi::Encoding;
use noctui::proto::gnmi::get_request::DataType;
use noctui::proto::path::parse;
use rmcp::model::CallToolRequestParams;
use rmcp::service::RunningService;
use rmcp::transport::TokioChildProcess;
use rmcp::{RoleClient, ServiceExt};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use tokio::runtime::Runtime;

/// A lab of a built-in network, its inventory, and the collector as a child before it.
struct Bench {
    inventory: String,
    folder: tempfile::TempDir,
    child: RunningService<RoleClient, ()>,
    _running: LabRunning,
}

impl Bench {
    async fn up(network: &str) -> Self {
        let clock = system_clock();
        let now = clock();
        let lab = Arc::new(LiveLab::new(Lab::new(builtin(network).unwrap(), 7, now), clock));
        let running = LabRunning::start(lab, LabOptions::default()).await.unwrap();
        let inventory = json!(running.inventory()).to_string();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("inventory.json");
        std::fs::write(&file, &inventory).unwrap();
        let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_noctui"));
        command.args(["gnmi", "serve", "--inventory"]).arg(&file);
        let (child, _) = TokioChildProcess::builder(command)
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let child = ().serve(child).await.unwrap();
        Self {
            inventory,
            folder,
            child,
            _running: running,
        }
    }

    async fn call(&self, tool: &'static str, arguments: Value) -> Value {
        let arguments = arguments.as_object().unwrap().clone();
        let result = self
            .child
            .call_tool(CallToolRequestParams::new(tool).with_arguments(arguments))
            .await
            .unwrap();
        let answer = result.structured_content.unwrap();
        assert_ne!(answer["status"], "failed", "{tool}: {}", answer["error_response"]);
        answer
    }

    fn names(&self) -> Vec<String> {
        let entries: Vec<Value> = serde_json::from_str(&self.inventory).unwrap();
        entries
            .iter()
            .map(|e| e["name"].as_str().unwrap().to_owned())
            .collect()
    }
}

fn warm_calls(criterion: &mut Criterion) {
    let runtime = Runtime::new().unwrap();
    let bench = runtime.block_on(Bench::up("sp-s"));
    let device = json!({ "device_name": "xrd-1" });
    let leaf = json!({ "device": "xrd-1", "paths": ["openconfig-system:/system/state/hostname"] });
    let bgp = json!({ "device_name": "xrd-1", "protocol": "bgp" });
    let mut group = criterion.benchmark_group("warm, MCP on stdio and gRPC on loopback");
    for (name, tool, arguments) in [
        ("get_devices (no device asked)", "get_devices", json!({})),
        ("gnmi_get, one leaf", "gnmi_get", leaf),
        ("get_routing_info, bgp", "get_routing_info", bgp),
        (
            "get_routing_info, bgp and isis",
            "get_routing_info",
            device.clone(),
        ),
        ("get_interface_info", "get_interface_info", device.clone()),
        (
            "get_device_profile_api, PE",
            "get_device_profile_api",
            device.clone(),
        ),
        (
            "get_network_topology_api, 8 devices",
            "get_network_topology_api",
            json!({}),
        ),
    ] {
        runtime.block_on(bench.call(tool, arguments.clone()));
        group.bench_function(name, |b| {
            b.iter(|| runtime.block_on(bench.call(tool, arguments.clone())))
        });
    }
    group.finish();

    let inventory = Inventory::parse(&bench.inventory, Path::new("bench"), &Fallback::default()).unwrap();
    let session = Client::new(Limits::default()).session(inventory.find("xrd-1").unwrap());
    let text =
        "openconfig-network-instance:network-instances/network-instance[name=*]/protocols/protocol/bgp";
    let get = |path: &str| Get {
        paths: vec![parse(path).unwrap()],
        data_type: DataType::All,
        encoding: Encoding::JsonIetf,
    };
    let (bgp, leaf) = (get(text), get("openconfig-system:/system/state/hostname"));
    let mut group = criterion.benchmark_group("warm, gRPC on loopback alone");
    for (name, get) in [("Get of one leaf", leaf), ("Get of BGP in every instance", bgp)] {
        group.bench_function(name, |b| b.iter(|| runtime.block_on(session.get(&get)).unwrap()));
    }
    group.finish();
    runtime.block_on(async { drop(bench.folder) });
}

/// Every tool of the contract over every device of L: seven tools about each device, profile, topology
/// of the network and of one device, and the inventory.
fn sweep(criterion: &mut Criterion) {
    let runtime = Runtime::new().unwrap();
    let bench = runtime.block_on(Bench::up("sp-l"));
    let names = bench.names();
    let mut group = criterion.benchmark_group("all devices of L");
    group.sample_size(10);
    let many = |tool: &str| json!({ "tool": tool, "devices": names });
    let routing = many("get_routing_info");
    group.bench_function(format!("get_routing_info on {} devices", names.len()), |b| {
        b.iter(|| runtime.block_on(bench.call("call_many", routing.clone())));
    });
    group.bench_function(format!("all ten tools on {} devices", names.len()), |b| {
        b.iter(|| {
            runtime.block_on(async {
                bench.call("get_devices", json!({})).await;
                for tool in [
                    "get_device_profile_api",
                    "get_system_info",
                    "get_interface_info",
                    "get_routing_info",
                    "get_mpls_info",
                    "get_vpn_info",
                    "get_logs",
                ] {
                    bench.call("call_many", many(tool)).await;
                }
                bench.call("get_network_topology_api", json!({})).await;
                bench
                    .call("get_topology_neighbors", json!({ "device_name": names[0] }))
                    .await;
            });
        });
    });
    group.finish();
}

criterion_group!(benches, warm_calls, sweep);
criterion_main!(benches);
