//! The box: clock, load, processes, alarms, NTP, management.

use super::control::Control;
use super::log::pid;
use super::moment::Complaint;
use super::noise::{between, unit};
use crate::lab::fault::Condition;
use crate::lab::network::DeviceId;
use crate::lab::state::{Alarm, ManagementState, NtpServerState, NtpState, ProcessState, SystemState};

const VERSION: &str = "24.4.1.26I";
/// Physical memory of the virtual router, bytes.
const MEMORY: u64 = 33_657_106_432;
/// The load wobbles once in so many milliseconds.
const WOBBLE_MS: i64 = 30_000;

pub(super) fn system(control: &Control, device: DeviceId, now_ms: i64) -> SystemState {
    let config = &control.moment.situation.configs[device];
    let boot = &control.moment.boots[device];
    let processes = processes(control, device, now_ms);
    let cpu: f64 = processes.iter().map(|p| p.cpu_percent).sum();
    let seed = control.base.seed;
    let per_mille = between(seed, &[50, device as u64], 210, 330).unsigned_abs();
    SystemState {
        hostname: config.hostname.clone(),
        software_version: VERSION.into(),
        clock_ms: now_ms + control.moment.situation.skew_ms(device),
        boot_ms: boot.at_ms,
        last_reload_reason: boot.reason.clone(),
        login_banner: config.login_banner.clone(),
        cpu_percent: (cpu.min(100.0) * 10.0).round() / 10.0,
        memory_bytes: MEMORY,
        memory_used_bytes: MEMORY / 1_000 * per_mille,
        processes,
        alarms: alarms(control, device),
        ntp: ntp(control, device),
    }
}

fn processes(control: &Control, device: DeviceId, now_ms: i64) -> Vec<ProcessState> {
    let config = &control.moment.situation.configs[device];
    let boot_ms = control.moment.boots[device].at_ms;
    let slot = now_ms.div_euclid(WOBBLE_MS).unsigned_abs();
    let mut names = vec!["ifmgr", "isis", "mpls_lsd", "emsd", "sysmgr", "ntpd", "tcp"];
    if config.bgp.is_some() {
        names.push("bgp");
    }
    let mut all: Vec<ProcessState> = names
        .iter()
        .enumerate()
        .map(|(n, name)| {
            let keys = [device as u64, n as u64];
            let load = 0.2 + 1.2 * unit(control.base.seed, &[51, keys[0], keys[1], slot]);
            let memory = between(control.base.seed, &[52, keys[0], keys[1]], 20, 400);
            process(
                name,
                (load * 10.0).round() / 10.0,
                u64::try_from(memory).unwrap_or(20) << 20,
                boot_ms,
            )
        })
        .collect();
    for condition in control.moment.situation.of(device) {
        if let Condition::ProcessHog {
            process: name,
            percent,
        } = condition
        {
            match all.iter_mut().find(|p| p.name == *name) {
                Some(found) => found.cpu_percent = *percent,
                None => all.push(process(name, *percent, 512 << 20, boot_ms)),
            }
        }
    }
    all.sort_by(|a, b| b.cpu_percent.total_cmp(&a.cpu_percent).then(a.pid.cmp(&b.pid)));
    all
}

fn process(name: &str, cpu_percent: f64, memory_bytes: u64, boot_ms: i64) -> ProcessState {
    ProcessState {
        pid: pid(name),
        name: name.to_string(),
        cpu_percent,
        memory_bytes,
        start_ms: boot_ms + 20_000,
    }
}

fn alarms(control: &Control, device: DeviceId) -> Vec<Alarm> {
    let standing = control
        .moment
        .complaints
        .iter()
        .filter(|((d, _), _)| *d == device);
    standing
        .filter_map(|((_, complaint), since)| {
            let (id, severity, resource, text) = match complaint {
                Complaint::ConfigInconsistency => (
                    "CFGMGR-INCONSISTENCY",
                    "major",
                    "0/RP0/CPU0",
                    "Configuration inconsistency: running configuration differs from persisted commits; commits are blocked",
                ),
                Complaint::SrgbPending => {
                    ("MPLS-LSD-SRGB", "major", "0/RP0/CPU0", "SRGB allocation pending: configured label block is not available")
                }
                Complaint::NtpUnsynchronised => ("NTP-SYNC", "minor", "0/RP0/CPU0", "NTP is not synchronised"),
                Complaint::ProcessHog => ("CPU-UTILISATION", "major", "0/RP0/CPU0", "CPU utilisation above threshold"),
                Complaint::SidConflict | Complaint::SidOutOfRange | Complaint::DuplicateSystemId => return None,
            };
            let (id, resource, text) = (id.to_string(), resource.to_string(), text.to_string());
            Some(Alarm { id, severity, resource, text, since_ms: *since })
        })
        .collect()
}

fn ntp(control: &Control, device: DeviceId) -> NtpState {
    let config = &control.moment.situation.configs[device];
    let skew_ms = control.moment.situation.skew_ms(device);
    #[allow(clippy::cast_precision_loss, reason = "milliseconds of a clock error")]
    let skew = skew_ms as f64;
    let synchronised = skew_ms == 0 && !config.ntp_servers.is_empty();
    let servers = config
        .ntp_servers
        .iter()
        .enumerate()
        .map(|(n, address)| {
            let small = (unit(control.base.seed, &[53, device as u64, n as u64]) - 0.5) * 2.0;
            NtpServerState {
                address: address.clone(),
                selected: synchronised && n == 0,
                reachable: true,
                stratum: 2,
                offset_ms: ((small - skew) * 1_000.0).round() / 1_000.0,
            }
        })
        .collect::<Vec<_>>();
    NtpState {
        enabled: !config.ntp_servers.is_empty(),
        synchronised,
        stratum: if synchronised { 3 } else { 16 },
        offset_ms: servers.first().map_or(0.0, |s| s.offset_ms),
        servers,
    }
}

pub(super) fn management(control: &Control, device: DeviceId) -> ManagementState {
    let troubles = control.moment.situation.of(device).filter_map(|c| match c {
        Condition::Tool(trouble) => Some(trouble.clone()),
        _ => None,
    });
    ManagementState {
        reachable: control.answers(device),
        node_up: !control.moment.situation.node_dark(device),
        troubles: troubles.collect(),
    }
}
