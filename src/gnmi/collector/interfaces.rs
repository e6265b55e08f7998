//! `get_interface_info`: all interfaces in brief, or one in detail.
//!
//! The contract names the same leaf `admin_status` in the list and `admin_state` in the detail. Beyond
//! it, the VRF is told (it stands in another tree, read in parallel) and the detail has octets, discards, FCS errors and carrier transitions where the device counts them.

use super::arguments::Arguments;
use super::envelope::{Envelope, Status};
use super::routing::fetch;
use crate::gnmi::client::lookup::{at, either, list, number, text};
use crate::gnmi::client::{Answer, Kind, Session};
use crate::proto::gnmi::{Path, PathElem};
use crate::proto::path::{local_name, parse, print};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::net::Ipv4Addr;

pub(super) const PATH: &str = "openconfig-interfaces:interfaces";
pub(super) const MODEL: (&str, &str) = ("openconfig-interfaces", "3.0.0");
const MEMBERS: &str = "openconfig-network-instance:network-instances/network-instance[name=*]/interfaces";

pub(super) async fn collect(session: &Session, arguments: &Arguments) -> Envelope {
    match arguments.text("interface").filter(|name| !name.trim().is_empty()) {
        Some(name) => one(session, name).await,
        None => all(session).await,
    }
}

/// The interfaces of an answer to [`PATH`], each as its subtree.
pub(super) fn interfaces(answer: &Answer) -> Vec<Value> {
    let Ok(asked) = parse(PATH) else { return Vec::new() };
    answer
        .select(&asked)
        .iter()
        .flat_map(|f| list(&f.value, "interface"))
        .cloned()
        .collect()
}

async fn all(session: &Session) -> Envelope {
    const OPERATION: &str = "interface_brief";
    let device = session.device();
    let (answer, vrfs) = futures::join!(fetch(session, MODEL, &[PATH]), memberships(session));
    let answer = match answer {
        Ok(answer) => answer,
        Err(error) => return Envelope::failed_or_absent(device, OPERATION, "interfaces", &error),
    };
    let list: Vec<Value> = interfaces(&answer).iter().map(|i| brief(i, &vrfs)).collect();
    let count = |key: &str, value: &str| list.iter().filter(|i| i[key] == value).count();
    let has = |key: &str| list.iter().filter(|i| !i[key].is_null()).count();
    let summary = json!({
        "total_interfaces": list.len(),
        "admin_up": count("admin_status", "UP"),
        "admin_down": count("admin_status", "DOWN"),
        "oper_up": count("oper_status", "UP"),
        "oper_down": list.len() - count("oper_status", "UP"),
        "with_ip": has("ip_address"),
        "with_vrf": has("vrf"),
    });
    let data = json!({ "interface_count": list.len(), "interfaces": list, "summary": summary });
    let metadata =
        json!({ "is_single_interface": false, "operation_details": "Retrieved summary of all interfaces" });
    Envelope::success(device, OPERATION, data, metadata).with_warnings(&answer.warnings)
}

fn name(interface: &Value) -> Option<String> {
    text(interface, "name").or_else(|| text(interface, "state/name"))
}

fn status(interface: &Value, leaf: &str) -> Option<String> {
    text(interface, &format!("state/{leaf}")).map(|s| local_name(&s).to_owned())
}

fn admin(interface: &Value) -> Option<String> {
    status(interface, "admin-status").or_else(|| {
        let enabled = either(interface, "enabled")?.as_bool()?;
        Some(if enabled { "UP" } else { "DOWN" }.to_owned())
    })
}

fn brief(interface: &Value, vrfs: &Memberships) -> Value {
    let mut out = json!({
        "name": name(interface),
        "admin_status": admin(interface),
        "oper_status": status(interface, "oper-status"),
    });
    if let Some((ip, length)) = ipv4(interface) {
        out["ip_address"] = json!(format!("{ip}/{}", mask(length)));
    }
    if let Some(vrf) = name(interface).and_then(|n| vrfs.get(&n)) {
        out["vrf"] = json!(vrf);
    }
    out
}

/// First IPv4 address with its prefix length, from any subinterface.
pub(super) fn ipv4(interface: &Value) -> Option<(Ipv4Addr, u8)> {
    let direct = at(interface, "ipv4").map(|_| interface);
    let nodes = list(interface, "subinterfaces/subinterface").iter().chain(direct);
    nodes
        .flat_map(|node| list(node, "ipv4/addresses/address"))
        .find_map(|address| {
            let ip = text(address, "ip").or_else(|| either(address, "ip")?.as_str().map(str::to_owned))?;
            let length =
                number(address, "state/prefix-length").or_else(|| number(address, "config/prefix-length"))?;
            Some((ip.parse().ok()?, u8::try_from(length).ok().filter(|l| *l <= 32)?))
        })
}

fn mask(length: u8) -> Ipv4Addr {
    Ipv4Addr::from(u32::MAX.checked_shl(32 - u32::from(length)).unwrap_or(0))
}

/// VRF of each interface that is in one; the default instance is none.
pub(super) type Memberships = HashMap<String, String>;

/// Who is in which VRF. Nothing when the device does not tell: the interfaces are worth showing anyway.
pub(super) async fn memberships(session: &Session) -> Memberships {
    let answer = match fetch(session, super::routing::MODEL, &[MEMBERS]).await {
        Ok(answer) => answer,
        Err(error) => {
            tracing::debug!(device = %session.device().name, %error, "no VRF memberships");
            return Memberships::new();
        }
    };
    members(&answer)
}

fn members(answer: &Answer) -> Memberships {
    let found = parse(MEMBERS)
        .map(|asked| answer.select(&asked))
        .unwrap_or_default();
    let mut all = Memberships::new();
    for instance in &found {
        let Some(vrf) = instance
            .key("network-instance", "name")
            .filter(|n| !is_default(n))
        else {
            continue;
        };
        for interface in list(&instance.value, "interface") {
            let named = either(interface, "interface")
                .and_then(Value::as_str)
                .map(str::to_owned);
            if let Some(name) = named.or_else(|| text(interface, "id")) {
                all.insert(name, vrf.to_owned());
            }
        }
    }
    all
}

fn is_default(instance: &str) -> bool {
    instance.eq_ignore_ascii_case("default") || instance == "**iid"
}

async fn one(session: &Session, wanted: &str) -> Envelope {
    const OPERATION: &str = "interface_details";
    let device = session.device();
    let elem = |name: &str| PathElem {
        name: name.to_owned(),
        ..PathElem::default()
    };
    let mut entry = elem("interface");
    entry.key.insert("name".into(), wanted.to_owned());
    let path = Path {
        elem: vec![elem(PATH), entry],
        ..Path::default()
    };
    let asked = print(&path);
    let asked = [asked.trim_start_matches('/')];
    let (answer, vrfs) = futures::join!(fetch(session, MODEL, &asked), memberships(session));
    let answer = match answer {
        Ok(answer) => answer,
        Err(error) if error.kind == Kind::NotFound => return not_found(session, OPERATION, wanted),
        Err(error) => return Envelope::failed(device, OPERATION, &error),
    };
    let found = answer.select(&path);
    let Some(found) = found.first().filter(|f| has_state(&f.value)) else {
        return not_found(session, OPERATION, wanted);
    };
    let data = json!({ "interfaces": [detail(&found.value, wanted, &vrfs)], "interface_count": 1, "interface_name": wanted });
    let metadata = json!({
        "is_single_interface": true,
        "operation_details": format!("Retrieved details for interface {wanted}"),
    });
    Envelope::success(device, OPERATION, data, metadata).with_warnings(&answer.warnings)
}

fn has_state(interface: &Value) -> bool {
    at(interface, "state").is_some() || at(interface, "config").is_some()
}

fn not_found(session: &Session, operation: &'static str, wanted: &str) -> Envelope {
    let metadata = json!({
        "interface": wanted,
        "issue_type": "INTERFACE_NOT_FOUND",
        "message": format!("Interface {wanted} not found"),
    });
    Envelope {
        metadata,
        ..Envelope::new(session.device(), operation, Status::Failed)
    }
}

fn detail(interface: &Value, wanted: &str, vrfs: &Memberships) -> Value {
    let own = name(interface).unwrap_or_else(|| wanted.to_owned());
    let address = ipv4(interface);
    let ethernet = at(interface, "ethernet").unwrap_or(&Value::Null);
    let plain = |value: Option<&Value>| value.and_then(Value::as_str).map(|s| local_name(s).to_owned());
    let mac = either(ethernet, "mac-address").or_else(|| either(ethernet, "hw-mac-address"));
    let description = either(interface, "description")
        .and_then(Value::as_str)
        .filter(|d| !d.is_empty());
    let counters = counters(interface);
    // Nothing but a name and a state, as Null0 has: the contract calls that EMPTY.
    let empty =
        description.is_none() && address.is_none() && mac.is_none() && counters["in_packets"].is_null();
    let mut out = json!({
        "interface": {
            "name": own,
            "admin_state": admin(interface),
            "oper_state": status(interface, "oper-status"),
            "description": description,
            "ip_address": address.map(|(ip, _)| ip.to_string()),
            "prefix_length": address.map(|(_, length)| length),
            "vrf": vrfs.get(&own),
            "mtu": number(interface, "state/mtu").or_else(|| number(interface, "config/mtu")),
            "mac_address": mac,
            "speed": plain(either(ethernet, "negotiated-port-speed").or_else(|| either(ethernet, "port-speed"))),
            "duplex": plain(either(ethernet, "negotiated-duplex-mode").or_else(|| either(ethernet, "duplex-mode"))),
            "counters": counters,
        },
        "timestamp": null,
    });
    if empty {
        out["status"] = json!("EMPTY");
        out["notes"] = json!("Interface exists but has no configuration");
    }
    out
}

/// Counters as text, as the contract has them; the first four always, the others where they exist.
fn counters(interface: &Value) -> Value {
    let read = |leaf: &str| text(interface, &format!("state/counters/{leaf}"));
    let either_of = |a: &str, b: &str| read(a).or_else(|| read(b));
    let mut out = json!({
        "in_packets": either_of("in-pkts", "in-unicast-pkts"),
        "out_packets": either_of("out-pkts", "out-unicast-pkts"),
        "in_errors": read("in-errors"),
        "out_errors": read("out-errors"),
    });
    for (name, leaf) in [
        ("in_octets", "in-octets"),
        ("out_octets", "out-octets"),
        ("in_discards", "in-discards"),
        ("out_discards", "out-discards"),
        ("in_fcs_errors", "in-fcs-errors"),
        ("carrier_transitions", "carrier-transitions"),
    ] {
        if let Some(count) = read(leaf) {
            out[name] = json!(count);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gnmi::collector::tests::answer;

    #[test]
    fn brief_and_detail_name_their_leaves_as_the_contract_does() {
        let interface = json!({"name": "Gi0", "config": {"enabled": true},
            "state": {"admin-status": "UP", "oper-status": "DOWN", "mtu": 1514, "description": "to \u{1b}[2J xrd-3",
                "counters": {"in-pkts": "7", "out-pkts": 8, "in-errors": "1", "out-errors": "0", "in-fcs-errors": "1"}},
            "openconfig-if-ethernet:ethernet": {"state": {"mac-address": "02:42:fc:60:4c:09", "port-speed": "openconfig-if-ethernet:SPEED_1GB", "duplex-mode": "FULL"}},
            "subinterfaces": {"subinterface": [{"index": 0, "openconfig-if-ip:ipv4": {"addresses": {"address": [{"ip": "10.0.0.1", "state": {"prefix-length": 20}}]}}}]}});
        assert_eq!(
            brief(&interface, &Memberships::new()),
            json!({"name": "Gi0", "admin_status": "UP", "oper_status": "DOWN", "ip_address": "10.0.0.1/255.255.240.0"})
        );
        let got = detail(
            &interface,
            "Gi0",
            &Memberships::from([("Gi0".into(), "CUST-A".into())]),
        );
        assert_eq!(got["interface"]["speed"], "SPEED_1GB");
        assert_eq!(got["interface"]["prefix_length"], 20);
        assert_eq!(got["interface"]["vrf"], "CUST-A");
        assert_eq!(
            got["interface"]["counters"]["out_packets"], "8",
            "counters are text"
        );
        assert_eq!(got["interface"]["counters"]["in_fcs_errors"], "1");
        assert_eq!(
            got["interface"]["description"], "to \u{1b}[2J xrd-3",
            "hostile text is data here"
        );
        assert_eq!(got.get("status"), None);
    }

    #[test]
    fn an_interface_without_configuration_is_empty() {
        let got = detail(
            &json!({"name": "Null0", "state": {"admin-status": "UP", "oper-status": "UP", "mtu": 1500}}),
            "Null0",
            &Memberships::new(),
        );
        assert_eq!(got["status"], "EMPTY");
        assert_eq!(
            got["interface"]["counters"],
            json!({"in_packets": null, "out_packets": null, "in_errors": null, "out_errors": null})
        );
    }

    #[test]
    fn members_of_the_default_instance_are_in_no_vrf() {
        let path = |n: &str| format!("/network-instances/network-instance[name={n}]/interfaces");
        let one = |id: &str| json!({"interface": [{"id": id, "config": {"id": id}}]});
        let got = members(&answer(&[
            (&path("default"), one("Gi0")),
            (&path("CUST-A"), one("Gi1")),
        ]));
        assert_eq!(got, Memberships::from([("Gi1".into(), "CUST-A".into())]));
    }

    #[test]
    fn masks() {
        assert_eq!(mask(0).to_string(), "0.0.0.0");
        assert_eq!(mask(32).to_string(), "255.255.255.255");
    }
}
