//! What one subscription has sent and what is new: the differences behind ON_CHANGE and SAMPLE streams.
//! Times are handed in; nothing here sleeps.

use super::answer::{self, Form};
use super::device::View;
use crate::lab::openconfig::encode;
use crate::lab::openconfig::tree::{DataKind, Leaf};
use crate::proto::gnmi::{Notification, Path, PathElem, Subscription, SubscriptionMode, Update};
use crate::proto::path;
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::Instant;
use tonic::Status;

/// Shortest interval a target samples at.
const FASTEST: Duration = Duration::from_millis(100);
/// Interval when the client leaves the choice to the target.
const CHOSEN: Duration = Duration::from_secs(10);
/// Updates in one message, so that none outgrows gRPC's default limit of 4 MiB.
const UPDATES_PER_MESSAGE: usize = 4_000;

/// When a subscription sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pace {
    OnChange,
    Sample {
        interval: Duration,
        suppress_redundant: bool,
    },
    /// Changes as they happen; what moves by itself is sampled.
    Chosen,
}

/// One subscription of a stream.
pub(super) struct Notices {
    origin: String,
    elements: Vec<PathElem>,
    form: Form,
    pace: Pace,
    heartbeat: Option<Duration>,
    next_sample: Option<Instant>,
    next_heartbeat: Option<Instant>,
    sent: BTreeMap<String, (Vec<PathElem>, Leaf)>,
}

/// Which leaves to send.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Choice {
    /// Every leaf.
    All,
    /// What differs from what was sent.
    Changed,
    /// The same, without leaves that move by themselves.
    Calm,
}

impl Notices {
    /// # Errors
    /// `INVALID_ARGUMENT` for a mode, an interval or a path that is not served.
    pub(super) fn new(prefix: Option<&Path>, asked: &Subscription, form: Form) -> Result<Self, Status> {
        let path = path::join(prefix, asked.path.as_ref().unwrap_or(&Path::default()));
        let duration = |ns: u64| (ns > 0).then(|| Duration::from_nanos(ns));
        let pace = match SubscriptionMode::try_from(asked.mode) {
            Ok(SubscriptionMode::OnChange) => Pace::OnChange,
            Ok(SubscriptionMode::TargetDefined) => Pace::Chosen,
            Ok(SubscriptionMode::Sample) => {
                let interval = duration(asked.sample_interval).unwrap_or(CHOSEN);
                if interval < FASTEST {
                    return Err(Status::invalid_argument(format!(
                        "a sample interval of {interval:?} is too short; {FASTEST:?} is the shortest"
                    )));
                }
                Pace::Sample {
                    interval,
                    suppress_redundant: asked.suppress_redundant,
                }
            }
            Err(_) => {
                return Err(Status::invalid_argument(
                    "the subscription mode is none of gNMI's",
                ));
            }
        };
        Ok(Notices {
            elements: answer::elements(&path)?,
            origin: path.origin,
            form,
            pace,
            heartbeat: duration(asked.heartbeat_interval).map(|interval| interval.max(FASTEST)),
            next_sample: None,
            next_heartbeat: None,
            sent: BTreeMap::new(),
        })
    }

    /// Everything the path leads to now, and starts the clocks.
    pub(super) fn first(&mut self, view: &View<'_>, now: Instant) -> Vec<Notification> {
        self.next_heartbeat = self.heartbeat.map(|interval| now + interval);
        self.next_sample = self.interval().map(|interval| now + interval);
        self.collect(view, Choice::All)
    }

    /// When something is due by the clock.
    pub(super) fn due(&self) -> Option<Instant> {
        [self.next_sample, self.next_heartbeat]
            .into_iter()
            .flatten()
            .min()
    }

    /// What is due by the clock at `now`.
    pub(super) fn tick(&mut self, view: &View<'_>, now: Instant) -> Vec<Notification> {
        let heartbeat = self.next_heartbeat.is_some_and(|due| due <= now);
        let sample = self.next_sample.is_some_and(|due| due <= now);
        if heartbeat {
            self.next_heartbeat = self.heartbeat.map(|interval| now + interval);
        }
        if sample {
            self.next_sample = self.interval().map(|interval| now + interval);
        }
        match (heartbeat, sample, self.pace) {
            (false, false, _) => Vec::new(),
            (true, _, _)
            | (
                _,
                true,
                Pace::Sample {
                    suppress_redundant: false,
                    ..
                },
            ) => self.collect(view, Choice::All),
            (false, true, _) => self.collect(view, Choice::Changed),
        }
    }

    /// What a change in the network brought, for subscriptions that want to know.
    pub(super) fn changed(&mut self, view: &View<'_>) -> Vec<Notification> {
        match self.pace {
            Pace::OnChange | Pace::Chosen => self.collect(view, Choice::Calm),
            Pace::Sample { .. } => Vec::new(),
        }
    }

    /// Marks the present state as sent, for a client that wants only what comes after.
    pub(super) fn skip(&mut self, view: &View<'_>, now: Instant) {
        let _ = self.first(view, now);
    }

    fn interval(&self) -> Option<Duration> {
        match self.pace {
            Pace::OnChange => None,
            Pace::Sample { interval, .. } => Some(interval),
            Pace::Chosen => Some(CHOSEN),
        }
    }

    fn collect(&mut self, view: &View<'_>, choice: Choice) -> Vec<Notification> {
        let found = view.read(&self.elements, DataKind::All);
        let mut current = BTreeMap::new();
        let mut order = Vec::new();
        for (elem, leaf) in found.into_iter().flat_map(encode::leaves) {
            let key = path::print(&answer::answer_path("", elem.clone()));
            order.push(key.clone());
            current.insert(key, (elem, leaf));
        }
        let mut updates = Vec::new();
        for key in order {
            let Some((elem, leaf)) = current.get(&key) else {
                continue;
            };
            let restless = choice == Choice::Calm && answer::is_restless(elem);
            let same = choice != Choice::All && self.sent.get(&key).is_some_and(|(_, sent)| sent == leaf);
            if !restless && !same {
                updates.push(answer::leaf_update(&self.origin, elem.clone(), leaf, self.form));
            }
        }
        let gone: Vec<Path> = self
            .sent
            .iter()
            .filter(|(key, _)| !current.contains_key(*key))
            .map(|(_, (elem, _))| answer::answer_path(&self.origin, elem.clone()))
            .collect();
        self.sent = current;
        messages(view.clock_ns(), updates, gone)
    }
}

fn messages(timestamp: i64, mut updates: Vec<Update>, gone: Vec<Path>) -> Vec<Notification> {
    let mut messages = Vec::new();
    if !gone.is_empty() {
        messages.push(Notification {
            timestamp,
            delete: gone,
            ..Notification::default()
        });
    }
    while !updates.is_empty() {
        let rest = updates.split_off(updates.len().min(UPDATES_PER_MESSAGE));
        messages.push(Notification {
            timestamp,
            update: updates,
            ..Notification::default()
        });
        updates = rest;
    }
    messages
}
