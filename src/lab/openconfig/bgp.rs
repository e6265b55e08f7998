//! `openconfig-bgp`: the process, its address families and peer groups, for the default instance and for
//! VRFs. Neighbours are in `bgp_neighbor`, the table in `bgp_rib`.

use super::tree::{Leaf, Writer};
use super::{bgp_neighbor, bgp_rib};
use crate::lab::config::Afi;
use crate::lab::state::{AfiSize, BgpState, NeighborState, PolicyState, VrfState};
use std::collections::BTreeSet;

/// BGP of the default instance.
pub(super) fn write(w: &mut Writer<'_>, bgp: &BgpState, policies: &[PolicyState]) {
    w.container("bgp", |w| {
        w.container("global", |w| {
            let sum = |of: fn(&AfiSize) -> u64| bgp.afis.iter().map(of).sum();
            global(w, bgp, sum(|size| size.paths), sum(|size| size.prefixes));
            w.container("afi-safis", |w| {
                for size in &bgp.afis {
                    global_afi(w, size.afi, size.paths, size.prefixes);
                }
            });
        });
        w.container("peer-groups", |w| {
            for (name, asn) in &bgp.groups {
                peer_group(w, name, *asn, &bgp.neighbors);
            }
        });
        w.container("neighbors", |w| {
            bgp.neighbors
                .iter()
                .for_each(|item| bgp_neighbor::write(w, item, bgp.router_id, policies));
        });
        w.on_demand("rib", |w| bgp_rib::write(w, &bgp.paths));
    });
}

/// The part of BGP that lives in a VRF.
pub(super) fn write_vrf(w: &mut Writer<'_>, bgp: &BgpState, vrf: &VrfState) {
    w.container("bgp", |w| {
        w.container("global", |w| {
            global(w, bgp, vrf.prefixes, vrf.prefixes);
            w.container("afi-safis", |w| {
                global_afi(w, Afi::Ipv4Unicast, vrf.prefixes, vrf.prefixes);
            });
        });
        w.container("neighbors", |w| {
            vrf.neighbors
                .iter()
                .for_each(|item| bgp_neighbor::write(w, item, bgp.router_id, &[]));
        });
    });
}

fn global(w: &mut Writer<'_>, bgp: &BgpState, paths: u64, prefixes: u64) {
    w.pair(
        |w| {
            w.leaf("as", bgp.asn);
            w.leaf("router-id", bgp.router_id);
        },
        |w| {
            w.leaf("total-paths", Leaf::Uint(paths));
            w.leaf("total-prefixes", Leaf::Uint(prefixes));
        },
    );
}

fn global_afi(w: &mut Writer<'_>, afi: Afi, paths: u64, prefixes: u64) {
    w.entry("afi-safi", &[("afi-safi-name", identity(afi))], |w| {
        w.pair(
            |w| {
                w.leaf("afi-safi-name", identity(afi));
                w.leaf("enabled", true);
            },
            |w| {
                w.leaf("total-paths", Leaf::Uint(paths));
                w.leaf("total-prefixes", Leaf::Uint(prefixes));
            },
        );
    });
}

/// The identity of an address family.
pub(super) fn identity(afi: Afi) -> Leaf {
    Leaf::Ident(match afi {
        Afi::Ipv4Unicast => "openconfig-bgp-types:IPV4_UNICAST",
        Afi::Vpnv4Unicast => "openconfig-bgp-types:L3VPN_IPV4_UNICAST",
    })
}

fn peer_group(w: &mut Writer<'_>, name: &String, asn: u32, neighbors: &[NeighborState]) {
    let members = || {
        neighbors
            .iter()
            .filter(|neighbor| neighbor.group.as_deref() == Some(name))
    };
    w.entry("peer-group", &[("peer-group-name", Leaf::from(name))], |w| {
        w.pair(
            |w| {
                w.leaf("peer-group-name", name);
                w.leaf("peer-as", asn);
            },
            |_| {},
        );
        w.container("transport", |w| {
            w.pair(|w| w.leaf("local-address", "Loopback0"), |_| {});
        });
        let afis: BTreeSet<Afi> = members()
            .flat_map(|neighbor| &neighbor.afis)
            .map(|afi| afi.afi)
            .collect();
        w.container("afi-safis", |w| {
            for afi in afis {
                w.entry("afi-safi", &[("afi-safi-name", identity(afi))], |w| {
                    w.pair(
                        |w| {
                            w.leaf("afi-safi-name", identity(afi));
                            w.leaf("enabled", true);
                        },
                        |_| {},
                    );
                });
            }
        });
    });
}
