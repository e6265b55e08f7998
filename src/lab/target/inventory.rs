//! The inventory of a running lab, in the JSON list form that gNMIBuddy and the collector read.

use serde::{Deserialize, Serialize};

/// One device of the inventory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InventoryEntry {
    pub name: String,
    pub ip_address: String,
    pub port: u16,
    pub nos: String,
    pub username: String,
    pub password: String,
    /// No TLS.
    pub insecure: bool,
    /// TLS without checking the certificate.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub skip_verify: bool,
    /// Root certificate file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_root: Option<String>,
}
