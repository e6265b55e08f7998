//! From evidence to facts: recognises the shape of a result and reads it into the network.
//!
//! Shapes are recognised by what is in them, not by the tool's name: envelopes that name a device, gNMI
//! subtrees by path, the contract's summaries. What is not recognised teaches nothing and breaks nothing.

mod contract;
mod cursor;
mod envelope;
mod openconfig;
mod stamp;

use super::network::Network;
use crate::agent::model::Evidence;
use cursor::Cursor;

/// Reads evidence into the network.
pub fn observe(evidence: &Evidence, network: &mut Network) {
    let root = Cursor::root(evidence);
    let envelopes = envelope::envelopes(&root);
    if envelopes.is_empty() {
        for device in &evidence.devices {
            if envelope::is_failure(&root) {
                envelope::note_failure(network, device.as_str(), &root);
            } else if evidence.devices.len() == 1 {
                envelope::read_data(network, device.as_str(), &root);
            }
        }
        return;
    }
    for envelope in envelopes {
        envelope::read(network, &envelope);
    }
}
