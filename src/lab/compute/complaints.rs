//! What devices complain about as long as it lasts: alarms and repeated log lines.

use std::collections::BTreeMap;

use super::labels::{self, Sid};
use super::moment::{Base, Complaint, Moment};
use crate::lab::fault::Condition;
use crate::lab::network::DeviceId;

/// Who complains of what, with the detail the device would print.
type Complaints = BTreeMap<(DeviceId, Complaint), String>;

/// All complaints of the moment.
pub(super) fn judge(base: &Base, moment: &Moment) -> Complaints {
    let situation = &moment.situation;
    let mut all = Complaints::new();
    for (device, condition) in &situation.conditions {
        if let Some((complaint, detail)) = of_condition(moment, *device, condition) {
            all.insert((*device, complaint), detail);
        }
    }
    let sids = labels::sids(situation);
    for device in (0..situation.configs.len()).filter(|d| !situation.node_dark(*d)) {
        clock(moment, device, &mut all);
        prefix_sid(base, moment, device, sids[device], &mut all);
        for twin in twins(moment, device) {
            let name = &base.network.devices[twin].name;
            let id = system_id(moment, device).unwrap_or_default();
            let detail = format!("system ID {id}, host name {name}");
            all.insert((device, Complaint::DuplicateSystemId), detail);
        }
    }
    all
}

fn of_condition(moment: &Moment, device: DeviceId, condition: &Condition) -> Option<(Complaint, String)> {
    Some(match condition {
        Condition::ConfigInconsistency => (Complaint::ConfigInconsistency, String::new()),
        Condition::SrgbPending => {
            let (lo, hi) = moment.situation.configs[device].sr.srgb;
            (Complaint::SrgbPending, format!("{lo}-{hi}"))
        }
        Condition::ProcessHog { process, percent } => (
            Complaint::ProcessHog,
            format!("process {process} has used {percent:.0} % of the CPU for the last 60 seconds"),
        ),
        _ => return None,
    })
}

/// A clock that is off, or has nobody to ask.
fn clock(moment: &Moment, device: DeviceId, all: &mut Complaints) {
    let servers = &moment.situation.configs[device].ntp_servers;
    if moment.situation.skew_ms(device) != 0 || servers.is_empty() {
        let server = servers.first().cloned();
        let server = server.unwrap_or_else(|| "no server configured".into());
        all.insert((device, Complaint::NtpUnsynchronised), server);
    }
}

/// A prefix-SID that another holds, or that the block does not.
fn prefix_sid(base: &Base, moment: &Moment, device: DeviceId, sid: Sid, all: &mut Complaints) {
    let config = &moment.situation.configs[device];
    if let Sid::Lost(index) = sid {
        let rivals = labels::rivals(&moment.situation, device);
        let names = rivals.iter().map(|d| base.network.devices[*d].name.as_str());
        let detail = format!(
            "index {index} of {} is also claimed by {}",
            config.loopback,
            names.collect::<Vec<_>>().join(", ")
        );
        all.insert((device, Complaint::SidConflict), detail);
    }
    let outside = |index: &u32| labels::label_of(config.sr.srgb, *index).is_none();
    if let Some(index) = config.sr.prefix_sid.filter(|i| config.sr.enabled && outside(i)) {
        let (lo, hi) = config.sr.srgb;
        let detail = format!("index {index} is outside SRGB {lo}-{hi}");
        all.insert((device, Complaint::SidOutOfRange), detail);
    }
}

fn system_id(moment: &Moment, device: DeviceId) -> Option<String> {
    let isis = moment.situation.configs[device].isis.as_ref()?;
    Some(isis.system_id())
}

/// Other live devices with the same system id.
fn twins(moment: &Moment, device: DeviceId) -> Vec<DeviceId> {
    if !moment.graph.usurped.iter().any(|u| *u) {
        return Vec::new();
    }
    let mine = system_id(moment, device);
    let same =
        |d: &DeviceId| *d != device && !moment.situation.node_dark(*d) && system_id(moment, *d) == mine;
    (0..moment.situation.configs.len()).filter(same).collect()
}
