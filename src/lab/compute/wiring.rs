//! What of a network never changes, by number: which port goes where, which sessions exist.
//!
//! Faults edit leaves, they never add or remove interfaces or neighbours, so these indices hold for the life of a lab.

use std::collections::HashMap;
use std::net::Ipv4Addr;

use crate::lab::network::{Device, DeviceId, End, Network};

/// Device and index into its interface list.
pub(super) type Port = (DeviceId, usize);

/// A BGP session by its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SessionKind {
    /// Loopback to loopback; side 0 and side 1.
    Internal(DeviceId, DeviceId),
    /// Index into [`Network::edges`]; side 0 is the PE.
    External(usize),
}

/// Indices over a network.
#[derive(Debug)]
pub(super) struct Wiring {
    names: Vec<HashMap<String, usize>>,
    cables: HashMap<Port, Port>,
    /// Links by their two ports.
    pub links: Vec<[Port; 2]>,
    /// Port -> (link, side).
    pub link_at: HashMap<Port, (usize, usize)>,
    /// Port -> edge.
    pub edge_at: HashMap<Port, usize>,
    pub sessions: Vec<SessionKind>,
    /// Device -> (session, side).
    pub sessions_of: Vec<Vec<(usize, usize)>>,
}

impl Wiring {
    pub(super) fn new(network: &Network) -> Self {
        let names: Vec<_> = network.devices.iter().map(names).collect();
        let port = |end: &End| {
            (
                end.device,
                names[end.device].get(&end.interface).copied().unwrap_or(0),
            )
        };
        let mut cables = HashMap::new();
        for cable in &network.cables {
            let (a, b) = (port(&cable.a), port(&cable.b));
            cables.insert(a, b);
            cables.insert(b, a);
        }
        let links: Vec<[Port; 2]> = network.links.iter().map(|l| [port(&l.a), port(&l.b)]).collect();
        let link_at = links
            .iter()
            .enumerate()
            .flat_map(|(n, l)| [(l[0], (n, 0)), (l[1], (n, 1))])
            .collect();
        let edge_at = network
            .edges
            .iter()
            .enumerate()
            .map(|(n, e)| (port(&e.end), n))
            .collect();
        let sessions = sessions(network);
        let mut sessions_of = vec![Vec::new(); network.devices.len()];
        for (n, session) in sessions.iter().enumerate() {
            match *session {
                SessionKind::Internal(a, b) => {
                    sessions_of[a].push((n, 0));
                    sessions_of[b].push((n, 1));
                }
                SessionKind::External(edge) => sessions_of[network.edges[edge].end.device].push((n, 0)),
            }
        }
        Self {
            names,
            cables,
            links,
            link_at,
            edge_at,
            sessions,
            sessions_of,
        }
    }

    /// The port of that name.
    pub(super) fn port(&self, device: DeviceId, name: &str) -> Option<Port> {
        self.names[device].get(name).map(|n| (device, *n))
    }

    /// The port at the other end of the cable.
    pub(super) fn far(&self, port: Port) -> Option<Port> {
        self.cables.get(&port).copied()
    }
}

/// Interfaces of a device by name.
fn names(device: &Device) -> HashMap<String, usize> {
    let interfaces = device.config.interfaces.iter().enumerate();
    interfaces.map(|(n, i)| (i.name.clone(), n)).collect()
}

/// All sessions: internal ones by their lower end, then those of the edges.
fn sessions(network: &Network) -> Vec<SessionKind> {
    let mut all = Vec::new();
    for (a, device) in network.devices.iter().enumerate() {
        for address in device.config.bgp.iter().flat_map(|b| b.neighbors.keys()) {
            if let Some(b) = network.by_loopback(*address).filter(|b| a < *b) {
                all.push(SessionKind::Internal(a, b));
            }
        }
    }
    all.extend((0..network.edges.len()).map(SessionKind::External));
    all
}

/// Address and VRF by which `side` of a session names its neighbour.
pub(super) fn neighbor_key(network: &Network, session: SessionKind, side: usize) -> (Ipv4Addr, Option<&str>) {
    match session {
        SessionKind::Internal(a, b) => (
            network.devices[if side == 0 { b } else { a }].config.loopback,
            None,
        ),
        SessionKind::External(edge) => (network.edges[edge].address, network.edges[edge].vrf.as_deref()),
    }
}
