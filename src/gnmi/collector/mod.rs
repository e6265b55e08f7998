//! The collector: tool calls in, answers out. Ten tools are gNMIBuddy's, name by name, with its
//! parameters, envelope and data, so either server can stand in for the other; the rest is ours.
//!
//! A device that fails is reported inside the answer (`status`, `error_response`). Only a call that is
//! wrong in itself (unknown tool, missing or mistyped argument) is [`Outcome::Refused`]. One file a tool;
//! `catalog` declares them all. This module knows no transport: `server` puts it on one.

mod arguments;
mod bgp;
mod catalog;
mod compare;
mod counters;
mod devices;
mod envelope;
mod get;
mod interfaces;
mod isis;
mod logs;
mod many;
mod mpls;
mod profile;
mod routing;
mod schema;
mod shrink;
mod system;
#[cfg(test)]
mod tests;
mod topology;
mod vpn;

use super::client::{Client, Limits, Session};
use super::inventory::{Device, Inventory};
use arguments::Arguments;
use serde_json::{Map, Value};
use std::sync::Arc;

pub use catalog::{Spec, TOOLS, Tool};
pub use envelope::{Envelope, ErrorResponse, FeatureNotFound, Status};

/// Devices that are asked at the same time by tools that ask several.
const PARALLEL_DEVICES: usize = 32;

/// Hears how far a long call has come: done, total, and what just happened.
pub trait Progress: Send + Sync {
    /// `done` of `total` steps; called with growing `done`.
    fn report(&self, done: usize, total: usize, message: &str);
}

/// A listener that does not listen.
pub struct Silent;

impl Progress for Silent {
    fn report(&self, _done: usize, _total: usize, _message: &str) {}
}

/// Result of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The answer; a device's failure is inside it.
    Answer(Value),
    /// The call itself is wrong; one or two lines for whoever made it.
    Refused(String),
}

/// Inventory and sessions behind the tools.
#[derive(Debug)]
pub struct Collector {
    inventory: Inventory,
    client: Client,
}

impl Collector {
    /// A collector for these devices.
    pub fn new(inventory: Inventory, limits: Limits) -> Self {
        Self {
            inventory,
            client: Client::new(limits),
        }
    }

    /// The devices it was given.
    pub fn inventory(&self) -> &Inventory {
        &self.inventory
    }

    /// Calls a tool by name.
    pub async fn call(&self, tool: &str, arguments: &Map<String, Value>, progress: &dyn Progress) -> Outcome {
        let Some(spec) = catalog::find(tool) else {
            return Outcome::Refused(format!("Unknown tool: '{tool}'"));
        };
        let arguments = match Arguments::read(spec, arguments) {
            Ok(arguments) => arguments,
            Err(refusal) => return Outcome::Refused(refusal),
        };
        match spec.tool {
            Tool::GetDevices => Outcome::Answer(devices::list(&self.inventory)),
            Tool::NetworkTopology => topology::whole(self, progress).await.into(),
            Tool::TopologyNeighbors => topology::neighbors(self, arguments.device(), progress)
                .await
                .into(),
            Tool::Compare => compare::compare(self, &arguments, progress).await,
            Tool::GnmiGetMany | Tool::GetLogsMany | Tool::CallMany => {
                many::call(self, spec.tool, &arguments, progress).await
            }
            _ => self
                .on_device(spec.tool, arguments.device(), &arguments, progress)
                .await
                .into(),
        }
    }

    /// Runs a tool of one device.
    async fn on_device(
        &self,
        tool: Tool,
        name: &str,
        arguments: &Arguments,
        progress: &dyn Progress,
    ) -> Envelope {
        let Some(session) = self.session(name) else {
            return self.unknown(name);
        };
        match tool {
            Tool::RoutingInfo => routing::collect(&session, arguments).await,
            Tool::InterfaceInfo => interfaces::collect(&session, arguments).await,
            Tool::MplsInfo => mpls::collect(&session, arguments).await,
            Tool::VpnInfo => vpn::collect(&session, arguments).await,
            Tool::DeviceProfile => profile::collect(&session).await,
            Tool::SystemInfo => system::collect(&session).await,
            Tool::Logs => logs::collect(&session, arguments).await,
            Tool::TopologyNeighbors => topology::neighbors(self, name, progress).await,
            Tool::GnmiCapabilities => get::capabilities(&session, arguments).await,
            Tool::SampleCounters => counters::sample(&session, arguments, progress).await,
            Tool::GnmiGet
            | Tool::GetDevices
            | Tool::NetworkTopology
            | Tool::Compare
            | Tool::GnmiGetMany
            | Tool::GetLogsMany
            | Tool::CallMany => get::get(&session, arguments).await,
        }
    }

    fn session(&self, name: &str) -> Option<Arc<Session>> {
        self.inventory
            .find(name)
            .map(|device| self.client.session(device))
    }

    fn session_of(&self, device: &Arc<Device>) -> Arc<Session> {
        self.client.session(device)
    }

    fn unknown(&self, name: &str) -> Envelope {
        Envelope::unknown_device(name, &self.inventory.nearest(name))
    }
}

impl From<Envelope> for Outcome {
    fn from(envelope: Envelope) -> Self {
        Self::Answer(envelope.into_json())
    }
}
