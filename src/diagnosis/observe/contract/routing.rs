//! `get_routing_info`: BGP and IS-IS, in detail or as summaries.

use super::super::cursor::{Cursor, Reads, local};
use super::summary::Lines;
use crate::agent::model::{Aspect, Claim};
use crate::diagnosis::network::{Adjacency, DeviceFacts, Level, Neighbor};

pub fn read(device: &mut DeviceFacts, at: &Cursor<'_>) {
    for row in at.entries() {
        let protocol = row
            .member("protocol")
            .and_then(|p| p.text())
            .unwrap_or_default()
            .to_ascii_lowercase();
        let detail = row
            .member("detailed_data")
            .filter(|d| d.value().as_object().is_some_and(|o| !o.is_empty()));
        let summary = row.member("summary").as_ref().and_then(Lines::of);
        match (protocol.as_str(), detail, summary) {
            ("bgp", Some(detail), _) => bgp(device, &detail),
            ("bgp", None, Some(lines)) => bgp_summary(device, &row, &lines),
            ("isis", Some(detail), _) => isis(device, &detail),
            ("isis", None, Some(lines)) => isis_summary(device, &row, &lines),
            _ => {}
        }
    }
}

fn bgp(device: &mut DeviceFacts, at: &Cursor<'_>) {
    device.seen.insert(Aspect::Bgp);
    device.bgp.read = Some(at.citation());
    if let Some(router) = at.member("router") {
        device.bgp.asn = router.member("as_number").cited_whole().or(device.bgp.asn.take());
        device.bgp.router_id = router
            .member("router_id")
            .cited_address()
            .or(device.bgp.router_id.take());
    }
    neighbours(device, "", at);
    for vrf in at.member("vrfs").map(|v| v.entries()).unwrap_or_default() {
        if let Some(name) = vrf.member("name").and_then(|n| n.text()) {
            neighbours(device, &name, &vrf);
        }
    }
}

fn neighbours(device: &mut DeviceFacts, vrf: &str, at: &Cursor<'_>) {
    let asn = device.bgp.asn.clone();
    for row in at.member("neighbors").map(|n| n.entries()).unwrap_or_default() {
        let Some(address) = row.member("address").and_then(|a| a.text()) else {
            continue;
        };
        let neighbor = device.bgp.neighbor_mut(vrf, &address);
        one(neighbor, &row);
        if neighbor.local_as.is_none() {
            neighbor.local_as = asn.clone();
        }
    }
}

fn one(neighbor: &mut Neighbor, row: &Cursor<'_>) {
    if let Some(state) = row.member("state").cited_text() {
        neighbor.state = Some(state.with(state.value.to_ascii_uppercase()));
    }
    neighbor.remote_as = row
        .member("remote_as")
        .cited_whole()
        .or(neighbor.remote_as.take());
    neighbor.group = row.member("group").cited_text().or(neighbor.group.take());
    neighbor.description = row
        .member("description")
        .cited_text()
        .or(neighbor.description.take());
    neighbor.enabled = row.member("enabled").cited_flag().or(neighbor.enabled.take());
    for (family, counts) in row.member("prefixes").map(|p| p.members()).unwrap_or_default() {
        let afi = neighbor.afis.entry(family.to_ascii_lowercase()).or_default();
        afi.accepted = counts.member("received").cited_whole().or(afi.accepted.take());
        afi.sent = counts.member("sent").cited_whole().or(afi.sent.take());
        afi.received = counts
            .member("received_pre_policy")
            .cited_whole()
            .or(afi.received.take());
        afi.installed = counts.member("installed").cited_whole().or(afi.installed.take());
    }
}

/// `  * 100.100.100.108 (AS: 100, Group: RR, State: ESTABLISHED)`, below a VRF with a deeper indent.
fn bgp_summary(device: &mut DeviceFacts, row: &Cursor<'_>, lines: &Lines<'_>) {
    device.seen.insert(Aspect::Bgp);
    if let Some(summary) = row.member("summary") {
        device.bgp.read = Some(summary.cite(Claim::Present));
    }
    if let Some(line) = lines.value("AS Number:") {
        device.bgp.asn = line
            .value
            .parse()
            .ok()
            .map(|n| line.with(n))
            .or(device.bgp.asn.take());
    }
    if let Some(line) = lines.value("Router ID:") {
        device.bgp.router_id = line
            .value
            .parse()
            .ok()
            .map(|n| line.with(n))
            .or(device.bgp.router_id.take());
    }
    let asn = device.bgp.asn.clone();
    let mut vrf = String::new();
    let mut last: Option<(String, String)> = None;
    for line in lines.all() {
        let text = line.trim();
        if let Some((name, _)) = text.strip_prefix("* ").and_then(|t| t.split_once(" - AS:")) {
            vrf = name.to_owned();
            continue;
        }
        let inner = text
            .strip_prefix("* ")
            .and_then(|t| t.strip_suffix(')')?.split_once(" ("));
        if let Some((address, inner)) = inner.filter(|(a, i)| a.contains('.') && i.contains("State: ")) {
            let neighbor = device.bgp.neighbor_mut(&vrf, address);
            for part in inner.split(", ") {
                match part.split_once(": ") {
                    Some(("AS", n)) => neighbor.remote_as = n.parse().ok().map(|n| lines.fact(line, n)),
                    Some(("Group", g)) => neighbor.group = Some(lines.fact(line, g.to_owned())),
                    Some(("State", s)) => neighbor.state = Some(lines.fact(line, s.to_ascii_uppercase())),
                    _ => {}
                }
            }
            neighbor.local_as = asn.clone();
            last = Some((vrf.clone(), address.to_owned()));
        } else if let (Some((vrf, address)), Some(rest)) = (&last, text.strip_prefix("- ")) {
            let neighbor = device.bgp.neighbor_mut(vrf, address);
            if rest.starts_with("Administratively shut down") {
                neighbor.enabled = Some(lines.fact(line, false));
            } else if let Some((family, counts)) = rest.split_once(": received ") {
                let afi = neighbor.afis.entry(family.to_owned()).or_default();
                let mut numbers = counts.split(", sent ");
                let mut next = || {
                    numbers
                        .next()
                        .and_then(|n| n.parse().ok())
                        .map(|n| lines.fact(line, n))
                };
                afi.accepted = next();
                afi.sent = next();
            }
        }
    }
}

fn isis(device: &mut DeviceFacts, at: &Cursor<'_>) {
    device.seen.insert(Aspect::Isis);
    let isis = &mut device.isis;
    isis.read = Some(at.citation());
    isis.net = at.member("net").cited_text().or(isis.net.take());
    if let Some(level) = at.member("level_capability").cited_text() {
        isis.level = Level::parse(&level.value)
            .map(|l| level.with(l))
            .or(isis.level.take());
    }
    isis.segment_routing = at
        .member("segment_routing_enabled")
        .cited_flag()
        .or(isis.segment_routing.take());
    device.labels.segment_routing = isis
        .segment_routing
        .clone()
        .or(device.labels.segment_routing.take());
    let interfaces = at.member("interfaces");
    isis.listed = interfaces.as_ref().map(|i| i.cite(Claim::Present));
    for row in interfaces.map(|i| i.entries()).unwrap_or_default() {
        let Some(name) = row.member("name").and_then(|n| n.text()) else {
            continue;
        };
        let interface = isis.interface_mut(&name);
        interface.enabled = row.member("enabled").cited_flag();
        interface.passive = row.member("passive").cited_flag();
        interface.authenticated = row.member("authentication_enabled").cited_flag();
        interface.adjacencies.clear();
        let numbers: Vec<_> = row.member("levels").map(|l| l.entries()).unwrap_or_default();
        let numbers: Vec<_> = numbers.iter().filter_map(|l| l.member("level_number")).collect();
        let level = match numbers
            .iter()
            .filter_map(Cursor::whole)
            .collect::<Vec<_>>()
            .as_slice()
        {
            [] => None,
            [1] => Some(Level::L1),
            [2] => Some(Level::L2),
            _ => Some(Level::L12),
        };
        interface.level = level.zip(numbers.first()).map(|(level, at)| at.fact(level));
        // The list of all adjacencies is the only place that shows the absence of one.
        interface.listed = Some(match at.member("adjacencies") {
            Some(all) if all.value().as_array().is_some_and(Vec::is_empty) => all.cite(Claim::Absent),
            _ => row.citation(),
        });
    }
    for row in at.member("adjacencies").map(|a| a.entries()).unwrap_or_default() {
        let text = |key: &str| row.member(key).and_then(|c| c.text());
        let (Some(interface), Some(system_id), Some(state)) =
            (text("interface"), text("system_id"), row.member("state"))
        else {
            continue;
        };
        let up = state.text().is_some_and(|s| local(&s).eq_ignore_ascii_case("up"));
        let level = text("adjacency_type").and_then(|t| Level::parse(&t));
        let adjacency = state.fact(Adjacency { system_id, up, level });
        isis.interface_mut(&interface).adjacencies.push(adjacency);
    }
}

/// `  GigabitEthernet0/0/0/0: Enabled, Active`, then `  IF -> system-id (address)` with the state below.
fn isis_summary(device: &mut DeviceFacts, row: &Cursor<'_>, lines: &Lines<'_>) {
    device.seen.insert(Aspect::Isis);
    let isis = &mut device.isis;
    if let Some(summary) = row.member("summary") {
        isis.read = Some(summary.cite(Claim::Present));
        isis.listed = Some(summary.cite(Claim::Present));
    }
    isis.net = lines.value("Network Entity Title (NET):").or(isis.net.take());
    if let Some(level) = lines.value("Level Capability:") {
        isis.level = Level::parse(&level.value)
            .map(|l| level.with(l))
            .or(isis.level.take());
    }
    if let Some(sr) = lines.value("Segment Routing:") {
        isis.segment_routing = Some(sr.with(sr.value.starts_with("Enabled")));
        device.labels.segment_routing = isis.segment_routing.clone();
    }
    let mut pending: Option<(String, String)> = None;
    for line in lines.all() {
        let text = line.trim();
        if let Some((interface, rest)) = text.split_once(" -> ") {
            pending = Some((
                interface.to_owned(),
                rest.split(' ').next().unwrap_or_default().to_owned(),
            ));
        } else if let (Some((interface, system_id)), Some(rest)) = (&pending, text.strip_prefix("Level: ")) {
            let up = rest.ends_with("State: UP");
            let level = rest.split(',').next().and_then(Level::parse);
            let adjacency = Adjacency {
                system_id: system_id.clone(),
                up,
                level,
            };
            let fact = lines.fact(&format!("{interface} -> {system_id}"), adjacency);
            isis.interface_mut(interface).adjacencies.push(fact);
            pending = None;
        } else if let Some((name, flags)) = text.split_once(": ") {
            let mut flags = flags.split(", ");
            if let (Some(enabled @ ("Enabled" | "Disabled")), Some(mode @ ("Passive" | "Active"))) =
                (flags.next(), flags.next())
            {
                let interface = isis.interface_mut(name);
                interface.enabled = Some(lines.fact(line, enabled == "Enabled"));
                interface.passive = Some(lines.fact(line, mode == "Passive"));
                interface.adjacencies.clear();
                interface.listed = Some(lines.fact(line, ()).citation);
            }
        }
    }
}
