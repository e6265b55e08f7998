//! The network before anything goes wrong: everything up for days, with a life behind it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::adjacency::{self, EndTrack, FORM_MS};
use super::super::graph::{self, Graph};
use super::super::moment::{Base, Boot, Moment};
use super::super::noise::between;
use super::super::ports::{self, PortTrack};
use super::super::session::{self, SessionEnd, SessionTrack};
use super::super::situation::Situation;
use super::super::wiring::SessionKind;

const DAY_MS: i64 = 86_400_000;

/// The network after a quiet life.
pub(super) fn settled(base: &Base) -> Moment {
    let situation = Situation::at(&base.network, &base.wiring, &[], base.epoch_ms);
    let boots = boots(base);
    let up = ports::judge(&base.network, &base.wiring, &situation);
    let ports = tracks(base, &situation, &boots, &up);
    let ends = adjacencies(base, &situation, &ports, &up);
    let graph = Arc::new(Graph::new(&base.network, &base.wiring, &situation, &ends));
    let idle = SessionTrack {
        up: None,
        since_ms: base.epoch_ms,
        due_ms: None,
        trouble: None,
        ends: Default::default(),
    };
    let sessions = vec![idle; base.wiring.sessions.len()];
    let complaints = BTreeMap::new();
    let mut moment = Moment {
        situation,
        ports,
        ends,
        graph,
        sessions,
        boots,
        complaints,
    };
    for index in 0..moment.sessions.len() {
        moment.sessions[index] = session(base, &moment, index);
    }
    moment
}

fn boots(base: &Base) -> Vec<Boot> {
    (0..base.network.devices.len())
        .map(|d| Boot {
            at_ms: base.epoch_ms - between(base.seed, &[20, d as u64], 12 * DAY_MS, 90 * DAY_MS),
            reason: "User initiated graceful reload".into(),
        })
        .collect()
}

fn tracks(base: &Base, situation: &Situation, boots: &[Boot], up: &[Vec<bool>]) -> Vec<Vec<PortTrack>> {
    let of = |(d, list): (usize, &Vec<bool>)| {
        let track = |(i, up): (usize, &bool)| {
            let enabled = situation.configs[d].interfaces[i].enabled;
            PortTrack::settled(base.seed, (d, i), *up, enabled, boots[d].at_ms, base.epoch_ms)
        };
        list.iter().enumerate().map(track).collect()
    };
    up.iter().enumerate().map(of).collect()
}

fn adjacencies(
    base: &Base,
    situation: &Situation,
    ports: &[Vec<PortTrack>],
    up: &[Vec<bool>],
) -> Vec<[EndTrack; 2]> {
    let of = |link: usize| {
        let since = base.wiring.links[link]
            .iter()
            .map(|(d, i)| ports[*d][*i].since_ms)
            .max();
        [0, 1].map(|side| {
            let judged = adjacency::judge(&base.wiring, situation, up, link, side);
            let (d, i) = base.wiring.links[link][side];
            EndTrack {
                up: judged.ok(),
                since_ms: since.unwrap_or(base.epoch_ms) + FORM_MS,
                transitions: ports[d][i].transitions,
                refusal: judged.err(),
                due_ms: None,
            }
        })
    };
    (0..base.wiring.links.len()).map(of).collect()
}

fn session(base: &Base, moment: &Moment, index: usize) -> SessionTrack {
    let kind = base.wiring.sessions[index];
    let distance = match kind {
        SessionKind::Internal(_, b) => moment.graph.from(b),
        SessionKind::External(_) => vec![graph::FAR; base.network.devices.len()],
    };
    let judged = session::judge(base, moment, index, &distance);
    let devices = (0..2).filter_map(|side| session::device_of(base, kind, side));
    let born = devices
        .map(|d| moment.boots[d].at_ms)
        .max()
        .unwrap_or(base.epoch_ms);
    let room = (base.epoch_ms - 2 * DAY_MS - born).max(2);
    let bounced = between(base.seed, &[21, index as u64], 0, 10) < 2;
    let age = if bounced {
        between(base.seed, &[22, index as u64], 1, room)
    } else {
        70_000
    };
    let end = SessionEnd {
        transitions: if bounced { 2 } else { 1 },
        last_established_ms: Some(born + age),
        notification: None,
        reason: bounced.then(|| "Peer closed the session".to_string()),
    };
    SessionTrack {
        up: judged.ok(),
        since_ms: born + age,
        due_ms: None,
        trouble: None,
        ends: [end.clone(), end],
    }
}
