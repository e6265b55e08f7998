//! The simulation: walks from a settled network through every change up to an instant.
//!
//! Events are the starts and ends of fault intervals, and the timers they set off (hold times, sessions forming). At
//! each, everything that depends on state is judged anew; what changed leaves tracks and log records.

mod sessions;
mod settled;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::adjacency::{self, EndTrack, FORM_MS, Refusal};
use super::complaints;
use super::graph::Graph;
use super::log::{self, Record, Said, Span, SpanKey, said};
use super::moment::{Base, Boot, Moment};
use super::noise::between;
use super::ports::{self, PortTrack};
use super::session::{Cause, SessionEnd, Trouble};
use super::situation::Situation;
use super::traffic::Traffic;
use crate::lab::fault::{Change, Condition, Interval};
use crate::lab::network::DeviceId;

/// What a run leaves behind.
pub(super) struct Outcome {
    pub moment: Moment,
    pub records: Vec<Record>,
    pub spans: Vec<Span>,
    pub traffic: Traffic,
    /// The next event after the instant asked for.
    pub next_ms: Option<i64>,
    /// The last event before it.
    pub last_ms: Option<i64>,
}

struct Simulation<'a> {
    base: &'a Base,
    intervals: &'a [Interval],
    moment: Moment,
    records: Vec<Record>,
    spans: Vec<Span>,
    traffic: Traffic,
    open: BTreeMap<SpanKey, usize>,
}

/// Runs up to `now_ms`.
pub(super) fn run(base: &Base, intervals: &[Interval], now_ms: i64) -> Outcome {
    let moment = settled::settled(base);
    let mut simulation = Simulation {
        base,
        intervals,
        traffic: Traffic::new(base, &moment),
        moment,
        records: Vec::new(),
        spans: Vec::new(),
        open: BTreeMap::new(),
    };
    let mut boundaries: Vec<i64> = intervals
        .iter()
        .flat_map(|i| [Some(i.from_ms), i.until_ms])
        .flatten()
        .collect();
    boundaries.sort_unstable();
    boundaries.dedup();
    let mut boundaries = boundaries.into_iter().peekable();
    let mut last_ms = None;
    let next_ms = loop {
        let due = simulation.due();
        let next = [boundaries.peek().copied(), due].into_iter().flatten().min();
        let Some(at_ms) = next.filter(|t| *t <= now_ms) else {
            break next;
        };
        let boundary = boundaries.next_if_eq(&at_ms).is_some();
        simulation.step(at_ms, boundary);
        last_ms = Some(at_ms);
    };
    Outcome {
        moment: simulation.moment,
        records: simulation.records,
        spans: simulation.spans,
        traffic: simulation.traffic,
        next_ms,
        last_ms,
    }
}

impl Simulation<'_> {
    /// The earliest timer.
    fn due(&self) -> Option<i64> {
        let ends = self.moment.ends.iter().flatten().filter_map(|e| e.due_ms);
        let sessions = self.moment.sessions.iter().filter_map(|s| s.due_ms);
        ends.chain(sessions).min()
    }

    fn say(&mut self, device: DeviceId, at_ms: i64, said: Said) {
        if !self.moment.situation.node_dark(device) {
            self.records.push(Record { device, at_ms, said });
        }
    }

    /// Begins, ends or leaves alone what a device keeps saying.
    fn keep_saying(&mut self, key: SpanKey, device: DeviceId, at_ms: i64, wanted: Option<(Said, i64)>) {
        match (self.open.get(&key).copied(), wanted) {
            (Some(index), wanted)
                if wanted
                    .as_ref()
                    .is_none_or(|(said, _)| *said != self.spans[index].said) =>
            {
                self.spans[index].until_ms = Some(at_ms);
                self.open.remove(&key);
                if wanted.is_some() {
                    self.keep_saying(key, device, at_ms, wanted);
                }
            }
            (None, Some((said, period_ms))) => {
                self.open.insert(key, self.spans.len());
                self.spans.push(Span {
                    device,
                    from_ms: at_ms,
                    until_ms: None,
                    period_ms,
                    said,
                });
            }
            _ => {}
        }
    }

    fn step(&mut self, at_ms: i64, boundary: bool) {
        let before = self.members();
        if boundary {
            self.enter(at_ms);
        }
        self.step_ports(at_ms, &before);
        self.step_adjacencies(at_ms);
        let graph = Graph::new(
            &self.base.network,
            &self.base.wiring,
            &self.moment.situation,
            &self.moment.ends,
        );
        if graph != *self.moment.graph {
            self.moment.graph = Arc::new(graph);
        }
        self.step_sessions(at_ms);
        self.traffic.note(self.base, &self.moment, at_ms);
        if boundary {
            self.step_complaints(at_ms);
        }
    }

    /// Takes over the situation that begins now: commits, boots, lines devices were told to write.
    fn enter(&mut self, at_ms: i64) {
        let base = self.base;
        let next = Situation::at(&base.network, &base.wiring, self.intervals, at_ms);
        let previous = std::mem::replace(&mut self.moment.situation, next);
        for device in 0..base.network.devices.len() {
            if previous.node_dark(device) && !self.moment.situation.node_dark(device) {
                let reason = previous.of(device).find_map(|c| match c {
                    Condition::NodeDown { reason } => Some(reason.clone()),
                    _ => None,
                });
                self.boot(device, at_ms, reason.unwrap_or_default());
            }
        }
        for (n, interval) in self.intervals.iter().enumerate() {
            let touches = interval.from_ms == at_ms || interval.until_ms == Some(at_ms);
            match &interval.change {
                Change::Edit { .. } if touches => {
                    let id = 1_000_000_000 + between(base.seed, &[30, n as u64], 100, 900);
                    let text = format!(
                        "Configuration committed by user 'netops'. Use 'show configuration commit changes {id}' to view the changes."
                    );
                    self.say(
                        interval.device,
                        at_ms,
                        said("config", "MGBL-CONFIG-6-DB_COMMIT", text),
                    );
                }
                Change::Condition(Condition::Log { mnemonic, text }) if interval.from_ms == at_ms => {
                    self.say(interval.device, at_ms, said("syslogd", mnemonic, text.clone()));
                }
                _ => {}
            }
        }
    }

    fn boot(&mut self, device: DeviceId, at_ms: i64, reason: String) {
        let text = format!("Card is COLD started (last reload: {reason})");
        self.moment.boots[device] = Boot { at_ms, reason };
        self.say(device, at_ms, said("sysmgr", "OS-SYSMGR-5-NOTICE", text));
        for (n, track) in self.moment.ports[device].iter_mut().enumerate() {
            *track = PortTrack::booted(self.moment.situation.configs[device].interfaces[n].enabled, at_ms);
        }
        for (link, ports) in self.base.wiring.links.iter().enumerate() {
            for (side, (owner, _)) in ports.iter().enumerate() {
                if *owner == device {
                    let end = &mut self.moment.ends[link][side];
                    *end = EndTrack {
                        up: None,
                        since_ms: at_ms,
                        transitions: 0,
                        refusal: end.refusal,
                        due_ms: None,
                    };
                }
            }
        }
        for &(index, side) in &self.base.wiring.sessions_of[device] {
            if self.moment.sessions[index].up.is_some() {
                self.take_down(
                    index,
                    Trouble {
                        cause: Cause::PeerBooted,
                        side: 1 - side,
                    },
                    at_ms,
                );
            }
            self.moment.sessions[index].ends[side] = SessionEnd::default();
        }
    }

    /// Active bundle members, and whether their own line is up.
    fn members(&self) -> BTreeMap<(DeviceId, usize), (String, bool, bool)> {
        let ups = self.moment.ups();
        let mut all = BTreeMap::new();
        for (device, config) in self.moment.situation.configs.iter().enumerate() {
            for (n, interface) in config.interfaces.iter().enumerate() {
                if let Some(bundle) = &interface.member_of {
                    let active =
                        ports::distributes(&self.base.wiring, &self.moment.situation, (device, n), &ups);
                    all.insert((device, n), (bundle.clone(), active, ups[device][n]));
                }
            }
        }
        all
    }

    fn step_ports(&mut self, at_ms: i64, before: &BTreeMap<(DeviceId, usize), (String, bool, bool)>) {
        let up = ports::judge(&self.base.network, &self.base.wiring, &self.moment.situation);
        let mut changes = Vec::new();
        for (device, list) in up.iter().enumerate() {
            for (n, up_now) in list.iter().enumerate() {
                let config = &self.moment.situation.configs[device].interfaces[n];
                let track = &mut self.moment.ports[device][n];
                if track.up != *up_now || track.enabled != config.enabled {
                    if track.up != *up_now {
                        track.change(*up_now, at_ms);
                        changes.push((device, log::port_changed(&config.name, *up_now, config.enabled)));
                    } else {
                        track.since_ms = at_ms;
                    }
                    track.enabled = config.enabled;
                }
                track.note_giants(
                    ports::hears_giants(&self.base.wiring, &self.moment.situation, (device, n), &up),
                    at_ms,
                );
            }
        }
        for (device, lines) in changes {
            for said in lines {
                self.say(device, at_ms, said);
            }
        }
        let after = self.members();
        let everyone: std::collections::BTreeSet<_> = before.keys().chain(after.keys()).copied().collect();
        for port in everyone {
            let (was, is) = (before.get(&port), after.get(&port));
            let (was_active, is_active) = (was.is_some_and(|m| m.1), is.is_some_and(|m| m.1));
            if let Some((bundle, _, _)) = is.or(was).filter(|_| was_active != is_active) {
                let name = self.moment.situation.configs[port.0].interfaces[port.1]
                    .name
                    .clone();
                let said = log::member_changed(&name, bundle, is_active, up[port.0][port.1]);
                self.say(port.0, at_ms, said);
            }
        }
    }

    fn step_adjacencies(&mut self, at_ms: i64) {
        let up = self.moment.ups();
        for link in 0..self.moment.ends.len() {
            for side in 0..2 {
                let judged = adjacency::judge(&self.base.wiring, &self.moment.situation, &up, link, side);
                self.step_end(link, side, judged, at_ms);
            }
        }
    }

    fn step_end(
        &mut self,
        link: usize,
        side: usize,
        judged: Result<crate::lab::config::Level, Refusal>,
        at_ms: i64,
    ) {
        let (me, port) = self.base.wiring.links[link][side];
        let (peer, _) = self.base.wiring.links[link][1 - side];
        let track = &mut self.moment.ends[link][side];
        let was = track.up;
        match (track.up, judged) {
            (Some(_), Ok(level)) => (track.up, track.due_ms) = (Some(level), None),
            (Some(_), Err(refusal)) => {
                let due = track.due_ms.unwrap_or(at_ms + refusal.delay_ms());
                if refusal.delay_ms() == 0 || due <= at_ms {
                    (track.up, track.since_ms, track.due_ms) = (None, at_ms, None);
                } else {
                    track.due_ms = Some(due);
                }
            }
            (None, Ok(level)) => {
                let due = track.due_ms.unwrap_or(at_ms + FORM_MS);
                if due <= at_ms {
                    (track.up, track.since_ms, track.due_ms) = (Some(level), at_ms, None);
                    track.transitions += 1;
                } else {
                    track.due_ms = Some(due);
                }
            }
            (None, Err(_)) => track.due_ms = None,
        }
        track.refusal = judged.err();
        let (now, level) = (track.up, track.up.or(was));
        let config = &self.moment.situation.configs[me].interfaces[port];
        if was.is_some() != now.is_some() {
            let why = judged.err().map_or("New adjacency", Refusal::wording);
            let level = level.map(|l| l.to_string()).unwrap_or_default();
            let said = log::adjacency_changed(
                &self.base.network.devices[peer].name,
                &config.name,
                &level,
                now.is_some(),
                why,
            );
            self.say(me, at_ms, said);
        }
        let failing = judged.err() == Some(Refusal::Authentication);
        let name = self.moment.situation.configs[me].interfaces[port].name.clone();
        self.keep_saying(
            SpanKey::Adjacency(link, side),
            me,
            at_ms,
            failing.then(|| (log::isis_auth(&name), 60_000)),
        );
    }

    fn step_complaints(&mut self, at_ms: i64) {
        let current = complaints::judge(self.base, &self.moment);
        let old: Vec<_> = self
            .moment
            .complaints
            .keys()
            .copied()
            .filter(|k| !current.contains_key(k))
            .collect();
        for key in old {
            self.moment.complaints.remove(&key);
            self.keep_saying(SpanKey::Complaint(key.0, key.1), key.0, at_ms, None);
        }
        for (key, detail) in current {
            self.moment.complaints.entry(key).or_insert(at_ms);
            let wanted = Some(log::complaint(key.1, &detail));
            self.keep_saying(SpanKey::Complaint(key.0, key.1), key.0, at_ms, wanted);
        }
    }
}
