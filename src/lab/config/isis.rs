//! IS-IS configuration.

use std::collections::BTreeMap;
use std::fmt;

/// IS-IS level capability.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    L1,
    L2,
    L1L2,
}

impl Level {
    /// Levels both have; `None` when they share none.
    pub fn shared(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::L1L2, x) | (x, Self::L1L2) => Some(x),
            (a, b) if a == b => Some(a),
            _ => None,
        }
    }

    /// Name as OpenConfig writes it: `LEVEL_1`, `LEVEL_2`, `LEVEL_1_2`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::L1 => "LEVEL_1",
            Self::L2 => "LEVEL_2",
            Self::L1L2 => "LEVEL_1_2",
        }
    }
}

impl fmt::Display for Level {
    /// Short name as logs write it: `L1`, `L2`, `L1L2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::L1 => "L1",
            Self::L2 => "L2",
            Self::L1L2 => "L1L2",
        })
    }
}

/// The IS-IS process.
#[derive(Debug, Clone, PartialEq)]
pub struct IsisConfig {
    pub instance: String,
    /// Network entity title.
    pub net: String,
    pub level: Level,
    /// Key of hellos and LSPs unless an interface has its own.
    pub key: Option<String>,
    pub overload: bool,
    pub interfaces: BTreeMap<String, IsisInterfaceConfig>,
}

impl IsisConfig {
    /// System id: the NET without area (first two groups) and selector (last).
    pub fn system_id(&self) -> String {
        let groups: Vec<&str> = self.net.split('.').collect();
        groups
            .iter()
            .skip(groups.len().saturating_sub(4))
            .take(3)
            .copied()
            .collect::<Vec<_>>()
            .join(".")
    }

    /// Area: what stands before the system id.
    pub fn area(&self) -> String {
        let groups: Vec<&str> = self.net.split('.').collect();
        groups[..groups.len().saturating_sub(4)].join(".")
    }
}

/// One interface in the process.
#[derive(Debug, Clone, PartialEq)]
pub struct IsisInterfaceConfig {
    pub passive: bool,
    pub metric: u32,
    /// Circuit type; `None`: as the process.
    pub level: Option<Level>,
    /// Hello key of its own; `None`: as the process.
    pub key: Option<String>,
    /// Pad hellos to the MTU (the IOS-XR default).
    pub hello_padding: bool,
}
