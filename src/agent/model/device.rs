//! Devices as the inventory knows them.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::DeviceName;

/// What a router is for in a service-provider network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Provider edge: customers' VRFs end here.
    Pe,
    /// Provider core: forwards labels, no customers, no BGP needed.
    P,
    /// Route reflector.
    Rr,
    /// Customer edge.
    Ce,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Role::Pe => "PE",
            Role::P => "P",
            Role::Rr => "RR",
            Role::Ce => "CE",
        })
    }
}

/// One row of the inventory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Device {
    /// The name by which tools know it.
    pub name: DeviceName,
    /// Management address.
    #[serde(default)]
    pub address: Option<String>,
    /// Network operating system, e.g. `iosxr`.
    #[serde(default)]
    pub nos: Option<String>,
    /// Role, where it is known.
    #[serde(default)]
    pub role: Option<Role>,
}
