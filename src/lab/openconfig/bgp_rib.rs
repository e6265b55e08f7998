//! `openconfig-rib-bgp`: the paths a device holds, with attributes and route targets. As on routers the
//! table is answered only to a path that names it.

use super::bgp::identity;
use super::tree::{Leaf, Writer};
use crate::lab::config::Afi;
use crate::lab::state::PathState;

pub(super) fn write(w: &mut Writer<'_>, paths: &[PathState]) {
    w.container("attr-sets", |w| {
        for (index, path) in paths.iter().enumerate() {
            attributes(w, index as u64, path);
        }
    });
    w.container("ext-communities", |w| {
        for (index, path) in paths
            .iter()
            .enumerate()
            .filter(|(_, path)| !path.route_targets.is_empty())
        {
            w.entry("ext-community", &[("index", Leaf::Uint64(index as u64))], |w| {
                w.container("state", |w| {
                    w.leaf("index", index as u64);
                    let targets = path
                        .route_targets
                        .iter()
                        .map(|target| format!("route-target:{target}"));
                    w.leaf("ext-community", Leaf::list(targets));
                });
            });
        }
    });
    w.container("afi-safis", |w| {
        for afi in Afi::ALL {
            w.entry("afi-safi", &[("afi-safi-name", identity(afi))], |w| {
                w.container("state", |w| w.leaf("afi-safi-name", identity(afi)));
                let name = match afi {
                    Afi::Ipv4Unicast => "ipv4-unicast",
                    Afi::Vpnv4Unicast => "l3vpn-ipv4-unicast",
                };
                w.container(name, |w| w.container("loc-rib", |w| routes(w, afi, paths)));
            });
        }
    });
}

fn attributes(w: &mut Writer<'_>, index: u64, path: &PathState) {
    w.entry("attr-set", &[("index", Leaf::Uint64(index))], |w| {
        w.container("state", |w| {
            w.leaf("index", index);
            w.leaf("origin", "IGP");
            w.leaf("next-hop", path.next_hop);
            w.leaf("local-pref", path.local_pref);
            w.leaf("originator-id", path.originator);
        });
        if !path.as_path.is_empty() {
            w.container("as-path", |w| {
                w.entry("as-segment", &[("index", Leaf::Uint(0))], |w| {
                    w.container("state", |w| {
                        w.leaf("type", Leaf::Ident("openconfig-rib-bgp-types:AS_SEQ"));
                        w.leaf("member", Leaf::list(path.as_path.iter().copied()));
                    });
                });
            });
        }
    });
}

fn routes(w: &mut Writer<'_>, afi: Afi, paths: &[PathState]) {
    w.container("routes", |w| {
        for (index, path) in paths.iter().enumerate().filter(|(_, path)| path.afi == afi) {
            let prefix = super::prefix(path.prefix, path.length);
            let origin = path
                .from
                .map_or_else(|| "LOCAL".to_owned(), |from| from.to_string());
            let mut keys = vec![
                ("prefix", Leaf::from(&prefix)),
                ("origin", Leaf::from(&origin)),
                ("path-id", Leaf::Uint(index as u64)),
            ];
            if let Some(rd) = &path.rd {
                keys.insert(0, ("route-distinguisher", Leaf::from(rd)));
            }
            w.entry("route", &keys, |w| {
                w.container("state", |w| {
                    for (name, value) in &keys {
                        w.leaf(name, value.clone());
                    }
                    w.leaf("attr-index", index as u64);
                    if !path.route_targets.is_empty() {
                        w.leaf("ext-community-index", index as u64);
                    }
                    w.leaf("valid-route", path.valid);
                    w.leaf("noctui-lab:best-path", path.best);
                    w.leaf_some("noctui-lab:label", path.label);
                });
            });
        }
    });
}
