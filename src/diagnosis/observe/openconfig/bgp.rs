//! `openconfig-bgp`: process, neighbours, address families, and lost paths of the table.

use std::collections::BTreeMap;

use super::super::cursor::{Cursor, Reads, local};
use crate::agent::model::Aspect;
use crate::diagnosis::network::{Afi, Bgp, DeviceFacts, LostPath, Neighbor};

pub fn read(device: &mut DeviceFacts, vrf: &str, at: &Cursor<'_>) {
    device.seen.insert(Aspect::Bgp);
    if vrf.is_empty() {
        if at.is_real() {
            device.bgp.read = Some(at.citation());
        }
        if let Some(global) = at.child("global") {
            device.bgp.asn = global.leaf("as").cited_whole().or(device.bgp.asn.take());
            device.bgp.router_id = global
                .leaf("router-id")
                .cited_address()
                .or(device.bgp.router_id.take());
        }
        if let Some(rib) = at.child("rib") {
            lost_paths(&mut device.bgp, &rib);
        }
    }
    for entry in at.list("neighbors/neighbor") {
        let address = entry
            .child("neighbor-address")
            .or_else(|| entry.leaf("neighbor-address"));
        let Some(address) = address.and_then(|c| c.text()) else {
            continue;
        };
        neighbour(device.bgp.neighbor_mut(vrf, &address), &entry);
    }
}

fn neighbour(neighbor: &mut Neighbor, entry: &Cursor<'_>) {
    if let Some(state) = entry.leaf("session-state").cited_text() {
        neighbor.state = Some(state.with(local(&state.value).to_ascii_uppercase()));
    }
    neighbor.remote_as = entry.leaf("peer-as").cited_whole().or(neighbor.remote_as.take());
    neighbor.local_as = entry.leaf("local-as").cited_whole().or(neighbor.local_as.take());
    neighbor.enabled = entry.leaf("enabled").cited_flag().or(neighbor.enabled.take());
    neighbor.group = entry.leaf("peer-group").cited_text().or(neighbor.group.take());
    neighbor.description = entry
        .leaf("description")
        .cited_text()
        .or(neighbor.description.take());
    neighbor.transitions = entry
        .leaf("established-transitions")
        .cited_whole()
        .or(neighbor.transitions.take());
    neighbor.last_established = entry
        .leaf("last-established")
        .cited_time()
        .or(neighbor.last_established.take());
    let container = entry
        .child("config")
        .or_else(|| entry.child("state"))
        .filter(|c| c.is_real());
    if let Some(container) = container {
        neighbor.authenticated = Some(match container.child("auth-password") {
            Some(password) => password.fact(true),
            None => {
                let mut fact = container.fact(false);
                fact.citation = container.lacks("auth-password");
                fact
            }
        });
    }
    reasons(neighbor, entry);
    let client = entry
        .child("route-reflector")
        .and_then(|r| r.leaf("route-reflector-client"))
        .cited_flag();
    let whole = entry.child("apply-policy").and_then(|p| p.leaf("import-policy"));
    let listed = entry.find("afi-safis/afi-safi").filter(Cursor::is_real);
    neighbor.families = listed.map(|l| l.citation()).or(neighbor.families.take());
    for family in entry.list("afi-safis/afi-safi") {
        let name = family
            .child("afi-safi-name")
            .or_else(|| family.leaf("afi-safi-name"))
            .and_then(|c| c.text());
        let Some(name) = name else { continue };
        let afi = neighbor
            .afis
            .entry(local(&name).to_ascii_lowercase())
            .or_default();
        address_family(afi, &family);
        afi.rr_client = family
            .leaf("route-reflector-client")
            .cited_flag()
            .or_else(|| client.clone());
        if afi.import_policy.is_none() {
            afi.import_policy = whole.as_ref().and_then(Cursor::first).cited_text();
        }
    }
}

fn reasons(neighbor: &mut Neighbor, entry: &Cursor<'_>) {
    let mut reasons = Vec::new();
    let state = entry.child("state");
    let last = state.as_ref().and_then(|s| s.child("last-reset-reason"));
    reasons.extend(last.cited_text());
    for direction in ["sent", "received"] {
        let at = state
            .as_ref()
            .and_then(|s| s.find(&format!("messages/{direction}")));
        for leaf in [
            "last-notification-text",
            "last-notification-error-subcode",
            "last-notification-error-code",
        ] {
            reasons.extend(at.as_ref().and_then(|a| a.child(leaf)).cited_text());
        }
    }
    if state.is_some_and(|s| s.is_real()) {
        neighbor.reasons = reasons;
    }
}

fn address_family(afi: &mut Afi, family: &Cursor<'_>) {
    afi.enabled = family.leaf("enabled").cited_flag().or(afi.enabled.take());
    afi.active = family.leaf("active").cited_flag().or(afi.active.take());
    afi.next_hop_self = family
        .leaf("next-hop-self")
        .cited_flag()
        .or(afi.next_hop_self.take());
    if let Some(prefixes) = family.leaf("prefixes") {
        afi.received = prefixes
            .child("received-pre-policy")
            .cited_whole()
            .or(afi.received.take());
        afi.accepted = prefixes.child("received").cited_whole().or(afi.accepted.take());
        afi.installed = prefixes.child("installed").cited_whole().or(afi.installed.take());
        afi.sent = prefixes.child("sent").cited_whole().or(afi.sent.take());
    }
    let policy = family.child("apply-policy").and_then(|p| p.leaf("import-policy"));
    afi.import_policy = policy
        .and_then(|p| p.first())
        .cited_text()
        .or(afi.import_policy.take());
    for container in ["ipv4-unicast", "l3vpn-ipv4-unicast", "prefix-limit"] {
        let at = family.child(container);
        let limit = at.as_ref().and_then(|c| c.child("prefix-limit")).or(at);
        if let Some(max) = limit.and_then(|l| l.leaf("max-prefixes")).cited_whole() {
            afi.max_prefixes = Some(max);
        }
    }
}

/// Paths whose next hop does not resolve, at most a few a next hop: they are symptoms, not an inventory.
fn lost_paths(bgp: &mut Bgp, rib: &Cursor<'_>) {
    const KEPT: usize = 3;
    let mut hops: BTreeMap<u64, String> = BTreeMap::new();
    for set in rib.list("attr-sets/attr-set") {
        let index = set
            .child("index")
            .or_else(|| set.leaf("index"))
            .and_then(|c| c.whole());
        if let (Some(index), Some(hop)) = (index, set.leaf("next-hop").and_then(|c| c.text())) {
            hops.insert(index, hop);
        }
    }
    bgp.lost.clear();
    let mut kept: BTreeMap<String, usize> = BTreeMap::new();
    for family in rib.list("afi-safis/afi-safi") {
        for table in ["ipv4-unicast", "l3vpn-ipv4-unicast"] {
            for route in family.list(&format!("{table}/loc-rib/routes/route")) {
                let Some(valid) = route.leaf("valid-route").filter(|v| v.flag() == Some(false)) else {
                    continue;
                };
                let hop = route
                    .leaf("attr-index")
                    .and_then(|c| c.whole())
                    .and_then(|i| hops.get(&i));
                let Some(hop) = hop else { continue };
                let count = kept.entry(hop.clone()).or_default();
                *count += 1;
                if *count > KEPT {
                    continue;
                }
                let text = |leaf: &str| route.leaf(leaf).and_then(|c| c.text());
                bgp.lost.push(valid.fact(LostPath {
                    prefix: text("prefix").unwrap_or_default(),
                    next_hop: hop.clone(),
                    from: text("origin").filter(|o| o != "LOCAL"),
                }));
            }
        }
    }
}
