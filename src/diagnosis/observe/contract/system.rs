//! `get_system_info` and the device profile.

use super::super::cursor::{Cursor, Reads};
use super::super::stamp;

use crate::agent::model::{Aspect, Role};
use crate::diagnosis::network::DeviceFacts;

pub fn read(device: &mut DeviceFacts, at: &Cursor<'_>) {
    device.seen.insert(Aspect::System);
    let system = &mut device.system;
    if let Some(clock) = at.member("current_datetime").cited_text() {
        system.clock = stamp::rfc3339(&clock.value)
            .map(|t| clock.with(t))
            .or(system.clock.take());
    }
    system.boot = at.member("boot_time").cited_time().or(system.boot.take());
    system.banner = at.member("login_banner").cited_text().or(system.banner.take());
}

pub fn read_profile(device: &mut DeviceFacts, at: &Cursor<'_>) {
    device.seen.insert(Aspect::Profile);
    if let Some(role) = at.member("role").cited_text() {
        device.role = stated(&role.value).map(|r| role.with(r)).or(device.role.take());
    }
}

fn stated(text: &str) -> Option<Role> {
    match text.to_ascii_uppercase().as_str() {
        "PE" => Some(Role::Pe),
        "P" => Some(Role::P),
        "RR" => Some(Role::Rr),
        "CE" => Some(Role::Ce),
        _ => None,
    }
}
