//! Encodes pieces of the tree as gNMI values: JSON by RFC 7951, plain JSON, and one typed value a leaf.
//!
//! It decides nothing about which pieces are sent.

use super::tree::{Found, Leaf, Node};
use crate::proto::gnmi::{PathElem, ScalarArray, TypedValue, typed_value::Value as Typed};
use crate::proto::path::local_name;
use serde_json::{Map, Value};

/// The flavours of JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonFlavour {
    /// RFC 7951: 64-bit numbers are strings, identities and foreign names carry their module.
    Ietf,
    /// No modules, numbers as numbers.
    Plain,
}

/// A node as JSON. The node's own children carry a module only where it differs from their parent's.
pub fn json(node: &Node, flavour: JsonFlavour) -> Value {
    match node {
        Node::Leaf(leaf) => leaf_json(leaf, flavour),
        Node::Container(children) => object(children, flavour),
        Node::List(entries) => Value::Array(
            entries
                .iter()
                .map(|entry| object(&entry.children, flavour))
                .collect(),
        ),
    }
}

fn object(children: &[(&'static str, Node)], flavour: JsonFlavour) -> Value {
    let mut map = Map::with_capacity(children.len());
    for (name, node) in children {
        let name = match flavour {
            JsonFlavour::Ietf => *name,
            JsonFlavour::Plain => local_name(name),
        };
        map.insert(name.to_owned(), json(node, flavour));
    }
    Value::Object(map)
}

fn leaf_json(leaf: &Leaf, flavour: JsonFlavour) -> Value {
    match (leaf, flavour) {
        (Leaf::Text(text), _) => Value::String(text.as_ref().to_owned()),
        (Leaf::Ident(ident), JsonFlavour::Ietf) => Value::String((*ident).to_owned()),
        (Leaf::Ident(ident), JsonFlavour::Plain) => Value::String(local_name(ident).to_owned()),
        (Leaf::Bool(value), _) => Value::Bool(*value),
        (Leaf::Uint(value), _) | (Leaf::Uint64(value), JsonFlavour::Plain) => (*value).into(),
        (Leaf::Int(value), _) | (Leaf::Int64(value), JsonFlavour::Plain) => (*value).into(),
        (Leaf::Uint64(value), JsonFlavour::Ietf) => Value::String(value.to_string()),
        (Leaf::Int64(value), JsonFlavour::Ietf) => Value::String(value.to_string()),
        // A decimal64 is a string in RFC 7951 (section 6.1).
        (Leaf::Float(value), JsonFlavour::Ietf) => Value::String(value.to_string()),
        (Leaf::Float(value), JsonFlavour::Plain) => (*value).into(),
        (Leaf::List(items), _) => Value::Array(items.iter().map(|item| leaf_json(item, flavour)).collect()),
    }
}

/// A leaf as a native gNMI value, as the PROTO encoding wants it.
pub fn typed(leaf: &Leaf) -> TypedValue {
    let value = match leaf {
        Leaf::Text(text) => Typed::StringVal(text.as_ref().to_owned()),
        Leaf::Ident(ident) => Typed::StringVal(local_name(ident).to_owned()),
        Leaf::Bool(value) => Typed::BoolVal(*value),
        Leaf::Uint(value) | Leaf::Uint64(value) => Typed::UintVal(*value),
        Leaf::Int(value) | Leaf::Int64(value) => Typed::IntVal(*value),
        Leaf::Float(value) => Typed::DoubleVal(*value),
        Leaf::List(items) => Typed::LeaflistVal(ScalarArray {
            element: items.iter().map(typed).collect(),
        }),
    };
    TypedValue { value: Some(value) }
}

/// A JSON value of a leaf or subtree as the gNMI value of that encoding.
pub fn json_value(node: &Node, flavour: JsonFlavour) -> TypedValue {
    let bytes = json(node, flavour).to_string().into_bytes();
    let value = match flavour {
        JsonFlavour::Ietf => Typed::JsonIetfVal(bytes),
        JsonFlavour::Plain => Typed::JsonVal(bytes),
    };
    TypedValue { value: Some(value) }
}

/// Every leaf below a found node with its full path, in tree order. The key leaves of list entries are
/// left out, for the path says them; they are kept only where the key itself was asked for.
pub fn leaves(found: Found) -> Vec<(Vec<PathElem>, Leaf)> {
    let mut out = Vec::new();
    let Found { mut path, node, .. } = found;
    let own_keys: Vec<String> = path
        .last()
        .map(|elem| elem.key.keys().cloned().collect())
        .unwrap_or_default();
    let node = match node {
        Node::Container(mut children) => {
            children.retain(|(name, child)| {
                !(matches!(child, Node::Leaf(_)) && own_keys.iter().any(|key| key == name))
            });
            Node::Container(children)
        }
        other => other,
    };
    flatten(&mut path, node, &mut out);
    out
}

fn flatten(path: &mut Vec<PathElem>, node: Node, out: &mut Vec<(Vec<PathElem>, Leaf)>) {
    match node {
        Node::Leaf(leaf) => out.push((path.clone(), leaf)),
        Node::Container(children) => {
            for (name, child) in children {
                flatten_child(path, name, child, out);
            }
        }
        // A list is always a named child, see below.
        Node::List(_) => {}
    }
}

fn flatten_child(
    path: &mut Vec<PathElem>,
    name: &'static str,
    child: Node,
    out: &mut Vec<(Vec<PathElem>, Leaf)>,
) {
    let name = local_name(name).to_owned();
    let Node::List(entries) = child else {
        path.push(PathElem {
            name,
            ..PathElem::default()
        });
        flatten(path, child, out);
        path.pop();
        return;
    };
    for entry in entries {
        let keys: Vec<&str> = entry.keys.iter().map(|(key, _)| *key).collect();
        let key = entry
            .keys
            .iter()
            .map(|(k, v)| ((*k).to_owned(), v.key_text().into_owned()))
            .collect();
        path.push(PathElem {
            name: name.clone(),
            key,
        });
        for (child_name, grandchild) in entry.children {
            if !(matches!(grandchild, Node::Leaf(_)) && keys.contains(&child_name)) {
                flatten_child(path, child_name, grandchild, out);
            }
        }
        path.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::openconfig::tree::{DataKind, Writer};
    use crate::proto::{gnmi::Path, path};

    fn model(w: &mut Writer<'_>) {
        w.container("openconfig-a:top", |w| {
            w.entry("item", &[("name", Leaf::from("x"))], |w| {
                w.container("state", |w| {
                    w.leaf("big", 5_u64);
                    w.leaf("small", 5_u32);
                    w.leaf("kind", Leaf::Ident("openconfig-t:BGP"));
                    w.leaf("tags", Leaf::list(["a", "b"]));
                });
                w.container("openconfig-b:extra", |w| w.leaf("on", true));
            });
        });
    }

    fn found(text: &str) -> Found {
        let query = path::parse(text).unwrap();
        Writer::new(&query.elem, DataKind::All).write(model).remove(0)
    }

    #[test]
    fn ietf_json_keeps_modules_and_quotes_64_bits() {
        let value = json(&found("top").node, JsonFlavour::Ietf);
        assert_eq!(
            value,
            serde_json::json!({"item": [{"name": "x",
                "state": {"big": "5", "small": 5, "kind": "openconfig-t:BGP", "tags": ["a", "b"]},
                "openconfig-b:extra": {"on": true}}]})
        );
    }

    #[test]
    fn plain_json_drops_them() {
        let value = json(&found("top/item").node, JsonFlavour::Plain);
        assert_eq!(value["state"]["big"], 5);
        assert_eq!(value["state"]["kind"], "BGP");
        assert_eq!(value["extra"]["on"], true);
    }

    #[test]
    fn leaves_have_full_paths_and_native_types() {
        for text in ["top", "top/item[name=x]"] {
            let all = leaves(found(text));
            let shown: Vec<String> = all
                .iter()
                .map(|(elem, _)| {
                    path::print(&Path {
                        elem: elem.clone(),
                        ..Path::default()
                    })
                })
                .collect();
            assert_eq!(shown[0], "/top/item[name=x]/state/big");
            assert_eq!(shown.last().unwrap(), "/top/item[name=x]/extra/on");
            assert_eq!(all.len(), 5, "keys are not repeated: {shown:?}");
            assert_eq!(typed(&all[0].1).value, Some(Typed::UintVal(5)));
        }
    }
}
