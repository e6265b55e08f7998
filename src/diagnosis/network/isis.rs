//! IS-IS: process, interfaces, adjacencies, link-state database.

use std::collections::BTreeMap;

use crate::agent::model::Citation;
use crate::diagnosis::cited::Cited;

/// Levels something takes part in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Level 1 only.
    L1,
    /// Level 2 only.
    L2,
    /// Both.
    L12,
}

impl Level {
    /// From the words models and summaries use.
    pub fn parse(text: &str) -> Option<Self> {
        match text
            .rsplit(':')
            .next()
            .unwrap_or(text)
            .to_ascii_uppercase()
            .as_str()
        {
            "LEVEL_1" | "LEVEL-1" | "L1" | "1" => Some(Level::L1),
            "LEVEL_2" | "LEVEL-2" | "L2" | "2" => Some(Level::L2),
            "LEVEL_1_2" | "LEVEL-1-2" | "L1L2" | "L12" | "LEVEL_12" => Some(Level::L12),
            _ => None,
        }
    }

    /// True when two ends share a level.
    pub fn shares(self, other: Level) -> bool {
        self == Level::L12 || other == Level::L12 || self == other
    }

    /// What is left of `self` when an interface is narrowed to `other`; `None` when nothing is.
    pub fn meet(self, other: Level) -> Option<Level> {
        match (self, other) {
            (Level::L12, x) | (x, Level::L12) => Some(x),
            (a, b) if a == b => Some(a),
            _ => None,
        }
    }

    /// Short name.
    pub fn name(self) -> &'static str {
        match self {
            Level::L1 => "level 1",
            Level::L2 => "level 2",
            Level::L12 => "levels 1 and 2",
        }
    }
}

/// An adjacency as a device lists it.
#[derive(Debug, Clone, PartialEq)]
pub struct Adjacency {
    /// System id of the neighbour.
    pub system_id: String,
    /// True when it is up.
    pub up: bool,
    /// Level.
    pub level: Option<Level>,
}

/// IS-IS on one interface.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct IsisInterface {
    /// Enabled.
    pub enabled: Option<Cited<bool>>,
    /// Passive.
    pub passive: Option<Cited<bool>>,
    /// Levels, where the interface has its own.
    pub level: Option<Cited<Level>>,
    /// Metric.
    pub metric: Option<Cited<u64>>,
    /// Hellos are padded to the MTU.
    pub padding: Option<Cited<bool>>,
    /// Hellos are authenticated.
    pub authenticated: Option<Cited<bool>>,
    /// Hellos that failed authentication.
    pub auth_failures: Option<Cited<u64>>,
    /// Hellos refused for level, area or system id.
    pub rejected: Option<Cited<u64>>,
    /// Adjacencies.
    pub adjacencies: Vec<Cited<Adjacency>>,
    /// The place that lists its adjacencies, claimed empty when there is none.
    pub listed: Option<Citation>,
}

impl IsisInterface {
    /// True when some adjacency is up.
    pub fn has_adjacency(&self) -> bool {
        self.adjacencies.iter().any(|a| a.value.up)
    }

    /// True when an adjacency is expected here.
    pub fn is_active(&self) -> bool {
        self.enabled.as_ref().is_none_or(|e| e.value) && self.passive.as_ref().is_none_or(|p| !p.value)
    }
}

/// A link-state packet as one device holds it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lsp {
    /// Overload bit.
    pub overload: Option<Cited<bool>>,
    /// Prefixes it carries, as text.
    pub prefixes: Vec<Cited<String>>,
}

/// The IS-IS process.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Isis {
    /// Set once IS-IS was read: the place that shows it.
    pub read: Option<Citation>,
    /// Network entity title.
    pub net: Option<Cited<String>>,
    /// Levels of the process.
    pub level: Option<Cited<Level>>,
    /// Overload bit.
    pub overload: Option<Cited<bool>>,
    /// Segment routing is on in IS-IS.
    pub segment_routing: Option<Cited<bool>>,
    /// Authentication is on.
    pub authenticated: Option<Cited<bool>>,
    /// Interfaces in the process.
    pub interfaces: BTreeMap<String, IsisInterface>,
    /// The place that lists the interfaces, when it lists all of them.
    pub listed: Option<Citation>,
    /// The database, by system id.
    pub lsps: BTreeMap<String, Lsp>,
}

impl Isis {
    /// System id: the three groups before the selector.
    pub fn system_id(&self) -> Option<String> {
        let net = &self.net.as_ref()?.value;
        let groups: Vec<&str> = net.split('.').collect();
        (groups.len() >= 5).then(|| groups[groups.len() - 4..groups.len() - 1].join("."))
    }

    /// Area: what stands before the system id.
    pub fn area(&self) -> Option<String> {
        let net = &self.net.as_ref()?.value;
        let groups: Vec<&str> = net.split('.').collect();
        (groups.len() >= 5).then(|| groups[..groups.len() - 4].join("."))
    }

    /// Levels in force on an interface.
    pub fn level_on(&self, interface: &str) -> Option<Level> {
        let process = self.level.as_ref().map(|l| l.value);
        let own = self
            .interfaces
            .get(interface)
            .and_then(|i| i.level.as_ref())
            .map(|l| l.value);
        match (process, own) {
            // A circuit type outside the process's levels stays as it is set: nothing comes up there.
            (Some(process), Some(own)) => process.meet(own).or(Some(own)),
            (one, other) => other.or(one),
        }
    }

    /// An interface, made when it is new.
    pub(in crate::diagnosis) fn interface_mut(&mut self, name: &str) -> &mut IsisInterface {
        self.interfaces.entry(name.to_owned()).or_default()
    }
}
