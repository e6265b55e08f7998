//! Which routers still reach which over the adjacencies that are up.

use std::collections::BTreeMap;

use crate::diagnosis::detect::View;
use crate::diagnosis::network::DeviceFacts;

/// Connected parts of the core.
pub struct Reachability {
    part: BTreeMap<String, usize>,
}

impl Reachability {
    /// From adjacencies as both ends tell them.
    pub fn of(view: &View<'_>) -> Self {
        let by_system: BTreeMap<String, &str> = view
            .network
            .devices()
            .filter_map(|d| Some((d.isis.system_id()?, d.name.as_str())))
            .collect();
        let names: Vec<&str> = view.network.devices().map(|d| d.name.as_str()).collect();
        let index: BTreeMap<&str, usize> = names.iter().enumerate().map(|(i, n)| (*n, i)).collect();
        let mut parent: Vec<usize> = (0..names.len()).collect();
        for device in view.network.devices() {
            for (interface, isis) in device.isis.interfaces.iter().filter(|(_, i)| i.has_adjacency()) {
                let stated = isis
                    .adjacencies
                    .iter()
                    .find(|a| a.value.up)
                    .and_then(|a| by_system.get(&a.value.system_id));
                let linked = view.links.far(&device.name, interface).map(|e| e.0.as_str());
                let far = linked
                    .or(stated.copied())
                    .or_else(|| described(device, interface, &names));
                if let (Some(a), Some(b)) = (index.get(device.name.as_str()), far.and_then(|f| index.get(f)))
                {
                    let (a, b) = (root(&parent, *a), root(&parent, *b));
                    parent[a] = b;
                }
            }
        }
        let part = names
            .iter()
            .enumerate()
            .map(|(i, n)| ((*n).to_owned(), root(&parent, i)))
            .collect();
        Self { part }
    }

    /// False when both are known and no chain of adjacencies joins them.
    pub fn joined(&self, a: &DeviceFacts, b: &DeviceFacts) -> bool {
        if a.isis.listed.is_none() || b.isis.listed.is_none() {
            return true;
        }
        self.part.get(&a.name) == self.part.get(&b.name)
    }
}

fn root(parent: &[usize], mut at: usize) -> usize {
    while parent[at] != at {
        at = parent[at];
    }
    at
}

fn described<'a>(device: &DeviceFacts, interface: &str, names: &[&'a str]) -> Option<&'a str> {
    let text = device.interfaces.get(interface)?.text();
    names
        .iter()
        .find(|n| **n != device.name && text.split([' ', ',', ';']).any(|w| w == **n))
        .copied()
}
