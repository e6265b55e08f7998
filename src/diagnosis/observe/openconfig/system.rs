//! `openconfig-system` and the route processor of `openconfig-platform`.

use super::super::cursor::{Cursor, Reads};
use super::super::stamp;
use crate::agent::model::Aspect;
use crate::diagnosis::network::{Alarm, DeviceFacts, Process};

pub fn read(device: &mut DeviceFacts, at: &Cursor<'_>) {
    device.seen.insert(Aspect::System);
    let system = &mut device.system;
    if let Some(clock) = at.leaf("current-datetime").cited_text() {
        system.clock = stamp::rfc3339(&clock.value)
            .map(|t| clock.with(t))
            .or(system.clock.take());
    }
    system.boot = at.leaf("boot-time").cited_time().or(system.boot.take());
    system.banner = at.leaf("login-banner").cited_text().or(system.banner.take());
    if let Some(ntp) = at.child("ntp") {
        system.synchronised = ntp
            .leaf("synchronised")
            .cited_flag()
            .or(system.synchronised.take());
        system.offset_ms = ntp.leaf("offset-ms").cited_number().or(system.offset_ms.take());
        if system.offset_ms.is_none() {
            let offsets = ntp.list("servers/server");
            system.offset_ms = offsets.iter().find_map(|s| s.leaf("offset").cited_number());
        }
    }
    for cpu in at.list("cpus/cpu") {
        system.cpu = cpu
            .leaf("total")
            .and_then(|t| t.child("instant"))
            .cited_number()
            .or(system.cpu.take());
    }
    if at.child("processes").is_some() {
        system.processes = at.list("processes/process").iter().filter_map(process).collect();
    }
    if let Some(alarms) = at.child("alarms") {
        system.alarms = alarms.list("alarm").iter().filter_map(alarm).collect();
    }
}

fn process(
    entry: &Cursor<'_>,
) -> Option<(
    crate::diagnosis::cited::Cited<Process>,
    crate::diagnosis::cited::Cited<f64>,
)> {
    let name = entry.leaf("name")?.text()?;
    let cpu = entry.leaf("cpu-utilization");
    let memory = entry.leaf("memory-utilization");
    let read = |c: &Option<Cursor<'_>>| c.as_ref().and_then(|c| c.number());
    let process = Process {
        name,
        cpu: read(&cpu).unwrap_or(0.0),
        memory: read(&memory).unwrap_or(0.0),
    };
    let (cpu, memory) = (cpu.clone().or_else(|| memory.clone())?, memory.or(cpu)?);
    let share = process.memory;
    Some((cpu.fact(process), memory.fact(share)))
}

fn alarm(entry: &Cursor<'_>) -> Option<crate::diagnosis::cited::Cited<Alarm>> {
    let text = entry.leaf("text")?;
    let read = |leaf: &str| entry.leaf(leaf).and_then(|c| c.text()).unwrap_or_default();
    let since = entry.leaf("time-created").cited_time().map(|t| t.value);
    Some(text.fact(Alarm {
        id: read("id"),
        text: text.text()?,
        resource: read("resource"),
        since,
    }))
}

pub fn read_components(device: &mut DeviceFacts, at: &Cursor<'_>) {
    for entry in at.list("component") {
        let reason = entry
            .leaf("last-reload-reason")
            .or_else(|| entry.leaf("last-reboot-reason"))
            .cited_text();
        if reason.is_some() {
            device.system.boot_reason = reason;
            break;
        }
    }
}
