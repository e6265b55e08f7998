//! Links between devices, read from whatever evidence speaks of them.
//!
//! Tools describe topology in their own shapes; what they share is an object that names two ends. Objects
//! with `source` and `target`, or with `neighbor` below a named device, count as links.

use serde_json::Value;

use crate::agent::model::Evidence;

/// A link between two devices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// One device.
    pub a: String,
    /// Its interface, where known.
    pub a_if: String,
    /// The other device.
    pub b: String,
    /// Its interface, where known.
    pub b_if: String,
}

/// Devices and links.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Graph {
    /// Links, each once.
    pub links: Vec<Link>,
    /// Changes with every new link.
    pub version: u64,
}

/// How deep evidence is searched for links.
const MAX_DEPTH: usize = 8;

impl Graph {
    /// Takes in a piece of evidence.
    pub fn learn(&mut self, evidence: &Evidence) {
        let owner = evidence
            .value
            .get("device_name")
            .and_then(Value::as_str)
            .map(str::to_owned);
        let owner = owner.or_else(|| evidence.devices.first().map(|d| d.0.clone()));
        self.search(&evidence.value, owner.as_deref().unwrap_or_default(), 0);
    }

    fn search(&mut self, value: &Value, owner: &str, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        match value {
            Value::Array(items) => items.iter().for_each(|v| self.search(v, owner, depth + 1)),
            Value::Object(map) => {
                let ends = (
                    map.get("source").and_then(Value::as_str),
                    map.get("target").and_then(Value::as_str),
                );
                let attributes = map.get("attributes").unwrap_or(value);
                let interface = |key: &str| attributes.get(key).and_then(Value::as_str).unwrap_or_default();
                match (ends, map.get("neighbor").and_then(Value::as_str)) {
                    ((Some(a), Some(b)), _) => {
                        self.add(a, interface("local_interface"), b, interface("remote_interface"))
                    }
                    (_, Some(b)) if !owner.is_empty() && attributes.get("local_interface").is_some() => {
                        self.add(
                            owner,
                            interface("local_interface"),
                            b,
                            interface("remote_interface"),
                        );
                    }
                    _ => map.values().for_each(|v| self.search(v, owner, depth + 1)),
                }
            }
            _ => {}
        }
    }

    fn add(&mut self, a: &str, a_if: &str, b: &str, b_if: &str) {
        if a == b || a.is_empty() || b.is_empty() {
            return;
        }
        let same = |l: &Link| {
            (l.a == a && l.b == b && (l.a_if == a_if || a_if.is_empty()))
                || (l.a == b && l.b == a && (l.b_if == a_if || a_if.is_empty()))
        };
        if !self.links.iter().any(same) {
            let own = str::to_owned;
            self.links.push(Link {
                a: own(a),
                a_if: own(a_if),
                b: own(b),
                b_if: own(b_if),
            });
            self.version += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn links_are_found_in_both_shapes_and_counted_once() {
        let mut graph = Graph::default();
        let attributes = json!({"local_interface": "Gi0", "remote_interface": "Gi3"});
        let whole = json!({"data": {"direct_connections": [{"source": "r1", "target": "r2", "attributes": attributes}]}});
        graph.search(&whole, "", 0);
        let turned = json!({"local_interface": "Gi3", "remote_interface": "Gi0"});
        graph.search(
            &json!({"data": {"neighbors": [{"neighbor": "r1", "attributes": turned}]}}),
            "r2",
            0,
        );
        assert_eq!(graph.links.len(), 1);
        assert_eq!(
            (graph.links[0].a_if.as_str(), graph.links[0].b_if.as_str()),
            ("Gi0", "Gi3")
        );
        graph.search(&json!({"neighbor": "10.0.0.1", "state": "ACTIVE"}), "r2", 0);
        assert_eq!(graph.links.len(), 1, "a BGP neighbour is no link");
    }
}
