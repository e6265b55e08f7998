//! The answer of a Get as updates with full paths, and what it holds for a path that was asked.
//!
//! A router may answer a path with one value, with many deeper leaves, with one value per list entry, or
//! with a value of an ancestor. [`Answer::select`] brings all of these to one form: nodes at the depth
//! of the question, each with its concrete path.

use super::lookup::{KEY_LEAVES, at, text};
use super::value::decode;
use crate::proto::gnmi::{GetResponse, Notification, Path, PathElem};
use crate::proto::path::{join, local_name, print};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// One value with its full path.
#[derive(Debug, Clone)]
pub struct Update {
    /// Elements from the root, prefix included.
    pub elems: Vec<PathElem>,
    /// The value as JSON.
    pub value: Value,
}

/// All values of an answer.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    /// In the order the device sent them.
    pub updates: Vec<Update>,
    /// Timestamp of the last notification, nanoseconds since the epoch; 0 when the device gave none.
    pub timestamp_ns: i64,
    /// What had to be repaired to read the values.
    pub warnings: Vec<String>,
}

/// A node that answers a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Concrete elements: wildcards replaced by keys.
    pub elems: Vec<PathElem>,
    /// The subtree.
    pub value: Value,
}

impl Found {
    /// Value of `key` in the element called `name`.
    pub fn key(&self, name: &str, key: &str) -> Option<&str> {
        let elem = self.elems.iter().find(|e| local_name(&e.name) == name)?;
        elem.key.get(key).map(String::as_str)
    }

    /// The concrete path as text.
    pub fn path(&self) -> String {
        print(&Path {
            elem: self.elems.clone(),
            ..Path::default()
        })
    }
}

impl Answer {
    /// Decodes a response; all notifications are read.
    pub(super) fn read(response: &GetResponse) -> Result<Self, String> {
        let mut answer = Self::default();
        for notification in &response.notification {
            answer.add(notification)?;
        }
        Ok(answer)
    }

    pub(super) fn add(&mut self, notification: &Notification) -> Result<(), String> {
        if notification.timestamp != 0 {
            self.timestamp_ns = notification.timestamp;
        }
        for update in &notification.update {
            let path = match &update.path {
                Some(path) => join(notification.prefix.as_ref(), path),
                None => notification.prefix.clone().unwrap_or_default(),
            };
            let Some(typed) = &update.val else { continue };
            let known = self.warnings.len();
            let value = decode(typed, &mut self.warnings).map_err(|e| format!("{}: {e}", print(&path)))?;
            for warning in &mut self.warnings[known..] {
                *warning = format!("{}: {warning}", print(&path));
            }
            self.updates.push(Update {
                elems: elements(path),
                value,
            });
        }
        Ok(())
    }

    /// Nodes at the depth of `asked`, in the order the device sent them.
    pub fn select(&self, asked: &Path) -> Vec<Found> {
        let asked = &asked.elem;
        let mut found: Vec<Found> = Vec::new();
        for update in &self.updates {
            if asked.iter().any(|e| e.name == "...") {
                found.push(Found {
                    elems: update.elems.clone(),
                    value: update.value.clone(),
                });
                continue;
            }
            let common = update.elems.len().min(asked.len());
            if !update
                .elems
                .iter()
                .zip(asked)
                .all(|(have, want)| fits(have, want))
            {
                continue;
            }
            let (head, below) = update.elems.split_at(common);
            if update.elems.len() < asked.len() {
                descend(&update.value, head.to_vec(), &asked[common..], &mut found);
                continue;
            }
            match found.iter_mut().find(|f| f.elems == head) {
                Some(node) => place(&mut node.value, below, update.value.clone()),
                None => {
                    let mut value = if below.is_empty() { Value::Null } else { json!({}) };
                    place(&mut value, below, update.value.clone());
                    found.push(Found {
                        elems: head.to_vec(),
                        value,
                    });
                }
            }
        }
        found.retain(|f| !f.value.is_null());
        found
    }

    /// What `asked` holds, as one value: the subtree, or for a path with wildcards (or a list without
    /// keys) an object from concrete path to subtree. `None` when the device answered nothing for it.
    pub fn value_of(&self, asked: &Path) -> Option<Value> {
        let mut found = self.select(asked);
        let open = |f: &Found| {
            f.elems.len() != asked.elem.len()
                || f.elems.iter().zip(&asked.elem).any(|(have, want)| {
                    want.name == "*" || have.key.iter().any(|(k, v)| want.key.get(k) != Some(v))
                })
        };
        match found.len() {
            0 => None,
            1 if !open(&found[0]) => found.pop().map(|f| f.value),
            _ => Some(Value::Object(
                found.into_iter().map(|f| (f.path(), f.value)).collect(),
            )),
        }
    }
}

/// Elements of a path, also where a device still uses the form of gNMI before 0.4.
fn elements(path: Path) -> Vec<PathElem> {
    #[allow(deprecated, reason = "older devices answer with string elements")]
    if path.elem.is_empty() && !path.element.is_empty() {
        return path
            .element
            .into_iter()
            .map(|name| PathElem {
                name,
                ..PathElem::default()
            })
            .collect();
    }
    path.elem
}

/// Whether a concrete element answers an asked one. A key that either side leaves out fits anything.
fn fits(have: &PathElem, want: &PathElem) -> bool {
    let name = want.name == "*" || local_name(&have.name) == local_name(&want.name);
    name && want
        .key
        .iter()
        .all(|(k, v)| v == "*" || have.key.get(k).is_none_or(|h| h == v))
}

/// Walks `asked` down into `value`, which stands at `head`.
fn descend(value: &Value, head: Vec<PathElem>, asked: &[PathElem], found: &mut Vec<Found>) {
    let Some((want, rest)) = asked.split_first() else {
        found.push(Found {
            elems: head,
            value: value.clone(),
        });
        return;
    };
    if want.name == "*" {
        for name in value.as_object().into_iter().flat_map(Map::keys) {
            let named = PathElem {
                name: name.clone(),
                key: want.key.clone(),
            };
            let mut path = vec![named];
            path.extend_from_slice(rest);
            descend(value, head.clone(), &path, found);
        }
        return;
    }
    let Some(next) = at(value, local_name(&want.name)) else {
        return;
    };
    let step = |elem: PathElem| {
        let mut path = head.clone();
        path.push(elem);
        path
    };
    match next.as_array() {
        // A list that the question walks through, or of which it names entries.
        Some(entries) if !want.key.is_empty() || !rest.is_empty() => {
            for entry in entries {
                if let Some(key) = entry_key(entry, &want.key) {
                    descend(
                        entry,
                        step(PathElem {
                            name: want.name.clone(),
                            key,
                        }),
                        rest,
                        found,
                    );
                }
            }
        }
        _ => descend(next, step(want.clone()), rest, found),
    }
}

/// The keys of a list entry, or nothing when they are not the wanted ones. Without a schema, keys that
/// are not asked for are told by their usual names.
fn entry_key(entry: &Value, wanted: &BTreeMap<String, String>) -> Option<BTreeMap<String, String>> {
    if wanted.is_empty() {
        return Some(
            KEY_LEAVES
                .iter()
                .filter_map(|k| Some(((*k).to_owned(), text(entry, k)?)))
                .collect(),
        );
    }
    let fits = |(k, v): (&String, &String)| {
        let have = text(entry, k)?;
        (v == "*" || *v == have).then(|| (k.clone(), have))
    };
    wanted.iter().map(fits).collect()
}

/// Puts `value` at `below` under `tree`, creating containers and list entries on the way.
fn place(tree: &mut Value, below: &[PathElem], value: Value) {
    let Some((elem, rest)) = below.split_first() else {
        merge(tree, value);
        return;
    };
    if !tree.is_object() {
        *tree = json!({});
    }
    let Some(object) = tree.as_object_mut() else {
        return;
    };
    let name = match object.keys().find(|k| local_name(k) == local_name(&elem.name)) {
        Some(known) => known.clone(),
        None => elem.name.clone(),
    };
    if elem.key.is_empty() {
        place(object.entry(name).or_insert(Value::Null), rest, value);
        return;
    }
    let node = object.entry(name).or_insert_with(|| json!([]));
    if !node.is_array() {
        *node = json!([]);
    }
    let Some(list) = node.as_array_mut() else { return };
    let same = |entry: &Value| elem.key.iter().all(|(k, v)| text(entry, k).as_ref() == Some(v));
    let index = match list.iter().position(same) {
        Some(index) => index,
        None => {
            list.push(Value::Object(
                elem.key.iter().map(|(k, v)| (k.clone(), json!(v))).collect(),
            ));
            list.len() - 1
        }
    };
    place(&mut list[index], rest, value);
}

/// Objects are merged member by member; anything else is replaced.
fn merge(into: &mut Value, value: Value) {
    match (into, value) {
        (Value::Object(into), Value::Object(value)) => {
            for (k, v) in value {
                merge(into.entry(k).or_insert(Value::Null), v);
            }
        }
        (into, value) => *into = value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::path::parse;

    fn answer(updates: &[(&str, Value)]) -> Answer {
        let updates = updates
            .iter()
            .map(|(path, value)| Update {
                elems: parse(path).unwrap().elem,
                value: value.clone(),
            })
            .collect();
        Answer {
            updates,
            ..Answer::default()
        }
    }

    fn ask(answer: &Answer, path: &str) -> Option<Value> {
        answer.value_of(&parse(path).unwrap())
    }

    #[test]
    fn one_value_at_the_asked_path() {
        let got = answer(&[("/interfaces/interface[name=a]/state", json!({"oc:mtu": 9}))]);
        assert_eq!(
            ask(&got, "openconfig-interfaces:interfaces/interface[name=a]/state"),
            Some(json!({"oc:mtu": 9}))
        );
        assert_eq!(ask(&got, "interfaces/interface[name=b]/state"), None);
    }

    #[test]
    fn wildcards_give_an_object_by_concrete_path_however_many_match() {
        let one = answer(&[("/interfaces/interface[name=a]/state/mtu", json!(1))]);
        let path = "interfaces/interface[name=*]/state/mtu";
        assert_eq!(
            ask(&one, path),
            Some(json!({"/interfaces/interface[name=a]/state/mtu": 1}))
        );
        assert_eq!(
            ask(&one, "interfaces/interface/state/mtu"),
            ask(&one, path),
            "a list without keys is open too"
        );
    }

    #[test]
    fn deeper_leaves_become_one_tree() {
        let leaves = answer(&[
            ("/interfaces/interface[name=a]/state/mtu", json!(1)),
            ("/interfaces/interface[name=b]/state/mtu", json!(2)),
            ("/interfaces/interface[name=a]/state/up", json!(true)),
        ]);
        let tree = json!({"interface": [
            {"name": "a", "state": {"mtu": 1, "up": true}},
            {"name": "b", "state": {"mtu": 2}}]});
        assert_eq!(ask(&leaves, "/interfaces"), Some(tree));
        assert_eq!(
            ask(&leaves, "/interfaces/interface[name=a]/state"),
            Some(json!({"mtu": 1, "up": true}))
        );
    }

    #[test]
    fn an_ancestors_value_is_searched() {
        let whole = answer(&[(
            "/",
            json!({"oc-if:interfaces": {"interface": [{"name": "a", "state": {"mtu": 1}}, {"name": "b", "state": {"mtu": 2}}]}}),
        )]);
        assert_eq!(
            ask(&whole, "/interfaces/interface[name=b]/state/mtu"),
            Some(json!(2))
        );
        let found = whole.select(&parse("/interfaces/interface[name=*]/state").unwrap());
        assert_eq!(found.len(), 2);
        assert_eq!(found[1].key("interface", "name"), Some("b"));
        assert_eq!(
            whole.select(&parse("/interfaces/interface/state").unwrap()),
            found,
            "keys may be left out"
        );
        assert_eq!(ask(&whole, "/interfaces/absent"), None);
    }

    #[test]
    fn the_root_merges_what_the_device_sends_apart() {
        let two = answer(&[
            ("/system", json!({"a": 1})),
            ("/interfaces", json!({"b": 2})),
            ("/system", json!({"c": 3})),
        ]);
        assert_eq!(
            ask(&two, "/"),
            Some(json!({"system": {"a": 1, "c": 3}, "interfaces": {"b": 2}}))
        );
    }
}
