//! How each device does, as far as was seen.

use std::collections::VecDeque;

use super::Story;
use crate::agent::event::Event;
use crate::agent::model::{DeviceName, ErrorKind, Role, Severity};

/// How many values a sparkline keeps.
pub const SPARK: usize = 8;

/// How a device does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Health {
    /// Not looked at.
    #[default]
    Unseen,
    /// Looked at, nothing conspicuous.
    Healthy,
    /// Worth a look.
    Warning,
    /// Something is broken there.
    Critical,
    /// Did not answer.
    Unreachable,
}

impl Health {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Unseen => "not seen",
            Self::Healthy => "healthy",
            Self::Warning => "warning",
            Self::Critical => "critical",
            Self::Unreachable => "unreachable",
        }
    }
}

/// A device on the screen.
#[derive(Debug, Clone, PartialEq)]
pub struct DeviceRow {
    /// Its name.
    pub name: DeviceName,
    /// Its role, once known.
    pub role: Option<Role>,
    /// Whether the query is about it.
    pub target: bool,
    /// Its health.
    pub health: Health,
    /// How many findings are about it.
    pub findings: usize,
    /// Calls that are under way.
    pub busy: usize,
    /// How long its last calls took, in milliseconds, oldest first.
    pub times: VecDeque<u64>,
}

/// Keeps the rows current. Incremental: an event touches the devices it speaks of.
pub(super) fn update(story: &mut Story, event: &Event) {
    match event {
        Event::DevicesListed { devices } => {
            story.devices = devices
                .iter()
                .map(|d| DeviceRow {
                    name: d.name.clone(),
                    role: d.role,
                    target: false,
                    health: Health::Unseen,
                    findings: 0,
                    busy: 0,
                    times: VecDeque::new(),
                })
                .collect();
        }
        Event::TargetsResolved { targets } => {
            for row in &mut story.devices {
                row.target = targets.contains(&row.name);
                row.role = row.role.or_else(|| story.state.intake.role(&row.name));
            }
        }
        Event::CallRequested { call } => {
            for device in &call.devices {
                with_row(&mut story.devices, device.as_str(), |row| row.busy += 1);
            }
        }
        Event::CallEnded { call, outcome, .. } => {
            let Some(record) = story.state.execution.calls.get(call) else {
                return;
            };
            let took = u64::try_from(outcome.ended_at.since_ms(outcome.started_at)).unwrap_or(0);
            for device in &record.call.devices {
                let failed = outcome.failure.as_ref().or_else(|| {
                    outcome
                        .device_failures
                        .iter()
                        .find(|f| f.device == *device)
                        .map(|f| &f.failure)
                });
                // A slow answer says nothing about a device that answered before; no connection does.
                let gone = failed
                    .is_some_and(|f| matches!(f.kind, ErrorKind::Network | ErrorKind::ServiceUnavailable));
                let dead = failed.is_some_and(|f| f.kind.is_transient());
                let role = story.state.intake.role(device);
                with_row(&mut story.devices, device.as_str(), |row| {
                    row.role = row.role.or(role);
                    row.busy = row.busy.saturating_sub(1);
                    row.saw_call(
                        took,
                        failed.is_some(),
                        gone || (dead && row.health == Health::Unseen),
                    );
                });
            }
        }
        Event::FindingsAdded { findings, .. } => {
            for finding in findings {
                for device in finding.resource.devices() {
                    with_row(&mut story.devices, device, |row| {
                        row.saw_finding(finding.severity)
                    });
                }
            }
        }
        _ => {}
    }
}

impl DeviceRow {
    fn saw_call(&mut self, took: u64, failed: bool, dead: bool) {
        if self.times.len() == SPARK {
            self.times.pop_front();
        }
        self.times.push_back(took);
        if dead && self.health < Health::Warning {
            self.health = Health::Unreachable;
        } else if !failed && matches!(self.health, Health::Unseen | Health::Unreachable) {
            self.health = Health::Healthy;
        }
    }

    fn saw_finding(&mut self, severity: Severity) {
        let health = match severity {
            Severity::Info => return,
            Severity::Warning => Health::Warning,
            Severity::Critical => Health::Critical,
        };
        self.findings += 1;
        self.health = self.health.max(health);
    }
}

fn with_row(rows: &mut [DeviceRow], name: &str, change: impl FnOnce(&mut DeviceRow)) {
    if let Some(row) = rows.iter_mut().find(|r| r.name.as_str() == name) {
        change(row);
    }
}
