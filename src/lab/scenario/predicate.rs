//! Predicates on shown state: the small language of `required_evidence`.
//!
//! `DEVICE SUBJECT LEAF OP VALUE`, e.g. `xrd-1 bgp neighbor 100.100.100.107 state != ESTABLISHED`. Operators: `==`
//! `!=` `>` `<` `contains`. Subjects and leaves are in [`Predicate::value`]; `docs/lab.md` lists them.

use std::net::Ipv4Addr;

use crate::lab::NetworkState;
use crate::lab::config::Afi;
use crate::lab::state::{DeviceState, InterfaceState, NeighborState};

/// How much of the log a predicate looks at, milliseconds.
const LOG_WINDOW_MS: i64 = 86_400_000;

/// A predicate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Predicate {
    pub device: String,
    /// Words between device and operator.
    pub subject: Vec<String>,
    pub op: Op,
    pub value: String,
}

/// A comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    Equal,
    Unequal,
    Greater,
    Less,
    Contains,
}

/// Text that is no predicate.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PredicateError {
    #[error("no operator in it (==, !=, >, <, contains)")]
    NoOperator,
    #[error("it lacks a device, a subject or a value")]
    Incomplete,
}

impl Predicate {
    /// Parses a predicate.
    ///
    /// # Errors
    /// [`PredicateError`].
    pub fn parse(text: &str) -> Result<Self, PredicateError> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let operator = |w: &str| match w {
            "==" => Some(Op::Equal),
            "!=" => Some(Op::Unequal),
            ">" => Some(Op::Greater),
            "<" => Some(Op::Less),
            "contains" => Some(Op::Contains),
            _ => None,
        };
        let (at, op) = words
            .iter()
            .enumerate()
            .find_map(|(n, w)| Some((n, operator(w)?)))
            .ok_or(PredicateError::NoOperator)?;
        if at < 2 || at + 1 >= words.len() {
            return Err(PredicateError::Incomplete);
        }
        Ok(Self {
            device: words[0].to_string(),
            subject: words[1..at].iter().map(|w| (*w).to_string()).collect(),
            op,
            value: words[at + 1..].join(" "),
        })
    }

    /// What the state shows for the subject; `None` when there is no such thing.
    pub fn shown(&self, state: &NetworkState) -> Option<String> {
        let words: Vec<&str> = self.subject.iter().map(String::as_str).collect();
        if words == ["log"] {
            let lines = state.logs(&self.device, state.now_ms - LOG_WINDOW_MS);
            return Some(
                lines
                    .iter()
                    .map(crate::lab::state::LogLine::render)
                    .collect::<Vec<_>>()
                    .join("\n"),
            );
        }
        value(&*state.device(&self.device)?, &words)
    }

    /// Whether it holds. What does not exist equals nothing and differs from everything.
    pub fn holds(&self, state: &NetworkState) -> bool {
        let shown = self.shown(state);
        let numbers = || {
            Some((
                shown.as_ref()?.parse::<f64>().ok()?,
                self.value.parse::<f64>().ok()?,
            ))
        };
        match self.op {
            Op::Equal => shown.as_deref() == Some(self.value.as_str()),
            Op::Unequal => shown.as_deref() != Some(self.value.as_str()),
            Op::Greater => numbers().is_some_and(|(a, b)| a > b),
            Op::Less => numbers().is_some_and(|(a, b)| a < b),
            Op::Contains => shown.is_some_and(|text| text.contains(&self.value)),
        }
    }
}

fn value(device: &DeviceState, words: &[&str]) -> Option<String> {
    match words {
        ["bgp", "neighbor", address, rest @ ..] => neighbor(device, None, address.parse().ok()?, rest),
        ["vrf", vrf, "neighbor", address, rest @ ..] => {
            neighbor(device, Some(vrf), address.parse().ok()?, rest)
        }
        ["interface", name, leaf] => interface(device.interface(name)?, leaf),
        ["isis", "interface", name, leaf] => isis_interface(device, name, leaf),
        ["isis", leaf] => isis(device, leaf),
        ["sr", leaf] => segment_routing(device, leaf),
        ["mpls", "interface", name, "enabled"] => device
            .mpls
            .interfaces
            .iter()
            .find(|i| i.name == *name)
            .map(|i| i.enabled.to_string()),
        ["mpls", "unlabelled"] => {
            let broken = |e: &&crate::lab::state::LabelEntry| {
                e.operation == crate::lab::state::LabelOperation::Unlabelled
            };
            Some(device.mpls.entries.iter().filter(broken).count().to_string())
        }
        ["vrf", name, leaf] => vrf(device, name, leaf),
        ["route", prefix] => Some(
            device
                .routes
                .iter()
                .any(|r| format!("{}/{}", r.prefix, r.length) == *prefix)
                .to_string(),
        ),
        ["bgp", "invalid-paths"] => Some(
            device
                .bgp
                .as_ref()?
                .paths
                .iter()
                .filter(|p| !p.valid)
                .count()
                .to_string(),
        ),
        ["system", leaf] => system(device, leaf),
        ["management", "reachable"] => Some(device.management.reachable.to_string()),
        _ => None,
    }
}

fn neighbor(device: &DeviceState, vrf: Option<&str>, address: Ipv4Addr, words: &[&str]) -> Option<String> {
    let of = match vrf {
        None => &device.bgp.as_ref()?.neighbors,
        Some(name) => &device.vrf(name)?.neighbors,
    };
    let n: &NeighborState = of.iter().find(|n| n.address == address)?;
    let family = |name: &str| {
        let afi = if name == "ipv4" {
            Afi::Ipv4Unicast
        } else {
            Afi::Vpnv4Unicast
        };
        n.afis.iter().find(|a| a.afi == afi)
    };
    match words {
        ["state"] => Some(n.state.as_str().to_string()),
        ["remote-as"] => Some(n.remote_as.to_string()),
        ["shutdown"] => Some(n.shutdown.to_string()),
        ["authenticated"] => Some(n.authenticated.to_string()),
        ["transitions"] => Some(n.history.established_transitions.to_string()),
        ["reason"] => n.history.last_reset_reason.clone(),
        ["notification"] => n.history.last_notification.as_ref().map(|x| x.text.clone()),
        ["afi", name, "configured"] => Some(family(name).is_some().to_string()),
        ["afi", name, "active"] => Some(family(name).is_some_and(|a| a.active).to_string()),
        ["afi", name, "received"] => Some(family(name)?.received.to_string()),
        ["afi", name, "accepted"] => Some(family(name)?.accepted.to_string()),
        ["afi", name, "max-prefix"] => Some(family(name)?.max_prefixes?.to_string()),
        ["afi", name, "rr-client"] => Some(family(name)?.rr_client.to_string()),
        ["afi", name, "next-hop-self"] => Some(family(name)?.next_hop_self.to_string()),
        ["afi", name, "import-policy"] => family(name)?.import_policy.clone(),
        _ => None,
    }
}

fn status(up: bool) -> String {
    if up { "UP" } else { "DOWN" }.to_string()
}

fn interface(i: &InterfaceState, leaf: &str) -> Option<String> {
    Some(match leaf {
        "admin-status" => status(i.enabled),
        "oper-status" => status(i.oper_up),
        "mtu" => i.mtu.to_string(),
        "description" => i.description.clone(),
        "vrf" => i.vrf.clone().unwrap_or_else(|| "default".into()),
        "in-fcs-errors" => i.counters.in_fcs_errors.to_string(),
        "in-giants" => i.counters.in_giants.to_string(),
        "out-discards" => i.counters.out_discards.to_string(),
        "carrier-transitions" => i.carrier_transitions.to_string(),
        "active-members" => i.bundle.as_ref()?.active().to_string(),
        _ => return None,
    })
}

fn isis_interface(device: &DeviceState, name: &str, leaf: &str) -> Option<String> {
    let isis = device.isis.as_ref()?;
    if leaf == "adjacency" {
        return Some(status(isis.adjacencies.iter().any(|a| a.interface == name)));
    }
    let i = isis.interfaces.iter().find(|i| i.name == name)?;
    Some(match leaf {
        "passive" => i.passive.to_string(),
        "level" => i.level.as_str().to_string(),
        "metric" => i.metric.to_string(),
        "hello-padding" => i.hello_padding.to_string(),
        "auth-failures" => i.auth_failures.to_string(),
        _ => return None,
    })
}

fn isis(device: &DeviceState, leaf: &str) -> Option<String> {
    let isis = device.isis.as_ref()?;
    Some(match leaf {
        "net" => isis.net.clone(),
        "level" => isis.level.as_str().to_string(),
        "overload" => isis.overload.to_string(),
        "adjacencies" => isis.adjacencies.len().to_string(),
        "loopback-advertised" => isis.interfaces.iter().any(|i| i.name == "Loopback0").to_string(),
        _ => return None,
    })
}

fn segment_routing(device: &DeviceState, leaf: &str) -> Option<String> {
    let sr = &device.sr;
    let block = |(lo, hi): (u32, u32)| format!("{lo}-{hi}");
    Some(match leaf {
        "enabled" => sr.enabled.to_string(),
        "srgb" => block(sr.srgb.configured),
        "srgb-allocated" => sr.srgb.allocated.map_or_else(|| "none".into(), block),
        "prefix-sid" => sr
            .prefix_sid
            .map_or_else(|| "none".into(), |s| s.index.to_string()),
        "prefix-sid-label" => sr
            .prefix_sid
            .and_then(|s| s.label)
            .map_or_else(|| "none".into(), |l| l.to_string()),
        "prefix-sid-conflict" => sr.prefix_sid.is_some_and(|s| s.conflict).to_string(),
        _ => return None,
    })
}

fn vrf(device: &DeviceState, name: &str, leaf: &str) -> Option<String> {
    let vrf = device.vrf(name)?;
    Some(match leaf {
        "rd" => vrf.rd.clone(),
        "import-rt" => vrf.import_targets.join(","),
        "export-rt" => vrf.export_targets.join(","),
        "redistribute-connected" => vrf.redistribute_connected.to_string(),
        "interfaces" => vrf
            .interfaces
            .iter()
            .map(|i| i.name.as_str())
            .collect::<Vec<_>>()
            .join(","),
        "remote-routes" => vrf
            .routes
            .iter()
            .filter(|r| r.source == "bgp-vpn")
            .count()
            .to_string(),
        "unlabelled-routes" => vrf.routes.iter().filter(|r| !r.labelled).count().to_string(),
        _ => return None,
    })
}

fn system(device: &DeviceState, leaf: &str) -> Option<String> {
    let s = &device.system;
    Some(match leaf {
        "uptime-s" => ((device.now_ms - s.boot_ms) / 1_000).to_string(),
        "clock-offset-s" => ((s.clock_ms - device.now_ms) / 1_000).to_string(),
        "ntp-synchronised" => s.ntp.synchronised.to_string(),
        "cpu-percent" => s.cpu_percent.to_string(),
        "busiest-process" => s.processes.first()?.name.clone(),
        "alarms" => s
            .alarms
            .iter()
            .map(|a| a.id.as_str())
            .collect::<Vec<_>>()
            .join(","),
        "reload-reason" => s.last_reload_reason.clone(),
        _ => return None,
    })
}
