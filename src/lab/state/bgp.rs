//! BGP: sessions, their history, prefix counts, and the paths a device holds.

use std::net::Ipv4Addr;

use super::Table;
use crate::lab::config::Afi;

/// The BGP process of a device.
#[derive(Debug, Clone, PartialEq)]
pub struct BgpState {
    pub asn: u32,
    pub router_id: Ipv4Addr,
    /// Neighbour groups: name and remote AS.
    pub groups: Vec<(String, u32)>,
    /// Global address families and how much each holds.
    pub afis: Vec<AfiSize>,
    /// Neighbours of the default VRF.
    pub neighbors: Vec<NeighborState>,
    /// Paths held (IPv4 unicast and VPNv4), best and not.
    pub paths: Table<PathState>,
}

/// What an address family holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AfiSize {
    pub afi: Afi,
    /// Prefixes with a best path.
    pub prefixes: u64,
    /// All paths.
    pub paths: u64,
}

/// RFC 4271 state of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionState {
    Idle,
    Connect,
    Active,
    OpenSent,
    OpenConfirm,
    Established,
}

impl SessionState {
    /// Name as OpenConfig writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Idle => "IDLE",
            Self::Connect => "CONNECT",
            Self::Active => "ACTIVE",
            Self::OpenSent => "OPENSENT",
            Self::OpenConfirm => "OPENCONFIRM",
            Self::Established => "ESTABLISHED",
        }
    }
}

/// One neighbour: configuration and state.
#[derive(Debug, Clone, PartialEq)]
pub struct NeighborState {
    pub address: Ipv4Addr,
    /// VRF of the session; `None` is the default VRF.
    pub vrf: Option<String>,
    pub group: Option<String>,
    pub description: String,
    pub local_as: u32,
    /// Configured remote AS.
    pub remote_as: u32,
    /// Administratively shut.
    pub shutdown: bool,
    /// A TCP MD5 password is configured (never shown).
    pub authenticated: bool,
    pub local_address: Ipv4Addr,
    /// Remote router id, once learnt.
    pub remote_router_id: Option<Ipv4Addr>,
    pub state: SessionState,
    pub timers: Timers,
    pub history: SessionHistory,
    pub afis: Vec<AfiState>,
}

/// Hold time and keepalive interval in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timers {
    pub hold_s: u32,
    pub keepalive_s: u32,
}

/// What happened to the session so far.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SessionHistory {
    /// Times the session reached ESTABLISHED since boot.
    pub established_transitions: u64,
    /// Unix ms of the last time it did; `None` if never.
    pub last_established_ms: Option<i64>,
    /// Unix ms of the last state change.
    pub last_change_ms: i64,
    /// Last notification sent or received.
    pub last_notification: Option<Notification>,
    /// Why the session is, or was last, down; as the router words it.
    pub last_reset_reason: Option<String>,
    pub messages_sent: u64,
    pub messages_received: u64,
}

/// Who sent a notification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotificationDirection {
    Sent,
    Received,
}

/// A BGP NOTIFICATION (RFC 4271 section 6, RFC 4486).
#[derive(Debug, Clone, PartialEq)]
pub struct Notification {
    pub direction: NotificationDirection,
    pub code: u8,
    pub subcode: u8,
    /// e.g. `peer in wrong AS`.
    pub text: String,
    /// Unix ms.
    pub at_ms: i64,
}

/// One address family of a session, as configured here (a family that is not configured is absent).
#[derive(Debug, Clone, PartialEq)]
pub struct AfiState {
    pub afi: Afi,
    /// Negotiated with the peer and running.
    pub active: bool,
    pub rr_client: bool,
    pub next_hop_self: bool,
    pub import_policy: Option<String>,
    pub export_policy: Option<String>,
    pub max_prefixes: Option<u32>,
    /// Prefixes the peer sent (before policy).
    pub received: u64,
    /// Prefixes accepted (after policy and, on a PE, the route-target filter).
    pub accepted: u64,
    pub sent: u64,
    /// Paths from this peer that are best.
    pub installed: u64,
}

/// One path in a BGP table.
#[derive(Debug, Clone, PartialEq)]
pub struct PathState {
    pub afi: Afi,
    /// Route distinguisher for VPNv4.
    pub rd: Option<String>,
    pub prefix: Ipv4Addr,
    pub length: u8,
    pub next_hop: Ipv4Addr,
    /// Next hop resolves.
    pub valid: bool,
    pub best: bool,
    /// Neighbour it came from; `None` if originated here.
    pub from: Option<Ipv4Addr>,
    /// Loopback of the device that brought it into iBGP.
    pub originator: Ipv4Addr,
    pub as_path: Vec<u32>,
    pub route_targets: Vec<String>,
    pub local_pref: u32,
    /// VPN label.
    pub label: Option<u32>,
}

/// A routing policy by name.
#[derive(Debug, Clone, PartialEq)]
pub struct PolicyState {
    pub name: String,
    /// Accepts routes (otherwise drops all).
    pub accepts: bool,
}
