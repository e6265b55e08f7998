//! `openconfig-interfaces` with its IPv4 addresses: status, history and counters of every interface.
//! Ethernet and bundle containers are in `ethernet`; VRF membership is in `instance`.

use super::tree::{Leaf, Writer};
use super::{ethernet, ns};
use crate::lab::config::InterfaceKind;
use crate::lab::state::{Counters, DeviceState, InterfaceState};

pub(super) fn write(w: &mut Writer<'_>, device: &DeviceState) {
    w.container("openconfig-interfaces:interfaces", |w| {
        for interface in &device.interfaces {
            w.entry("interface", &[("name", Leaf::from(&interface.name))], |w| {
                w.pair(|w| configured(w, interface), |w| status(w, interface));
                ethernet::write(w, interface);
                w.container("subinterfaces", |w| subinterface(w, interface));
            });
        }
    });
}

fn configured(w: &mut Writer<'_>, interface: &InterfaceState) {
    w.leaf("name", &interface.name);
    w.leaf("type", Leaf::Ident(iana_type(interface.kind)));
    w.leaf("enabled", interface.enabled);
    if !interface.description.is_empty() {
        w.leaf("description", &interface.description);
    }
    if interface.kind != InterfaceKind::Loopback {
        w.leaf("mtu", interface.mtu);
    }
}

fn iana_type(kind: InterfaceKind) -> &'static str {
    match kind {
        InterfaceKind::Loopback => "iana-if-type:softwareLoopback",
        InterfaceKind::Management | InterfaceKind::Ethernet => "iana-if-type:ethernetCsmacd",
        InterfaceKind::Bundle => "iana-if-type:ieee8023adLag",
    }
}

fn status(w: &mut Writer<'_>, interface: &InterfaceState) {
    w.leaf("ifindex", interface.hardware.ifindex);
    w.leaf("admin-status", if interface.enabled { "UP" } else { "DOWN" });
    w.leaf("oper-status", if interface.oper_up { "UP" } else { "DOWN" });
    w.leaf("last-change", ns(interface.last_change_ms));
    w.leaf(
        "logical",
        matches!(interface.kind, InterfaceKind::Loopback | InterfaceKind::Bundle),
    );
    w.leaf("management", interface.kind == InterfaceKind::Management);
    w.leaf("loopback-mode", "NONE");
    w.container("counters", |w| {
        counters(w, &interface.counters, interface.carrier_transitions)
    });
}

fn counters(w: &mut Writer<'_>, counters: &Counters, carrier_transitions: u64) {
    w.leaf("in-octets", counters.in_octets);
    w.leaf("in-pkts", counters.in_pkts);
    w.leaf("in-errors", counters.in_errors);
    w.leaf("in-fcs-errors", counters.in_fcs_errors);
    w.leaf("in-discards", counters.in_discards);
    w.leaf("out-octets", counters.out_octets);
    w.leaf("out-pkts", counters.out_pkts);
    w.leaf("out-errors", counters.out_errors);
    w.leaf("out-discards", counters.out_discards);
    w.leaf("carrier-transitions", carrier_transitions);
    w.leaf("last-clear", ns(counters.last_clear_ms));
}

fn subinterface(w: &mut Writer<'_>, interface: &InterfaceState) {
    w.entry("subinterface", &[("index", Leaf::Uint(0))], |w| {
        w.pair(
            |w| {
                w.leaf("index", 0_u32);
                w.leaf("enabled", interface.enabled);
            },
            |w| {
                w.leaf("name", &interface.name);
                w.leaf("ifindex", interface.hardware.ifindex);
                w.leaf("admin-status", if interface.enabled { "UP" } else { "DOWN" });
                w.leaf("oper-status", if interface.oper_up { "UP" } else { "DOWN" });
                w.leaf("last-change", ns(interface.last_change_ms));
            },
        );
        let Some((address, length)) = interface.address else {
            return;
        };
        w.container("openconfig-if-ip:ipv4", |w| {
            w.container("addresses", |w| {
                w.entry("address", &[("ip", Leaf::from(address))], |w| {
                    w.pair(
                        |w| {
                            w.leaf("ip", address);
                            w.leaf("prefix-length", length);
                        },
                        |w| w.leaf("origin", "STATIC"),
                    );
                });
            });
            w.pair(|w| w.leaf("enabled", interface.enabled), |_| {});
        });
    });
}
