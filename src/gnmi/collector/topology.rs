//! `get_network_topology_api` and `get_topology_neighbors`: layer-3 links, from addresses that share a
//! network.
//!
//! Customers number as they like: ends in two different VRFs are no link, whatever their addresses. An end in no VRF
//! may face any, as a managed customer router does.
//!
//! Beyond the contract, links carry the operational state of both ends, `local` is always the side that
//! is listed first, and a device that does not answer takes only its own links away: the answer is then
//! `partial_success` and names it.

use super::envelope::{Envelope, ErrorResponse, Status};
use super::interfaces::{MODEL, Memberships, PATH, interfaces, ipv4, memberships};
use super::routing::fetch;
use super::{Collector, PARALLEL_DEVICES, Progress};
use crate::gnmi::client::Error;
use crate::gnmi::client::lookup::text;
use crate::proto::path::local_name;
use futures::StreamExt as _;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::net::Ipv4Addr;

/// An addressed interface of a device; `device` counts in inventory order.
#[derive(Debug, Clone, PartialEq, Eq)]
struct End {
    device: usize,
    interface: String,
    /// VRF it is in; `None`: in none, or the device does not tell.
    vrf: Option<String>,
    ip: Ipv4Addr,
    oper: String,
}

/// Two ends that share a network.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Link {
    network: String,
    ends: [End; 2],
}

struct Survey {
    links: Vec<Link>,
    failed: Vec<(usize, Error)>,
}

pub(super) async fn whole(collector: &Collector, progress: &dyn Progress) -> Envelope {
    let survey = survey(collector, progress).await;
    let devices = collector.inventory.devices();
    let status = status(&survey, devices.len());
    let mut envelope = Envelope {
        ip_address: Some("0.0.0.0".into()),
        ..Envelope::of_many("ALL_DEVICES", "network_topology", status)
    };
    if status == Status::Failed {
        envelope.metadata =
            json!({ "scope": "network-wide", "message": "Failed to build topology due to gNMI errors" });
        blame(collector, &survey, &mut envelope);
        return envelope;
    }
    let connections: Vec<Value> = survey
        .links
        .iter()
        .map(|link| {
            let [a, b] = &link.ends;
            json!({ "source": devices[a.device].name, "target": devices[b.device].name, "attributes": attributes(link, a, b) })
        })
        .collect();
    let mut nodes: Vec<usize> = survey
        .links
        .iter()
        .flat_map(|l| l.ends.iter().map(|e| e.device))
        .collect();
    nodes.sort_unstable();
    nodes.dedup();
    envelope.metadata = json!({
        "total_connections": connections.len(),
        "total_nodes": nodes.len(),
        "total_edges": connections.len(),
        "scope": "network-wide",
        "operation_note": "This operation analyzes all devices in inventory",
        "context_device": "network-wide",
    });
    envelope.data = json!({ "direct_connections": connections });
    blame(collector, &survey, &mut envelope);
    envelope
}

pub(super) async fn neighbors(collector: &Collector, name: &str, progress: &dyn Progress) -> Envelope {
    const OPERATION: &str = "topology_neighbors";
    let devices = collector.inventory.devices();
    let Some(index) = devices.iter().position(|d| d.name == name) else {
        return collector.unknown(name);
    };
    let survey = survey(collector, progress).await;
    // Without its own addresses nothing can be said about this device, whatever the others answered.
    let own_failure = survey.failed.iter().any(|(i, _)| *i == index);
    let status = if own_failure {
        Status::Failed
    } else {
        status(&survey, devices.len())
    };
    let mut envelope = Envelope::new(&devices[index], OPERATION, status);
    if status == Status::Failed {
        envelope.metadata =
            json!({ "message": "Failed to build topology due to gNMI errors", "device_in_topology": false });
        blame(collector, &survey, &mut envelope);
        return envelope;
    }
    let mut list = Vec::new();
    for link in &survey.links {
        let (local, remote) = match &link.ends {
            [a, b] if a.device == index => (a, b),
            [a, b] if b.device == index => (b, a),
            _ => continue,
        };
        list.push(
            json!({ "neighbor": devices[remote.device].name, "attributes": attributes(link, local, remote) }),
        );
    }
    envelope.metadata = json!({
        "message": format!("Found {} neighbors for device {name}", list.len()),
        "device_in_topology": !list.is_empty(),
        "neighbor_count": list.len(),
    });
    envelope.data = json!({ "neighbors": list });
    blame(collector, &survey, &mut envelope);
    envelope
}

fn status(survey: &Survey, devices: usize) -> Status {
    match survey.failed.len() {
        0 => Status::Success,
        n if n == devices => Status::Failed,
        _ => Status::PartialSuccess,
    }
}

/// Names the devices that did not answer, in metadata and as the contract's error.
fn blame(collector: &Collector, survey: &Survey, envelope: &mut Envelope) {
    let Some((_, first)) = survey.failed.first() else {
        return;
    };
    let failed: Map<String, Value> = survey
        .failed
        .iter()
        .map(|(i, error)| {
            (
                collector.inventory.devices()[*i].name.clone(),
                json!(ErrorResponse::of(error)),
            )
        })
        .collect();
    envelope.metadata["unobserved_devices"] = Value::Object(failed);
    envelope.error_response = Some(ErrorResponse {
        error_type: "gNMIException",
        ..ErrorResponse::of(first)
    });
}

fn attributes(link: &Link, local: &End, remote: &End) -> Value {
    json!({
        "network": link.network,
        "local_interface": local.interface,
        "remote_interface": remote.interface,
        "local_ip": local.ip.to_string(),
        "remote_ip": remote.ip.to_string(),
        "local_oper_status": local.oper,
        "remote_oper_status": remote.oper,
    })
}

async fn survey(collector: &Collector, progress: &dyn Progress) -> Survey {
    let devices = collector.inventory.devices();
    let reads = devices.iter().enumerate().map(|(index, device)| {
        let session = collector.session_of(device);
        async move {
            let (answer, vrfs) = futures::join!(fetch(&session, MODEL, &[PATH]), memberships(&session));
            (index, answer, vrfs)
        }
    });
    let mut reads = futures::stream::iter(reads.collect::<Vec<_>>()).buffer_unordered(PARALLEL_DEVICES);
    let mut networks: BTreeMap<(Ipv4Addr, u8), Vec<End>> = BTreeMap::new();
    let mut failed = Vec::new();
    let mut done = 0;
    while let Some((index, answer, vrfs)) = reads.next().await {
        done += 1;
        progress.report(done, devices.len(), &devices[index].name);
        match answer {
            Err(error) => failed.push((index, error)),
            Ok(answer) => {
                for (network, end) in interfaces(&answer).iter().filter_map(|i| end(index, i, &vrfs)) {
                    networks.entry(network).or_default().push(end);
                }
            }
        }
    }
    failed.sort_by_key(|(index, _)| *index);
    Survey {
        links: links(networks),
        failed,
    }
}

/// Network and end of an interface that can have a neighbour: addressed, no host route, no management.
fn end(device: usize, interface: &Value, vrfs: &Memberships) -> Option<((Ipv4Addr, u8), End)> {
    let name = text(interface, "name")?;
    if name.to_lowercase().starts_with("mgmt") {
        return None;
    }
    let (ip, length) = ipv4(interface).filter(|(_, length)| (1..32).contains(length))?;
    let network = Ipv4Addr::from(u32::from(ip) & (u32::MAX << (32 - u32::from(length))));
    let oper = text(interface, "state/oper-status").unwrap_or_else(|| "UNKNOWN".into());
    Some((
        (network, length),
        End {
            device,
            vrf: vrfs.get(&name).cloned(),
            interface: name,
            ip,
            oper: local_name(&oper).to_owned(),
        },
    ))
}

/// The two may be ends of one link: different devices and addresses, no two VRFs.
fn face(a: &End, b: &End) -> bool {
    let apart = matches!((&a.vrf, &b.vrf), (Some(x), Some(y)) if x != y);
    a.device != b.device && a.ip != b.ip && !apart
}

/// Every pair in a network that may be a link, in inventory order.
fn links(networks: BTreeMap<(Ipv4Addr, u8), Vec<End>>) -> Vec<Link> {
    let mut links = Vec::new();
    for ((network, length), mut ends) in networks {
        ends.sort_by(|a, b| (a.device, &a.interface).cmp(&(b.device, &b.interface)));
        for (i, a) in ends.iter().enumerate() {
            for b in ends[i + 1..].iter().filter(|b| face(a, b)) {
                links.push(Link {
                    network: format!("{network}/{length}"),
                    ends: [a.clone(), b.clone()],
                });
            }
        }
    }
    links.sort_by_key(|l| (l.ends[0].device, l.ends[1].device));
    links
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interface(name: &str, ip: &str, length: u8, oper: &str) -> Value {
        json!({"name": name, "state": {"oper-status": oper}, "subinterfaces": {"subinterface": [{"index": 0,
            "openconfig-if-ip:ipv4": {"addresses": {"address": [{"ip": ip, "config": {"prefix-length": length}}]}}}]}})
    }

    #[test]
    fn links_join_different_devices_in_one_network() {
        let mut networks: BTreeMap<_, Vec<End>> = BTreeMap::new();
        for (device, interface) in [
            (1, interface("Gi1", "10.0.0.2", 24, "DOWN")),
            (0, interface("Gi0", "10.0.0.1", 24, "UP")),
            (0, interface("Gi9", "10.0.0.9", 24, "UP")),
            (0, interface("Loopback0", "1.1.1.1", 32, "UP")),
            (1, interface("MgmtEth0/RP0/CPU0/0", "10.9.0.1", 24, "UP")),
            (0, interface("MgmtEth0/RP0/CPU0/0", "10.9.0.2", 24, "UP")),
        ] {
            if let Some((network, end)) = end(device, &interface, &Memberships::new()) {
                networks.entry(network).or_default().push(end);
            }
        }
        let links = links(networks);
        assert_eq!(links.len(), 2, "Gi0 and Gi9 each meet Gi1: {links:?}");
        assert_eq!(links[0].network, "10.0.0.0/24");
        assert_eq!(
            attributes(&links[0], &links[0].ends[0], &links[0].ends[1])["remote_oper_status"],
            "DOWN"
        );
        assert_eq!(links[0].ends[0].interface, "Gi0");
    }

    #[test]
    fn overlapping_customers_are_not_joined() {
        let port = |device: usize, ip: &str, vrf: Option<&str>| {
            let interface = interface("Gi0", ip, 30, "UP");
            let vrfs = vrf
                .map(|v| ("Gi0".to_owned(), v.to_owned()))
                .into_iter()
                .collect();
            end(device, &interface, &vrfs).unwrap()
        };
        let joined = |ends: &[((Ipv4Addr, u8), End)]| {
            let mut networks: BTreeMap<_, Vec<End>> = BTreeMap::new();
            for (network, end) in ends {
                networks.entry(*network).or_default().push(end.clone());
            }
            let pairs = links(networks).into_iter().map(|l| l.ends.map(|e| e.device));
            pairs.collect::<Vec<_>>()
        };
        let (red, blue) = (
            port(0, "10.0.0.1", Some("RED")),
            port(1, "10.0.0.2", Some("BLUE")),
        );
        assert_eq!(joined(&[red.clone(), blue.clone()]), [[0; 2]; 0]);
        assert_eq!(joined(&[red.clone(), port(1, "10.0.0.2", Some("RED"))]), [[0, 1]]);
        // A managed customer router has the port in no VRF.
        assert_eq!(joined(&[red.clone(), port(2, "10.0.0.2", None)]), [[0, 2]]);
        // The same address twice is never one link.
        assert_eq!(joined(&[red, port(3, "10.0.0.1", None)]), [[0; 2]; 0]);
    }
}
