//! What a query wants: the runbook that fits best, and whether something is to be done or only found.

use super::words::words;
use crate::agent::model::{Entities, Role, Targets};

/// The runbook that fits best.
pub fn intent(text: &str, entities: &Entities, targets: &Targets) -> &'static str {
    let lower = text.to_ascii_lowercase();
    let list = words(&lower);
    let any = |these: &[&str]| list.iter().any(|w| these.contains(w));
    let review =
        any(&["review", "audit", "inspect"]) || lower.contains("how are") || lower.contains("how is");
    let bgp = any(&[
        "bgp",
        "neighbor",
        "neighbors",
        "neighbour",
        "neighbours",
        "peer",
        "peers",
        "peering",
        "session",
        "sessions",
        "ibgp",
        "ebgp",
    ]);
    let vpn =
        !entities.vrfs.is_empty() || any(&["vrf", "vrfs", "vpn", "vpns", "l3vpn", "customer", "customers"]);
    let labels = any(&[
        "mpls", "sr", "srgb", "label", "labels", "sid", "sids", "ldp", "segment", "lsp", "lsps", "sr-mpls",
    ]);
    let ports = !entities.interfaces.is_empty()
        || any(&[
            "interface",
            "interfaces",
            "link",
            "links",
            "port",
            "ports",
            "optic",
            "optics",
            "fiber",
            "fibre",
            "crc",
            "fcs",
            "bundle",
            "lag",
            "mtu",
            "circuit",
        ]);
    match targets {
        Targets::Roles(roles) if review || !(bgp || vpn || labels || ports) => match roles.as_slice() {
            [Role::Pe] => return "review_pe_device",
            [Role::P] => return "review_p_device",
            [Role::Rr] => return "review_rr_device",
            _ => {}
        },
        _ => {}
    }
    let role_word = |role: &str| {
        list.windows(2)
            .any(|w| w[0] == role && matches!(w[1], "device" | "router" | "node" | "devices" | "routers"))
    };
    match () {
        () if review && role_word("pe") => "review_pe_device",
        () if review && role_word("p") => "review_p_device",
        () if review && (role_word("rr") || lower.contains("route reflector")) => "review_rr_device",
        () if vpn && !(bgp && entities.vrfs.is_empty()) => "troubleshoot_vpn_vrf",
        () if bgp => "check_bgp_neighbors",
        () if labels => "check_mpls_state",
        () if ports => "check_interface_status",
        () => "general_device_health_check",
    }
}

/// The human asks for something to be done, not only found.
pub fn wants_change(text: &str) -> bool {
    const VERBS: [&str; 26] = [
        "fix",
        "repair",
        "resolve",
        "shut",
        "unshut",
        "enable",
        "disable",
        "configure",
        "reconfigure",
        "set",
        "reset",
        "clear",
        "restart",
        "reload",
        "reboot",
        "remove",
        "delete",
        "apply",
        "push",
        "commit",
        "bounce",
        "change",
        "drain",
        "undrain",
        "restore",
        "rollback",
    ];
    let lower = text.to_ascii_lowercase();
    let list = words(&lower);
    let bring = lower.contains("bring up")
        || lower.contains("bring it up")
        || lower.contains("bring back")
        || lower.contains("turn up");
    let ordered = list.iter().enumerate().any(|(at, word)| {
        let before = at.checked_sub(1).map_or("", |i| list[i]);
        let start = at == 0
            || matches!(
                before,
                "please" | "and" | "then" | "you" | "to" | "just" | "also" | "now" | "go"
            );
        start && VERBS.contains(word)
    });
    let asked_why = lower.starts_with("how to") || lower.contains("should i");
    (bring || ordered) && !asked_why
}
