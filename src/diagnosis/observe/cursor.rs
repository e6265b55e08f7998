//! A position in evidence: a JSON value, the pointer that leads to it, and what a gNMI path said on the way.
//!
//! Answers come as whole trees or as pieces under a path; a cursor walks both alike. Module prefixes are
//! ignored (`openconfig-if-ip:ipv4` is found as `ipv4`), numbers may be text, as JSON_IETF writes them.

use std::net::Ipv4Addr;

use serde_json::Value;

use crate::agent::model::{Citation, Claim, Evidence, EvidenceId, Timestamp};
use crate::diagnosis::cited::Cited;

/// One element of a gNMI path: local name and keys.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Elem {
    /// Name without its module.
    pub name: String,
    /// Keys with their values.
    pub keys: Vec<(String, String)>,
}

/// The part of a name behind its module: `openconfig-bgp-types:IPV4_UNICAST` is `IPV4_UNICAST`.
pub fn local(name: &str) -> &str {
    match name.split_once(':') {
        Some((module, rest))
            if !rest.is_empty() && module.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') =>
        {
            rest
        }
        _ => name,
    }
}

/// Reads a gNMI path in its text form; `None` when it is none.
pub fn parse_path(text: &str) -> Option<Vec<Elem>> {
    let mut elems = Vec::new();
    let mut current = String::new();
    let mut keys: Vec<(String, String)> = Vec::new();
    let mut chars = text.trim().trim_start_matches('/').chars();
    let mut flush = |name: &mut String, keys: &mut Vec<(String, String)>| {
        if !name.is_empty() {
            elems.push(Elem {
                name: local(name).to_owned(),
                keys: std::mem::take(keys),
            });
            name.clear();
        }
    };
    while let Some(c) = chars.next() {
        match c {
            '/' => flush(&mut current, &mut keys),
            '[' => {
                let mut key = String::new();
                for k in chars.by_ref() {
                    if k == '=' {
                        break;
                    }
                    key.push(k);
                }
                let mut value = String::new();
                let mut escaped = false;
                for v in chars.by_ref() {
                    if escaped {
                        value.push(v);
                        escaped = false;
                    } else if v == '\\' {
                        escaped = true;
                    } else if v == ']' {
                        break;
                    } else {
                        value.push(v);
                    }
                }
                keys.push((local(&key).to_owned(), value));
            }
            ' ' | '\n' => return None,
            other => current.push(other),
        }
    }
    flush(&mut current, &mut keys);
    (!elems.is_empty()).then_some(elems)
}

/// A position.
#[derive(Debug, Clone)]
pub struct Cursor<'a> {
    value: &'a Value,
    pointer: String,
    ahead: &'a [Elem],
    entered: Option<&'a Elem>,
    key: Option<&'a str>,
    evidence: EvidenceId,
    at: Timestamp,
}

impl<'a> Cursor<'a> {
    /// The root of a piece of evidence.
    pub fn root(evidence: &'a Evidence) -> Self {
        Self {
            value: &evidence.value,
            pointer: String::new(),
            ahead: &[],
            entered: None,
            key: None,
            evidence: evidence.id,
            at: evidence.at,
        }
    }

    /// The same value seen as standing at a path.
    pub fn under(&self, path: &'a [Elem]) -> Cursor<'a> {
        Cursor {
            ahead: path,
            entered: None,
            ..self.clone()
        }
    }

    /// The value itself.
    pub fn value(&self) -> &'a Value {
        self.value
    }

    /// When the evidence was read.
    pub fn at(&self) -> Timestamp {
        self.at
    }

    fn step(&self, value: &'a Value, member: &str) -> Cursor<'a> {
        let escaped = member.replace('~', "~0").replace('/', "~1");
        Cursor {
            value,
            pointer: format!("{}/{escaped}", self.pointer),
            ahead: &[],
            entered: None,
            key: None,
            evidence: self.evidence,
            at: self.at,
        }
    }

    /// A member by its exact name.
    pub fn member(&self, name: &str) -> Option<Cursor<'a>> {
        self.value.get(name).map(|value| self.step(value, name))
    }

    /// Members with their names.
    pub fn members(&self) -> Vec<(&'a str, Cursor<'a>)> {
        let object = self.value.as_object().into_iter().flatten();
        object
            .map(|(name, value)| (name.as_str(), self.step(value, name)))
            .collect()
    }

    /// The node below, by local name.
    pub fn child(&self, name: &str) -> Option<Cursor<'a>> {
        if let Some((next, rest)) = self.ahead.split_first() {
            if next.name == name {
                return Some(Cursor {
                    ahead: rest,
                    entered: Some(next),
                    ..self.clone()
                });
            }
            return self.own_key(name);
        }
        let object = self.value.as_object();
        let found = object.and_then(|o| {
            o.get_key_value(name)
                .or_else(|| o.iter().find(|(member, _)| local(member) == name))
        });
        found
            .map(|(member, value)| self.step(value, member))
            .or_else(|| self.own_key(name))
    }

    fn own_key(&self, name: &str) -> Option<Cursor<'a>> {
        let (_, key) = self.entered?.keys.iter().find(|(k, _)| k == name)?;
        Some(Cursor {
            key: Some(key),
            ahead: &[],
            entered: None,
            ..self.clone()
        })
    }

    /// The node at `a/b/c`.
    pub fn find(&self, path: &str) -> Option<Cursor<'a>> {
        path.split('/').try_fold(self.clone(), |at, name| at.child(name))
    }

    /// Entries of the list at `path`; a list entry that a path named counts as a list of one.
    pub fn list(&self, path: &str) -> Vec<Cursor<'a>> {
        self.find(path).map(|found| found.entries()).unwrap_or_default()
    }

    /// Entries of this list.
    pub fn entries(&self) -> Vec<Cursor<'a>> {
        match self.value {
            Value::Array(items)
                if self.ahead.is_empty() && self.entered.is_none_or(|e| e.keys.is_empty()) =>
            {
                items
                    .iter()
                    .enumerate()
                    .map(|(n, value)| self.step(value, &n.to_string()))
                    .collect()
            }
            _ => vec![self.clone()],
        }
    }

    /// True when this is really in the evidence, not only in the path on the way.
    pub fn is_real(&self) -> bool {
        self.ahead.is_empty() && self.key.is_none()
    }

    /// `leaf` under `state`, else under `config`, else directly.
    pub fn leaf(&self, leaf: &str) -> Option<Cursor<'a>> {
        let under = |container: &str| {
            self.child(container)
                .and_then(|c| c.find(leaf))
                .filter(|c| !c.value.is_null())
        };
        under("state")
            .or_else(|| under("config"))
            .or_else(|| self.find(leaf))
    }

    /// Text, also of a number.
    pub fn text(&self) -> Option<String> {
        match (self.key, self.value) {
            (Some(key), _) => Some(key.to_owned()),
            (None, Value::String(text)) => Some(text.clone()),
            (None, Value::Number(number)) => Some(number.to_string()),
            _ => None,
        }
    }

    /// The first text of a leaf-list, or the text.
    pub fn first(&self) -> Option<Cursor<'a>> {
        match self.value {
            Value::Array(items) => items.first().map(|value| self.step(value, "0")),
            _ => Some(self.clone()),
        }
    }

    /// A whole number, also as text.
    pub fn whole(&self) -> Option<u64> {
        match (self.key, self.value) {
            (Some(key), _) => key.parse().ok(),
            (None, Value::Number(number)) => number.as_u64(),
            (None, Value::String(text)) => text.trim().parse().ok(),
            _ => None,
        }
    }

    /// A number, also as text.
    pub fn number(&self) -> Option<f64> {
        match self.value {
            Value::Number(number) => number.as_f64(),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    /// True or false.
    pub fn flag(&self) -> Option<bool> {
        self.value.as_bool()
    }

    /// A citation that says what stands here.
    pub fn citation(&self) -> Citation {
        let claim = match self.value {
            _ if !self.is_real() => Claim::Present,
            Value::Object(map) if map.is_empty() => Claim::Absent,
            Value::Array(items) if items.is_empty() => Claim::Absent,
            Value::Null => Claim::Absent,
            Value::Object(_) => Claim::Present,
            value => Claim::Equals(value.clone()),
        };
        Citation {
            evidence: self.evidence,
            pointer: self.pointer.clone(),
            claim,
        }
    }

    /// A citation of this place with a claim of one's own.
    pub fn cite(&self, claim: Claim) -> Citation {
        Citation {
            evidence: self.evidence,
            pointer: self.pointer.clone(),
            claim,
        }
    }

    /// A citation that nothing stands at `name` below here.
    pub fn lacks(&self, name: &str) -> Citation {
        Citation {
            evidence: self.evidence,
            pointer: format!("{}/{name}", self.pointer),
            claim: Claim::Absent,
        }
    }

    /// A fact read here.
    pub fn fact<T>(&self, value: T) -> Cited<T> {
        Cited {
            value,
            citation: self.citation(),
            at: self.at,
        }
    }

    /// A fact read here, with a claim of its own.
    pub fn claimed<T>(&self, value: T, claim: Claim) -> Cited<T> {
        Cited {
            value,
            citation: self.cite(claim),
            at: self.at,
        }
    }
}

/// Reads at a cursor, where there is one.
pub trait Reads<'a> {
    /// Text.
    fn cited_text(&self) -> Option<Cited<String>>;
    /// Whole number.
    fn cited_whole(&self) -> Option<Cited<u64>>;
    /// Number.
    fn cited_number(&self) -> Option<Cited<f64>>;
    /// Flag.
    fn cited_flag(&self) -> Option<Cited<bool>>;
    /// IPv4 address.
    fn cited_address(&self) -> Option<Cited<Ipv4Addr>>;
    /// Time from nanoseconds, microseconds, milliseconds or seconds since the epoch.
    fn cited_time(&self) -> Option<Cited<Timestamp>>;
}

impl<'a> Reads<'a> for Option<Cursor<'a>> {
    fn cited_text(&self) -> Option<Cited<String>> {
        let at = self.as_ref()?;
        at.text().map(|text| at.fact(text))
    }

    fn cited_whole(&self) -> Option<Cited<u64>> {
        let at = self.as_ref()?;
        at.whole().map(|n| at.fact(n))
    }

    fn cited_number(&self) -> Option<Cited<f64>> {
        let at = self.as_ref()?;
        at.number().map(|n| at.fact(n))
    }

    fn cited_flag(&self) -> Option<Cited<bool>> {
        let at = self.as_ref()?;
        at.flag().map(|flag| at.fact(flag))
    }

    fn cited_address(&self) -> Option<Cited<Ipv4Addr>> {
        let at = self.as_ref()?;
        at.text()?.split('/').next()?.parse().ok().map(|ip| at.fact(ip))
    }

    fn cited_time(&self) -> Option<Cited<Timestamp>> {
        let at = self.as_ref()?;
        let raw = i64::try_from(at.whole()?).ok().filter(|raw| *raw > 0)?;
        let millis = match raw {
            n if n > 100_000_000_000_000_000 => n / 1_000_000,
            n if n > 100_000_000_000_000 => n / 1_000,
            n if n > 100_000_000_000 => n,
            seconds => seconds.saturating_mul(1_000),
        };
        Some(at.fact(Timestamp(millis)))
    }
}
