//! The inventory: which devices there are, where they listen and how to log in.
//!
//! A JSON list of objects, the format gNMIBuddy reads, so one file serves both. Everything is checked
//! before the first connection; an error names the file, the entry and the field. Passwords are never
//! printed: they live in [`secrecy`] strings and `get_devices` shows `***`.

mod credentials;
mod entry;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

pub use credentials::{Credentials, Fallback, Password};

/// Network operating system of a device, as the contract names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Nos {
    /// Cisco IOS-XR.
    Iosxr,
    /// Not told, or no single device.
    Unknown,
}

/// How the connection is protected.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tls {
    /// Server's certificate authority (PEM file); without it the platform has no roots to trust.
    pub ca: Option<PathBuf>,
    /// Client certificate and key (PEM files) for mutual TLS.
    pub identity: Option<(PathBuf, PathBuf)>,
    /// Name expected in the server's certificate instead of its address.
    pub server_name: Option<String>,
    /// Accept any server certificate.
    pub skip_verify: bool,
}

/// One device of the inventory.
#[derive(Debug, Clone)]
pub struct Device {
    /// Unique name in the inventory.
    pub name: String,
    /// Address without port: a literal from an inventory, or a host name from the command line.
    pub host: String,
    /// TCP port of the gNMI service.
    pub port: u16,
    /// Operating system.
    pub nos: Nos,
    /// User name and password, if the device wants them.
    pub credentials: Credentials,
    /// `None` is a connection in clear text.
    pub tls: Option<Tls>,
    /// Deadline of one RPC, connecting included.
    pub timeout: Duration,
    /// What `get_devices` shows: the entry with its defaults, secrets replaced.
    pub listing: serde_json::Value,
}

impl Device {
    /// `host:port`, an IPv6 address in brackets.
    pub fn address(&self) -> String {
        if self.host.contains(':') {
            format!("[{}]:{}", self.host, self.port)
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }
}

/// What is wrong with an inventory: the place, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum InventoryError {
    /// The file cannot be read.
    #[error("{}: {source}\n  - name an inventory with --inventory FILE or NOCTUI_INVENTORY", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is no JSON.
    #[error("{}: line {line}, column {column}: {what}\n  - an inventory is a JSON list of devices", path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// The parser's word.
        what: String,
    },
    /// An entry or the list as a whole is wrong.
    #[error("{}: {place}: {what}\n  - {next}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// `device 3 ("xrd-4"), field "port"`, or `the list`.
        place: String,
        /// What is wrong.
        what: String,
        /// What would be right.
        next: String,
    },
}

/// All devices, in the order of the file.
#[derive(Debug, Clone, Default)]
pub struct Inventory {
    devices: Vec<Arc<Device>>,
}

impl Inventory {
    /// Reads and checks a file.
    ///
    /// # Errors
    /// [`InventoryError`]: the first thing that is wrong.
    pub fn load(path: &Path, fallback: &Fallback) -> Result<Self, InventoryError> {
        let text = std::fs::read_to_string(path).map_err(|source| InventoryError::Read {
            path: path.to_owned(),
            source,
        })?;
        Self::parse(&text, path, fallback)
    }

    /// Checks the text of an inventory; `path` is used in errors only.
    ///
    /// # Errors
    /// [`InventoryError`]: the first thing that is wrong.
    pub fn parse(text: &str, path: &Path, fallback: &Fallback) -> Result<Self, InventoryError> {
        let text = text.trim_start_matches('\u{feff}');
        let json: serde_json::Value = serde_json::from_str(text).map_err(|e| InventoryError::Json {
            path: path.to_owned(),
            line: e.line(),
            column: e.column(),
            what: e
                .to_string()
                .split(" at line")
                .next()
                .unwrap_or_default()
                .to_owned(),
        })?;
        let invalid = |(place, what, next): entry::Problem| InventoryError::Invalid {
            path: path.to_owned(),
            place,
            what,
            next,
        };
        let devices = entry::read_list(&json, fallback).map_err(invalid)?;
        Ok(Self {
            devices: devices.into_iter().map(Arc::new).collect(),
        })
    }

    /// An inventory of devices that are known already; the last of two with one name wins nothing: the
    /// first is found.
    pub fn of(devices: impl IntoIterator<Item = Device>) -> Self {
        Self {
            devices: devices.into_iter().map(Arc::new).collect(),
        }
    }

    /// The devices in the order of the file.
    pub fn devices(&self) -> &[Arc<Device>] {
        &self.devices
    }

    /// The device of that exact name.
    pub fn find(&self, name: &str) -> Option<&Arc<Device>> {
        self.devices.iter().find(|d| d.name == name)
    }

    /// Up to three names that look like `name`, best first.
    pub fn nearest(&self, name: &str) -> Vec<&str> {
        let wanted = name.to_lowercase();
        let mut scored: Vec<(f64, &str)> = self
            .devices
            .iter()
            .map(|d| {
                (
                    strsim::jaro_winkler(&wanted, &d.name.to_lowercase()),
                    d.name.as_str(),
                )
            })
            .filter(|(score, _)| *score >= 0.75)
            .collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0));
        scored.into_iter().take(3).map(|(_, name)| name).collect()
    }
}
