//! One interface of the IS-IS process: circuit, authentication, metric, prefix-SID, counters, adjacencies.

use super::isis::{authentication, family, family_names, numbers};
use super::ns;
use super::tree::{Leaf, Writer};
use crate::lab::config::InterfaceKind;
use crate::lab::state::{DeviceState, IsisAdjacency, IsisInterfaceState, IsisState};

pub(super) fn write(
    w: &mut Writer<'_>,
    device: &DeviceState,
    isis: &IsisState,
    circuit: &IsisInterfaceState,
) {
    w.entry("interface", &[("interface-id", Leaf::from(&circuit.name))], |w| {
        w.pair(
            |w| {
                w.leaf("interface-id", &circuit.name);
                w.leaf("enabled", circuit.enabled);
                w.leaf("passive", circuit.passive);
                w.leaf("circuit-type", "POINT_TO_POINT");
                w.leaf(
                    "hello-padding",
                    if circuit.hello_padding {
                        "STRICT"
                    } else {
                        "DISABLE"
                    },
                );
            },
            |_| {},
        );
        w.container("authentication", |w| authentication(w, circuit.authenticated));
        w.container("circuit-counters", |w| circuit_counters(w, isis, circuit));
        w.container("levels", |w| {
            for number in numbers(circuit.level) {
                level(w, device, isis, circuit, *number);
            }
        });
    });
}

fn adjacencies<'a>(
    isis: &'a IsisState,
    circuit: &'a IsisInterfaceState,
) -> impl Iterator<Item = &'a IsisAdjacency> {
    isis.adjacencies
        .iter()
        .filter(|adjacency| adjacency.interface == circuit.name)
}

fn circuit_counters(w: &mut Writer<'_>, isis: &IsisState, circuit: &IsisInterfaceState) {
    w.container("state", |w| {
        let count = |value: u64| Leaf::Uint(value);
        w.leaf("adj-number", count(adjacencies(isis, circuit).count() as u64));
        w.leaf(
            "adj-changes",
            count(
                adjacencies(isis, circuit)
                    .map(|adjacency| adjacency.transitions)
                    .sum(),
            ),
        );
        w.leaf("auth-fails", count(circuit.auth_failures));
        w.leaf("rejected-adj", count(circuit.hellos_rejected));
    });
}

fn level(
    w: &mut Writer<'_>,
    device: &DeviceState,
    isis: &IsisState,
    circuit: &IsisInterfaceState,
    number: u8,
) {
    w.entry("level", &[("level-number", Leaf::from(number))], |w| {
        w.pair(
            |w| {
                w.leaf("level-number", number);
                w.leaf("enabled", circuit.enabled);
                w.leaf("passive", circuit.passive);
            },
            |_| {},
        );
        w.container("hello-authentication", |w| {
            authentication(w, circuit.authenticated)
        });
        w.container("packet-counters", |w| {
            w.container("iih", |w| {
                w.container("state", |w| {
                    w.leaf("sent", Leaf::Uint(circuit.hellos_sent));
                    w.leaf("received", Leaf::Uint(circuit.hellos_received));
                    w.leaf(
                        "dropped",
                        Leaf::Uint(circuit.auth_failures + circuit.hellos_rejected),
                    );
                });
            });
        });
        w.container("afi-safi", |w| family(w, |w| address_family(w, device, circuit)));
        w.container("adjacencies", |w| {
            adjacencies(isis, circuit)
                .filter(|item| numbers(item.level).contains(&number))
                .for_each(|item| adjacency(w, isis, item, number));
        });
    });
}

fn address_family(w: &mut Writer<'_>, device: &DeviceState, circuit: &IsisInterfaceState) {
    w.pair(
        |w| {
            family_names(w);
            w.leaf("metric", circuit.metric);
            w.leaf("enabled", true);
        },
        |_| {},
    );
    let loopback = device
        .interface(&circuit.name)
        .is_some_and(|i| i.kind == InterfaceKind::Loopback);
    let (Some(sid), Some((address, length)), true) = (device.sr.prefix_sid, circuit.prefix, loopback) else {
        return;
    };
    let prefix = super::prefix(address, length);
    w.container("segment-routing", |w| {
        w.container("prefix-sids", |w| {
            w.entry("prefix-sid", &[("prefix", Leaf::from(&prefix))], |w| {
                w.pair(
                    |w| {
                        w.leaf("prefix", &prefix);
                        w.leaf("sid-id", sid.index);
                    },
                    |w| {
                        w.leaf_some("noctui-lab:label", sid.label);
                        w.leaf("noctui-lab:conflict", sid.conflict);
                    },
                );
            });
        });
    });
}

fn adjacency(w: &mut Writer<'_>, isis: &IsisState, adjacency: &IsisAdjacency, number: u8) {
    w.entry(
        "adjacency",
        &[("system-id", Leaf::from(&adjacency.neighbor_system_id))],
        |w| {
            w.container("state", |w| {
                w.leaf("system-id", &adjacency.neighbor_system_id);
                w.leaf("adjacency-state", "UP");
                w.leaf("neighbor-ipv4-address", adjacency.neighbor_address);
                w.leaf("neighbor-ipv6-address", "::");
                w.leaf("neighbor-circuit-type", adjacency.level.as_str());
                w.leaf("adjacency-type", adjacency.level.as_str());
                w.leaf("up-timestamp", ns(adjacency.up_since_ms));
                w.leaf("noctui-lab:hostname", &adjacency.neighbor);
                // Only level 1 implies that the neighbour is in our area.
                if number == 1 {
                    w.leaf("area-address", Leaf::list([&isis.area]));
                }
            });
        },
    );
}
