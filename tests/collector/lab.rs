//! The collector before the lab's own gNMI targets: a healthy network read by every tool, faults as they
//! show, tool trouble as an answer, and the command line's Subscribe.

use super::{Client, call, connect};
use noctui::gnmi::client::Limits;
use noctui::lab::Lab;
use noctui::lab::fault::Fault;
use noctui::lab::live::LiveLab;
use noctui::lab::network::builtin;
use noctui::lab::target::{LabOptions, LabRunning};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

const NOW_MS: i64 = 1_795_306_328_000;

struct Network {
    lab: Arc<LiveLab>,
    running: LabRunning,
    entries: Vec<Value>,
    clock: Arc<AtomicI64>,
}

impl Network {
    async fn up(faults: &[&str]) -> Self {
        let clock = Arc::new(AtomicI64::new(NOW_MS));
        let told = Arc::clone(&clock);
        let network = builtin("sp-s").unwrap();
        let lab = Arc::new(LiveLab::new(
            Lab::new(network, 7, NOW_MS),
            Arc::new(move || told.load(Ordering::SeqCst)),
        ));
        for fault in faults {
            lab.inject(toml::from_str::<Fault>(fault).unwrap()).unwrap();
        }
        let running = LabRunning::start(lab.clone(), LabOptions::default())
            .await
            .unwrap();
        let entries = running.inventory().iter().map(|e| {
            let mut entry = json!(e);
            entry["gnmi_timeout"] = json!(1);
            entry
        });
        Self {
            entries: entries.collect(),
            lab,
            running,
            clock,
        }
    }

    async fn client(&self) -> Client {
        connect(&self.entries, Limits::default()).await
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_tool_reads_a_healthy_network() {
    let network = Network::up(&[]).await;
    let client = network.client().await;
    for entry in &network.entries {
        let name = entry["name"].as_str().unwrap();
        let ask = |tool: &'static str, extra: Value| {
            let mut arguments = json!({ "device_name": name });
            arguments
                .as_object_mut()
                .unwrap()
                .extend(extra.as_object().unwrap().clone());
            call(&client, tool, arguments)
        };
        let profile = ask("get_device_profile_api", json!({})).await;
        let wanted = match name {
            "xrd-1" | "xrd-2" => "PE",
            "xrd-7" | "xrd-8" => "RR",
            _ => "P",
        };
        assert_eq!(profile["data"]["profile"]["role"], wanted, "{name}: {profile}");
        let routing = ask("get_routing_info", json!({ "include_details": true })).await;
        let status = if wanted == "P" {
            "partial_success"
        } else {
            "success"
        };
        assert_eq!(routing["status"], status, "{name}: {routing}");
        check_routing(name, &routing);
        let mpls = ask("get_mpls_info", json!({})).await;
        let block = &mpls["data"]["mpls_data"]["label_blocks"][0];
        assert_eq!(
            (&block["lower_bound"], &block["upper_bound"]),
            (&json!(16000), &json!(23999)),
            "{name}: {mpls}"
        );
        let vpn = ask("get_vpn_info", json!({ "include_details": true })).await;
        assert_eq!(vpn["status"], "success", "{name}: {vpn}");
        assert_eq!(
            vpn["metadata"]["vrfs_returned"].as_u64().unwrap() > 0,
            wanted == "PE",
            "{name}"
        );
        let system = ask("get_system_info", json!({})).await;
        assert_eq!(system["data"]["system_data"]["hostname"], name);
        assert!(system["data"]["system_data"]["uptime"].is_string(), "{system}");
        let logs = ask("get_logs", json!({ "show_all_logs": true })).await;
        assert_eq!(logs["status"], "success", "{name}: {logs}");
        assert_eq!(
            logs["metadata"]["device_time"], "2026-11-22T00:12:08Z",
            "{}",
            logs["metadata"]
        );
        check_interfaces(name, wanted, &client).await;
    }
}

fn check_routing(name: &str, routing: &Value) {
    for entry in routing["data"]["routing_protocols"].as_array().unwrap() {
        let (detail, kind) = (&entry["detailed_data"], entry["protocol"].as_str().unwrap());
        let states = match kind {
            "bgp" => &detail["neighbors"],
            _ => &detail["adjacencies"],
        };
        assert!(
            !states.as_array().unwrap().is_empty(),
            "{name}: {kind} has no peer"
        );
        for peer in states.as_array().unwrap() {
            assert!(
                peer["state"] == "ESTABLISHED" || peer["state"] == "UP",
                "{name}: {peer}"
            );
        }
        if kind == "isis" {
            assert_eq!(detail["segment_routing_enabled"], true, "{name}");
            assert!(
                detail["net"].as_str().unwrap().starts_with("49."),
                "{name}: {detail}"
            );
        }
    }
}

async fn check_interfaces(name: &str, role: &str, client: &Client) {
    let brief = call(client, "get_interface_info", json!({ "device_name": name })).await;
    let summary = &brief["data"]["summary"];
    assert_eq!(
        summary["with_vrf"].as_u64().unwrap() > 0,
        role == "PE",
        "{name}: {summary}"
    );
    let first = brief["data"]["interfaces"]
        .as_array()
        .unwrap()
        .iter()
        .find(|i| i["name"].as_str().unwrap().starts_with("GigabitEthernet") && i["oper_status"] == "UP");
    let interface = first.unwrap()["name"].clone();
    let one = call(
        client,
        "get_interface_info",
        json!({ "device_name": name, "interface": interface }),
    )
    .await;
    let shown = &one["data"]["interfaces"][0]["interface"];
    assert!(
        shown["counters"]["in_packets"]
            .as_str()
            .unwrap()
            .parse::<u64>()
            .is_ok(),
        "{name}: {shown}"
    );
    assert!(
        shown["mtu"].is_number() && shown["speed"].as_str().unwrap().starts_with("SPEED_"),
        "{name}: {shown}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn topology_is_the_same_from_both_ends() {
    let network = Network::up(&[]).await;
    let client = network.client().await;
    let whole = call(&client, "get_network_topology_api", json!({})).await;
    assert_eq!(whole["status"], "success", "{whole}");
    let links = whole["data"]["direct_connections"].as_array().unwrap();
    assert_eq!(whole["metadata"]["total_nodes"], 8);
    assert!(links.len() >= 8, "{} links", links.len());
    for link in links {
        let (source, target) = (&link["source"], &link["target"]);
        let near = call(
            &client,
            "get_topology_neighbors",
            json!({ "device_name": target }),
        )
        .await;
        let back = near["data"]["neighbors"].as_array().unwrap().iter().find(|n| {
            n["neighbor"] == *source && n["attributes"]["network"] == link["attributes"]["network"]
        });
        let back = &back.unwrap()["attributes"];
        assert_eq!(back["local_interface"], link["attributes"]["remote_interface"]);
        assert_eq!(back["remote_ip"], link["attributes"]["local_ip"]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn faults_are_seen_where_the_original_hides_them() {
    let network = Network::up(&[
        "at_s = -600\nop = \"bgp.neighbor.shutdown\"\ndevice = \"xrd-1\"\nneighbor = \"100.100.100.107\"\nvalue = true",
        "at_s = -600\nop = \"node.management_down\"\ndevice = \"xrd-4\"",
        "at_s = -7200\nop = \"node.clock_skew\"\ndevice = \"xrd-2\"\nvalue = 5400",
        "at_s = -120\nop = \"log.line\"\ndevice = \"xrd-2\"\ntext = \"needle (x) in [k=v] the log\"",
    ])
    .await;
    let client = network.client().await;
    let bgp = call(
        &client,
        "get_routing_info",
        json!({ "device_name": "xrd-1", "protocol": "bgp", "include_details": true }),
    )
    .await;
    let neighbors = bgp["data"]["routing_protocols"][0]["detailed_data"]["neighbors"]
        .as_array()
        .unwrap();
    let shut = neighbors
        .iter()
        .find(|n| n["address"] == "100.100.100.107")
        .unwrap();
    assert_ne!(shut["state"], "ESTABLISHED");
    assert_eq!(shut["enabled"], false, "{shut}");

    let dark = call(&client, "get_system_info", json!({ "device_name": "xrd-4" })).await;
    assert_eq!(dark["error_response"]["type"], "CONNECTION_TIMEOUT", "{dark}");
    let near = call(
        &client,
        "get_topology_neighbors",
        json!({ "device_name": "xrd-3" }),
    )
    .await;
    assert_eq!(
        near["status"], "partial_success",
        "a dead router does not hide the rest"
    );
    assert!(
        near["metadata"]["unobserved_devices"]["xrd-4"].is_object(),
        "{near}"
    );

    let logs = json!({ "device_name": "xrd-2", "minutes": 5, "keywords": "[k=v] the" });
    let found = call(&client, "get_logs", logs).await;
    assert_eq!(
        found["data"]["summary"]["count"], 1,
        "by the device's own clock, wrong as it is: {found}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tool_trouble_is_an_answer_and_others_do_not_notice() {
    for (trouble, kinds) in [
        (
            "op = \"tool.error\"\ntext = \"UNAVAILABLE\"",
            &["unavailable"][..],
        ),
        ("op = \"tool.hang\"", &["deadline"]),
        ("op = \"tool.reset\"", &["unavailable"]),
        ("op = \"tool.delay\"\nvalue = 60000", &["deadline"]),
        (
            "op = \"tool.truncate\"\nvalue = 3",
            &["undecodable", "unavailable", "other"],
        ),
        (
            "op = \"tool.oversize\"\nvalue = 52428800",
            &["too_large", "deadline"],
        ),
    ] {
        let network = Network::up(&[&format!("device = \"xrd-3\"\n{trouble}")]).await;
        let client = network.client().await;
        let started = Instant::now();
        let path = "openconfig-system:/system/state/hostname";
        let many = call(
            &client,
            "gnmi_get_many",
            json!({ "devices": ["*"], "paths": [path] }),
        )
        .await;
        assert!(
            started.elapsed() < Duration::from_secs(4),
            "{trouble}: {:?}",
            started.elapsed()
        );
        assert_eq!(
            many["metadata"]["failed_devices"],
            json!(["xrd-3"]),
            "{trouble}: {}",
            many["metadata"]
        );
        let failed = &many["data"]["devices"]["xrd-3"];
        let kind = failed["error_response"]["details"]["kind"].as_str();
        let of_path = failed["metadata"]["path_errors"][path]["details"]["kind"].as_str();
        let kind = kind.or(of_path).unwrap_or_else(|| panic!("{trouble}: {failed}"));
        assert!(kinds.contains(&kind), "{trouble}: {kind}");
        network.running.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn counters_move_with_the_devices_clock() {
    let network = Network::up(&[]).await;
    let client = network.client().await;
    let ask = json!({ "device": "xrd-3", "interface": "GigabitEthernet0/0/0/0", "seconds": 1 });
    // The device's clock runs while the two readings are made, whenever exactly they are.
    let running = async {
        loop {
            network.clock.fetch_add(10, Ordering::SeqCst);
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    };
    let got = tokio::select! {
        got = call(&client, "sample_counters", ask) => got,
        () = running => return,
    };
    let interface = &got["data"]["interfaces"][0];
    assert!(interface["deltas"]["in-octets"].as_u64().unwrap() > 0, "{got}");
    assert!(
        interface["rates"]["in-bits-per-second"].as_f64().unwrap() > 0.0,
        "{got}"
    );
    assert_eq!(interface["deltas"]["in-fcs-errors"], 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_real_child_reads_the_lab_and_subscribes() {
    use super::stdio::noctui;
    let network = Network::up(&[]).await;
    let entry = &network.entries[0];
    let address = format!("127.0.0.1:{}", entry["port"]);
    let (user, password) = (
        entry["username"].as_str().unwrap(),
        entry["password"].as_str().unwrap(),
    );
    let path = "/interfaces/interface[name=*]/state/oper-status";
    let base = [
        "gnmi",
        "subscribe",
        "-a",
        &address,
        "--insecure",
        "-u",
        user,
        "--path",
        path,
        "--format",
        "flat",
    ];
    let run = |extra: &'static [&'static str]| {
        let mut command = noctui(&base);
        command.args(extra).env("NOCTUI_GNMI_PASSWORD", password);
        async move {
            tokio::time::timeout(Duration::from_secs(10), command.output())
                .await
                .unwrap()
                .unwrap()
        }
    };
    let once = run(&["--mode", "once"]).await;
    assert!(once.status.success(), "{}", String::from_utf8_lossy(&once.stderr));
    let text = String::from_utf8(once.stdout).unwrap();
    assert!(
        text.lines()
            .any(|l| l.ends_with("[name=Loopback0]/state/oper-status: UP")),
        "{text}"
    );
    let sampled = run(&["--stream-mode", "sample", "-i", "1s", "--count", "2"]).await;
    assert!(
        sampled.status.success(),
        "{}",
        String::from_utf8_lossy(&sampled.stderr)
    );
    assert!(!sampled.stdout.is_empty());
    let wrong = {
        let mut command = noctui(&base);
        command
            .args(["--mode", "once"])
            .env("NOCTUI_GNMI_PASSWORD", "wrong");
        command.output().await.unwrap()
    };
    assert_eq!(wrong.status.code(), Some(4));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("unauthenticated"));
    assert!(network.lab.faults().is_empty());
}
