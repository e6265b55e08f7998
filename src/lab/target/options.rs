//! How a lab's targets are started: addresses, ports, credentials, TLS.

use super::access::Credentials;
use std::net::{IpAddr, Ipv4Addr};

/// Which ports the devices get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ports {
    /// Whatever the system has free.
    Ephemeral,
    /// This one and those that follow, in inventory order.
    From(u16),
}

/// Options of [`super::LabRunning::start`].
#[derive(Debug, Clone)]
pub struct LabOptions {
    /// Address to listen on. Anything but loopback lets the network in.
    pub address: IpAddr,
    pub ports: Ports,
    pub credentials: Credentials,
    pub tls: Option<Tls>,
}

impl Default for LabOptions {
    fn default() -> Self {
        LabOptions {
            address: Ipv4Addr::LOCALHOST.into(),
            ports: Ports::Ephemeral,
            credentials: Credentials::default(),
            tls: None,
        }
    }
}

/// TLS of the targets, all in PEM.
#[derive(Clone)]
pub struct Tls {
    pub certificate: String,
    pub key: String,
    /// Clients must show a certificate this one signed (mutual TLS).
    pub client_ca: Option<String>,
    /// File the inventory names as root certificate, if clients are to check.
    pub root_file: Option<String>,
}

impl std::fmt::Debug for Tls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tls")
            .field("mutual", &self.client_ca.is_some())
            .finish_non_exhaustive()
    }
}
