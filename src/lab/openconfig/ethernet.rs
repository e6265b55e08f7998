//! Ethernet and link aggregation: `openconfig-if-ethernet`, `openconfig-if-aggregate`, `openconfig-lacp`.

use super::tree::{Leaf, Writer};
use crate::lab::config::InterfaceKind;
use crate::lab::state::{BundleState, DeviceState, InterfaceState, MemberState};

/// The containers below one interface.
pub(super) fn write(w: &mut Writer<'_>, interface: &InterfaceState) {
    if matches!(
        interface.kind,
        InterfaceKind::Ethernet | InterfaceKind::Management
    ) {
        w.container("openconfig-if-ethernet:ethernet", |w| ethernet(w, interface));
    }
    if let Some(bundle) = &interface.bundle {
        w.container("openconfig-if-aggregate:aggregation", |w| {
            aggregation(w, interface, bundle)
        });
    }
}

fn ethernet(w: &mut Writer<'_>, interface: &InterfaceState) {
    w.pair(
        |w| {
            w.leaf("auto-negotiate", false);
            w.leaf_some(
                "openconfig-if-aggregate:aggregate-id",
                interface.member_of.as_ref(),
            );
        },
        |w| {
            w.leaf("mac-address", &interface.hardware.mac);
            w.leaf("hw-mac-address", &interface.hardware.mac);
            w.leaf("port-speed", speed(interface.hardware.speed_bps));
            w.leaf("duplex-mode", "FULL");
            w.container("counters", |w| {
                w.leaf("in-oversize-frames", interface.counters.in_giants);
                w.leaf("in-crc-errors", interface.counters.in_fcs_errors);
            });
        },
    );
}

/// The speed identity, or `SPEED_UNKNOWN` for one the model has no name for.
fn speed(bits_per_second: u64) -> &'static str {
    match bits_per_second / 1_000_000 {
        100 => "SPEED_100MB",
        1_000 => "SPEED_1GB",
        2_500 => "SPEED_2500MB",
        5_000 => "SPEED_5GB",
        10_000 => "SPEED_10GB",
        25_000 => "SPEED_25GB",
        40_000 => "SPEED_40GB",
        50_000 => "SPEED_50GB",
        100_000 => "SPEED_100GB",
        200_000 => "SPEED_200GB",
        400_000 => "SPEED_400GB",
        800_000 => "SPEED_800GB",
        _ => "SPEED_UNKNOWN",
    }
}

fn aggregation(w: &mut Writer<'_>, interface: &InterfaceState, bundle: &BundleState) {
    w.pair(
        |w| {
            w.leaf("lag-type", "LACP");
            w.leaf("min-links", bundle.min_links);
        },
        |w| {
            w.leaf(
                "lag-speed",
                u32::try_from(interface.hardware.speed_bps / 1_000_000).unwrap_or(u32::MAX),
            );
            w.leaf(
                "member",
                Leaf::list(bundle.members.iter().map(|member| &member.interface)),
            );
        },
    );
}

/// `openconfig-lacp`: which members of a bundle carry traffic.
pub(super) fn write_lacp(w: &mut Writer<'_>, device: &DeviceState) {
    w.container("openconfig-lacp:lacp", |w| {
        w.container("interfaces", |w| {
            for interface in &device.interfaces {
                let Some(bundle) = &interface.bundle else { continue };
                w.entry("interface", &[("name", Leaf::from(&interface.name))], |w| {
                    w.pair(
                        |w| {
                            w.leaf("name", &interface.name);
                            w.leaf("lacp-mode", "ACTIVE");
                            w.leaf("interval", "SLOW");
                        },
                        |_| {},
                    );
                    w.container("members", |w| {
                        bundle.members.iter().for_each(|item| member(w, item))
                    });
                });
            }
        });
    });
}

fn member(w: &mut Writer<'_>, member: &MemberState) {
    w.entry("member", &[("interface", Leaf::from(&member.interface))], |w| {
        w.container("state", |w| {
            w.leaf("interface", &member.interface);
            w.leaf("activity", "ACTIVE");
            w.leaf(
                "synchronization",
                if member.active { "IN_SYNC" } else { "OUT_SYNC" },
            );
            w.leaf("aggregatable", true);
            w.leaf("collecting", member.active);
            w.leaf("distributing", member.active);
        });
    });
}
