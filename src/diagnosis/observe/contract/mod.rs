//! The contract of gNMIBuddy and of the collector: what each operation's `data` holds.
//!
//! Recognised by its members, so any server that answers in these shapes is understood.

mod interfaces;
mod labels;
mod logs;
mod routing;
mod samples;
mod summary;
mod system;
mod topology;
mod vpn;

pub use logs::pasted as pasted_log;
pub use topology::read as topology;

use super::cursor::Cursor;
use crate::diagnosis::network::Network;

/// Reads the data of one device; false when they are none of these shapes.
pub fn read(network: &mut Network, device: &str, data: &Cursor<'_>) -> bool {
    let has = |name: &str| data.member(name);
    let facts = network.device_mut(device);
    let mut known = false;
    if let Some(at) = has("routing_protocols") {
        routing::read(facts, &at);
        known = true;
    }
    if samples::is_sample(data) {
        samples::read(facts, data);
        known = true;
    } else if let Some(at) = has("interfaces").filter(|i| i.value().is_array()) {
        interfaces::read(facts, &at);
        known = true;
    }
    if let Some(at) = has("mpls_data") {
        labels::read(facts, &at);
        known = true;
    }
    if let Some(at) = has("vrfs") {
        vpn::read(facts, &at);
        known = true;
    }
    if let Some(at) = has("profile") {
        system::read_profile(facts, &at);
        known = true;
    }
    if let Some(at) = has("system_data") {
        system::read(facts, &at);
        known = true;
    }
    if let Some(at) = has("logs").filter(|l| l.value().is_array()) {
        logs::read(facts, &at);
        known = true;
    }
    known
}
