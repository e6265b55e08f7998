//! A VRF as a network instance: route distinguisher, route targets, redistribution, PE-CE sessions, table.

use super::tree::{Leaf, Writer};
use super::{aft, bgp, instance};
use crate::lab::state::{DeviceState, VrfState};

pub(super) fn write(w: &mut Writer<'_>, device: &DeviceState, vrf: &VrfState) {
    w.pair(
        |w| {
            w.leaf("name", &vrf.name);
            w.leaf("type", Leaf::Ident("openconfig-network-instance-types:L3VRF"));
            w.leaf("enabled", true);
            w.leaf("router-id", device.loopback);
            if !vrf.rd.is_empty() {
                w.leaf("route-distinguisher", &vrf.rd);
            }
        },
        |w| w.leaf("noctui-lab:vpn-label", vrf.label),
    );
    w.container("inter-instance-policies", |w| {
        w.container("import-export-policy", |w| {
            w.pair(
                |w| {
                    w.leaf("import-route-target", Leaf::list(&vrf.import_targets));
                    w.leaf("export-route-target", Leaf::list(&vrf.export_targets));
                },
                |_| {},
            );
        });
    });
    w.container("interfaces", |w| {
        for interface in &vrf.interfaces {
            instance::member(w, &interface.name);
        }
    });
    if vrf.redistribute_connected {
        w.container("table-connections", redistribution);
    }
    w.container("protocols", |w| {
        if let Some(process) = &device.bgp {
            instance::protocol(w, "openconfig-policy-types:BGP", "default", |w| {
                bgp::write_vrf(w, process, vrf);
            });
        }
    });
    w.container("afts", |w| aft::write_vrf(w, vrf));
}

/// Connected routes into BGP.
fn redistribution(w: &mut Writer<'_>) {
    let keys = [
        (
            "src-protocol",
            Leaf::Ident("openconfig-policy-types:DIRECTLY_CONNECTED"),
        ),
        ("dst-protocol", Leaf::Ident("openconfig-policy-types:BGP")),
        ("address-family", Leaf::Ident("openconfig-types:IPV4")),
    ];
    w.entry("table-connection", &keys, |w| {
        w.pair(
            |w| {
                for (name, value) in &keys {
                    w.leaf(name, value.clone());
                }
            },
            |_| {},
        );
    });
}
