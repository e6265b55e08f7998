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

impl Network {
    /// Takes in what the evidence says.
    pub fn learn(&mut self, evidence: &Evidence) {
        let root = Cursor::root(evidence);
        let envelopes = envelope::envelopes(&root);
        if envelopes.is_empty() {
            for device in &evidence.devices {
                if envelope::is_failure(&root) {
                    envelope::note_failure(self, device.as_str(), &root);
                } else if evidence.devices.len() == 1 {
                    envelope::read_data(self, device.as_str(), &root);
                }
            }
            return;
        }
        for envelope in envelopes {
            envelope::read(self, &envelope);
        }
    }
}
