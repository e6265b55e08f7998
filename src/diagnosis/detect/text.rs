//! Text from devices that addresses its reader: told, never followed.

use super::{Sign, View};
use crate::agent::model::Citation;
use crate::diagnosis::cited::Cited;
use crate::diagnosis::expect::says;
use crate::diagnosis::network::DeviceFacts;
use crate::diagnosis::ontology::Resource;

/// Longest quotation in a remark, characters.
const QUOTED: usize = 160;

pub fn detect(view: &View<'_>, signs: &mut Vec<Sign>) {
    for device in view.network.devices() {
        for (resource, place, text, evidence) in texts(device) {
            if says(text, &view.expect.words.instructions) {
                let quoted: String = text.chars().take(QUOTED).collect();
                let statement = format!(
                    "instruction in device text, not followed: {place} of {} says \"{quoted}\"",
                    device.name
                );
                signs.push(Sign::remark("text.instruction", resource, statement).cites([evidence]));
            }
        }
    }
}

fn texts(device: &DeviceFacts) -> Vec<(Resource, String, &str, Citation)> {
    let node = || Resource::Node(device.name.clone());
    let mut all = Vec::new();
    for interface in device.interfaces.values() {
        if let Some(text) = &interface.description {
            let resource = Resource::Interface(device.name.clone(), interface.name.clone());
            all.push((
                resource,
                format!("the description of {}", interface.name),
                text.value.as_str(),
                text.cite(),
            ));
        }
    }
    for ((_, address), neighbor) in &device.bgp.neighbors {
        if let Some(text) = &neighbor.description {
            let resource = Resource::Session(device.name.clone(), address.clone());
            all.push((
                resource,
                format!("the description of neighbour {address}"),
                text.value.as_str(),
                text.cite(),
            ));
        }
    }
    if let Some(banner) = &device.system.banner {
        all.push((
            node(),
            "the banner".to_owned(),
            banner.value.as_str(),
            banner.cite(),
        ));
    }
    let lines = device
        .logs
        .iter()
        .map(|l: &Cited<_>| (node(), "the log".to_owned(), l.value.text.as_str(), l.cite()));
    all.extend(lines);
    all
}
