//! One BGP neighbour: configuration, session state, timers, messages, address families and policies.

use super::bgp::identity;
use super::tree::{Leaf, Writer};
use super::{HIDDEN, ns};
use crate::lab::config::Afi;
use crate::lab::state::{
    AfiState, NeighborState, Notification, NotificationDirection, PolicyState, SessionState,
};
use std::net::Ipv4Addr;

pub(super) fn write(w: &mut Writer<'_>, peer: &NeighborState, cluster: Ipv4Addr, policies: &[PolicyState]) {
    w.entry(
        "neighbor",
        &[("neighbor-address", Leaf::from(peer.address))],
        |w| {
            w.pair(|w| configured(w, peer), |w| session(w, peer));
            w.container("timers", |w| timers(w, peer));
            w.container("transport", |w| transport(w, peer));
            w.container("route-reflector", |w| {
                let client = peer.afis.iter().any(|afi| afi.rr_client);
                w.pair(
                    |w| {
                        w.leaf("route-reflector-client", client);
                        if client {
                            w.leaf("route-reflector-cluster-id", cluster);
                        }
                    },
                    |_| {},
                );
            });
            w.container("apply-policy", |w| policy(w, &peer.afis, policies));
            w.container("afi-safis", |w| {
                peer.afis.iter().for_each(|afi| family(w, afi, policies));
            });
        },
    );
}

fn configured(w: &mut Writer<'_>, peer: &NeighborState) {
    w.leaf("neighbor-address", peer.address);
    w.leaf("enabled", !peer.shutdown);
    w.leaf("peer-as", peer.remote_as);
    w.leaf("local-as", peer.local_as);
    w.leaf(
        "peer-type",
        if peer.remote_as == peer.local_as {
            "INTERNAL"
        } else {
            "EXTERNAL"
        },
    );
    w.leaf_some("peer-group", peer.group.as_ref());
    if !peer.description.is_empty() {
        w.leaf("description", &peer.description);
    }
    if peer.authenticated {
        w.leaf("auth-password", HIDDEN);
    }
}

fn session(w: &mut Writer<'_>, peer: &NeighborState) {
    let history = &peer.history;
    w.leaf("session-state", peer.state.as_str());
    w.leaf("established-transitions", history.established_transitions);
    w.leaf_some("last-established", history.last_established_ms.map(ns));
    w.leaf("noctui-lab:last-state-change", ns(history.last_change_ms));
    w.leaf_some("noctui-lab:last-reset-reason", history.last_reset_reason.as_ref());
    w.leaf_some("noctui-lab:remote-router-id", peer.remote_router_id);
    let by = |direction| {
        history
            .last_notification
            .as_ref()
            .filter(|note| note.direction == direction)
    };
    w.container("messages", |w| {
        w.container("sent", |w| {
            w.leaf("noctui-lab:total", history.messages_sent);
            notification(w, by(NotificationDirection::Sent));
        });
        w.container("received", |w| {
            w.leaf("noctui-lab:total", history.messages_received);
            notification(w, by(NotificationDirection::Received));
        });
    });
}

fn notification(w: &mut Writer<'_>, note: Option<&Notification>) {
    let Some(note) = note else { return };
    w.leaf("last-notification-time", ns(note.at_ms));
    w.leaf("last-notification-error-code", Leaf::Ident(error_code(note.code)));
    w.leaf_some(
        "last-notification-error-subcode",
        error_subcode(note.code, note.subcode).map(Leaf::Ident),
    );
    w.leaf("noctui-lab:last-notification-text", &note.text);
}

/// RFC 4271 section 4.5 as `openconfig-bgp-errors` names it.
fn error_code(code: u8) -> &'static str {
    match code {
        1 => "openconfig-bgp-errors:MESSAGE_HEADER_ERROR",
        2 => "openconfig-bgp-errors:OPEN_MESSAGE_ERROR",
        3 => "openconfig-bgp-errors:UPDATE_MESSAGE_ERROR",
        4 => "openconfig-bgp-errors:HOLD_TIMER_EXPIRED",
        5 => "openconfig-bgp-errors:FINITE_STATE_MACHINE_ERROR",
        6 => "openconfig-bgp-errors:CEASE",
        _ => "openconfig-bgp-errors:BGP_ERROR_CODE",
    }
}

/// Subcodes of OPEN errors (RFC 4271 section 6.2) and of CEASE (RFC 4486).
fn error_subcode(code: u8, subcode: u8) -> Option<&'static str> {
    Some(match (code, subcode) {
        (2, 1) => "openconfig-bgp-errors:OPEN_UNSUPPORTED_VERSION",
        (2, 2) => "openconfig-bgp-errors:OPEN_BAD_PEER_AS",
        (2, 3) => "openconfig-bgp-errors:OPEN_BAD_BGP_ID",
        (2, 6) => "openconfig-bgp-errors:OPEN_UNACCEPTABLE_HOLD_TIME",
        (2, 7) => "openconfig-bgp-errors:OPEN_UNSUPPORTED_CAPABILITY",
        (6, 1) => "openconfig-bgp-errors:MAX_NUM_PREFIXES_REACHED",
        (6, 2) => "openconfig-bgp-errors:ADMIN_SHUTDOWN",
        (6, 3) => "openconfig-bgp-errors:PEER_DECONFIGURED",
        (6, 4) => "openconfig-bgp-errors:ADMIN_RESET",
        (6, 5) => "openconfig-bgp-errors:CONN_REJECTED",
        (6, 6) => "openconfig-bgp-errors:OTHER_CONFIG_CHANGE",
        (6, 7) => "openconfig-bgp-errors:CONN_COLLISION",
        (6, 8) => "openconfig-bgp-errors:OUT_OF_RESOURCES",
        _ => return None,
    })
}

fn timers(w: &mut Writer<'_>, peer: &NeighborState) {
    w.pair(
        |w| {
            w.leaf("hold-time", peer.timers.hold_s);
            w.leaf("keepalive-interval", peer.timers.keepalive_s);
        },
        |w| {
            if peer.state == SessionState::Established {
                w.leaf("negotiated-hold-time", peer.timers.hold_s);
            }
        },
    );
}

fn transport(w: &mut Writer<'_>, peer: &NeighborState) {
    w.pair(
        |w| w.leaf("local-address", peer.local_address),
        |w| w.leaf("remote-address", peer.address),
    );
}

/// Policies of the neighbour as a whole: those every family has in common, as IOS-XR shows them.
fn policy(w: &mut Writer<'_>, afis: &[AfiState], policies: &[PolicyState]) {
    let [only] = afis else { return };
    apply_policy(w, only, policies);
}

fn apply_policy(w: &mut Writer<'_>, afi: &AfiState, policies: &[PolicyState]) {
    let rejects = |name: &Option<String>| {
        name.as_ref()
            .and_then(|name| policies.iter().find(|policy| policy.name == *name))
            .map(|p| !p.accepts)
    };
    let default = |rejects: bool| if rejects { "REJECT_ROUTE" } else { "ACCEPT_ROUTE" };
    w.pair(
        |w| {
            if let Some(name) = &afi.import_policy {
                w.leaf("import-policy", Leaf::list([name]));
            }
            if let Some(name) = &afi.export_policy {
                w.leaf("export-policy", Leaf::list([name]));
            }
            w.leaf_some("default-import-policy", rejects(&afi.import_policy).map(default));
            w.leaf_some("default-export-policy", rejects(&afi.export_policy).map(default));
        },
        |_| {},
    );
}

fn family(w: &mut Writer<'_>, afi: &AfiState, policies: &[PolicyState]) {
    w.entry("afi-safi", &[("afi-safi-name", identity(afi.afi))], |w| {
        w.pair(
            |w| {
                w.leaf("afi-safi-name", identity(afi.afi));
                w.leaf("enabled", true);
                w.leaf("noctui-lab:route-reflector-client", afi.rr_client);
                w.leaf("noctui-lab:next-hop-self", afi.next_hop_self);
            },
            |w| {
                w.leaf("active", afi.active);
                w.container("prefixes", |w| {
                    w.leaf("received-pre-policy", Leaf::Uint(afi.received));
                    w.leaf("received", Leaf::Uint(afi.accepted));
                    w.leaf("sent", Leaf::Uint(afi.sent));
                    w.leaf("installed", Leaf::Uint(afi.installed));
                });
            },
        );
        w.container("apply-policy", |w| apply_policy(w, afi, policies));
        if let Some(limit) = afi.max_prefixes {
            let name = match afi.afi {
                Afi::Ipv4Unicast => "ipv4-unicast",
                Afi::Vpnv4Unicast => "l3vpn-ipv4-unicast",
            };
            w.container(name, |w| {
                w.container("prefix-limit", |w| prefix_limit(w, limit, afi.received))
            });
        }
    });
}

fn prefix_limit(w: &mut Writer<'_>, limit: u32, received: u64) {
    w.pair(
        |w| {
            w.leaf("max-prefixes", limit);
            w.leaf("prevent-teardown", false);
        },
        |w| w.leaf("prefix-limit-exceeded", received > u64::from(limit)),
    );
}
