//! `openconfig-isis`: the process - NET, level, authentication, overload, segment routing, levels.
//! Interfaces are in `isis_interface`, the link-state database in `isis_database`.

use super::tree::{Leaf, Writer};
use super::{HIDDEN, isis_database, isis_interface};
use crate::lab::config::Level;
use crate::lab::state::{DeviceState, IsisState};

pub(super) fn write(w: &mut Writer<'_>, device: &DeviceState, isis: &IsisState) {
    w.container("isis", |w| {
        w.container("global", |w| global(w, isis));
        w.container("levels", |w| {
            numbers(isis.level)
                .iter()
                .for_each(|number| level(w, isis, *number))
        });
        w.container("interfaces", |w| {
            for interface in &isis.interfaces {
                isis_interface::write(w, device, isis, interface);
            }
        });
    });
}

/// The levels a capability stands for.
pub(super) fn numbers(level: Level) -> &'static [u8] {
    match level {
        Level::L1 => &[1],
        Level::L2 => &[2],
        Level::L1L2 => &[1, 2],
    }
}

fn global(w: &mut Writer<'_>, isis: &IsisState) {
    w.pair(
        |w| {
            w.leaf("instance", &isis.instance);
            w.leaf("net", Leaf::list([&isis.net]));
            w.leaf("level-capability", isis.level.as_str());
            w.leaf("authentication-check", true);
        },
        |_| {},
    );
    w.container("lsp-bit", |w| {
        w.container("overload-bit", |w| {
            w.pair(|w| w.leaf("set-bit", isis.overload), |_| {})
        });
    });
    w.container("segment-routing", |w| {
        w.pair(|w| w.leaf("enabled", isis.sr_enabled), |_| {})
    });
    w.container("afi-safi", |w| {
        family(w, |w| w.pair(family_names, |w| w.leaf("enabled", true)));
    });
}

/// The one address family the lab runs, IPv4 unicast.
pub(super) fn family(w: &mut Writer<'_>, write: impl FnOnce(&mut Writer<'_>)) {
    let keys = [
        ("afi-name", Leaf::Ident("openconfig-isis-types:IPV4")),
        ("safi-name", Leaf::Ident("openconfig-isis-types:UNICAST")),
    ];
    w.entry("af", &keys, write);
}

/// Its key leaves inside `config` and `state`.
pub(super) fn family_names(w: &mut Writer<'_>) {
    w.leaf("afi-name", Leaf::Ident("openconfig-isis-types:IPV4"));
    w.leaf("safi-name", Leaf::Ident("openconfig-isis-types:UNICAST"));
}

fn level(w: &mut Writer<'_>, isis: &IsisState, number: u8) {
    w.entry("level", &[("level-number", Leaf::from(number))], |w| {
        w.pair(
            |w| {
                w.leaf("level-number", number);
                w.leaf("enabled", true);
            },
            |_| {},
        );
        w.container("authentication", |w| authentication(w, isis.authenticated));
        w.container("system-level-counters", |w| {
            w.container("state", |w| {
                w.leaf(
                    "auth-fails",
                    Leaf::Uint(isis.interfaces.iter().map(|i| i.auth_failures).sum()),
                );
                w.leaf("spf-runs", Leaf::Uint(isis.spf_runs));
            });
        });
        w.on_demand("link-state-database", |w| isis_database::write(w, &isis.lsps));
    });
}

/// Whether a key is set, and of which kind; the key itself is never shown.
pub(super) fn authentication(w: &mut Writer<'_>, enabled: bool) {
    w.pair(
        |w| {
            w.leaf("enabled", enabled);
            if enabled {
                w.leaf("auth-type", Leaf::Ident("openconfig-keychain-types:SIMPLE_KEY"));
                w.leaf("auth-mode", "MD5");
                w.leaf("auth-password", HIDDEN);
            }
        },
        |_| {},
    );
}
