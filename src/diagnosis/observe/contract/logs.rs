//! `get_logs`: log lines, each once however often it is read.

use super::super::cursor::Cursor;
use super::super::stamp;
use crate::agent::model::{Aspect, Claim};
use crate::diagnosis::network::{DeviceFacts, LogLine, Network};

pub fn read(device: &mut DeviceFacts, at: &Cursor<'_>) {
    device.seen.insert(Aspect::Logs);
    for row in at.entries() {
        let line = row.member("message").unwrap_or(row);
        if let Some(text) = line.value().as_str() {
            add(device, &line, text);
        }
    }
}

/// Lines a human pasted in place of a result.
pub fn pasted(network: &mut Network, device: &str, at: &Cursor<'_>) {
    let Some(text) = at.value().as_str() else { return };
    let device = network.device_mut(device);
    for line in text.lines().filter(|l| l.contains('%')) {
        add(device, at, line);
    }
}

fn add(device: &mut DeviceFacts, at: &Cursor<'_>, text: &str) {
    let clock = device.system.clock.as_ref().map_or(at.at(), |c| c.value);
    let line = parse(text, clock);
    if device.logs.iter().any(|l| l.value == line) {
        return;
    }
    let stamp = line.at;
    let fact = at.claimed(line, Claim::Contains(text.trim().to_owned()));
    let place = device
        .logs
        .iter()
        .rposition(|l| l.value.at <= stamp)
        .map_or(0, |i| i + 1);
    device.logs.insert(place, fact);
}

/// `node:stamp zone: process: %MNEMONIC : text`.
fn parse(text: &str, now: crate::agent::model::Timestamp) -> LogLine {
    let at = stamp::of_line(text, now);
    match text
        .split_once('%')
        .and_then(|(_, rest)| rest.split_once(" : ").or_else(|| rest.split_once(": ")))
    {
        Some((mnemonic, message)) => LogLine {
            at,
            mnemonic: mnemonic.trim().to_owned(),
            text: message.trim().to_owned(),
        },
        None => LogLine {
            at,
            mnemonic: String::new(),
            text: text.trim().to_owned(),
        },
    }
}
