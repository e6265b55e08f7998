//! Reading log lines: what went up and down, where and when.

use super::View;
use crate::agent::model::Timestamp;
use crate::diagnosis::cited::Cited;
use crate::diagnosis::network::{DeviceFacts, LogLine};

/// Lines of a device inside the asked window, with their time in our clock.
pub fn in_window<'a>(
    view: &'a View<'_>,
    device: &'a DeviceFacts,
) -> impl Iterator<Item = (Timestamp, &'a Cited<LogLine>)> + 'a {
    device.logs.iter().filter_map(move |line| {
        let at = view.ours(&device.name, line.value.at?);
        view.focus.covers(at).then_some((at, line))
    })
}

/// The interface a line says went down, with whether it was shut by hand.
pub fn link_down(line: &LogLine) -> Option<(&str, bool)> {
    let mnemonic = line.mnemonic.to_ascii_uppercase();
    if !(mnemonic.contains("UPDOWN")
        || mnemonic.contains("LINK-")
        || mnemonic.contains("LINEPROTO")
        || mnemonic.contains("IFMGR"))
    {
        return None;
    }
    let lower = line.text.to_ascii_lowercase();
    let down = lower.contains("state to down")
        || lower.contains("to administratively down")
        || lower.ends_with(" down");
    if !down {
        return None;
    }
    let name = interface_in(&line.text)?;
    Some((name, lower.contains("administrative")))
}

/// The first word that looks like a full interface name.
pub fn interface_in(text: &str) -> Option<&str> {
    text.split([' ', ',', '(', ')', ';', ':']).find(|w| {
        w.contains(|c: char| c.is_ascii_digit())
            && w.starts_with(|c: char| c.is_ascii_uppercase())
            && (w.contains('/') || w.starts_with("Bundle"))
    })
}

/// The IPv4 address of the neighbour a BGP line is about, when it went down.
pub fn session_down(line: &LogLine) -> Option<&str> {
    if !line.mnemonic.to_ascii_uppercase().contains("BGP") {
        return None;
    }
    let lower = line.text.to_ascii_lowercase();
    (lower.contains("neighbor") && lower.contains(" down"))
        .then(|| address_in(&line.text))
        .flatten()
}

/// The first IPv4 address in a text.
pub fn address_in(text: &str) -> Option<&str> {
    text.split(|c: char| !(c.is_ascii_digit() || c == '.'))
        .map(|w| w.trim_matches('.'))
        .find(|w| w.parse::<std::net::Ipv4Addr>().is_ok())
}
