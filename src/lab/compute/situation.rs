//! What is so at one instant before anything is computed: configurations with their edits, and conditions.

use std::net::Ipv4Addr;
use std::sync::Arc;

use super::wiring::{Port, Wiring};
use crate::lab::config::DeviceConfig;
use crate::lab::fault::{Change, Condition, Interval};
use crate::lab::network::{DeviceId, Network};

/// Inputs of the computation at an instant.
#[derive(Debug, Clone)]
pub(super) struct Situation {
    pub configs: Vec<Arc<DeviceConfig>>,
    /// Conditions that hold: who, and what.
    pub conditions: Vec<(DeviceId, Condition)>,
    /// Ports without light.
    dark_ports: Vec<Port>,
    dark_nodes: Vec<DeviceId>,
}

impl Situation {
    pub(super) fn at(network: &Network, wiring: &Wiring, intervals: &[Interval], now_ms: i64) -> Self {
        let mut configs: Vec<Arc<DeviceConfig>> = network.devices.iter().map(|d| d.config.clone()).collect();
        let mut conditions = Vec::new();
        for interval in intervals.iter().filter(|i| i.holds(now_ms)) {
            match &interval.change {
                Change::Condition(condition) => conditions.push((interval.device, condition.clone())),
                Change::Edit { edit, fault } => {
                    // Checked when it was compiled; one that no longer finds its target changes nothing.
                    let _ = edit(Arc::make_mut(&mut configs[interval.device]), fault);
                }
            }
        }
        let mut dark_ports = Vec::new();
        let mut dark_nodes = Vec::new();
        for (device, condition) in &conditions {
            match condition {
                Condition::CarrierLoss { end, both } => {
                    if let Some(port) = wiring.port(end.device, &end.interface) {
                        dark_ports.push(port);
                        dark_ports.extend(wiring.far(port).filter(|_| *both));
                    }
                }
                Condition::NodeDown { .. } => dark_nodes.push(*device),
                _ => {}
            }
        }
        Self {
            configs,
            conditions,
            dark_ports,
            dark_nodes,
        }
    }

    pub(super) fn node_dark(&self, device: DeviceId) -> bool {
        self.dark_nodes.contains(&device)
    }

    pub(super) fn port_dark(&self, port: Port) -> bool {
        self.dark_ports.contains(&port)
    }

    /// The session to that neighbour is being dropped.
    pub(super) fn session_dropped(&self, device: DeviceId, neighbor: Ipv4Addr, vrf: Option<&str>) -> bool {
        self.of(device).any(|c| matches!(c, Condition::SessionDrop { neighbor: n, vrf: v } if *n == neighbor && v.as_deref() == vrf))
    }

    /// The router beyond that eBGP session is silent.
    pub(super) fn edge_silent(&self, device: DeviceId, neighbor: Ipv4Addr, vrf: Option<&str>) -> bool {
        self.of(device).any(|c| matches!(c, Condition::EdgeDown { neighbor: n, vrf: v } if *n == neighbor && v.as_deref() == vrf))
    }

    /// Prefixes it announces on top of its own.
    pub(super) fn edge_surge(&self, device: DeviceId, neighbor: Ipv4Addr, vrf: Option<&str>) -> u32 {
        self.of(device)
            .map(|c| match c {
                Condition::EdgePrefixes {
                    neighbor: n,
                    vrf: v,
                    count,
                } if *n == neighbor && v.as_deref() == vrf => *count,
                _ => 0,
            })
            .sum()
    }

    pub(super) fn srgb_pending(&self, device: DeviceId) -> bool {
        self.of(device).any(|c| matches!(c, Condition::SrgbPending))
    }

    pub(super) fn management_down(&self, device: DeviceId) -> bool {
        self.of(device).any(|c| matches!(c, Condition::ManagementDown))
    }

    /// Clock error in milliseconds.
    pub(super) fn skew_ms(&self, device: DeviceId) -> i64 {
        self.of(device)
            .map(|c| {
                if let Condition::ClockSkew { ms } = c {
                    *ms
                } else {
                    0
                }
            })
            .sum()
    }

    /// Conditions of one device.
    pub(super) fn of(&self, device: DeviceId) -> impl Iterator<Item = &Condition> {
        self.conditions
            .iter()
            .filter(move |(d, _)| *d == device)
            .map(|(_, c)| c)
    }
}
