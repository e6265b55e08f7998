//! Faults seen from outside: both ends, over gRPC, and healed again.

use super::client::{Bench, get};
use serde_json::Value;
use std::collections::BTreeSet;

const SESSIONS: &str = "network-instances/network-instance[name=DEFAULT]/protocols/protocol[identifier=BGP]/bgp/neighbors/neighbor";

fn state(address: &str) -> String {
    format!("{SESSIONS}[neighbor-address={address}]/state/session-state")
}

#[tokio::test]
async fn a_wrong_as_takes_the_session_down_on_both_ends_until_healed() {
    let bench = Bench::start("S").await;
    let (pe, rr) = (state("100.100.100.107"), state("100.100.100.101"));
    assert_eq!(bench.one("xrd-1", &pe).await, "ESTABLISHED");
    let before = bench.get("xrd-1", "/").await;

    bench.inject("bgp.neighbor.remote_as device=xrd-1 neighbor=100.100.100.107 value=65001 at_s=-600");
    assert_ne!(bench.one("xrd-1", &pe).await, "ESTABLISHED");
    assert_ne!(bench.one("xrd-7", &rr).await, "ESTABLISHED");
    let asked = format!("{SESSIONS}[neighbor-address=100.100.100.107]/config/peer-as");
    assert_eq!(bench.one("xrd-1", &asked).await, 65001);
    assert_eq!(
        bench.one("xrd-2", &pe).await,
        "ESTABLISHED",
        "another PE is not touched"
    );

    bench.lab.heal();
    assert_eq!(bench.get("xrd-1", "/").await, before, "healed is as before");
}

#[tokio::test]
async fn time_moves_counters() {
    let bench = Bench::start("S").await;
    let path = "interfaces/interface[name=GigabitEthernet0/0/0/0]/state/counters/in-octets";
    let read = async || {
        bench
            .one("xrd-1", path)
            .await
            .as_str()
            .unwrap()
            .parse::<u64>()
            .unwrap()
    };
    let first = read().await;
    assert_eq!(first, read().await);
    bench.advance_s(10);
    assert!(read().await > first);
}

#[tokio::test]
async fn a_device_that_cannot_be_managed_is_gone_and_comes_back() {
    let bench = Bench::start("S").await;
    let mut client = bench.client("xrd-4").await;
    assert!(get(&mut client, "system/state/hostname").await.is_ok());
    bench.inject("node.management_down device=xrd-4");
    let port = bench.entry("xrd-4").port;
    let open = async || tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_ok();
    while open().await {
        tokio::task::yield_now().await;
    }
    // It still forwards: its neighbours keep their adjacencies.
    let neighbours = bench
        .get(
            "xrd-3",
            "network-instances/.../adjacencies/adjacency/state/noctui-lab:hostname",
        )
        .await;
    assert!(
        neighbours.iter().any(|(_, name)| name == "xrd-4"),
        "{neighbours:?}"
    );
    bench.lab.heal();
    while !open().await {
        tokio::task::yield_now().await;
    }
}

/// What the parsers of collectors rely on holds for every device of every size, whatever its role.
#[tokio::test]
async fn every_device_answers_what_collectors_ask() {
    for size in ["S", "M"] {
        let bench = Bench::start(size).await;
        let mut roles = BTreeSet::new();
        for entry in bench.running.inventory() {
            let mut client = bench.client(&entry.name).await;
            let system = &get(&mut client, "openconfig-system:/system").await.unwrap()[0].1;
            assert_eq!(system["state"]["hostname"], entry.name.as_str());
            let interfaces = &get(&mut client, "openconfig-interfaces:interfaces")
                .await
                .unwrap()[0]
                .1;
            for interface in interfaces["interface"].as_array().unwrap() {
                assert!(interface["state"]["oper-status"].is_string(), "{interface}");
            }
            let isis = "network-instances/network-instance[name=*]/protocols/protocol/isis/global";
            assert!(get(&mut client, isis).await.unwrap()[0].1["state"]["net"][0].is_string());
            let bgp = "network-instances/network-instance[name=*]/protocols/protocol/bgp";
            roles.insert(match get(&mut client, bgp).await {
                Ok(found) if found.len() > 1 => "PE",
                Ok(found) => {
                    assert!(found[0].0.contains("[name=DEFAULT]"));
                    "RR"
                }
                Err(status) => {
                    assert_eq!(status.code(), tonic::Code::NotFound);
                    "P"
                }
            });
        }
        assert_eq!(roles, BTreeSet::from(["P", "PE", "RR"]), "{size}");
    }
}

#[tokio::test]
async fn a_missing_import_target_shows_in_configuration_and_in_the_table() {
    let bench = Bench::start("S").await;
    let vrf = "network-instances/network-instance[name=CUST-A]";
    let routes = async |bench: &Bench| {
        let found = bench
            .get(
                "xrd-1",
                &format!("{vrf}/afts/ipv4-unicast/ipv4-entry/state/prefix"),
            )
            .await;
        found
            .into_iter()
            .map(|(_, prefix)| prefix)
            .collect::<Vec<Value>>()
    };
    let before = routes(&bench).await;
    let targets = bench
        .one(
            "xrd-1",
            &format!("{vrf}/inter-instance-policies/import-export-policy"),
        )
        .await;
    assert!(
        targets["config"]["import-route-target"]
            .as_array()
            .is_some_and(|list| !list.is_empty())
    );
    bench.inject("vrf.import_rt device=xrd-1 vrf=CUST-A value=[] at_s=-600");
    assert!(routes(&bench).await.len() < before.len());
}
