//! A data tree that is written lazily: only what a path asks for is computed.
//!
//! Each model is a function that writes containers, list entries and leaves into a [`Writer`]. The writer
//! walks the path along: a container off the path is not entered, so its closure never runs. Encoding is
//! another module's work; this one knows neither gRPC nor JSON.

use crate::proto::gnmi::PathElem;
use crate::proto::path::local_name;
use std::borrow::Cow;

/// The longest path that is understood, in elements.
pub const MAX_PATH_ELEMENTS: usize = 60;

/// A scalar of the tree, or a leaf-list of them.
#[derive(Debug, Clone, PartialEq)]
pub enum Leaf {
    Text(Cow<'static, str>),
    /// An identityref with its module: `openconfig-bgp-types:IPV4_UNICAST`.
    Ident(&'static str),
    Bool(bool),
    /// Up to 32 bits: a number in every encoding.
    Uint(u64),
    /// 64 bits: a string in RFC 7951 JSON.
    Uint64(u64),
    Int(i64),
    /// 64 bits signed: a string in RFC 7951 JSON.
    Int64(i64),
    /// A decimal64 or a floating number.
    Float(f64),
    List(Vec<Leaf>),
}

impl Leaf {
    /// The form a list key takes in a path: identities without their module.
    pub fn key_text(&self) -> Cow<'_, str> {
        match self {
            Leaf::Text(text) => Cow::Borrowed(text.as_ref()),
            Leaf::Ident(ident) => Cow::Borrowed(local_name(ident)),
            Leaf::Bool(value) => value.to_string().into(),
            Leaf::Uint(value) | Leaf::Uint64(value) => value.to_string().into(),
            Leaf::Int(value) | Leaf::Int64(value) => value.to_string().into(),
            Leaf::Float(value) => value.to_string().into(),
            Leaf::List(_) => Cow::Borrowed(""),
        }
    }

    /// A leaf-list.
    pub fn list<T: Into<Leaf>>(items: impl IntoIterator<Item = T>) -> Leaf {
        Leaf::List(items.into_iter().map(Into::into).collect())
    }
}

macro_rules! leaf_from {
    ($($from:ty => |$value:ident| $leaf:expr),* $(,)?) => {
        $(impl From<$from> for Leaf {
            fn from($value: $from) -> Self {
                $leaf
            }
        })*
    };
}

leaf_from! {
    &'static str => |v| Leaf::Text(Cow::Borrowed(v)),
    String => |v| Leaf::Text(Cow::Owned(v)),
    &String => |v| Leaf::Text(Cow::Owned(v.clone())),
    bool => |v| Leaf::Bool(v),
    u8 => |v| Leaf::Uint(v.into()),
    u16 => |v| Leaf::Uint(v.into()),
    u32 => |v| Leaf::Uint(v.into()),
    u64 => |v| Leaf::Uint64(v),
    i32 => |v| Leaf::Int(v.into()),
    i64 => |v| Leaf::Int64(v),
    f64 => |v| Leaf::Float(v),
    std::net::Ipv4Addr => |v| Leaf::Text(v.to_string().into()),
}

/// A name as written by a model: with a `module:` prefix where the module differs from the parent's.
pub type Name = &'static str;

/// A piece of the tree.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    Leaf(Leaf),
    Container(Vec<(Name, Node)>),
    List(Vec<Entry>),
}

/// One list entry: its keys and what is below. The keys are leaves of the entry too.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub keys: Vec<(Name, Leaf)>,
    pub children: Vec<(Name, Node)>,
}

/// Which part of the data a request is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DataKind {
    All,
    Config,
    State,
    /// State that does not merely repeat configuration.
    Operational,
}

/// A node the path led to, with the concrete path to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    pub path: Vec<PathElem>,
    /// Module of the first element; empty at the root.
    pub module: &'static str,
    pub node: Node,
}

/// Writes a tree along one path.
pub struct Writer<'q> {
    query: &'q [PathElem],
    kind: DataKind,
    /// Bit `p` is set when `query[..p]` has matched the path so far.
    at: u64,
    here: Vec<PathElem>,
    module: &'static str,
    /// Children of each node entered since the match; empty while still on the way to one.
    open: Vec<Vec<(Name, Node)>>,
    found: Vec<Found>,
}

impl<'q> Writer<'q> {
    /// A writer for a path of at most [`MAX_PATH_ELEMENTS`] elements; what is longer finds nothing.
    pub fn new(query: &'q [PathElem], kind: DataKind) -> Self {
        let end = query
            .iter()
            .rposition(|elem| elem.name != "...")
            .map_or(0, |last| last + 1);
        let query = &query[..end];
        let mut writer = Writer {
            query,
            kind,
            at: 0,
            here: Vec::new(),
            module: "",
            open: Vec::new(),
            found: Vec::new(),
        };
        if query.len() <= MAX_PATH_ELEMENTS {
            writer.at = writer.reach(0);
        }
        writer
    }

    /// Runs a model over the whole tree and returns what the path led to.
    pub fn write(mut self, model: impl FnOnce(&mut Self)) -> Vec<Found> {
        if self.is_match(self.at) {
            self.open.push(Vec::new());
            model(&mut self);
            let children = self.open.pop().unwrap_or_default();
            if !children.is_empty() {
                let node = Node::Container(children);
                self.found.push(Found {
                    path: Vec::new(),
                    module: "",
                    node,
                });
            }
        } else if self.at != 0 {
            model(&mut self);
        }
        self.found
    }

    /// A container; nothing is written when the closure writes nothing.
    pub fn container(&mut self, name: Name, write: impl FnOnce(&mut Self)) {
        if (name == "config" && matches!(self.kind, DataKind::State | DataKind::Operational))
            || (name == "state" && self.kind == DataKind::Config)
        {
            return;
        }
        self.enter(name, &[], write);
    }

    /// One entry of a list; its keys are written as leaves of the entry.
    pub fn entry(&mut self, name: Name, keys: &[(Name, Leaf)], write: impl FnOnce(&mut Self)) {
        self.enter(name, keys, write);
    }

    /// A leaf of the container at hand.
    pub fn leaf(&mut self, name: Name, value: impl Into<Leaf>) {
        if let Some(children) = self.open.last_mut() {
            children.push((name, Node::Leaf(value.into())));
            return;
        }
        let next = self.step(name, &[]);
        if self.is_match(next) {
            let mut path = self.here.clone();
            path.push(PathElem {
                name: local_name(name).to_owned(),
                ..PathElem::default()
            });
            self.found.push(Found {
                path,
                module: self.module,
                node: Node::Leaf(value.into()),
            });
        }
    }

    /// A container that is answered only to a path that names it or something in it, as routers do with
    /// tables too large to be part of every answer.
    pub fn on_demand(&mut self, name: Name, write: impl FnOnce(&mut Self)) {
        if self.open.is_empty() {
            self.container(name, write);
        }
    }

    /// A leaf that is there only with a value.
    pub fn leaf_some(&mut self, name: Name, value: Option<impl Into<Leaf>>) {
        if let Some(value) = value {
            self.leaf(name, value);
        }
    }

    /// The `config` and `state` containers of OpenConfig: `common` is written into both, `only_state`
    /// into the second.
    pub fn pair(&mut self, common: impl Fn(&mut Self), only_state: impl FnOnce(&mut Self)) {
        self.container("config", |w| common(w));
        let repeat = self.kind != DataKind::Operational;
        self.container("state", |w| {
            if repeat {
                common(w);
            }
            only_state(w);
        });
    }

    fn enter(&mut self, name: Name, keys: &[(Name, Leaf)], write: impl FnOnce(&mut Self)) {
        if !self.open.is_empty() {
            let children = self.collect(keys, write);
            self.attach(name, keys, children);
            return;
        }
        let next = self.step(name, keys);
        if next == 0 {
            return;
        }
        let (at, module) = (self.at, self.module);
        self.at = next;
        if self.here.is_empty() {
            self.module = name.split_once(':').map_or("", |(module, _)| module);
        }
        let key = keys
            .iter()
            .map(|(k, v)| ((*k).to_owned(), v.key_text().into_owned()))
            .collect();
        self.here.push(PathElem {
            name: local_name(name).to_owned(),
            key,
        });
        if self.is_match(next) {
            let children = self.collect(keys, write);
            if !self.is_hollow(keys, &children) {
                let node = Node::Container(children);
                self.found.push(Found {
                    path: self.here.clone(),
                    module: self.module,
                    node,
                });
            }
        } else {
            for (key, value) in keys {
                self.leaf(key, value.clone());
            }
            write(self);
        }
        self.here.pop();
        self.at = at;
        self.module = module;
    }

    /// Runs the closure inside a match and returns the children it wrote, keys first.
    fn collect(&mut self, keys: &[(Name, Leaf)], write: impl FnOnce(&mut Self)) -> Vec<(Name, Node)> {
        self.open
            .push(keys.iter().map(|(k, v)| (*k, Node::Leaf(v.clone()))).collect());
        write(self);
        self.open.pop().unwrap_or_default()
    }

    /// Nothing worth showing: an empty container, or an entry left with its keys by the data kind.
    fn is_hollow(&self, keys: &[(Name, Leaf)], children: &[(Name, Node)]) -> bool {
        children.is_empty()
            || (self.kind != DataKind::All && children.len() == keys.len() && !keys.is_empty())
    }

    fn attach(&mut self, name: Name, keys: &[(Name, Leaf)], children: Vec<(Name, Node)>) {
        if self.is_hollow(keys, &children) {
            return;
        }
        let Some(parent) = self.open.last_mut() else {
            return;
        };
        if keys.is_empty() {
            parent.push((name, Node::Container(children)));
            return;
        }
        let entry = Entry {
            keys: keys.to_vec(),
            children,
        };
        // Entries of one list are written one after the other.
        if let Some((last, Node::List(entries))) = parent.last_mut()
            && *last == name
        {
            entries.push(entry);
            return;
        }
        parent.push((name, Node::List(vec![entry])));
    }

    fn is_match(&self, at: u64) -> bool {
        at & (1 << self.query.len()) != 0
    }

    /// The position and those behind it that a `...` lets be reached without an element.
    fn reach(&self, position: usize) -> u64 {
        let mut bits = 1 << position;
        let mut position = position;
        while self.query.get(position).is_some_and(|elem| elem.name == "...") {
            position += 1;
            bits |= 1 << position;
        }
        bits
    }

    fn step(&self, name: Name, keys: &[(Name, Leaf)]) -> u64 {
        let mut next = 0;
        for (position, elem) in self.query.iter().enumerate() {
            if self.at & (1 << position) == 0 {
                continue;
            }
            if elem.name == "..." {
                next |= self.reach(position);
            } else if matches_elem(elem, name, keys) {
                next |= self.reach(position + 1);
            }
        }
        next
    }
}

/// Whether a path element means this node. Keys left out mean any, as do `*` values; a key the list does
/// not have matches only as a wildcard (clients write `afi-safi[name=*]`).
fn matches_elem(elem: &PathElem, name: Name, keys: &[(Name, Leaf)]) -> bool {
    let same_name = match (elem.name.split_once(':'), name.split_once(':')) {
        _ if elem.name == "*" => true,
        (Some(asked), Some(own)) => asked == own,
        (Some((_, asked)), None) => asked == name,
        (None, _) => elem.name == local_name(name),
    };
    same_name
        && elem.key.iter().all(|(key, asked)| {
            asked == "*"
                || keys
                    .iter()
                    .find(|(own, _)| own == key)
                    .is_some_and(|(_, value)| matches_key(asked, value))
        })
}

fn matches_key(asked: &str, value: &Leaf) -> bool {
    match value {
        Leaf::Ident(ident) => asked == *ident || asked == local_name(ident),
        other => asked == other.key_text(),
    }
}

#[cfg(test)]
mod tests;
