//! Which routers still reach which over the adjacencies that are up.
//!
//! A router whose overload bit is set is reached, but nothing goes through it (ISO 10589, 7.2.8.1).

use std::collections::{BTreeMap, BTreeSet};

use crate::diagnosis::detect::View;
use crate::diagnosis::network::DeviceFacts;

/// The core as a graph.
pub struct Reachability {
    beside: BTreeMap<String, BTreeSet<String>>,
    overloaded: BTreeSet<String>,
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
        let mut beside: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
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
                if let Some(far) = far.filter(|f| names.contains(f)) {
                    let mut join = |a: &str, b: &str| {
                        beside.entry(a.to_owned()).or_default().insert(b.to_owned());
                    };
                    join(&device.name, far);
                    join(far, &device.name);
                }
            }
        }
        let overloaded = view
            .network
            .devices()
            .filter(|d| d.isis.overload.as_ref().is_some_and(|o| o.value))
            .map(|d| d.name.clone())
            .collect();
        Self { beside, overloaded }
    }

    /// False when both are known and no chain of adjacencies joins them.
    pub fn joined(&self, a: &DeviceFacts, b: &DeviceFacts) -> bool {
        if a.isis.listed.is_none() || b.isis.listed.is_none() {
            return true;
        }
        let mut seen = BTreeSet::from([a.name.as_str()]);
        let mut open = vec![a.name.as_str()];
        while let Some(at) = open.pop() {
            if at == b.name {
                return true;
            }
            if at != a.name && self.overloaded.contains(at) {
                continue;
            }
            let next = self.beside.get(at).into_iter().flatten();
            open.extend(next.map(String::as_str).filter(|n| seen.insert(n)));
        }
        false
    }
}

fn described<'a>(device: &DeviceFacts, interface: &str, names: &[&'a str]) -> Option<&'a str> {
    let text = device.interfaces.get(interface)?.text();
    names
        .iter()
        .find(|n| **n != device.name && text.split([' ', ',', ';']).any(|w| w == **n))
        .copied()
}
