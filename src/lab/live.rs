//! A lab that runs by a clock: what the targets serve and the control port steers.
//!
//! It adds to [`Lab`] nothing but a clock, a lock and the news that something changed.

use super::control::{Answer, Controlled, Order, Refusal, Shown, Status};
use super::engine::{Lab, NetworkState};
use super::fault::{Fault, FaultError};
use super::openconfig::encode::{JsonFlavour, json};
use super::openconfig::{self, Exposure, tree::DataKind};
use super::state::{DeviceState, LogLine};
use super::target::{LabRunning, Source};
use crate::proto::gnmi::Path;
use crate::proto::path;
use std::sync::{Arc, PoisonError, RwLock};
use tokio::sync::watch;

/// Tells the time, unix ms.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// How far back a device's log buffer reaches, in ms.
const LOG_WINDOW_MS: i64 = 24 * 3_600_000;
/// Lines a device's log buffer holds.
const LOG_LINES: usize = 4_000;

/// The system's clock.
pub fn system_clock() -> Clock {
    Arc::new(|| jiff::Timestamp::now().as_millisecond())
}

/// A lab and its clock.
pub struct LiveLab {
    lab: RwLock<Lab>,
    clock: Clock,
    version: watch::Sender<u64>,
}

impl LiveLab {
    /// Lets a lab run by a clock.
    pub fn new(lab: Lab, clock: Clock) -> Self {
        LiveLab {
            lab: RwLock::new(lab),
            clock,
            version: watch::channel(0).0,
        }
    }

    /// The network now.
    pub fn now(&self) -> Arc<NetworkState> {
        self.lab
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .snapshot((self.clock)())
    }

    /// Faults in force or to come.
    pub fn faults(&self) -> Vec<Fault> {
        self.lab
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .faults()
            .to_vec()
    }

    /// Lets something go wrong `at_s` seconds from now (negative: in the past).
    ///
    /// # Errors
    /// [`FaultError`] when the fault does not fit the network; nothing has changed then.
    pub fn inject(&self, mut fault: Fault) -> Result<(), FaultError> {
        let mut lab = self.lab.write().unwrap_or_else(PoisonError::into_inner);
        fault.at_s = fault
            .at_s
            .saturating_add(((self.clock)() - lab.epoch_ms()).div_euclid(1_000));
        lab.inject(fault)?;
        drop(lab);
        self.announce();
        Ok(())
    }

    /// Undoes every fault.
    pub fn heal(&self) {
        self.lab.write().unwrap_or_else(PoisonError::into_inner).heal();
        self.announce();
    }

    fn announce(&self) {
        self.version.send_modify(|version| *version += 1);
    }
}

impl Source for LiveLab {
    fn names(&self) -> Vec<String> {
        self.now().network().names().map(str::to_owned).collect()
    }

    fn device(&self, name: &str) -> Option<Arc<DeviceState>> {
        self.now().device(name)
    }

    fn answering(&self) -> Vec<bool> {
        let now = self.now();
        now.network().names().map(|name| now.answers(name)).collect()
    }

    fn log(&self, name: &str) -> Vec<LogLine> {
        let now = self.now();
        let mut lines = now.logs(name, now.now_ms - LOG_WINDOW_MS);
        lines.drain(..lines.len().saturating_sub(LOG_LINES));
        lines
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.version.subscribe()
    }
}

/// A running lab as its control port steers it.
pub struct Steered {
    pub lab: Arc<LiveLab>,
    pub running: Arc<LabRunning>,
}

impl Controlled for Steered {
    fn follow(&self, order: Order) -> Answer {
        match order {
            Order::Status => Answer::Status(self.status()),
            Order::Inject { fault } => match self.lab.inject(*fault) {
                Ok(()) => {
                    self.running.restart_call_numbers();
                    Answer::Done
                }
                Err(error) => {
                    // The second line of the error says what to do.
                    let text = error.to_string();
                    let general = "`noctui lab list --ops` names the operations and their fields";
                    let (what, next) = text.split_once('\n').unwrap_or((&text, general));
                    refused(what.to_owned(), next.trim())
                }
            },
            Order::Heal => {
                self.lab.heal();
                self.running.restart_call_numbers();
                Answer::Done
            }
            Order::Show { device, path } => self.show(&device, &path),
        }
    }
}

impl Steered {
    fn status(&self) -> Status {
        let inventory = self.running.inventory();
        let sets = |name: &str| self.running.counts(name).map_or(0, |counts| counts.sets);
        Status {
            devices: inventory.len(),
            faults: self
                .lab
                .faults()
                .iter()
                .map(|fault| format!("{} {}", fault.op, fault.device))
                .collect(),
            sets: inventory.iter().map(|entry| sets(&entry.name)).sum(),
        }
    }

    fn show(&self, device: &str, text: &str) -> Answer {
        let query = match path::parse(text) {
            Ok(query) => query,
            Err(error) => {
                let text = error.to_string();
                return refused(
                    text.lines().next().unwrap_or_default().to_owned(),
                    "write a path like /interfaces/interface[name=*]/state",
                );
            }
        };
        let Some(state) = self.lab.now().device(device) else {
            let names = self.lab.names().join(", ");
            return refused(
                format!("no device \"{device}\" in this lab"),
                &format!("there are {names}"),
            );
        };
        let entry = self.running.inventory().iter().find(|entry| entry.name == device);
        let exposure = Exposure {
            port: entry.map_or(0, |entry| entry.port),
            transport_security: entry.is_some_and(|entry| !entry.insecure),
            username: entry.map(|entry| entry.username.clone()).unwrap_or_default(),
        };
        let device = openconfig::Device {
            state: &state,
            exposure: &exposure,
        };
        let found: Vec<Shown> = openconfig::render(device, &query.elem, DataKind::All)
            .into_iter()
            .map(|found| Shown {
                value: json(&found.node, JsonFlavour::Ietf),
                path: path::print(&Path {
                    elem: found.path,
                    ..Path::default()
                }),
            })
            .collect();
        if found.is_empty() {
            return refused(
                format!("nothing at {text}"),
                "try a shorter path, or / for everything",
            );
        }
        Answer::Shown { found }
    }
}

fn refused(what: String, next: &str) -> Answer {
    Answer::Refused(Refusal {
        what,
        next: next.to_owned(),
    })
}
