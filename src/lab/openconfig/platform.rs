//! `openconfig-platform`: the route processor with its software and its last reload. No line cards,
//! optics or sensors: the lab has none.

use super::ns;
use super::tree::{Leaf, Writer};
use crate::lab::state::DeviceState;

const ROUTE_PROCESSOR: &str = "0/RP0/CPU0";

pub(super) fn write(w: &mut Writer<'_>, device: &DeviceState) {
    let system = &device.system;
    w.container("openconfig-platform:components", |w| {
        w.entry("component", &[("name", Leaf::from(ROUTE_PROCESSOR))], |w| {
            w.pair(
                |w| w.leaf("name", ROUTE_PROCESSOR),
                |w| {
                    w.leaf("id", ROUTE_PROCESSOR);
                    w.leaf("type", Leaf::Ident("openconfig-platform-types:CONTROLLER_CARD"));
                    w.leaf("oper-status", Leaf::Ident("openconfig-platform-types:ACTIVE"));
                    w.leaf("redundant-role", "PRIMARY");
                    w.leaf("software-version", &system.software_version);
                    w.leaf("last-reboot-time", ns(system.boot_ms));
                    w.leaf(
                        "last-reboot-reason",
                        Leaf::Ident(reason(&system.last_reload_reason)),
                    );
                    w.leaf("noctui-lab:last-reload-reason", &system.last_reload_reason);
                    w.container("memory", |w| {
                        let free = system.memory_bytes.saturating_sub(system.memory_used_bytes);
                        w.leaf("available", free);
                        w.leaf("utilized", system.memory_used_bytes);
                    });
                },
            );
        });
    });
}

/// The identity nearest to a reload reason in the router's words.
fn reason(text: &str) -> &'static str {
    let text = text.to_ascii_lowercase();
    if text.contains("power") {
        "openconfig-platform-types:REBOOT_POWER_FAILURE"
    } else if text.contains("user") || text.contains("command") || text.contains("requested") {
        "openconfig-platform-types:REBOOT_USER_INITIATED"
    } else {
        "openconfig-platform-types:REBOOT_CRITICAL_ERROR"
    }
}
