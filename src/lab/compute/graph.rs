//! The IS-IS topology and shortest paths over it (Dijkstra; RFC 1195, overload per ISO 10589 section 7.2.8).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::adjacency::EndTrack;
use super::situation::Situation;
use super::wiring::Wiring;
use crate::lab::network::{DeviceId, Network};

/// Distance of what can't be reached.
pub(super) const FAR: u32 = u32::MAX;

/// A directed edge: to whom, at what metric, over which link and side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Edge {
    pub to: DeviceId,
    pub metric: u32,
    pub link: usize,
    /// Side of the link at the tail.
    pub side: usize,
}

/// Topology as the link-state database has it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Graph {
    pub out: Vec<Vec<Edge>>,
    into: Vec<Vec<Edge>>,
    overload: Vec<bool>,
    /// Loopback0 is in the database.
    pub advertised: Vec<bool>,
    /// Another device holds its system id: its LSP does not survive.
    pub usurped: Vec<bool>,
}

/// Shortest paths from one device.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Paths {
    pub source: DeviceId,
    pub distance: Vec<u32>,
    /// First hops per destination, all of equal cost.
    pub first: Vec<Vec<Edge>>,
}

impl Graph {
    pub(super) fn new(
        network: &Network,
        wiring: &Wiring,
        situation: &Situation,
        ends: &[[EndTrack; 2]],
    ) -> Self {
        let count = network.devices.len();
        let usurped = usurped(network, situation);
        let mut out = vec![Vec::new(); count];
        let mut into = vec![Vec::new(); count];
        for (link, [a, b]) in wiring.links.iter().enumerate() {
            let lost = usurped[a.0] || usurped[b.0];
            if lost || ends[link][0].up.is_none() || ends[link][1].up.is_none() {
                continue;
            }
            for (side, (me, peer)) in [(a, b), (b, a)].into_iter().enumerate() {
                let config = &situation.configs[me.0];
                let name = &config.interfaces[me.1].name;
                let metric = config
                    .isis
                    .as_ref()
                    .and_then(|i| i.interfaces.get(name))
                    .map_or(10, |s| s.metric);
                out[me.0].push(Edge {
                    to: peer.0,
                    metric,
                    link,
                    side,
                });
                into[peer.0].push(Edge {
                    to: me.0,
                    metric,
                    link,
                    side,
                });
            }
        }
        let advertised = situation.configs.iter().enumerate().map(|(d, c)| {
            let enabled = c.interface("Loopback0").is_some_and(|i| i.enabled);
            let listed = c
                .isis
                .as_ref()
                .is_some_and(|i| i.interfaces.contains_key("Loopback0"));
            enabled && listed && !situation.node_dark(d) && !usurped[d]
        });
        let advertised = advertised.collect();
        let overload = situation
            .configs
            .iter()
            .map(|c| c.isis.as_ref().is_some_and(|i| i.overload))
            .collect();
        Self {
            out,
            into,
            overload,
            advertised,
            usurped,
        }
    }

    /// Distances from `source` to everyone.
    pub(super) fn from(&self, source: DeviceId) -> Vec<u32> {
        self.dijkstra(source, &self.out)
    }

    /// Distances to `target` from everyone.
    pub(super) fn toward(&self, target: DeviceId) -> Vec<u32> {
        self.dijkstra(target, &self.into)
    }

    /// Sends what waits at each device to `target` along all shortest paths, split evenly at every hop, and adds it
    /// to the load of each side of the links it takes. `distance`: what [`Self::toward`] says.
    pub(super) fn drain(
        &self,
        target: DeviceId,
        distance: &[u32],
        mut waiting: Vec<f64>,
        links: &mut [[f64; 2]],
    ) {
        let mut order: Vec<DeviceId> = (0..self.out.len())
            .filter(|d| distance[*d] != FAR && *d != target)
            .collect();
        order.sort_by_key(|d| Reverse(distance[*d]));
        for at in order {
            if waiting[at] == 0.0 {
                continue;
            }
            let tight = |e: &&Edge| {
                let transit = e.to == target || !self.overload[e.to];
                transit && distance[e.to] != FAR && distance[e.to].saturating_add(e.metric) == distance[at]
            };
            let next: Vec<Edge> = self.out[at].iter().filter(tight).copied().collect();
            let share = waiting[at] / f64::from(u32::try_from(next.len()).unwrap_or(1).max(1));
            for edge in next {
                links[edge.link][edge.side] += share;
                waiting[edge.to] += share;
            }
        }
    }

    /// `edges`: whom each device hears of, or who hears of it.
    fn dijkstra(&self, root: DeviceId, edges: &[Vec<Edge>]) -> Vec<u32> {
        let mut distance = vec![FAR; self.out.len()];
        let mut heap = BinaryHeap::from([Reverse((0, root))]);
        distance[root] = 0;
        while let Some(Reverse((d, at))) = heap.pop() {
            if d > distance[at] || (at != root && self.overload[at]) {
                continue;
            }
            for edge in &edges[at] {
                let next = d.saturating_add(edge.metric);
                if next < distance[edge.to] {
                    distance[edge.to] = next;
                    heap.push(Reverse((next, edge.to)));
                }
            }
        }
        distance
    }

    /// Shortest paths from `source` with all equal-cost first hops.
    pub(super) fn paths(&self, source: DeviceId) -> Paths {
        let distance = self.from(source);
        let mut order: Vec<DeviceId> = (0..self.out.len())
            .filter(|d| distance[*d] != FAR && *d != source)
            .collect();
        order.sort_by_key(|d| distance[*d]);
        let mut first: Vec<Vec<Edge>> = vec![Vec::new(); self.out.len()];
        for at in order {
            let mut hops: Vec<Edge> = Vec::new();
            for (before, edge) in self.before(&distance, source, at) {
                if before == source {
                    hops.push(edge);
                } else {
                    hops.extend(first[before].iter().copied());
                }
            }
            hops.sort_by_key(|e| (e.link, e.side));
            hops.dedup();
            first[at] = hops;
        }
        Paths {
            source,
            distance,
            first,
        }
    }

    /// Last edges of the shortest paths from `source` to `at`: the node before, and its edge to `at`.
    fn before<'a>(
        &'a self,
        distance: &'a [u32],
        source: DeviceId,
        at: DeviceId,
    ) -> impl Iterator<Item = (DeviceId, Edge)> + 'a {
        self.into[at].iter().filter_map(move |back| {
            let tail = back.to;
            let transit = tail == source || !self.overload[tail];
            let tight = distance[tail] != FAR && distance[tail].saturating_add(back.metric) == distance[at];
            (transit && tight).then_some((tail, Edge { to: at, ..*back }))
        })
    }

    /// Every edge on a shortest path to `target`, with its tail.
    pub(super) fn edges_to(&self, paths: &Paths, target: DeviceId) -> Vec<(DeviceId, Edge)> {
        let mut all = Vec::new();
        let (mut seen, mut todo) = (std::collections::HashSet::from([target]), vec![target]);
        while let Some(at) = todo.pop() {
            for (tail, edge) in self.before(&paths.distance, paths.source, at) {
                all.push((tail, edge));
                if tail != paths.source && seen.insert(tail) {
                    todo.push(tail);
                }
            }
        }
        all
    }

    /// Whether loopbacks of two devices reach each other.
    pub(super) fn connects(&self, distance_from_a: &[u32], a: DeviceId, b: DeviceId) -> bool {
        distance_from_a[b] != FAR && self.advertised[a] && self.advertised[b]
    }
}

/// Devices that took a system id which another had before.
fn usurped(network: &Network, situation: &Situation) -> Vec<bool> {
    let id = |d: DeviceId| {
        situation.configs[d]
            .isis
            .as_ref()
            .map(super::super::config::IsisConfig::system_id)
    };
    let mut owner = std::collections::HashMap::new();
    let changed = |d: DeviceId| {
        situation.configs[d].isis.as_ref().map(|i| &i.net)
            != network.devices[d].config.isis.as_ref().map(|i| &i.net)
    };
    let mut lost = vec![false; network.devices.len()];
    let order = (0..network.devices.len())
        .filter(|d| !changed(*d))
        .chain((0..network.devices.len()).filter(|d| changed(*d)));
    for device in order.filter(|d| !situation.node_dark(*d)) {
        if let Some(id) = id(device) {
            lost[device] = *owner.entry(id).or_insert(device) != device;
        }
    }
    lost
}
