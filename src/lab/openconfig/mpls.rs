//! `openconfig-mpls` and `openconfig-segment-routing`: MPLS on interfaces, label blocks, SRGB and SRLB.
//! Configured blocks are `config`, what the label manager gave is `state`.

use super::tree::{Leaf, Writer};
use crate::lab::state::{DeviceState, MplsInterfaceState, SrState};

const SRGB: &str = "default-srgb";
const SRLB: &str = "default-srlb";

pub(super) fn write(w: &mut Writer<'_>, device: &DeviceState) {
    if device.mpls.enabled {
        w.container("mpls", |w| mpls(w, device));
    }
    if device.sr.enabled {
        w.container("segment-routing", |w| segment_routing(w, &device.sr));
    }
}

fn mpls(w: &mut Writer<'_>, device: &DeviceState) {
    w.container("global", |w| {
        w.pair(
            |w| {
                w.leaf("null-label", Leaf::Ident("openconfig-mpls-types:IMPLICIT"));
                w.leaf("ttl-propagation", device.mpls.ttl_propagation);
            },
            |_| {},
        );
        w.container("interface-attributes", |w| {
            device.mpls.interfaces.iter().for_each(|item| interface(w, item));
        });
        if device.sr.enabled {
            w.container("reserved-label-blocks", |w| {
                block(w, SRGB, device.sr.srgb.configured, device.sr.srgb.allocated);
                block(w, SRLB, device.sr.srlb, Some(device.sr.srlb));
            });
        }
    });
}

fn interface(w: &mut Writer<'_>, interface: &MplsInterfaceState) {
    w.entry(
        "interface",
        &[("interface-id", Leaf::from(&interface.name))],
        |w| {
            w.pair(
                |w| {
                    w.leaf("interface-id", &interface.name);
                    w.leaf("mpls-enabled", interface.enabled);
                },
                |_| {},
            );
        },
    );
}

fn block(w: &mut Writer<'_>, id: &'static str, configured: (u32, u32), allocated: Option<(u32, u32)>) {
    let bounds = |w: &mut Writer<'_>, (lower, upper): (u32, u32)| {
        w.leaf("lower-bound", lower);
        w.leaf("upper-bound", upper);
    };
    w.entry("reserved-label-block", &[("local-id", Leaf::from(id))], |w| {
        w.container("config", |w| {
            w.leaf("local-id", id);
            bounds(w, configured);
        });
        w.container("state", |w| {
            w.leaf("local-id", id);
            if let Some(allocated) = allocated {
                bounds(w, allocated);
            }
        });
    });
}

fn segment_routing(w: &mut Writer<'_>, sr: &SrState) {
    w.container("srgbs", |w| srgb(w, sr));
    w.container("srlbs", |w| {
        w.entry("srlb", &[("local-id", Leaf::from(SRLB))], |w| {
            w.pair(
                |w| {
                    w.leaf("local-id", SRLB);
                    w.leaf("enabled", true);
                    w.leaf("mpls-label-block", SRLB);
                    w.leaf("dataplane-type", "MPLS");
                },
                |w| w.leaf("size", size(sr.srlb)),
            );
        });
    });
}

fn srgb(w: &mut Writer<'_>, sr: &SrState) {
    w.entry("srgb", &[("local-id", Leaf::from(SRGB))], |w| {
        w.pair(
            |w| {
                w.leaf("local-id", SRGB);
                w.leaf("mpls-label-blocks", Leaf::list([SRGB]));
                w.leaf("dataplane-type", "MPLS");
            },
            |w| {
                w.leaf("size", sr.srgb.allocated.map_or(0, size));
                w.leaf("noctui-lab:allocation-pending", sr.srgb.allocated.is_none());
            },
        );
    });
}

/// Labels in an inclusive range.
fn size((lower, upper): (u32, u32)) -> u32 {
    upper.saturating_sub(lower).saturating_add(1)
}
