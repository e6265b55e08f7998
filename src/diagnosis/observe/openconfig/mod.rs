//! OpenConfig trees into facts, one model a file. A piece of a tree is read as well as the whole.

mod bgp;
mod instance;
mod interfaces;
mod isis;
mod labels;
mod policy;
mod system;

use super::cursor::Cursor;
use crate::diagnosis::network::Network;

/// True for the roots of models that are read.
pub fn knows(root: &str) -> bool {
    matches!(
        root,
        "interfaces" | "network-instances" | "system" | "routing-policy" | "lacp" | "components"
    )
}

/// Reads what stands at or below the cursor.
pub fn read(network: &mut Network, device: &str, at: &Cursor<'_>) {
    let device = network.device_mut(device);
    if let Some(at) = at.child("interfaces") {
        interfaces::read(device, &at);
    }
    if let Some(at) = at.child("lacp") {
        interfaces::read_lacp(device, &at);
    }
    if let Some(at) = at.child("network-instances") {
        instance::read(device, &at);
    }
    if let Some(at) = at.child("system") {
        system::read(device, &at);
    }
    if let Some(at) = at.child("components") {
        system::read_components(device, &at);
    }
    if let Some(at) = at.child("routing-policy") {
        policy::read(device, &at);
    }
}

/// After table connections were asked of every instance: VRFs that are not in the answer have none.
pub fn note_absent_tables(network: &mut Network, device: &str, answer: &Cursor<'_>) {
    instance::note_absent_tables(network.device_mut(device), answer);
}
