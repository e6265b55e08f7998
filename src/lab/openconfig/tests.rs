//! What readers of the trees rely on: names, places, types and that a change of state shows.

use super::encode::{JsonFlavour, json, leaves};
use super::sample::{device, exposure};
use super::tree::DataKind;
use super::{Device, render};
use crate::lab::state::DeviceState;
use crate::proto::gnmi::Path;
use crate::proto::path;
use serde_json::{Value, json};

fn ask(state: &DeviceState, text: &str, kind: DataKind) -> Vec<(String, Value)> {
    let query = path::parse(text).unwrap();
    render(
        Device {
            state,
            exposure: &exposure(),
        },
        &query.elem,
        kind,
    )
    .into_iter()
    .map(|found| {
        let value = json(&found.node, JsonFlavour::Ietf);
        (
            path::print(&Path {
                elem: found.path,
                ..Path::default()
            }),
            value,
        )
    })
    .collect()
}

/// The one answer to a path.
fn one(text: &str) -> Value {
    let mut all = ask(&device(), text, DataKind::All);
    assert_eq!(all.len(), 1, "{text}: {all:?}");
    all.remove(0).1
}

const DEFAULT: &str = "network-instances/network-instance[name=DEFAULT]";
const BGP: &str = "network-instances/network-instance[name=DEFAULT]/protocols/protocol[identifier=BGP]/bgp";
const ISIS: &str = "network-instances/network-instance[name=*]/protocols/protocol/isis";

#[test]
fn interfaces_are_where_collectors_look() {
    let all = one("openconfig-interfaces:interfaces");
    let gig = &all["interface"][1];
    assert_eq!(gig["name"], "GigabitEthernet0/0/0/0");
    assert_eq!(gig["state"]["oper-status"], "UP");
    assert_eq!(gig["state"]["counters"]["in-octets"], "9000000000");
    assert_eq!(gig["state"]["counters"]["in-fcs-errors"], "17");
    assert_eq!(gig["state"]["counters"]["carrier-transitions"], "4");
    assert_eq!(
        gig["openconfig-if-ethernet:ethernet"]["state"]["port-speed"],
        "SPEED_1GB"
    );
    let subinterface = &gig["subinterfaces"]["subinterface"][0];
    assert_eq!(subinterface["index"], 0);
    let address = &subinterface["openconfig-if-ip:ipv4"]["addresses"]["address"][0];
    assert_eq!(
        (&address["ip"], &address["state"]["prefix-length"]),
        (&json!("100.101.103.101"), &json!(24))
    );
    let state = one("lacp/.../member[interface=GigabitEthernet0/0/0/5]/state");
    assert_eq!(state["distributing"], false);
}

#[test]
fn system_tells_time_load_alarms_and_itself() {
    let system = one("openconfig-system:system");
    assert_eq!(
        system["state"]["current-datetime"],
        "2026-11-22T00:12:08.500+00:00"
    );
    assert_eq!(system["state"]["boot-time"], "1795219928000000000");
    assert_eq!(system["memory"]["state"]["physical"], "8000000000");
    assert_eq!(
        system["alarms"]["alarm"][0]["state"]["severity"],
        "openconfig-alarm-types:MAJOR"
    );
    assert_eq!(system["ntp"]["state"]["noctui-lab:stratum"], 16);
    assert_eq!(
        system["openconfig-system-grpc:grpc-servers"]["grpc-server"][0]["state"]["port"],
        57401
    );
    assert_eq!(
        system["aaa"]["authentication"]["users"]["user"][0]["state"]["username"],
        "lab"
    );
    let reason = one("components/component/state/last-reboot-reason");
    assert_eq!(reason, "openconfig-platform-types:REBOOT_POWER_FAILURE");
}

#[test]
fn bgp_shows_sessions_and_hides_passwords() {
    let bgp = one(BGP);
    assert_eq!(bgp["global"]["state"]["as"], 100);
    assert_eq!(bgp["global"]["state"]["total-prefixes"], 2);
    assert_eq!(
        bgp["peer-groups"]["peer-group"][0]["transport"]["state"]["local-address"],
        "Loopback0"
    );
    let peer = &bgp["neighbors"]["neighbor"][0];
    assert_eq!(peer["state"]["session-state"], "ESTABLISHED");
    assert_eq!(peer["config"]["auth-password"], "***");
    let sent = &peer["state"]["messages"]["sent"];
    assert_eq!(
        sent["last-notification-error-code"],
        "openconfig-bgp-errors:HOLD_TIMER_EXPIRED"
    );
    let family = &peer["afi-safis"]["afi-safi"][0];
    assert_eq!(family["afi-safi-name"], "openconfig-bgp-types:L3VPN_IPV4_UNICAST");
    assert_eq!(family["state"]["prefixes"]["received-pre-policy"], 12);
    assert_eq!(
        family["apply-policy"]["state"]["default-import-policy"],
        "REJECT_ROUTE"
    );
    assert_eq!(
        family["l3vpn-ipv4-unicast"]["prefix-limit"]["state"]["prefix-limit-exceeded"],
        true
    );
    assert!(bgp.get("rib").is_none(), "the table is answered only when named");
    let route = one(&format!("{BGP}/rib/.../route/state"));
    assert_eq!(route["route-distinguisher"], "100.100.100.102:100");
    assert_eq!(
        one(&format!("{BGP}/rib/ext-communities/ext-community/state"))["ext-community"][0],
        "route-target:100:100"
    );
}

#[test]
fn the_profile_a_collector_asks_for_has_one_answer_a_row() {
    for (text, rows) in [
        (
            "network-instances/network-instance[name=*]/protocols/protocol/bgp/global/afi-safis/afi-safi[name=*]/state",
            2,
        ),
        (
            "network-instances/network-instance[name=*]/mpls/global/interface-attributes/interface[interface-id=*]/state",
            1,
        ),
        (
            "network-instances/network-instance[name=*]/protocols/protocol/isis/global/segment-routing/state/enabled",
            1,
        ),
        (
            "network-instances/network-instance[name=*]/protocols/protocol/bgp/neighbors/neighbor[neighbor-address=*]/route-reflector/state",
            2,
        ),
    ] {
        let found = ask(&device(), text, DataKind::All);
        assert_eq!(found.len(), rows, "{text}: {found:?}");
    }
    let found = ask(
        &device(),
        "network-instances/network-instance/protocols/protocol/bgp",
        DataKind::All,
    );
    let paths: Vec<&str> = found.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(
        paths,
        [
            "/network-instances/network-instance[name=DEFAULT]/protocols/protocol[identifier=BGP][name=default]/bgp",
            "/network-instances/network-instance[name=CUST-A]/protocols/protocol[identifier=BGP][name=default]/bgp",
        ]
    );
}

#[test]
fn isis_shows_process_circuits_and_adjacencies() {
    let isis = one(ISIS);
    assert_eq!(
        isis["global"]["state"]["net"],
        json!(["49.0100.0100.0100.0101.00"])
    );
    assert_eq!(
        isis["global"]["lsp-bit"]["overload-bit"]["state"]["set-bit"],
        true
    );
    assert_eq!(isis["global"]["segment-routing"]["state"]["enabled"], true);
    let circuit = &isis["interfaces"]["interface"][0];
    assert_eq!(circuit["state"]["hello-padding"], "STRICT");
    assert_eq!(circuit["circuit-counters"]["state"]["auth-fails"], 3);
    let levels = circuit["levels"]["level"].as_array().unwrap();
    assert_eq!(levels.len(), 1, "an L2 circuit has one level");
    assert_eq!(levels[0]["level-number"], 2);
    assert_eq!(levels[0]["hello-authentication"]["state"]["enabled"], true);
    assert_eq!(
        levels[0]["adjacencies"]["adjacency"][0]["state"]["adjacency-state"],
        "UP"
    );
    let metric = one(&format!(
        "{ISIS}/interfaces/interface/levels/level/afi-safi/af/state/metric"
    ));
    assert_eq!(metric, 10);
    let lsp = one(&format!(
        "{ISIS}/levels/level[level-number=2]/link-state-database/lsp"
    ));
    assert_eq!(lsp["state"]["flags"], json!(["OVERLOAD"]));
}

#[test]
fn a_pending_srgb_is_configured_and_not_allocated() {
    let block = one(&format!(
        "{DEFAULT}/mpls/global/reserved-label-blocks/reserved-label-block[local-id=default-srgb]"
    ));
    assert_eq!(block["config"]["lower-bound"], 16_000);
    assert!(block["state"].get("lower-bound").is_none());
    let srgb = one(&format!("{DEFAULT}/segment-routing/srgbs/srgb/state"));
    assert_eq!(srgb["noctui-lab:allocation-pending"], true);
}

#[test]
fn a_vrf_is_an_instance_with_targets_sessions_and_routes() {
    let vrf = one("network-instances/network-instance[name=CUST-A]");
    assert_eq!(vrf["state"]["type"], "openconfig-network-instance-types:L3VRF");
    assert_eq!(vrf["state"]["route-distinguisher"], "100.100.100.101:100");
    let targets = &vrf["inter-instance-policies"]["import-export-policy"]["state"];
    assert_eq!(targets["export-route-target"], json!(["100:100", "100:999"]));
    assert_eq!(
        vrf["table-connections"]["table-connection"][0]["dst-protocol"],
        "openconfig-policy-types:BGP"
    );
    assert_eq!(vrf["interfaces"]["interface"][0]["id"], "GigabitEthernet0/0/0/2");
    let protocol = &vrf["protocols"]["protocol"][0];
    assert_eq!(protocol["identifier"], "openconfig-policy-types:BGP");
    assert_eq!(
        protocol["bgp"]["neighbors"]["neighbor"][0]["state"]["peer-type"],
        "EXTERNAL"
    );
    assert_eq!(
        vrf["afts"]["ipv4-unicast"]["ipv4-entry"][1]["state"]["prefix"],
        "10.2.0.0/24"
    );
    let hops = vrf["afts"]["next-hops"]["next-hop"].as_array().unwrap();
    assert!(
        hops.iter()
            .any(|hop| hop["state"]["pushed-mpls-label-stack"] == json!([24_001])),
        "{hops:?}"
    );
}

#[test]
fn a_device_without_bgp_has_none_to_show() {
    let mut state = device();
    state.bgp = None;
    state.vrfs.clear();
    assert_eq!(
        ask(
            &state,
            "network-instances/network-instance/protocols/protocol/bgp",
            DataKind::All
        ),
        []
    );
}

#[test]
fn configuration_is_a_part_of_everything() {
    let all = leaves(
        render(
            Device {
                state: &device(),
                exposure: &exposure(),
            },
            &[],
            DataKind::All,
        )
        .remove(0),
    );
    for kind in [DataKind::Config, DataKind::State, DataKind::Operational] {
        let some = leaves(
            render(
                Device {
                    state: &device(),
                    exposure: &exposure(),
                },
                &[],
                kind,
            )
            .remove(0),
        );
        assert!(
            some.len() < all.len() && some.len() > 20,
            "{kind:?}: {} of {}",
            some.len(),
            all.len()
        );
        for leaf in &some {
            assert!(all.contains(leaf), "{kind:?}: {leaf:?}");
        }
    }
    let has_config = |elem: &[crate::proto::gnmi::PathElem]| elem.iter().any(|e| e.name == "config");
    let state = leaves(
        render(
            Device {
                state: &device(),
                exposure: &exposure(),
            },
            &[],
            DataKind::State,
        )
        .remove(0),
    );
    assert!(state.iter().all(|(elem, _)| !has_config(elem)));
}

/// No two leaves of a device may share a path: a client keys on them.
#[test]
fn every_leaf_has_its_own_path() {
    let all = leaves(
        render(
            Device {
                state: &device(),
                exposure: &exposure(),
            },
            &[],
            DataKind::All,
        )
        .remove(0),
    );
    let mut paths: Vec<String> = all
        .into_iter()
        .map(|(elem, _)| {
            path::print(&Path {
                elem,
                ..Path::default()
            })
        })
        .collect();
    paths.sort();
    let doubled: Vec<&String> = paths
        .windows(2)
        .filter(|pair| pair[0] == pair[1])
        .map(|pair| &pair[0])
        .collect();
    assert!(doubled.is_empty(), "{doubled:?}");
}
