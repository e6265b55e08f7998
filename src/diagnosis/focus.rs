//! What a diagnosis concentrates on: the devices asked about, the names in the query, the window.

use crate::agent::model::{Device, DeviceName, Entities, Role, Timestamp, Window};

/// The frame of a diagnosis.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Focus {
    /// Devices asked about; empty means the whole network.
    pub targets: Vec<DeviceName>,
    /// The inventory.
    pub devices: Vec<Device>,
    /// Names in the query.
    pub entities: Entities,
    /// The stretch of time asked about; `None` before the query was read.
    pub window: Option<Window>,
    /// A change was asked for; only a diagnosis is given.
    pub wants_change: bool,
    /// Now, as the agent was told.
    pub now: Timestamp,
}

impl Focus {
    /// The role the inventory states.
    pub fn role(&self, device: &str) -> Option<Role> {
        self.devices.iter().find(|d| d.name.as_str() == device)?.role
    }

    /// True when `at` lies in the window; without one, everything does.
    pub fn covers(&self, at: Timestamp) -> bool {
        self.window
            .is_none_or(|w| w.from <= at && at <= w.until.max(self.now))
    }

    /// True when the device is one of those asked about, or none was named.
    pub fn targets(&self, device: &str) -> bool {
        self.targets.is_empty() || self.targets.iter().any(|t| t.as_str() == device)
    }
}
