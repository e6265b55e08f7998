//! OpenConfig trees of fake devices: a PE, a P, a route reflector, a CE, a router with IS-IS only.

use serde_json::{Value, json};

fn interface(name: &str, ip: &str, length: u8, description: &str) -> Value {
    json!({ "name": name,
        "config": { "name": name, "enabled": true, "description": description, "mtu": 1514 },
        "state": { "name": name, "admin-status": "UP", "oper-status": "UP", "description": description, "mtu": 1514,
            "counters": { "in-pkts": "9698428", "out-pkts": "951005", "in-errors": "0", "out-errors": "0",
                "in-octets": "1000", "out-octets": "2000" } },
        "openconfig-if-ethernet:ethernet": { "state": { "mac-address": "02:42:fc:60:4c:09",
            "port-speed": "openconfig-if-ethernet:SPEED_1GB", "duplex-mode": "FULL" } },
        "subinterfaces": { "subinterface": [{ "index": 0, "openconfig-if-ip:ipv4": { "addresses": { "address": [
            { "ip": ip, "config": { "ip": ip, "prefix-length": length }, "state": { "ip": ip, "prefix-length": length } }] } } }] } })
}

fn system(name: &str) -> Value {
    json!({ "state": { "hostname": name, "current-datetime": "2026-11-22T00:12:19+00:00",
            "software-version": "24.4.1.26I", "boot-time": "1794525139133261312" },
        "clock": { "state": { "timezone-name": "Universal" } },
        "memory": { "state": { "physical": "33657106432" } },
        "grpc-servers": { "grpc-server": [{ "name": "DEFAULT", "state": { "name": "DEFAULT", "enable": true, "port": 57401,
            "transport-security": false, "listen-addresses": ["ANY"] } }] },
        "logging": { "console": { "selectors": { "selector": [{ "facility": "openconfig-system-logging:ALL", "severity": "DEBUG" }] } } },
        "aaa": { "authentication": { "users": { "user": [{ "username": "cisco", "state": { "role": "root-lr" } }] } } } })
}

fn isis() -> Value {
    let link = |name: &str, passive: bool, adjacency: Option<&str>| {
        let adjacencies: Vec<Value> = adjacency
            .map(|state| json!({ "system-id": "0100.0100.0103", "state": { "system-id": "0100.0100.0103",
                "neighbor-ipv4-address": "100.101.103.103", "neighbor-ipv6-address": "::", "adjacency-type": "LEVEL_1",
                "adjacency-state": state, "area-address": ["49.0100"] } }))
            .into_iter()
            .collect();
        json!({ "interface-id": name, "state": { "interface-id": name, "enabled": true, "passive": passive,
                "circuit-type": "POINT_TO_POINT" },
            "levels": { "level": [{ "level-number": 1, "state": { "level-number": 1, "enabled": true },
                "adjacencies": { "adjacency": adjacencies } }] } })
    };
    json!({ "identifier": "openconfig-policy-types:ISIS", "name": "CORE", "isis": {
        "global": { "state": { "net": ["49.0100.0100.0100.0101.00"], "level-capability": "LEVEL_1",
                "authentication-check": true }, "segment-routing": { "state": { "enabled": true } } },
        "interfaces": { "interface": [link("Loopback0", true, None), link("GigabitEthernet0/0/0/0", false, Some("UP")),
            link("GigabitEthernet0/0/0/1", false, Some("DOWN"))] } } })
}

fn bgp(neighbor: &str, family: &str, reflects: bool) -> Value {
    let family = format!("openconfig-bgp-types:{family}");
    json!({ "identifier": "openconfig-policy-types:BGP", "name": "default", "bgp": {
        "global": { "state": { "as": 100, "router-id": "100.100.100.101", "total-prefixes": 57, "total-paths": 60 },
            "afi-safis": { "afi-safi": [{ "afi-safi-name": family, "state": { "afi-safi-name": family, "enabled": true, "total-prefixes": 2 } }] } },
        "peer-groups": { "peer-group": [{ "peer-group-name": "RR", "config": { "peer-group-name": "RR", "peer-as": 100 },
            "transport": { "config": { "local-address": "Loopback0" } },
            "afi-safis": { "afi-safi": [{ "afi-safi-name": family }] } }] },
        "neighbors": { "neighbor": [{ "neighbor-address": neighbor, "config": { "peer-group": "RR", "enabled": true },
            "state": { "session-state": "ESTABLISHED", "peer-as": 100, "last-established": "1795133528000000000" },
            "route-reflector": { "state": { "route-reflector-client": reflects, "route-reflector-cluster-id": "1.1.1.1" } },
            "afi-safis": { "afi-safi": [{ "afi-safi-name": family, "state": { "prefixes": { "received": 1, "sent": 1 } } }] } }] } } })
}

fn mpls() -> Value {
    let block = |name: &str, low: u32, high: u32| json!({ "local-id": name, "state": { "local-id": name, "lower-bound": low, "upper-bound": high } });
    let on = |name: &str| json!({ "interface-id": name, "state": { "mpls-enabled": true } });
    json!({ "global": { "config": { "null-label": "openconfig-mpls-types:IMPLICIT", "ttl-propagation": true },
        "reserved-label-blocks": { "reserved-label-block": [block("default-srgb", 16000, 18000)] },
        "interface-attributes": { "interface": [on("GigabitEthernet0/0/0/0")] } } })
}

fn instance(name: &str, protocols: Vec<Value>) -> Value {
    let mut instance = json!({ "name": name, "config": { "name": name, "enabled": true }, "state": { "name": name, "enabled": true } });
    if !protocols.is_empty() {
        instance["protocols"] = json!({ "protocol": protocols });
    }
    instance
}

fn customer() -> Value {
    let mut vrf = instance("100", vec![bgp("10.1.1.9", "IPV4_UNICAST", false)]);
    vrf["config"]["type"] = json!("openconfig-network-instance-types:L3VRF");
    vrf["config"]["route-distinguisher"] = json!("100.100.100.101:100");
    vrf["inter-instance-policies"] = json!({ "import-export-policy": { "config": {
        "import-route-target": ["100:100"], "export-route-target": ["100:100"] } } });
    vrf["interfaces"] = json!({ "interface": [{ "id": "GigabitEthernet0/0/0/2", "config": { "id": "GigabitEthernet0/0/0/2",
        "associated-address-families": ["openconfig-types:IPV4"] } }] });
    vrf
}

fn tree(name: &str, interfaces: Vec<Value>, instances: Vec<Value>) -> Value {
    json!({ "openconfig-system:system": system(name),
        "openconfig-interfaces:interfaces": { "interface": interfaces },
        "openconfig-network-instance:network-instances": { "network-instance": instances } })
}

/// A provider edge router with one VRF.
pub fn pe(name: &str) -> Value {
    let mut default = instance(
        "default",
        vec![bgp("100.100.100.108", "L3VPN_IPV4_UNICAST", false), isis()],
    );
    default["mpls"] = mpls();
    let null = json!({ "name": "Null0", "state": { "name": "Null0", "admin-status": "UP", "oper-status": "UP", "mtu": 1500 } });
    let interfaces = vec![
        interface("Loopback0", "100.100.100.101", 32, "router id"),
        interface(
            "GigabitEthernet0/0/0/0",
            "100.101.103.101",
            24,
            "to xrd-3 GigabitEthernet0/0/0/2",
        ),
        interface("GigabitEthernet0/0/0/2", "10.1.1.3", 24, "CUST"),
        null,
    ];
    tree(name, interfaces, vec![default, customer()])
}

/// A core router: IS-IS and MPLS, no BGP.
pub fn p(name: &str) -> Value {
    let mut default = instance("default", vec![isis()]);
    default["mpls"] = mpls();
    tree(
        name,
        vec![interface(
            "GigabitEthernet0/0/0/2",
            "100.101.103.103",
            24,
            "to xrd-1",
        )],
        vec![default],
    )
}

/// A route reflector.
pub fn rr(name: &str) -> Value {
    let mut default = instance(
        "default",
        vec![bgp("100.100.100.101", "L3VPN_IPV4_UNICAST", true), isis()],
    );
    default["mpls"] = mpls();
    tree(
        name,
        vec![interface("Loopback0", "100.100.100.108", 32, "")],
        vec![default],
    )
}

/// A router with IS-IS only.
pub fn igp(name: &str) -> Value {
    tree(
        name,
        vec![interface("Loopback0", "100.100.100.107", 32, "")],
        vec![instance("default", vec![isis()])],
    )
}

/// A customer's router.
pub fn ce(name: &str) -> Value {
    tree(
        name,
        vec![interface("GigabitEthernet0/0/0/0", "10.1.1.9", 24, "")],
        vec![instance("default", Vec::new())],
    )
}
