//! The IS-IS link-state database: per LSP its host name, flags, neighbours, prefixes, SRGB and prefix-SID.
//! As it grows with the network it is answered only to a path that names it.

use super::tree::{Leaf, Writer};
use crate::lab::state::LspState;

pub(super) fn write(w: &mut Writer<'_>, lsps: &[LspState]) {
    for lsp in lsps {
        let id = format!("{}.00-00", lsp.system_id);
        w.entry("lsp", &[("lsp-id", Leaf::from(&id))], |w| {
            w.container("state", |w| {
                w.leaf("lsp-id", &id);
                if lsp.overload {
                    w.leaf("flags", Leaf::list(["OVERLOAD"]));
                }
            });
            w.container("tlvs", |w| tlvs(w, lsp));
        });
    }
}

fn tlv(w: &mut Writer<'_>, identity: &'static str, write: impl FnOnce(&mut Writer<'_>)) {
    w.entry("tlv", &[("type", Leaf::Ident(identity))], write);
}

fn tlvs(w: &mut Writer<'_>, lsp: &LspState) {
    tlv(w, "openconfig-isis-lsdb-types:DYNAMIC_NAME", |w| {
        w.container("hostname", |w| {
            w.container("state", |w| w.leaf("hostname", Leaf::list([&lsp.hostname])));
        });
    });
    tlv(w, "openconfig-isis-lsdb-types:EXTENDED_IS_REACHABILITY", |w| {
        w.container("extended-is-reachability", |w| {
            w.container("neighbors", |w| neighbors(w, lsp))
        });
    });
    tlv(w, "openconfig-isis-lsdb-types:EXTENDED_IPV4_REACHABILITY", |w| {
        w.container("extended-ipv4-reachability", |w| {
            w.container("prefixes", |w| prefixes(w, lsp))
        });
    });
    let Some((base, size)) = lsp.srgb else { return };
    tlv(w, "openconfig-isis-lsdb-types:ROUTER_CAPABILITY", |w| {
        w.container("router-capabilities", |w| {
            w.entry("capability", &[("instance-number", Leaf::Uint(0))], |w| {
                w.container("state", |w| {
                    w.leaf("instance-number", 0_u32);
                    w.leaf("noctui-lab:srgb-base", base);
                    w.leaf("noctui-lab:srgb-size", size);
                    w.leaf_some("noctui-lab:prefix-sid-index", lsp.prefix_sid);
                });
            });
        });
    });
}

fn neighbors(w: &mut Writer<'_>, lsp: &LspState) {
    for (instance, (system_id, metric)) in lsp.neighbors.iter().enumerate() {
        // Parallel links are further instances of one neighbour; each is its own row here.
        w.entry("neighbor", &[("system-id", Leaf::from(system_id))], |w| {
            w.container("state", |w| w.leaf("system-id", system_id));
            w.container("instances", |w| {
                w.entry("instance", &[("id", Leaf::Uint64(instance as u64))], |w| {
                    w.container("state", |w| {
                        w.leaf("id", instance as u64);
                        w.leaf("metric", *metric);
                    });
                });
            });
        });
    }
}

fn prefixes(w: &mut Writer<'_>, lsp: &LspState) {
    for (address, length, metric) in &lsp.prefixes {
        let prefix = super::prefix(*address, *length);
        w.entry("prefix", &[("prefix", Leaf::from(&prefix))], |w| {
            w.container("state", |w| {
                w.leaf("prefix", &prefix);
                w.leaf("metric", *metric);
            });
        });
    }
}
