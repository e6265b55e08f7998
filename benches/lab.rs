//! The lab's speed: computing and rendering one device, a Get over gRPC on loopback, and 1,000 devices in
//! one process - start, sweep, memory. `cargo bench --bench lab`; figures are in `docs/performance.md`.

#![allow(clippy::unwrap_used, reason = "a bench may: the panic is the message")]
#![allow(clippy::print_stdout, reason = "memory is no figure criterion can take")]

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use futures::StreamExt as _;
use noctui::lab::Lab;
use noctui::lab::live::{LiveLab, system_clock};
use noctui::lab::network::{Network, build, builtin, generate};
use noctui::lab::openconfig::encode::{JsonFlavour, json};
use noctui::lab::openconfig::tree::DataKind;
use noctui::lab::openconfig::{Device, Exposure, render};
use noctui::lab::target::{LabOptions, LabRunning};
use noctui::proto::gnmi::g_nmi_client::GNmiClient;
use noctui::proto::gnmi::{Encoding, GetRequest};
use noctui::proto::path;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Runtime;
use tonic::Request;
use tonic::transport::Channel;

const SIZES: [&str; 4] = ["S", "M", "L", "1000"];
const INTERFACES: &str = "openconfig-interfaces:interfaces";
const BGP: &str =
    "openconfig-network-instance:network-instances/network-instance[name=*]/protocols/protocol/bgp";
const LEAF: &str = "interfaces/interface[name=Loopback0]/state/oper-status";

fn network(size: &str) -> Network {
    match size.parse() {
        Ok(devices) => build(&generate(devices)).unwrap(),
        Err(_) => builtin(size).unwrap(),
    }
}

fn live(size: &str) -> Arc<LiveLab> {
    let clock = system_clock();
    Arc::new(LiveLab::new(Lab::new(network(size), 7, clock()), clock))
}

fn request(text: &str) -> Request<GetRequest> {
    let mut request = Request::new(GetRequest {
        path: vec![path::parse(text).unwrap()],
        encoding: Encoding::JsonIetf.into(),
        ..GetRequest::default()
    });
    for key in ["username", "password"] {
        request.metadata_mut().insert(key, "lab".parse().unwrap());
    }
    request
}

/// One device of each size: compute its state, and render a path of it.
fn device(c: &mut Criterion) {
    let mut group = c.benchmark_group("device");
    let exposure = Exposure {
        port: 57400,
        transport_security: false,
        username: "lab".into(),
    };
    for size in SIZES {
        let lab = live(size);
        let name = lab.now().network().names().next().unwrap().to_owned();
        group.bench_function(BenchmarkId::new("compute", size), |b| {
            b.iter(|| lab.now().device(&name).unwrap());
        });
        let state = lab.now().device(&name).unwrap();
        for (what, text) in [
            ("interfaces", INTERFACES),
            ("bgp", BGP),
            ("leaf", LEAF),
            ("all", "/"),
        ] {
            let query = path::parse(text).unwrap();
            group.bench_function(BenchmarkId::new(format!("render {what}"), size), |b| {
                b.iter(|| {
                    let device = Device {
                        state: &state,
                        exposure: &exposure,
                    };
                    let found = render(device, &query.elem, DataKind::All);
                    found
                        .iter()
                        .map(|f| json(&f.node, JsonFlavour::Ietf).to_string().len())
                        .sum::<usize>()
                });
            });
        }
    }
    group.finish();
}

async fn connect(running: &LabRunning, index: usize) -> GNmiClient<Channel> {
    let entry = &running.inventory()[index];
    let url = format!("http://{}:{}", entry.ip_address, entry.port);
    GNmiClient::connect(url)
        .await
        .unwrap()
        .max_decoding_message_size(64 << 20)
}

/// A warm Get over gRPC on loopback.
fn get(c: &mut Criterion) {
    let runtime = Runtime::new().unwrap();
    let mut group = c.benchmark_group("get");
    for size in SIZES {
        let running = runtime
            .block_on(LabRunning::start(live(size), LabOptions::default()))
            .unwrap();
        let mut client = runtime.block_on(connect(&running, 0));
        for (what, text) in [("interfaces", INTERFACES), ("bgp", BGP), ("leaf", LEAF)] {
            group.bench_function(BenchmarkId::new(what, size), |b| {
                b.iter(|| runtime.block_on(client.get(request(text))).unwrap());
            });
        }
        runtime.block_on(running.stop());
    }
    group.finish();
}

/// 1,000 devices: start all, then ask each, 16 at a time.
fn thousand(c: &mut Criterion) {
    let runtime = Runtime::new().unwrap();
    let mut group = c.benchmark_group("1000 devices");
    group.sample_size(10).measurement_time(Duration::from_secs(10));
    let before = resident_mb();
    let lab = live("1000");
    let start = || {
        runtime
            .block_on(LabRunning::start(lab.clone(), LabOptions::default()))
            .unwrap()
    };
    group.bench_function("start and stop", |b| {
        b.iter(|| runtime.block_on(start().stop()));
    });
    let running = start();
    println!(
        "resident: {before} MB before, {} MB with 1000 targets up",
        resident_mb()
    );
    let clients: Vec<_> = (0..running.inventory().len())
        .map(|index| runtime.block_on(connect(&running, index)))
        .collect();
    println!(
        "resident: {} MB with a client connected to each (both ends in this process)",
        resident_mb()
    );
    for (what, text) in [("leaf", LEAF), ("interfaces", INTERFACES), ("bgp", BGP)] {
        group.bench_function(BenchmarkId::new("sweep", what), |b| {
            b.iter(|| runtime.block_on(sweep(&clients, text)));
        });
    }
    println!("resident: {} MB after the sweeps", resident_mb());
    group.finish();
    drop(clients);
    runtime.block_on(running.stop());
}

/// How many answered with data (routers of the core have no BGP).
async fn sweep(clients: &[GNmiClient<Channel>], text: &str) -> usize {
    let asked = clients
        .iter()
        .cloned()
        .map(|mut client| async move { client.get(request(text)).await.is_ok() });
    futures::stream::iter(asked)
        .buffer_unordered(16)
        .filter(|ok| std::future::ready(*ok))
        .count()
        .await
}

/// Resident memory of this process in MB; 0 where there is no /proc.
fn resident_mb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|text| text.trim().trim_end_matches(" kB").parse::<u64>().ok())
        .unwrap_or(0)
        / 1024
}

criterion_group!(benches, device, get, thousand);
criterion_main!(benches);
