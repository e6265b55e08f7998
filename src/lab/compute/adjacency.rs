//! IS-IS adjacencies: which can be, why not, and what each end has been through.

use super::situation::Situation;
use super::wiring::{Port, Wiring};
use crate::lab::config::Level;
use crate::lab::network::DeviceId;

/// Hold time of hellos on a point-to-point link, milliseconds (3 x 10 s).
pub(super) const HOLD_MS: i64 = 30_000;
/// Time from a link that works to an adjacency that is up, milliseconds.
pub(super) const FORM_MS: i64 = 4_000;

/// Why an end has no adjacency.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    /// Own interface is down.
    InterfaceDown,
    /// Own interface is passive or not in the process.
    NotActive,
    /// Nothing comes from the neighbour: down, passive, out of the process, or its padded hellos are too long.
    Silence,
    /// The neighbour does not hear us: our padded hellos are too long for it.
    NotHeard,
    Level,
    Area,
    Authentication,
    SystemId,
}

impl Refusal {
    /// How long the end takes to notice.
    pub(super) fn delay_ms(self) -> i64 {
        match self {
            Self::InterfaceDown | Self::NotActive => 0,
            _ => HOLD_MS,
        }
    }

    /// As the router words it when the adjacency goes.
    pub(super) fn wording(self) -> &'static str {
        match self {
            Self::InterfaceDown => "Interface state down",
            Self::NotActive => "Interface configuration changed",
            Self::NotHeard => "Neighbor forgot us",
            Self::Silence | Self::Level | Self::Area | Self::Authentication | Self::SystemId => {
                "Hold time expired"
            }
        }
    }
}

/// History of one end of an adjacency.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct EndTrack {
    /// Level in use; `None`: not up.
    pub up: Option<Level>,
    pub since_ms: i64,
    pub transitions: u64,
    pub refusal: Option<Refusal>,
    /// It goes up or down at this time unless things change.
    pub due_ms: Option<i64>,
}

/// Whether side `side` of a link can have its adjacency.
pub(super) fn judge(
    wiring: &Wiring,
    situation: &Situation,
    up: &[Vec<bool>],
    link: usize,
    side: usize,
) -> Result<Level, Refusal> {
    let (me, peer) = (wiring.links[link][side], wiring.links[link][1 - side]);
    if !up[me.0][me.1] {
        return Err(Refusal::InterfaceDown);
    }
    let Some(mine) = circuit(situation, me) else {
        return Err(Refusal::NotActive);
    };
    let Some(theirs) = circuit(situation, peer).filter(|_| up[peer.0][peer.1]) else {
        return Err(Refusal::Silence);
    };
    if mine.key != theirs.key {
        return Err(Refusal::Authentication);
    }
    let level = mine
        .level
        .and_then(|m| m.shared(theirs.level?))
        .ok_or(Refusal::Level)?;
    let (a, b) = (isis_ids(situation, me.0), isis_ids(situation, peer.0));
    if level == Level::L1 && a.1 != b.1 {
        return Err(Refusal::Area);
    }
    if a.0 == b.0 {
        return Err(Refusal::SystemId);
    }
    if theirs.padded && theirs.mtu > mine.mtu {
        return Err(Refusal::Silence);
    }
    if mine.padded && mine.mtu > theirs.mtu {
        return Err(Refusal::NotHeard);
    }
    Ok(level)
}

struct Circuit<'a> {
    key: Option<&'a str>,
    level: Option<Level>,
    padded: bool,
    mtu: u32,
}

fn circuit(situation: &Situation, port: Port) -> Option<Circuit<'_>> {
    let config = &situation.configs[port.0];
    let interface = &config.interfaces[port.1];
    let isis = config.isis.as_ref()?;
    let settings = isis
        .interfaces
        .get(&interface.name)
        .filter(|s| !s.passive && interface.vrf.is_none())?;
    Some(Circuit {
        key: settings
            .key
            .as_deref()
            .or(isis.key.as_deref())
            .filter(|k| !k.is_empty()),
        level: settings
            .level
            .map_or(Some(isis.level), |own| own.shared(isis.level)),
        padded: settings.hello_padding,
        mtu: interface.mtu,
    })
}

fn isis_ids(situation: &Situation, device: DeviceId) -> (String, String) {
    situation.configs[device]
        .isis
        .as_ref()
        .map(|i| (i.system_id(), i.area()))
        .unwrap_or_default()
}
