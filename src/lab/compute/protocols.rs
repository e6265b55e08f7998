//! IS-IS and BGP of one device as it shows them.

use std::net::Ipv4Addr;

use super::adjacency::Refusal;
use super::control::Control;
use super::labels;
use super::session::{self, Cause};
use super::shown::{self, Shown};
use super::wiring::neighbor_key;
use crate::lab::config::{Afi, NeighborConfig};
use crate::lab::network::DeviceId;
use crate::lab::state::{
    AfiState, BgpState, IsisAdjacency, IsisInterfaceState, IsisState, LspState, NeighborState,
    SessionHistory, SessionState, Timers,
};

/// Hello interval, milliseconds.
const HELLO_MS: i64 = 10_000;

pub(super) fn isis(control: &Control, device: DeviceId, now_ms: i64) -> Option<IsisState> {
    let config = &control.moment.situation.configs[device];
    let isis = config.isis.as_ref()?;
    let mut adjacencies = Vec::new();
    let mut runs = 12;
    for (link, ports) in control.base.wiring.links.iter().enumerate() {
        for side in 0..2 {
            let (owner, port) = ports[side];
            let end = control.moment.ends[link][side];
            if owner != device {
                continue;
            }
            runs += end.transitions * 2;
            let (peer, far) = ports[1 - side];
            let peer_config = &control.moment.situation.configs[peer];
            let Some(level) = end.up else { continue };
            adjacencies.push(IsisAdjacency {
                interface: config.interfaces[port].name.clone(),
                neighbor: peer_config.hostname.clone(),
                neighbor_system_id: peer_config
                    .isis
                    .as_ref()
                    .map(crate::lab::config::IsisConfig::system_id)
                    .unwrap_or_default(),
                neighbor_address: peer_config.interfaces[far]
                    .address
                    .map_or(Ipv4Addr::UNSPECIFIED, |(a, _)| a),
                level,
                up_since_ms: end.since_ms,
                transitions: end.transitions,
            });
        }
    }
    let interfaces = config
        .interfaces
        .iter()
        .enumerate()
        .filter(|(_, i)| isis.interfaces.contains_key(&i.name));
    Some(IsisState {
        instance: isis.instance.clone(),
        net: isis.net.clone(),
        system_id: isis.system_id(),
        area: isis.area(),
        level: isis.level,
        authenticated: isis.key.is_some(),
        overload: isis.overload,
        sr_enabled: config.sr.enabled,
        interfaces: interfaces
            .filter_map(|(n, _)| isis_interface(control, (device, n), now_ms))
            .collect(),
        adjacencies,
        lsps: control.lsps().clone(),
        spf_runs: runs,
    })
}

fn isis_interface(control: &Control, port: (DeviceId, usize), now_ms: i64) -> Option<IsisInterfaceState> {
    let config = &control.moment.situation.configs[port.0];
    let isis = config.isis.as_ref()?;
    let interface = &config.interfaces[port.1];
    let settings = isis.interfaces.get(&interface.name)?;
    let hellos = |ms: i64| {
        if settings.passive {
            0
        } else {
            u64::try_from(ms.max(0) / HELLO_MS).unwrap_or(0)
        }
    };
    let up_ms = control.moment.ports[port.0][port.1].up_ms(now_ms);
    let end = control
        .base
        .wiring
        .link_at
        .get(&port)
        .map(|(link, side)| (&control.moment.ends[*link][*side], *link, *side));
    let refusal = end.and_then(|(e, _, _)| e.refusal);
    // Refused since the adjacency went (or since shortly before): count from there.
    let refused = end.map_or(0, |(e, _, _)| hellos(now_ms - e.since_ms));
    let rejected = matches!(refusal, Some(Refusal::Level | Refusal::Area | Refusal::SystemId));
    let silent = refusal.is_some();
    Some(IsisInterfaceState {
        name: interface.name.clone(),
        enabled: interface.enabled,
        passive: settings.passive,
        level: settings
            .level
            .and_then(|l| l.shared(isis.level))
            .or(settings.level)
            .unwrap_or(isis.level),
        metric: settings.metric,
        hello_padding: settings.hello_padding,
        authenticated: settings
            .key
            .as_deref()
            .map_or(isis.key.is_some(), |k| !k.is_empty()),
        prefix: interface.address,
        auth_failures: if refusal == Some(Refusal::Authentication) {
            refused.max(1)
        } else {
            0
        },
        hellos_sent: hellos(up_ms),
        hellos_received: if silent {
            hellos(up_ms).saturating_sub(refused)
        } else {
            hellos(up_ms)
        },
        hellos_rejected: if rejected { refused.max(1) } else { 0 },
    })
}

/// The link-state database, one LSP a system id that survives.
pub(super) fn lsps(control: &Control) -> Vec<LspState> {
    let situation = &control.moment.situation;
    let alive = |d: &DeviceId| !situation.node_dark(*d) && !control.moment.graph.usurped[*d];
    let made = (0..situation.configs.len()).filter(alive).filter_map(|device| {
        let config = &situation.configs[device];
        let isis = config.isis.as_ref()?;
        let neighbors = control.moment.graph.out[device].iter().filter_map(|edge| {
            let id = situation.configs[edge.to].isis.as_ref()?.system_id();
            Some((id, edge.metric))
        });
        let block = labels::allocated(situation, device);
        Some(LspState {
            system_id: isis.system_id(),
            hostname: config.hostname.clone(),
            overload: isis.overload,
            neighbors: neighbors.collect(),
            prefixes: shown::advertised(control, device),
            srgb: block.map(|(lo, hi)| (lo, hi - lo + 1)),
            prefix_sid: config
                .sr
                .prefix_sid
                .filter(|_| config.sr.enabled && isis.interfaces.contains_key("Loopback0")),
        })
    });
    made.collect()
}

pub(super) fn bgp(control: &Control, shown: &Shown, device: DeviceId, now_ms: i64) -> Option<BgpState> {
    let bgp = control.moment.situation.configs[device].bgp.as_ref()?;
    Some(BgpState {
        asn: bgp.asn,
        router_id: bgp.router_id,
        groups: bgp
            .groups
            .iter()
            .map(|(name, asn)| (name.clone(), *asn))
            .collect(),
        afis: control.tables(device).sizes.clone(),
        neighbors: neighbors(control, device, None, now_ms),
        paths: shown.bgp_paths(),
    })
}

/// Neighbours of a VRF (`None`: the default VRF), by address.
pub(super) fn neighbors(
    control: &Control,
    device: DeviceId,
    vrf: Option<&str>,
    now_ms: i64,
) -> Vec<NeighborState> {
    let mut all = Vec::new();
    for &(index, side) in &control.base.wiring.sessions_of[device] {
        let kind = control.base.wiring.sessions[index];
        let (address, of) = neighbor_key(&control.base.network, kind, side);
        let config = session::settings(&control.base, &control.moment, kind, side);
        if let Some(config) = config.filter(|_| of == vrf) {
            all.push(neighbor(
                control,
                (index, side),
                device,
                address,
                vrf,
                config,
                now_ms,
            ));
        }
    }
    all.sort_by_key(|n| n.address);
    all
}

fn neighbor(
    control: &Control,
    (index, side): (usize, usize),
    device: DeviceId,
    address: Ipv4Addr,
    vrf: Option<&str>,
    config: &NeighborConfig,
    now_ms: i64,
) -> NeighborState {
    let base = &control.base;
    let own = &control.moment.situation.configs[device];
    let track = &control.moment.sessions[index];
    let end = &track.ends[side];
    let edge = match base.wiring.sessions[index] {
        super::wiring::SessionKind::External(edge) => Some(&base.network.edges[edge]),
        super::wiring::SessionKind::Internal(..) => None,
    };
    let up = track.up.is_some();
    let keepalives = |since: i64| u64::try_from((now_ms - since).max(0) / 60_000).unwrap_or(0) + 6;
    let messages = end.last_established_ms.map_or(0, |since| {
        keepalives(if up { since } else { track.since_ms.min(since) })
    });
    NeighborState {
        address,
        vrf: vrf.map(str::to_string),
        group: config.group.clone(),
        description: config.description.clone(),
        local_as: own.bgp.as_ref().map_or(0, |b| b.asn),
        remote_as: config.remote_as,
        shutdown: config.shutdown,
        authenticated: config.password.is_some(),
        local_address: edge.map_or(own.loopback, |e| e.pe_address),
        remote_router_id: end.last_established_ms.filter(|_| up).map(|_| address),
        state: state(track, side),
        timers: Timers {
            hold_s: session::hold_s(base, &control.moment, index),
            keepalive_s: 60.min(config.hold_s / 3).max(1),
        },
        history: SessionHistory {
            established_transitions: end.transitions,
            last_established_ms: end.last_established_ms,
            last_change_ms: track.since_ms,
            last_notification: end.notification.clone(),
            last_reset_reason: end.reason.clone(),
            messages_sent: messages,
            messages_received: messages.saturating_sub(u64::from(!up)),
        },
        afis: config
            .afis
            .iter()
            .map(|(afi, settings)| family(control, device, index, *afi, settings))
            .collect(),
    }
}

fn state(track: &session::SessionTrack, side: usize) -> SessionState {
    if track.up.is_some() {
        return SessionState::Established;
    }
    match track.trouble {
        None => SessionState::Connect,
        Some(t) => match t.cause {
            Cause::AdminShutdown | Cause::MaxPrefix if t.side == side => SessionState::Idle,
            Cause::WrongAs | Cause::NoFamily | Cause::LinkDown => SessionState::Idle,
            _ => SessionState::Active,
        },
    }
}

fn family(
    control: &Control,
    device: DeviceId,
    index: usize,
    afi: Afi,
    settings: &crate::lab::config::AfiConfig,
) -> AfiState {
    let counts = control
        .tables(device)
        .counts
        .get(&(index, afi))
        .copied()
        .unwrap_or_default();
    AfiState {
        afi,
        active: super::routes::runs(&control.moment, index, afi),
        rr_client: settings.rr_client,
        next_hop_self: settings.next_hop_self,
        import_policy: settings.import_policy.clone(),
        export_policy: settings.export_policy.clone(),
        max_prefixes: settings.max_prefixes,
        received: counts.received,
        accepted: counts.accepted,
        sent: counts.sent,
        installed: counts.installed,
    }
}
