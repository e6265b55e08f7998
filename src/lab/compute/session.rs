//! BGP sessions: which can be established, why not, and what each end has been through (RFC 4271, 4486).

use super::graph::FAR;
use super::moment::{Base, Moment};
use super::routes;
use super::wiring::{SessionKind, neighbor_key};
use crate::lab::config::{Afi, NeighborConfig};
use crate::lab::network::DeviceId;
use crate::lab::state::{Notification, NotificationDirection};

/// Why a session is not established.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    AdminShutdown,
    /// No path between the two addresses, or the far device is dark.
    Unreachable,
    WrongAs,
    Authentication,
    NoFamily,
    MaxPrefix,
    /// The interface of an eBGP session is down, or not in the session's VRF.
    LinkDown,
    /// The hold timer ran out and may not restart yet.
    Dropped,
    /// The far end is up but silent.
    Silent,
    /// Restarted because the negotiated families changed.
    Reconfigured,
    /// The far device booted.
    PeerBooted,
}

/// A cause and the side (0 or 1) that acts on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Trouble {
    pub cause: Cause,
    pub side: usize,
}

/// One end's memory.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct SessionEnd {
    pub transitions: u64,
    pub last_established_ms: Option<i64>,
    pub notification: Option<Notification>,
    pub reason: Option<String>,
}

/// History of a session.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SessionTrack {
    /// Families in use; `None`: not established.
    pub up: Option<Vec<Afi>>,
    pub since_ms: i64,
    pub due_ms: Option<i64>,
    pub trouble: Option<Trouble>,
    pub ends: [SessionEnd; 2],
}

impl Trouble {
    /// How long until the ends notice.
    pub(super) fn delay_ms(self, hold_s: u32) -> i64 {
        match self.cause {
            Cause::Unreachable | Cause::Authentication | Cause::Silent => i64::from(hold_s) * 1_000,
            _ => 0,
        }
    }

    /// What `side` is left with: reason as the router words it, and the notification.
    pub(super) fn wording(self, side: usize, at_ms: i64) -> (String, Option<Notification>) {
        let own = side == self.side;
        let (code, subcode, text) = match self.cause {
            Cause::LinkDown => return ("Interface flap".into(), None),
            Cause::PeerBooted if own => return ("Peer closed the session".into(), None),
            Cause::PeerBooted => return ("Process restarted".into(), None),
            Cause::Unreachable | Cause::Authentication | Cause::Silent | Cause::Dropped => {
                (4, 0, "hold time expired")
            }
            Cause::AdminShutdown => (6, 2, "administrative shutdown"),
            Cause::WrongAs => (2, 2, "peer in wrong AS"),
            Cause::NoFamily => (2, 7, "unsupported/disjoint capability"),
            Cause::MaxPrefix => (6, 1, "maximum number of prefixes reached"),
            Cause::Reconfigured => (6, 6, "other configuration change"),
        };
        // When neither hears the other each sends its own.
        let sends = own
            || matches!(
                self.cause,
                Cause::Unreachable | Cause::Authentication | Cause::Silent
            );
        let (direction, verb) = if sends {
            (NotificationDirection::Sent, "sent")
        } else {
            (NotificationDirection::Received, "received")
        };
        let reason = if own && self.cause == Cause::AdminShutdown {
            "Admin. shutdown (CEASE notification sent - administrative shutdown)".to_string()
        } else {
            format!("BGP Notification {verb}, {text}")
        };
        (
            reason,
            Some(Notification {
                direction,
                code,
                subcode,
                text: text.to_string(),
                at_ms,
            }),
        )
    }
}

/// Hold time in force: the lesser of the two.
pub(super) fn hold_s(base: &Base, moment: &Moment, index: usize) -> u32 {
    let kind = base.wiring.sessions[index];
    (0..2)
        .filter_map(|side| settings(base, moment, kind, side))
        .map(|n| n.hold_s)
        .min()
        .unwrap_or(180)
}

/// Configuration of one side; `None` for a router outside our administration.
pub(super) fn settings<'a>(
    base: &Base,
    moment: &'a Moment,
    kind: SessionKind,
    side: usize,
) -> Option<&'a NeighborConfig> {
    let device = device_of(base, kind, side)?;
    let (address, vrf) = neighbor_key(&base.network, kind, side);
    moment.situation.configs[device].neighbor(vrf, address)
}

/// The device at a side.
pub(super) fn device_of(base: &Base, kind: SessionKind, side: usize) -> Option<DeviceId> {
    match (kind, side) {
        (SessionKind::Internal(a, _), 0) => Some(a),
        (SessionKind::Internal(_, b), _) => Some(b),
        (SessionKind::External(edge), 0) => Some(base.network.edges[edge].end.device),
        (SessionKind::External(_), _) => None,
    }
}

/// Whether a session can be established, and with which families. `distance`: IGP distances from side 1 of an
/// internal session.
pub(super) fn judge(
    base: &Base,
    moment: &Moment,
    index: usize,
    distance: &[u32],
) -> Result<Vec<Afi>, Trouble> {
    let kind = base.wiring.sessions[index];
    for side in 0..2 {
        let Some(device) = device_of(base, kind, side) else {
            continue;
        };
        let (address, vrf) = neighbor_key(&base.network, kind, side);
        let Some(mine) = settings(base, moment, kind, side) else {
            return Err(Trouble {
                cause: Cause::Unreachable,
                side,
            });
        };
        if mine.shutdown {
            return Err(Trouble {
                cause: Cause::AdminShutdown,
                side,
            });
        }
        if moment.situation.session_dropped(device, address, vrf) {
            return Err(Trouble {
                cause: Cause::Dropped,
                side,
            });
        }
    }
    match kind {
        SessionKind::Internal(a, b) => internal(base, moment, index, (a, b), distance),
        SessionKind::External(edge) => external(base, moment, index, edge),
    }
}

fn internal(
    base: &Base,
    moment: &Moment,
    index: usize,
    (a, b): (DeviceId, DeviceId),
    distance: &[u32],
) -> Result<Vec<Afi>, Trouble> {
    let kind = base.wiring.sessions[index];
    let at = |cause, side| Trouble { cause, side };
    if distance.get(a).is_none_or(|d| *d == FAR) || !moment.graph.connects(distance, b, a) {
        return Err(at(Cause::Unreachable, 0));
    }
    let (Some(x), Some(y)) = (settings(base, moment, kind, 0), settings(base, moment, kind, 1)) else {
        return Err(at(Cause::Unreachable, 0));
    };
    let asn = |d: DeviceId| moment.situation.configs[d].bgp.as_ref().map_or(0, |c| c.asn);
    if x.password != y.password {
        return Err(at(Cause::Authentication, 0));
    }
    if x.remote_as != asn(b) {
        return Err(at(Cause::WrongAs, 0));
    }
    if y.remote_as != asn(a) {
        return Err(at(Cause::WrongAs, 1));
    }
    let shared: Vec<Afi> = x
        .afis
        .keys()
        .filter(|afi| y.afis.contains_key(*afi))
        .copied()
        .collect();
    if shared.is_empty() {
        return Err(at(Cause::NoFamily, usize::from(!x.afis.is_empty())));
    }
    for (side, settings) in [(0, x), (1, y)] {
        for afi in &shared {
            let limit = settings.afis.get(afi).and_then(|s| s.max_prefixes);
            if limit.is_some_and(|max| routes::offered(base, moment, index, side, *afi) > u64::from(max)) {
                return Err(at(Cause::MaxPrefix, side));
            }
        }
    }
    Ok(shared)
}

fn external(base: &Base, moment: &Moment, index: usize, edge: usize) -> Result<Vec<Afi>, Trouble> {
    let kind = base.wiring.sessions[index];
    let at = |cause| Trouble { cause, side: 0 };
    let customer = &base.network.edges[edge];
    let device = customer.end.device;
    let Some(mine) = settings(base, moment, kind, 0) else {
        return Err(at(Cause::Unreachable));
    };
    let port = base.wiring.port(device, &customer.end.interface);
    let placed = port.is_some_and(|(d, i)| {
        moment.ports[d][i].up && moment.situation.configs[d].interfaces[i].vrf == customer.vrf
    });
    if !placed {
        return Err(at(Cause::LinkDown));
    }
    if moment
        .situation
        .edge_silent(device, customer.address, customer.vrf.as_deref())
    {
        return Err(at(Cause::Silent));
    }
    if mine.password.is_some() {
        return Err(at(Cause::Authentication));
    }
    if mine.remote_as != customer.asn {
        return Err(at(Cause::WrongAs));
    }
    let shared: Vec<Afi> = mine
        .afis
        .keys()
        .filter(|afi| **afi == Afi::Ipv4Unicast)
        .copied()
        .collect();
    if shared.is_empty() {
        return Err(at(Cause::NoFamily));
    }
    let limit = mine.afis.get(&Afi::Ipv4Unicast).and_then(|s| s.max_prefixes);
    if limit.is_some_and(|max| routes::offered(base, moment, index, 0, Afi::Ipv4Unicast) > u64::from(max)) {
        return Err(at(Cause::MaxPrefix));
    }
    Ok(shared)
}
