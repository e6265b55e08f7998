//! `openconfig-network-instance`: the default instance, and the protocols in it. VRFs are in `vrf`.

use super::tree::{Leaf, Writer};
use super::{aft, bgp, isis, mpls, vrf};
use crate::lab::state::DeviceState;

/// The name IOS-XR gives the default instance.
pub(super) const DEFAULT: &str = "DEFAULT";

pub(super) fn write(w: &mut Writer<'_>, device: &DeviceState) {
    w.container("openconfig-network-instance:network-instances", |w| {
        w.entry("network-instance", &[("name", Leaf::from(DEFAULT))], |w| {
            default(w, device)
        });
        for vrf in &device.vrfs {
            w.entry("network-instance", &[("name", Leaf::from(&vrf.name))], |w| {
                vrf::write(w, device, vrf);
            });
        }
    });
}

fn default(w: &mut Writer<'_>, device: &DeviceState) {
    w.pair(
        |w| {
            w.leaf("name", DEFAULT);
            w.leaf(
                "type",
                Leaf::Ident("openconfig-network-instance-types:DEFAULT_INSTANCE"),
            );
            w.leaf("enabled", true);
            w.leaf("router-id", device.loopback);
        },
        |_| {},
    );
    w.container("interfaces", |w| {
        for interface in device
            .interfaces
            .iter()
            .filter(|interface| interface.vrf.is_none())
        {
            member(w, &interface.name);
        }
    });
    w.container("protocols", |w| {
        if let Some(bgp) = &device.bgp {
            protocol(w, "openconfig-policy-types:BGP", "default", |w| {
                bgp::write(w, bgp, &device.policies)
            });
        }
        if let Some(isis) = &device.isis {
            protocol(w, "openconfig-policy-types:ISIS", &isis.instance, |w| {
                isis::write(w, device, isis)
            });
        }
    });
    mpls::write(w, device);
    w.container("afts", |w| aft::write_default(w, device));
}

/// An interface that belongs to an instance.
pub(super) fn member(w: &mut Writer<'_>, name: &String) {
    w.entry("interface", &[("id", Leaf::from(name))], |w| {
        w.pair(
            |w| {
                w.leaf("id", name);
                w.leaf("interface", name);
                w.leaf("subinterface", 0_u32);
            },
            |w| {
                let families = ["openconfig-types:IPV4", "openconfig-types:IPV6"];
                w.leaf(
                    "associated-address-families",
                    Leaf::list(families.map(Leaf::Ident)),
                );
            },
        );
    });
}

/// A protocol of an instance, with its own container inside.
pub(super) fn protocol(
    w: &mut Writer<'_>,
    identifier: &'static str,
    name: &str,
    write: impl FnOnce(&mut Writer<'_>),
) {
    let name = name.to_owned();
    let identifier = Leaf::Ident(identifier);
    w.entry(
        "protocol",
        &[("identifier", identifier.clone()), ("name", Leaf::from(&name))],
        |w| {
            w.pair(
                |w| {
                    w.leaf("identifier", identifier.clone());
                    w.leaf("name", &name);
                    w.leaf("enabled", true);
                },
                |_| {},
            );
            write(w);
        },
    );
}
