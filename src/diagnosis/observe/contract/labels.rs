//! `get_mpls_info`: label blocks and MPLS on interfaces.

use super::super::cursor::{Cursor, Reads};
use crate::agent::model::Aspect;
use crate::diagnosis::network::{Block, DeviceFacts};

pub fn read(device: &mut DeviceFacts, at: &Cursor<'_>) {
    device.seen.insert(Aspect::Mpls);
    if let Some(interfaces) = at.member("interfaces") {
        device.labels.listed = Some(interfaces.citation());
        if interfaces.value().is_array() {
            device.labels.listed = Some(interfaces.cite(crate::agent::model::Claim::Present));
        }
        for row in interfaces.entries() {
            let name = row.member("name").and_then(|n| n.text());
            if let (Some(name), Some(on)) = (name, row.member("mpls_enabled").cited_flag()) {
                device.labels.interfaces.insert(name, on);
            }
        }
    }
    for block in at.member("label_blocks").map(|b| b.entries()).unwrap_or_default() {
        let name = block.member("name").and_then(|n| n.text()).unwrap_or_default();
        let bounds = (
            block.member("lower_bound").cited_whole(),
            block.member("upper_bound").cited_whole(),
        );
        if let (true, (Some(lower), Some(upper))) = (name.to_ascii_lowercase().contains("srgb"), bounds) {
            let value = Block {
                lower: lower.value,
                upper: upper.value,
            };
            device.labels.srgb = Some((lower.with(value), vec![lower.cite(), upper.cite()]));
        }
    }
}
