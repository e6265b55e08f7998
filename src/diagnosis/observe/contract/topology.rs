//! `get_topology_neighbors` and `get_network_topology_api`: links as a tool derived them.
//!
//! gNMIBuddy swaps local and remote for one end of an edge: where the interfaces are known, an edge that
//! does not fit is turned round; where they are not, it is left out.

use super::super::cursor::Cursor;
use crate::diagnosis::network::{Link, Network};

pub fn read(network: &mut Network, device: &str, whole: &Cursor<'_>) {
    let Some(data) = whole.child("data") else { return };
    for row in data
        .member("direct_connections")
        .map(|c| c.entries())
        .unwrap_or_default()
    {
        let text = |key: &str| row.member(key).and_then(|c| c.text());
        if let (Some(source), Some(target)) = (text("source"), text("target")) {
            edge(network, &source, &target, &row);
        }
    }
    let rows = data.member("neighbors").filter(|n| n.value().is_array());
    for row in rows.map(|n| n.entries()).unwrap_or_default() {
        if let Some(neighbor) = row.member("neighbor").and_then(|n| n.text()) {
            edge(network, device, &neighbor, &row);
        }
    }
}

fn edge(network: &mut Network, a: &str, b: &str, row: &Cursor<'_>) {
    let Some(attributes) = row.member("attributes") else {
        return;
    };
    let text = |key: &str| attributes.member(key).and_then(|c| c.text());
    let (Some(local), Some(remote)) = (text("local_interface"), text("remote_interface")) else {
        return;
    };
    let address = |key: &str| text(key).and_then(|t| t.parse().ok());
    let owns = |device: &str, interface: &str, ip: Option<std::net::Ipv4Addr>| {
        let found = network.device(device).and_then(|d| d.interfaces.get(interface));
        found.is_some_and(|i| ip.is_some_and(|ip| i.addresses.iter().any(|a| a.value.ip == ip)))
    };
    let (local_ip, remote_ip) = (address("local_ip"), address("remote_ip"));
    let straight = owns(a, &local, local_ip) && owns(b, &remote, remote_ip);
    let turned = owns(a, &remote, remote_ip) && owns(b, &local, local_ip);
    let link = |x: String, y: String| Link {
        a: (a.to_owned(), x),
        b: (b.to_owned(), y),
    };
    if straight {
        network.state_link(link(local, remote));
    } else if turned {
        network.state_link(link(remote, local));
    }
}
