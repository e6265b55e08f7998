//! Interface configuration.

use std::net::Ipv4Addr;

/// What sort of interface it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InterfaceKind {
    Loopback,
    Management,
    Ethernet,
    Bundle,
}

/// One interface.
#[derive(Debug, Clone, PartialEq)]
pub struct InterfaceConfig {
    pub name: String,
    pub kind: InterfaceKind,
    pub description: String,
    /// `no shutdown`.
    pub enabled: bool,
    /// Layer-2 MTU in bytes.
    pub mtu: u32,
    /// Address and prefix length.
    pub address: Option<(Ipv4Addr, u8)>,
    pub vrf: Option<String>,
    /// Bundle this port belongs to.
    pub member_of: Option<String>,
    /// Members a bundle needs to be up.
    pub min_links: u32,
}
