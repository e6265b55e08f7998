//! What intake has learnt: tools, inventory, the reading of the query, targets.

use std::collections::BTreeMap;

use crate::agent::model::{CallId, Device, DeviceName, Fact, Incident, Reading, Role, ToolSpec};

/// What intake has learnt.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Intake {
    /// Tools; `None` until they were listed.
    pub tools: Option<Vec<ToolSpec>>,
    /// The call that lists the devices.
    pub inventory_call: Option<CallId>,
    /// The inventory; `None` until it was listed.
    pub devices: Option<Vec<Device>>,
    /// The latest reading of the query.
    pub reading: Option<Reading>,
    /// Readings made so far.
    pub readings: u32,
    /// Roles learnt from profile calls; the inventory's own are not repeated here.
    pub roles: BTreeMap<DeviceName, Role>,
    /// Profile calls made to learn roles.
    pub profile_calls: BTreeMap<DeviceName, CallId>,
    /// The devices asked about; `None` until they are resolved.
    pub targets: Option<Vec<DeviceName>>,
    /// Similar incidents; `None` until they were looked up.
    pub incidents: Option<Vec<Incident>>,
    /// What the humans said is known.
    pub facts: Vec<Fact>,
}

impl Intake {
    /// A tool by its id.
    pub fn tool(&self, id: &str) -> Option<&ToolSpec> {
        self.tools.iter().flatten().find(|tool| tool.id == id)
    }

    /// True when the inventory has the device.
    pub fn knows(&self, device: &DeviceName) -> bool {
        self.devices.iter().flatten().any(|d| d.name == *device)
    }

    /// The role of a device, from the inventory or a profile call.
    pub fn role(&self, device: &DeviceName) -> Option<Role> {
        let listed = self
            .devices
            .iter()
            .flatten()
            .find(|d| d.name == *device)
            .and_then(|d| d.role);
        listed.or_else(|| self.roles.get(device).copied())
    }
}
