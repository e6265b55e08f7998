//! The box itself: clock, boot, load, processes, alarms, NTP, and how it can be managed.

use crate::lab::fault::Trouble;

/// System state.
#[derive(Debug, Clone, PartialEq)]
pub struct SystemState {
    pub hostname: String,
    pub software_version: String,
    /// The device's own clock, unix ms: true time plus skew.
    pub clock_ms: i64,
    /// Unix ms.
    pub boot_ms: i64,
    /// Why the last boot happened.
    pub last_reload_reason: String,
    pub login_banner: String,
    /// Percent, 0-100.
    pub cpu_percent: f64,
    pub memory_bytes: u64,
    pub memory_used_bytes: u64,
    /// The busiest processes, busiest first.
    pub processes: Vec<ProcessState>,
    pub alarms: Vec<Alarm>,
    pub ntp: NtpState,
}

/// One process.
#[derive(Debug, Clone, PartialEq)]
pub struct ProcessState {
    pub pid: u32,
    pub name: String,
    pub cpu_percent: f64,
    pub memory_bytes: u64,
    /// Unix ms.
    pub start_ms: i64,
}

/// An active alarm.
#[derive(Debug, Clone, PartialEq)]
pub struct Alarm {
    /// Stable id, unique on the device.
    pub id: String,
    /// `critical`, `major`, `minor` or `warning`.
    pub severity: &'static str,
    /// Component or feature the alarm is about.
    pub resource: String,
    pub text: String,
    /// Unix ms.
    pub since_ms: i64,
}

/// NTP client.
#[derive(Debug, Clone, PartialEq)]
pub struct NtpState {
    pub enabled: bool,
    pub synchronised: bool,
    /// 16 when unsynchronised.
    pub stratum: u8,
    /// Offset of the device's clock to the server's.
    pub offset_ms: f64,
    pub servers: Vec<NtpServerState>,
}

/// One configured server.
#[derive(Debug, Clone, PartialEq)]
pub struct NtpServerState {
    pub address: String,
    pub selected: bool,
    pub reachable: bool,
    pub stratum: u8,
    pub offset_ms: f64,
}

/// Management plane of the device.
#[derive(Debug, Clone, PartialEq)]
pub struct ManagementState {
    /// A connection to the management address is answered.
    pub reachable: bool,
    /// The whole device is down (then `reachable` is false too).
    pub node_up: bool,
    /// What tools run into; acted out by whoever serves this device.
    pub troubles: Vec<Trouble>,
}
