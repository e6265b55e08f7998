//! The box: reloads, clocks, hungry processes, configuration alarms.

use super::logs::in_window;
use super::{Sign, View};
use crate::agent::model::{Citation, Claim, Confidence, Severity};
use crate::diagnosis::cited::Cited;
use crate::diagnosis::expect::says;
use crate::diagnosis::network::DeviceFacts;
use crate::diagnosis::ontology::{FaultType, Resource};

pub fn detect(view: &View<'_>, signs: &mut Vec<Sign>) {
    for device in view.network.devices() {
        clock(view, device, signs);
        reload(view, device, signs);
        processes(view, device, signs);
        inconsistency(view, device, signs);
    }
}

fn node(device: &DeviceFacts) -> Resource {
    Resource::Node(device.name.clone())
}

fn clock(view: &View<'_>, device: &DeviceFacts, signs: &mut Vec<Sign>) {
    let limits = &view.expect.thresholds.system;
    let skew = view.skew_ms(&device.name);
    let ntp = device
        .system
        .offset_ms
        .as_ref()
        .filter(|o| o.value.abs() >= limits.ntp_offset_ms);
    let unsynchronised = device.system.synchronised.as_ref().filter(|s| !s.value);
    let clock = device.system.clock.as_ref().filter(|_| skew != 0);
    if clock.is_none() && ntp.is_none() {
        let others = view.network.devices().filter(|d| d.name != device.name);
        let others: Vec<bool> = others
            .filter_map(|d| d.system.synchronised.as_ref())
            .map(|s| s.value)
            .collect();
        let alone = others.len() > 1 && others.iter().all(|s| *s);
        if let Some(sync) = unsynchronised.filter(|_| alone) {
            let text = format!(
                "{} has lost its time source, which all others have: its clock will drift",
                device.name
            );
            let sign = Sign::fault("system.clock", node(device), FaultType::ClockSkew, text);
            signs.push(
                sign.cites([sync.cite()])
                    .at(view.focus.now)
                    .sure(Confidence::Likely)
                    .severity(Severity::Warning),
            );
        } else if let Some(sync) = unsynchronised {
            let text = format!(
                "{} has no synchronised time source; its clock is right so far",
                device.name
            );
            signs.push(Sign::remark("system.unsynchronised", node(device), text).cites([sync.cite()]));
        }
        return;
    }
    let seconds = if skew == 0 {
        ntp.map_or(0.0, |o| o.value / 1000.0)
    } else {
        skew as f64 / 1000.0
    };
    let text = format!(
        "the clock of {} is off by {seconds:.0} s: its logs can't be lined up with those of others",
        device.name
    );
    let evidence = clock
        .map(Cited::cite)
        .into_iter()
        .chain(ntp.map(Cited::cite))
        .chain(unsynchronised.map(Cited::cite));
    signs.push(
        Sign::fault("system.clock", node(device), FaultType::ClockSkew, text)
            .cites(evidence)
            .at(view.focus.now)
            .severity(Severity::Warning),
    );
}

fn reload(view: &View<'_>, device: &DeviceFacts, signs: &mut Vec<Sign>) {
    let Some(boot) = &device.system.boot else { return };
    let at = view.ours(&device.name, boot.value);
    if !view.focus.covers(at) {
        return;
    }
    let reason = device.system.boot_reason.as_ref();
    let lines = in_window(view, device).filter(|(_, l)| {
        let lower = l.value.text.to_ascii_lowercase();
        lower.contains("reload")
            || lower.contains("restart")
            || lower.contains("booted")
            || lower.contains("boot reason")
    });
    let lines: Vec<Citation> = lines.map(|(_, l)| l.cite()).take(2).collect();
    let planned = reason.filter(|r| {
        says(&r.value, &view.expect.words.user_reload) && !says(&r.value, &["user-space".to_owned()])
    });
    let why = reason.map_or_else(String::new, |r| format!(" ({})", r.value));
    let announced = reason.is_some_and(|r| view.is_planned(&r.value));
    if announced || planned.is_some() && view.maintenance(device).is_some() {
        let text = format!("{} was reloaded by hand, as planned{why}", device.name);
        signs.push(
            Sign::planned(
                "system.planned_reload",
                node(device),
                FaultType::UnexpectedReload,
                text,
            )
            .cites(reason.map(Cited::cite))
            .cites([boot.cite()])
            .at(at)
            .over(true),
        );
        return;
    }
    let text = format!("{} restarted in the window asked about{why}", device.name);
    let sign = Sign::fault("system.reload", node(device), FaultType::UnexpectedReload, text);
    signs.push(
        sign.cites([boot.cite()])
            .cites(reason.map(Cited::cite))
            .cites(lines)
            .at(at)
            .over(true)
            .severity(Severity::Warning),
    );
}

fn processes(view: &View<'_>, device: &DeviceFacts, signs: &mut Vec<Sign>) {
    let limits = &view.expect.thresholds.system;
    for (process, memory) in &device.system.processes {
        let cpu_high = process.value.cpu >= limits.process_cpu;
        let memory_high = memory.value >= limits.process_memory;
        if !cpu_high && !memory_high {
            continue;
        }
        let (share, what) = if cpu_high {
            (process.value.cpu, "CPU")
        } else {
            (memory.value, "memory")
        };
        let text = format!(
            "process {} takes {share:.0} % of the {what} of {}",
            process.value.name, device.name
        );
        let total = device.system.cpu.iter().map(Cited::cite);
        let evidence = if cpu_high { process.cite() } else { memory.cite() };
        signs.push(
            Sign::fault("system.process_hog", node(device), FaultType::ProcessHog, text)
                .cites([evidence])
                .cites(total)
                .at(view.focus.now)
                .severity(Severity::Warning),
        );
        return;
    }
}

fn inconsistency(view: &View<'_>, device: &DeviceFacts, signs: &mut Vec<Sign>) {
    let words = &view.expect.words.inconsistent;
    let about = |text: &str| says(text, words) && text.to_ascii_lowercase().contains("config");
    let alarm = device
        .system
        .alarms
        .iter()
        .find(|a| about(&a.value.text) || about(&format!("{} {}", a.value.id, a.value.text)));
    let line =
        in_window(view, device).find(|(_, l)| about(&format!("{} {}", l.value.mnemonic, l.value.text)));
    let (Some(at), evidence) = (
        alarm
            .map(|a| a.value.since.unwrap_or(view.focus.now))
            .or(line.as_ref().map(|(at, _)| *at)),
        alarm
            .map(Cited::cite)
            .into_iter()
            .chain(line.map(|(_, l)| l.cite()))
            .collect::<Vec<_>>(),
    ) else {
        return;
    };
    debug_assert!(evidence.iter().all(|c| c.claim != Claim::Absent));
    let text = format!(
        "{} reports that its running and its committed configuration differ",
        device.name
    );
    signs.push(
        Sign::fault(
            "system.config_alarm",
            node(device),
            FaultType::ConfigInconsistency,
            text,
        )
        .cites(evidence)
        .at(at)
        .severity(Severity::Warning),
    );
}
