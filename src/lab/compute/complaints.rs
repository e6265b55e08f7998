//! What devices complain about as long as it lasts: alarms and repeated log lines.

use std::collections::BTreeMap;

use super::labels::{self, Sid};
use super::moment::{Base, Complaint, Moment};
use crate::lab::fault::Condition;
use crate::lab::network::DeviceId;

/// All complaints of the moment, with the detail the device would print.
pub(super) fn judge(base: &Base, moment: &Moment) -> BTreeMap<(DeviceId, Complaint), String> {
    let situation = &moment.situation;
    let mut all = BTreeMap::new();
    for (device, condition) in &situation.conditions {
        let (complaint, detail) = match condition {
            Condition::ConfigInconsistency => (Complaint::ConfigInconsistency, String::new()),
            Condition::SrgbPending => {
                let (lo, hi) = situation.configs[*device].sr.srgb;
                (Complaint::SrgbPending, format!("{lo}-{hi}"))
            }
            Condition::ProcessHog { process, percent } => (
                Complaint::ProcessHog,
                format!("process {process} has used {percent:.0} % of the CPU for the last 60 seconds"),
            ),
            _ => continue,
        };
        all.insert((*device, complaint), detail);
    }
    let sids = labels::sids(situation);
    for (device, config) in situation.configs.iter().enumerate() {
        if situation.node_dark(device) {
            continue;
        }
        if situation.skew_ms(device) != 0 || config.ntp_servers.is_empty() {
            let server = config
                .ntp_servers
                .first()
                .cloned()
                .unwrap_or_else(|| "no server configured".into());
            all.insert((device, Complaint::NtpUnsynchronised), server);
        }
        if let Sid::Lost(index) = sids[device] {
            let rivals = labels::rivals(situation, device);
            let names: Vec<&str> = rivals
                .iter()
                .map(|d| base.network.devices[*d].name.as_str())
                .collect();
            all.insert(
                (device, Complaint::SidConflict),
                format!(
                    "index {index} of {} is also claimed by {}",
                    config.loopback,
                    names.join(", ")
                ),
            );
        }
        let outside = |index: &u32| labels::label_of(config.sr.srgb, *index).is_none();
        if let Some(index) = config.sr.prefix_sid.filter(|i| config.sr.enabled && outside(i)) {
            let (lo, hi) = config.sr.srgb;
            all.insert(
                (device, Complaint::SidOutOfRange),
                format!("index {index} is outside SRGB {lo}-{hi}"),
            );
        }
        for twin in twins(moment, device) {
            let name = &base.network.devices[twin].name;
            let id = config
                .isis
                .as_ref()
                .map(crate::lab::config::IsisConfig::system_id)
                .unwrap_or_default();
            all.insert(
                (device, Complaint::DuplicateSystemId),
                format!("system ID {id}, host name {name}"),
            );
        }
    }
    all
}

/// Other live devices with the same system id.
fn twins(moment: &Moment, device: DeviceId) -> Vec<DeviceId> {
    if !moment.graph.usurped.iter().any(|u| *u) {
        return Vec::new();
    }
    let situation = &moment.situation;
    let id = |d: DeviceId| {
        situation.configs[d]
            .isis
            .as_ref()
            .map(crate::lab::config::IsisConfig::system_id)
    };
    let mine = id(device);
    let same = |d: &DeviceId| *d != device && !situation.node_dark(*d) && id(*d) == mine;
    (0..situation.configs.len()).filter(same).collect()
}
