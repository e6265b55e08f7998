//! The box: clock, boot, load, alarms, time source.

use crate::agent::model::Timestamp;
use crate::diagnosis::cited::Cited;

/// A process with what it takes.
#[derive(Debug, Clone, PartialEq)]
pub struct Process {
    /// Name.
    pub name: String,
    /// Percent of the CPU.
    pub cpu: f64,
    /// Percent of the memory.
    pub memory: f64,
}

/// An alarm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alarm {
    /// Id.
    pub id: String,
    /// Text.
    pub text: String,
    /// What it is about.
    pub resource: String,
    /// When it was raised, if the device says so.
    pub since: Option<Timestamp>,
}

/// System state.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct System {
    /// The device's clock when it was read; `at` is our own.
    pub clock: Option<Cited<Timestamp>>,
    /// When it booted, by its own clock.
    pub boot: Option<Cited<Timestamp>>,
    /// Why it booted.
    pub boot_reason: Option<Cited<String>>,
    /// NTP is synchronised.
    pub synchronised: Option<Cited<bool>>,
    /// Offset of its clock, milliseconds.
    pub offset_ms: Option<Cited<f64>>,
    /// CPU in percent.
    pub cpu: Option<Cited<f64>>,
    /// Processes, as read last, with the citations of CPU and memory.
    pub processes: Vec<(Cited<Process>, Cited<f64>)>,
    /// Alarms, as read last.
    pub alarms: Vec<Cited<Alarm>>,
    /// Login banner.
    pub banner: Option<Cited<String>>,
}
