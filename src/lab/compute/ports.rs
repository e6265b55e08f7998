//! Ports: which line protocols are up, and what each port has been through.

use super::noise::between;
use super::situation::Situation;
use super::wiring::{Port, Wiring};
use crate::lab::config::InterfaceKind;
use crate::lab::network::Network;

/// History of one port.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PortTrack {
    pub up: bool,
    pub enabled: bool,
    /// Unix ms of the last change.
    pub since_ms: i64,
    pub transitions: u64,
    /// Milliseconds up before `since_ms`, since boot.
    up_before_ms: i64,
    /// Larger frames than the MTU arrive since then.
    giants_since_ms: Option<i64>,
    giants_before_ms: i64,
}

impl PortTrack {
    /// A port as it is after a quiet life.
    pub(super) fn settled(
        seed: u64,
        port: Port,
        up: bool,
        enabled: bool,
        boot_ms: i64,
        epoch_ms: i64,
    ) -> Self {
        let keys = [1, port.0 as u64, port.1 as u64];
        let age = (epoch_ms - 2 * 86_400_000 - boot_ms).max(60_000);
        let eventful = up && between(seed, &keys, 0, 10) < 3;
        let since_ms = if eventful {
            boot_ms + between(seed, &[2, keys[1], keys[2]], 30_000, age)
        } else {
            boot_ms + 25_000
        };
        let transitions = match (up, eventful) {
            (false, _) => 0,
            (true, false) => 1,
            (true, true) => u64::try_from(between(seed, &[3, keys[1], keys[2]], 1, 4) * 2 + 1).unwrap_or(3),
        };
        let up_before_ms = if eventful { since_ms - boot_ms } else { 0 };
        Self {
            up,
            enabled,
            since_ms,
            transitions,
            up_before_ms,
            giants_since_ms: None,
            giants_before_ms: 0,
        }
    }

    /// A port right after its device booted.
    pub(super) fn booted(enabled: bool, now_ms: i64) -> Self {
        let (up_before_ms, giants_before_ms) = (0, 0);
        Self {
            up: false,
            enabled,
            since_ms: now_ms,
            transitions: 0,
            up_before_ms,
            giants_since_ms: None,
            giants_before_ms,
        }
    }

    /// Takes a new line protocol state.
    pub(super) fn change(&mut self, up: bool, now_ms: i64) {
        if self.up {
            self.up_before_ms += now_ms - self.since_ms;
        }
        (self.up, self.since_ms) = (up, now_ms);
        self.transitions += 1;
    }

    /// Notes whether frames arrive that are larger than the MTU.
    pub(super) fn note_giants(&mut self, arriving: bool, now_ms: i64) {
        match (self.giants_since_ms, arriving) {
            (None, true) => self.giants_since_ms = Some(now_ms),
            (Some(since), false) => {
                self.giants_before_ms += now_ms - since;
                self.giants_since_ms = None;
            }
            _ => {}
        }
    }

    /// Milliseconds up since boot.
    pub(super) fn up_ms(&self, now_ms: i64) -> i64 {
        self.up_before_ms
            + if self.up {
                (now_ms - self.since_ms).max(0)
            } else {
                0
            }
    }

    /// Milliseconds during which giants arrived.
    pub(super) fn giants_ms(&self, now_ms: i64) -> i64 {
        self.giants_before_ms + self.giants_since_ms.map_or(0, |since| (now_ms - since).max(0))
    }
}

/// Line protocol of every port: `[device][interface]`.
pub(super) fn judge(network: &Network, wiring: &Wiring, situation: &Situation) -> Vec<Vec<bool>> {
    let mut up: Vec<Vec<bool>> = situation
        .configs
        .iter()
        .enumerate()
        .map(|(d, config)| {
            (0..config.interfaces.len())
                .map(|i| lit(wiring, situation, (d, i)))
                .collect()
        })
        .collect();
    for link in &network.links {
        for end in [&link.a, &link.b] {
            let Some(port) = wiring.port(end.device, &end.interface) else {
                continue;
            };
            if situation.configs[port.0].interfaces[port.1].kind == InterfaceKind::Bundle {
                let active = members(wiring, situation, port)
                    .filter(|m| distributes(wiring, situation, *m, &up))
                    .count();
                let config = &situation.configs[port.0].interfaces[port.1];
                let wanted = usize::try_from(config.min_links.max(1)).unwrap_or(1);
                up[port.0][port.1] = config.enabled && !situation.node_dark(port.0) && active >= wanted;
            }
        }
    }
    // A bundle is up only where its other end is: LACP takes the members out on both sides.
    for [a, b] in &wiring.links {
        if situation.configs[a.0].interfaces[a.1].kind == InterfaceKind::Bundle
            && up[a.0][a.1] != up[b.0][b.1]
        {
            up[a.0][a.1] = false;
            up[b.0][b.1] = false;
        }
    }
    up
}

fn lit(wiring: &Wiring, situation: &Situation, port: Port) -> bool {
    let config = &situation.configs[port.0].interfaces[port.1];
    if !config.enabled || situation.node_dark(port.0) {
        return false;
    }
    match config.kind {
        InterfaceKind::Loopback => true,
        InterfaceKind::Management => !situation.management_down(port.0),
        InterfaceKind::Bundle => false,
        InterfaceKind::Ethernet => {
            if situation.port_dark(port) {
                return false;
            }
            match wiring.far(port) {
                Some(far) => {
                    situation.configs[far.0].interfaces[far.1].enabled && !situation.node_dark(far.0)
                }
                None => wiring.edge_at.contains_key(&port),
            }
        }
    }
}

/// Ports configured into a bundle.
pub(super) fn members<'a>(
    wiring: &'a Wiring,
    situation: &'a Situation,
    bundle: Port,
) -> impl Iterator<Item = Port> + 'a {
    let config = &situation.configs[bundle.0];
    let name = &config.interfaces[bundle.1].name;
    let listed = config
        .interfaces
        .iter()
        .enumerate()
        .filter(move |(_, i)| i.member_of.as_deref() == Some(name));
    listed
        .map(move |(n, _)| (bundle.0, n))
        .filter(|p| wiring.far(*p).is_some())
}

/// A member carries traffic: both ports up, the far one in a bundle too.
pub(super) fn distributes(wiring: &Wiring, situation: &Situation, member: Port, up: &[Vec<bool>]) -> bool {
    wiring.far(member).is_some_and(|far| {
        up[member.0][member.1]
            && up[far.0][far.1]
            && situation.configs[far.0].interfaces[far.1].member_of.is_some()
    })
}

/// The port hears frames larger than its MTU.
pub(super) fn hears_giants(wiring: &Wiring, situation: &Situation, port: Port, up: &[Vec<bool>]) -> bool {
    let Some((link, side)) = wiring.link_at.get(&port) else {
        return false;
    };
    let far = wiring.links[*link][1 - side];
    let mtu = |p: Port| situation.configs[p.0].interfaces[p.1].mtu;
    up[port.0][port.1] && up[far.0][far.1] && mtu(far) > mtu(port)
}
