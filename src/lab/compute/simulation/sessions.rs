//! BGP sessions through time: timers, ups and downs, what each end remembers and logs.

use std::collections::BTreeMap;

use super::super::log::{self, SpanKey, said};
use super::super::noise::between;
use super::super::session::{self, Cause, Trouble};
use super::super::wiring::{SessionKind, neighbor_key};
use super::Simulation;
use crate::lab::config::Afi;
use crate::lab::network::DeviceId;

/// A session that may come up does so after this, plus up to as much again.
const CONNECT_MS: i64 = 10_000;

impl Simulation<'_> {
    pub(super) fn step_sessions(&mut self, at_ms: i64) {
        let mut distances: BTreeMap<DeviceId, Vec<u32>> = BTreeMap::new();
        for index in 0..self.moment.sessions.len() {
            let judged = match self.base.wiring.sessions[index] {
                SessionKind::Internal(_, b) => {
                    let distance = distances.entry(b).or_insert_with(|| self.moment.graph.from(b));
                    session::judge(self.base, &self.moment, index, distance)
                }
                SessionKind::External(_) => session::judge(self.base, &self.moment, index, &[]),
            };
            self.step_session(index, judged, at_ms);
        }
    }

    fn step_session(&mut self, index: usize, judged: Result<Vec<Afi>, Trouble>, at_ms: i64) {
        let hold = session::hold_s(self.base, &self.moment, index);
        let track = &self.moment.sessions[index];
        let (up, due) = (track.up.clone(), track.due_ms);
        let trouble = judged.as_ref().err().copied();
        match (up, judged) {
            (Some(families), Ok(wanted)) if families == wanted => self.moment.sessions[index].due_ms = None,
            (Some(_), Ok(_)) => {
                self.take_down(
                    index,
                    Trouble {
                        cause: Cause::Reconfigured,
                        side: 0,
                    },
                    at_ms,
                );
                self.moment.sessions[index].due_ms = Some(at_ms + CONNECT_MS);
            }
            (Some(_), Err(trouble)) => {
                let delay = trouble.delay_ms(hold);
                let due = due.unwrap_or(at_ms + delay);
                if delay == 0 || due <= at_ms {
                    self.take_down(index, trouble, at_ms);
                } else {
                    self.moment.sessions[index].due_ms = Some(due);
                }
            }
            (None, Ok(families)) => {
                let wait = CONNECT_MS
                    + between(
                        self.base.seed,
                        &[23, index as u64, at_ms.unsigned_abs()],
                        0,
                        CONNECT_MS,
                    );
                let due = due.unwrap_or(at_ms + wait);
                if due <= at_ms {
                    self.bring_up(index, families, at_ms);
                } else {
                    self.moment.sessions[index].due_ms = Some(due);
                }
            }
            (None, Err(trouble)) => {
                self.moment.sessions[index].due_ms = None;
                if self.moment.sessions[index].trouble != Some(trouble) && trouble.delay_ms(hold) == 0 {
                    self.remember(index, trouble, at_ms);
                }
            }
        }
        self.moment.sessions[index].trouble = trouble;
        self.repeat_trouble(index, trouble, at_ms);
    }

    fn bring_up(&mut self, index: usize, families: Vec<Afi>, at_ms: i64) {
        let track = &mut self.moment.sessions[index];
        (track.up, track.since_ms, track.due_ms) = (Some(families), at_ms, None);
        for end in &mut track.ends {
            end.transitions += 1;
            end.last_established_ms = Some(at_ms);
        }
        self.announce(index, at_ms, None);
    }

    pub(super) fn take_down(&mut self, index: usize, trouble: Trouble, at_ms: i64) {
        let track = &mut self.moment.sessions[index];
        (track.up, track.since_ms, track.due_ms) = (None, at_ms, None);
        self.remember(index, trouble, at_ms);
        self.announce(index, at_ms, Some(trouble));
    }

    fn remember(&mut self, index: usize, trouble: Trouble, at_ms: i64) {
        for side in 0..2 {
            let (reason, notification) = trouble.wording(side, at_ms);
            let end = &mut self.moment.sessions[index].ends[side];
            end.reason = Some(reason);
            if notification.is_some() {
                end.notification = notification;
            }
        }
    }

    fn announce(&mut self, index: usize, at_ms: i64, trouble: Option<Trouble>) {
        let kind = self.base.wiring.sessions[index];
        for side in 0..2 {
            let Some(device) = session::device_of(self.base, kind, side) else {
                continue;
            };
            let (address, vrf) = neighbor_key(&self.base.network, kind, side);
            let remote_as = session::settings(self.base, &self.moment, kind, side).map_or(0, |n| n.remote_as);
            let reason = trouble.map(|t| t.wording(side, at_ms).0);
            let change = reason.as_deref().map_or(Ok(()), Err);
            let said = log::session_changed(&address.to_string(), vrf, remote_as, change);
            if let Some(limited) = trouble.filter(|t| t.cause == Cause::MaxPrefix && t.side == side) {
                let text = format!(
                    "No. of prefixes received from {address} exceeds the configured maximum (side {})",
                    limited.side
                );
                let text = text.replace(&format!(" (side {})", limited.side), "");
                self.say(
                    device,
                    at_ms,
                    log::said("bgp", "ROUTING-BGP-4-MAXPFXEXCEED", text),
                );
            }
            self.say(device, at_ms, said);
        }
    }

    fn repeat_trouble(&mut self, index: usize, trouble: Option<Trouble>, at_ms: i64) {
        let kind = self.base.wiring.sessions[index];
        for side in 0..2 {
            let Some(device) = session::device_of(self.base, kind, side) else {
                continue;
            };
            let (address, _) = neighbor_key(&self.base.network, kind, side);
            let remote = address.to_string();
            let wanted = trouble.and_then(|t| match t.cause {
                Cause::Authentication => {
                    let has = |s| {
                        session::settings(self.base, &self.moment, kind, s)
                            .is_some_and(|n| n.password.is_some())
                    };
                    let local = match kind {
                        SessionKind::Internal(..) => self.base.network.devices[device].config.loopback,
                        SessionKind::External(edge) => self.base.network.edges[edge].pe_address,
                    };
                    let said = log::bad_digest(&local.to_string(), &remote, has(0) && has(1));
                    Some((said, 30_000))
                }
                Cause::WrongAs => {
                    let verb = if t.side == side {
                        "sent to"
                    } else {
                        "received from"
                    };
                    let text = format!("{verb} neighbor {remote} 2/2 (peer in wrong AS)");
                    Some((said("bgp", "ROUTING-BGP-3-NOTIFICATION", text), 60_000))
                }
                _ => None,
            });
            self.keep_saying(SpanKey::Session(index, side), device, at_ms, wanted);
        }
    }
}
