//! `openconfig-aft`: forwarding entries of the default instance and of VRFs, with label stacks.
//! Next hops are numbered in the order they are first used; routes with the same ones share a group.

use super::tree::{Leaf, Writer};
use crate::lab::state::{DeviceState, LabelEntry, LabelOperation, RouteSource, VrfState};
use std::collections::BTreeMap;
use std::net::Ipv4Addr;

/// What a next hop comes down to: where to and with which labels on top.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Hop {
    address: Option<Ipv4Addr>,
    interface: Option<String>,
    push: Vec<Label>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Label {
    Value(u32),
    /// The penultimate hop pops.
    ImplicitNull,
    /// The next hop takes no label: the path breaks here.
    None,
}

impl Label {
    fn leaf(self) -> Leaf {
        match self {
            Label::Value(value) => Leaf::from(value),
            Label::ImplicitNull => Leaf::Ident("openconfig-mpls-types:IMPLICIT_NULL"),
            Label::None => Leaf::Ident("openconfig-mpls-types:NO_LABEL"),
        }
    }
}

#[derive(Default)]
struct Table {
    hops: BTreeMap<Hop, u64>,
    groups: BTreeMap<Vec<u64>, u64>,
}

impl Table {
    /// The group of these hops; numbers begin at 1.
    fn group(&mut self, hops: impl IntoIterator<Item = Hop>) -> u64 {
        let mut members: Vec<u64> = Vec::new();
        for hop in hops {
            let next = self.hops.len() as u64 + 1;
            members.push(*self.hops.entry(hop).or_insert(next));
        }
        let next = self.groups.len() as u64 + 1;
        *self.groups.entry(members).or_insert(next)
    }

    fn write(&self, w: &mut Writer<'_>) {
        w.container("next-hop-groups", |w| {
            for (members, id) in &self.groups {
                w.entry("next-hop-group", &[("id", Leaf::Uint64(*id))], |w| {
                    w.container("state", |w| w.leaf("id", *id));
                    w.container("next-hops", |w| {
                        for member in members {
                            w.entry("next-hop", &[("index", Leaf::Uint64(*member))], |w| {
                                w.container("state", |w| w.leaf("index", *member));
                            });
                        }
                    });
                });
            }
        });
        w.container("next-hops", |w| {
            for (hop, index) in &self.hops {
                next_hop(w, hop, *index);
            }
        });
    }
}

fn next_hop(w: &mut Writer<'_>, hop: &Hop, index: u64) {
    w.entry("next-hop", &[("index", Leaf::Uint64(index))], |w| {
        w.container("state", |w| {
            w.leaf("index", index);
            w.leaf_some("ip-address", hop.address);
            if !hop.push.is_empty() {
                w.leaf(
                    "pushed-mpls-label-stack",
                    Leaf::List(hop.push.iter().map(|l| l.leaf()).collect()),
                );
            }
        });
        if let Some(interface) = &hop.interface {
            w.container("interface-ref", |w| {
                w.container("state", |w| {
                    w.leaf("interface", interface);
                    w.leaf("subinterface", 0_u32);
                });
            });
        }
    });
}

fn entry(w: &mut Writer<'_>, prefix: &String, protocol: &'static str, group: u64) {
    w.entry("ipv4-entry", &[("prefix", Leaf::from(prefix))], |w| {
        w.container("state", |w| {
            w.leaf("prefix", prefix);
            w.leaf("origin-protocol", Leaf::Ident(protocol));
            w.leaf("next-hop-group", group);
        });
    });
}

/// Routes of the default VRF and the label table.
pub(super) fn write_default(w: &mut Writer<'_>, device: &DeviceState) {
    let mut table = Table::default();
    let groups: Vec<u64> = device
        .routes
        .iter()
        .map(|route| {
            table.group(route.next.iter().map(|next| Hop {
                address: next.address,
                interface: next.interface.clone(),
                push: Vec::new(),
            }))
        })
        .collect();
    let labels: Vec<u64> = device
        .mpls
        .entries
        .iter()
        .map(|entry| table.group([label_hop(entry)]))
        .collect();
    w.container("ipv4-unicast", |w| {
        for (route, group) in device.routes.iter().zip(&groups) {
            let protocol = match route.source {
                RouteSource::Connected => "openconfig-policy-types:DIRECTLY_CONNECTED",
                RouteSource::Isis => "openconfig-policy-types:ISIS",
                RouteSource::Bgp => "openconfig-policy-types:BGP",
            };
            entry(w, &super::prefix(route.prefix, route.length), protocol, *group);
        }
    });
    w.container("mpls", |w| {
        for (entry, group) in device.mpls.entries.iter().zip(&labels) {
            label_entry(w, entry, *group);
        }
    });
    table.write(w);
}

fn label_hop(entry: &LabelEntry) -> Hop {
    let push = match entry.operation {
        LabelOperation::Swap(label) => vec![Label::Value(label)],
        LabelOperation::Pop => vec![Label::ImplicitNull],
        LabelOperation::Unlabelled => vec![Label::None],
        LabelOperation::Vrf => Vec::new(),
    };
    Hop {
        address: entry.next.address,
        interface: entry.next.interface.clone(),
        push,
    }
}

fn label_entry(w: &mut Writer<'_>, entry: &LabelEntry, group: u64) {
    w.entry("label-entry", &[("label", Leaf::from(entry.label))], |w| {
        w.container("state", |w| {
            w.leaf("label", entry.label);
            w.leaf("next-hop-group", group);
            w.leaf("popped-mpls-label-stack", Leaf::list([entry.label]));
            if let Some(vrf) = &entry.vrf {
                w.leaf("next-hop-group-network-instance", vrf);
            } else {
                w.leaf("noctui-lab:prefix", super::prefix(entry.prefix, 32));
            }
        });
    });
}

/// The table of a VRF.
pub(super) fn write_vrf(w: &mut Writer<'_>, vrf: &VrfState) {
    let mut table = Table::default();
    let groups: Vec<u64> = vrf
        .routes
        .iter()
        .map(|route| {
            let push = match route.label {
                Some(label) => vec![Label::Value(label)],
                None => Vec::new(),
            };
            table.group([Hop {
                address: route.next_hop,
                interface: route.interface.clone(),
                push,
            }])
        })
        .collect();
    w.container("ipv4-unicast", |w| {
        for (route, group) in vrf.routes.iter().zip(&groups) {
            let protocol = match route.source {
                "connected" => "openconfig-policy-types:DIRECTLY_CONNECTED",
                _ => "openconfig-policy-types:BGP",
            };
            let prefix = super::prefix(route.prefix, route.length);
            w.entry("ipv4-entry", &[("prefix", Leaf::from(&prefix))], |w| {
                w.container("state", |w| {
                    w.leaf("prefix", &prefix);
                    w.leaf("origin-protocol", Leaf::Ident(protocol));
                    w.leaf("next-hop-group", *group);
                    w.leaf_some("noctui-lab:route-distinguisher", route.rd.as_ref());
                    w.leaf("noctui-lab:labelled", route.labelled);
                });
            });
        }
    });
    table.write(w);
}
