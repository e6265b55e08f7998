//! Whether a drawn case is worth asking: every fault in it shows, none hides behind another, the query tells nothing.

use super::breakage::Breakage;
use crate::lab::fault::Fault;
use crate::lab::network::Network;
use crate::lab::scenario::{FAULT_TYPES, Predicate};
use crate::lab::{Lab, NetworkState};

/// Start of the labs that cases are tried on; any time would do.
const EPOCH_MS: i64 = 1_795_305_600_000;
const SEED: u64 = 7;

/// True when the case is sound.
pub(super) fn is_sound(network: &Network, query: &str, broken: &[Breakage], extra: &[Fault]) -> bool {
    tells_nothing(query) && is_apart(network, broken) && shows(network, broken, extra).unwrap_or(false)
}

/// No fault type is named, with underscores or as words.
fn tells_nothing(query: &str) -> bool {
    let lower = query.to_lowercase();
    FAULT_TYPES
        .iter()
        .all(|name| !lower.contains(name) && !lower.contains(&name.replace('_', " ")))
}

/// Faults of one case neither share a place nor sit on a router that another makes unreadable or restarts.
fn is_apart(network: &Network, broken: &[Breakage]) -> bool {
    for (n, one) in broken.iter().enumerate() {
        for other in &broken[n + 1..] {
            if places(network, one)
                .iter()
                .any(|p| places(network, other).contains(p))
            {
                return false;
            }
            let shared = one.causes.iter().any(|c| {
                other.causes.iter().any(|d| {
                    c.resource == d.resource || spoils(&c.fault_type) && touches(&c.resource, &d.resource)
                })
            });
            let spoilt = other.causes.iter().any(|d| {
                spoils(&d.fault_type) && one.causes.iter().any(|c| touches(&d.resource, &c.resource))
            });
            if shared || spoilt {
                return false;
            }
        }
    }
    true
}

/// Links a breakage is about, each by its first end; ports of a bundle stand for the bundle too.
fn places(network: &Network, breakage: &Breakage) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for fault in &breakage.faults {
        let (Some(id), Some(port)) = (network.id(&fault.device), &fault.interface) else {
            continue;
        };
        let bundle = network.devices[id]
            .config
            .interface(port)
            .and_then(|i| i.member_of.clone());
        for port in std::iter::once(port.clone()).chain(bundle) {
            let ends = network
                .cables
                .iter()
                .map(|c| (&c.a, &c.b))
                .chain(network.links.iter().map(|l| (&l.a, &l.b)));
            let is = |end: &crate::lab::network::End| end.device == id && end.interface == port;
            let first = ends
                .into_iter()
                .find(|(a, b)| is(a) || is(b))
                .map_or((id, port.clone()), |(a, _)| (a.device, a.interface.clone()));
            all.push((network.devices[first.0].name.clone(), first.1));
        }
    }
    all
}

/// After this the router can't be read, or its history begins anew.
fn spoils(fault_type: &str) -> bool {
    matches!(fault_type, "node_down" | "mgmt_unreachable" | "unexpected_reload")
}

/// The resource is on the router, or next to it.
fn touches(node: &str, resource: &str) -> bool {
    let name = node.trim_start_matches("node/");
    resource
        .split(['/', ':'])
        .flat_map(|part| part.split("--"))
        .any(|part| part == name)
}

/// All evidence holds, and some of each breakage's only because of it.
fn shows(network: &Network, broken: &[Breakage], extra: &[Fault]) -> Option<bool> {
    let whole = state(network, broken.iter(), extra)?;
    for (n, one) in broken.iter().enumerate() {
        let evidence: Vec<Predicate> = one
            .evidence
            .iter()
            .map(|text| Predicate::parse(text).ok())
            .collect::<Option<_>>()?;
        if !evidence.iter().all(|p| p.holds(&whole)) {
            return Some(false);
        }
        let others = broken.iter().enumerate().filter(|(m, _)| *m != n).map(|(_, b)| b);
        let without = state(network, others, extra)?;
        if evidence.iter().all(|p| p.holds(&without)) {
            return Some(false);
        }
    }
    if broken.is_empty() {
        return state(network, std::iter::empty(), extra).map(|_| true);
    }
    Some(true)
}

fn state<'b>(
    network: &Network,
    broken: impl Iterator<Item = &'b Breakage>,
    extra: &[Fault],
) -> Option<std::sync::Arc<NetworkState>> {
    let mut lab = Lab::new(network.clone(), SEED, EPOCH_MS);
    for fault in broken.flat_map(|b| &b.faults).chain(extra) {
        lab.inject(fault.clone()).ok()?;
    }
    Some(lab.snapshot(EPOCH_MS))
}
