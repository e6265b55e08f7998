//! `openconfig-isis`: process, interfaces, adjacencies, link-state database.

use super::super::cursor::{Cursor, Reads, local};
use crate::agent::model::Aspect;
use crate::diagnosis::cited::Cited;
use crate::diagnosis::network::{Adjacency, DeviceFacts, IsisInterface, Level, PrefixSid};

pub fn read(device: &mut DeviceFacts, at: &Cursor<'_>) {
    device.seen.insert(Aspect::Isis);
    if let Some(global) = at.child("global") {
        process(device, &global);
    }
    for level in at.list("levels/level") {
        if let Some(on) = level
            .child("authentication")
            .and_then(|a| a.leaf("enabled"))
            .cited_flag()
        {
            device.isis.authenticated = Some(on);
        }
        for lsp in level.list("link-state-database/lsp") {
            database(device, &lsp);
        }
    }
    let Some(interfaces) = at.child("interfaces") else {
        return;
    };
    if interfaces.is_real() {
        device.isis.read = Some(interfaces.citation());
        device.isis.listed = Some(interfaces.citation());
    }
    for entry in interfaces.list("interface") {
        let id = entry
            .child("interface-id")
            .or_else(|| entry.leaf("interface-id"))
            .and_then(|c| c.text());
        let Some(name) = id else { continue };
        let mut interface = device.isis.interfaces.remove(&name).unwrap_or_default();
        circuit(&mut interface, &entry);
        device.isis.interfaces.insert(name.clone(), interface);
        prefix_sid(device, &name, &entry);
    }
}

fn process(device: &mut DeviceFacts, global: &Cursor<'_>) {
    let isis = &mut device.isis;
    if isis.read.is_none() && global.is_real() {
        isis.read = Some(global.citation());
    }
    if let Some(net) = global.leaf("net").and_then(|n| n.first()) {
        isis.net = Some(net).cited_text();
    }
    if let Some(level) = global.leaf("level-capability").cited_text() {
        isis.level = Level::parse(&level.value)
            .map(|l| level.with(l))
            .or(isis.level.take());
    }
    let overload = global
        .find("lsp-bit/overload-bit")
        .and_then(|o| o.leaf("set-bit"));
    isis.overload = overload.cited_flag().or(isis.overload.take());
    let sr = global.child("segment-routing").and_then(|s| s.leaf("enabled"));
    isis.segment_routing = sr.cited_flag().or(isis.segment_routing.take());
    if let Some(sr) = &isis.segment_routing {
        device.labels.segment_routing = Some(sr.clone());
        device.seen.insert(Aspect::SegmentRouting);
    }
}

fn circuit(interface: &mut IsisInterface, entry: &Cursor<'_>) {
    interface.enabled = entry.leaf("enabled").cited_flag().or(interface.enabled.take());
    interface.passive = entry.leaf("passive").cited_flag().or(interface.passive.take());
    if let Some(padding) = entry.leaf("hello-padding").cited_text() {
        interface.padding = Some(padding.with(local(&padding.value) != "DISABLE"));
    }
    let auth = entry.child("authentication").and_then(|a| a.leaf("enabled"));
    interface.authenticated = auth.cited_flag().or(interface.authenticated.take());
    if let Some(counters) = entry.child("circuit-counters") {
        interface.auth_failures = counters
            .leaf("auth-fails")
            .cited_whole()
            .or(interface.auth_failures.take());
        interface.rejected = counters
            .leaf("rejected-adj")
            .cited_whole()
            .or(interface.rejected.take());
    }
    let Some(levels) = entry.child("levels") else {
        return;
    };
    let listed = levels.list("level");
    let mut numbers: Vec<(u64, Cited<()>)> = Vec::new();
    interface.adjacencies.clear();
    let mut place = None;
    for level in &listed {
        let number = level.child("level-number").or_else(|| level.leaf("level-number"));
        let on = level.leaf("enabled").and_then(|e| e.flag()).unwrap_or(true);
        if let Some((n, at)) = number.as_ref().and_then(|c| Some((c.whole()?, c)))
            && on
        {
            numbers.push((n, at.fact(())));
        }
        for af in level.list("afi-safi/af") {
            interface.metric = af.leaf("metric").cited_whole().or(interface.metric.take());
        }
        match level.child("adjacencies") {
            Some(adjacencies) => {
                place = Some(
                    adjacencies
                        .child("adjacency")
                        .unwrap_or(adjacencies.clone())
                        .citation(),
                );
                for adjacency in adjacencies.list("adjacency") {
                    interface.adjacencies.extend(neighbour(&adjacency));
                }
            }
            None => place = place.or_else(|| Some(level.lacks("adjacencies"))),
        }
    }
    if listed.is_empty() {
        place = Some(levels.citation());
    }
    interface.listed = place;
    let level = match numbers.as_slice() {
        [] => None,
        [(1, _)] => Some(Level::L1),
        [(2, _)] => Some(Level::L2),
        _ => Some(Level::L12),
    };
    if let (Some(level), Some((_, at))) = (level, numbers.first()) {
        interface.level = Some(at.with(level));
    }
}

fn neighbour(adjacency: &Cursor<'_>) -> Option<Cited<Adjacency>> {
    let id = adjacency
        .child("system-id")
        .or_else(|| adjacency.leaf("system-id"))?;
    let state = adjacency.leaf("adjacency-state")?;
    let up = local(&state.text()?).eq_ignore_ascii_case("up");
    let level = adjacency
        .leaf("adjacency-type")
        .and_then(|t| Level::parse(&t.text()?));
    Some(state.fact(Adjacency {
        system_id: id.text()?,
        up,
        level,
    }))
}

fn prefix_sid(device: &mut DeviceFacts, name: &str, entry: &Cursor<'_>) {
    if !name.to_ascii_lowercase().starts_with("lo") {
        return;
    }
    let mut found = None;
    let mut place = None;
    for af in entry
        .list("levels/level")
        .iter()
        .flat_map(|l| l.list("afi-safi/af"))
    {
        place = Some(af.lacks("segment-routing"));
        for sid in af.list("segment-routing/prefix-sids/prefix-sid") {
            let prefix = sid
                .child("prefix")
                .or_else(|| sid.leaf("prefix"))
                .and_then(|c| c.text());
            if let (Some(prefix), Some(id)) = (prefix, sid.leaf("sid-id").cited_whole()) {
                found = Some(id.with(PrefixSid {
                    prefix,
                    index: id.value,
                }));
            }
        }
    }
    match (found, place) {
        (Some(sid), _) => {
            device.labels.prefix_sid = Some(sid);
            device.labels.no_prefix_sid = None;
        }
        (None, Some(place)) => {
            device.labels.prefix_sid = None;
            device.labels.no_prefix_sid = Some(place);
        }
        (None, None) => {}
    }
}

fn database(device: &mut DeviceFacts, entry: &Cursor<'_>) {
    let Some(id) = entry
        .child("lsp-id")
        .or_else(|| entry.leaf("lsp-id"))
        .and_then(|c| c.text())
    else {
        return;
    };
    let system = id.split_once(".00-").map_or(id.as_str(), |(s, _)| s).to_owned();
    let lsp = device.isis.lsps.entry(system).or_default();
    lsp.overload = None;
    lsp.prefixes.clear();
    for flag in entry.leaf("flags").map(|f| f.entries()).unwrap_or_default() {
        if flag.text().is_some_and(|t| local(&t) == "OVERLOAD") {
            lsp.overload = Some(flag.fact(true));
        }
    }
    for tlv in entry.list("tlvs/tlv") {
        for prefix in tlv.list("extended-ipv4-reachability/prefixes/prefix") {
            lsp.prefixes.extend(
                prefix
                    .child("prefix")
                    .or_else(|| prefix.leaf("prefix"))
                    .cited_text(),
            );
        }
    }
}
