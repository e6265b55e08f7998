//! Events: one function an operation, from a checked fault to the intervals in which a condition holds.

use super::condition::{Change, Condition, Interval};
use super::ops::EventContext;
use super::{FaultError, Trouble, TroubleKind};
use crate::lab::config::InterfaceKind;
use crate::lab::network::End;

type Made = Result<Vec<Interval>, FaultError>;

/// Time a reload takes unless said otherwise, seconds.
const BOOT_S: i64 = 180;
/// Share of a process hog unless said otherwise, percent.
const HOG_PERCENT: f64 = 92.0;
/// gRPC status names (grpc.io, status codes).
const CODES: [&str; 16] = [
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
];

impl EventContext<'_> {
    fn one(&self, condition: Condition) -> Vec<Interval> {
        vec![self.span(self.from_ms, self.until_ms, condition)]
    }

    fn span(&self, from_ms: i64, until_ms: Option<i64>, condition: Condition) -> Interval {
        Interval {
            from_ms,
            until_ms,
            device: self.device,
            change: Change::Condition(condition),
        }
    }

    /// The port named; a bundle stands for its first member.
    fn port(&self) -> Result<End, FaultError> {
        let config = &self.network.devices[self.device].config;
        let name = self.fault.interface.as_deref().unwrap_or_default();
        let ports = || {
            config
                .interfaces
                .iter()
                .filter(|i| i.kind == InterfaceKind::Ethernet)
        };
        match config.interface(name) {
            Some(found) if found.kind == InterfaceKind::Ethernet => Ok(End {
                device: self.device,
                interface: name.to_string(),
            }),
            Some(found) if found.kind == InterfaceKind::Bundle => ports()
                .find(|i| i.member_of.as_deref() == Some(name))
                .map(|i| End {
                    device: self.device,
                    interface: i.name.clone(),
                })
                .ok_or_else(|| self.fault.bad("interface", name, "a bundle with members")),
            Some(_) => Err(self.fault.bad("interface", name, "a physical port or a bundle")),
            None => Err(self.fault.unknown(
                "interface",
                name,
                config.interfaces.iter().map(|i| i.name.as_str()),
            )),
        }
    }

    fn rate(&self) -> Result<f64, FaultError> {
        self.fault
            .rate
            .filter(|r| *r > 0.0 && r.is_finite())
            .ok_or_else(|| {
                self.fault.bad(
                    "rate",
                    self.fault.rate.unwrap_or_default(),
                    "a number per second above 0",
                )
            })
    }

    /// Address of the neighbour after a check that the device has it.
    fn session(&self) -> Result<(std::net::Ipv4Addr, Option<String>), FaultError> {
        let address = self.fault.neighbor_address()?;
        let config = &self.network.devices[self.device].config;
        let vrf = self.fault.vrf.clone();
        if config.neighbor(vrf.as_deref(), address).is_none() {
            let known: Vec<String> = config
                .bgp
                .iter()
                .flat_map(|b| b.neighbors.keys())
                .chain(config.vrfs.values().flat_map(|v| v.neighbors.keys()))
                .map(ToString::to_string)
                .collect();
            return Err(self.fault.unknown(
                "neighbor",
                &address.to_string(),
                known.iter().map(String::as_str),
            ));
        }
        Ok((address, vrf))
    }

    /// `count` intervals spread over `window_s`, each `percent` of its slot long (at most `longest_ms`).
    fn train(&self, percent: i64, longest_ms: i64, condition: &Condition) -> Made {
        let count = i64::from(self.fault.count.unwrap_or(0));
        let window_ms = self.fault.window_s.unwrap_or(0) * 1_000;
        if !(1..=500).contains(&count) {
            return Err(self.fault.bad("count", count, "1 to 500"));
        }
        if window_ms < count * 2_000 {
            return Err(self
                .fault
                .bad("window_s", window_ms / 1_000, "at least 2 seconds a flap"));
        }
        let slot = window_ms / count;
        let down = (slot * percent / 100).clamp(1_000, longest_ms);
        let starts = (0..count).map(|n| self.from_ms + n * slot);
        Ok(starts
            .map(|from| self.span(from, Some(from + down), condition.clone()))
            .collect())
    }

    fn trouble(&self, kind: TroubleKind) -> Vec<Interval> {
        let from_call = self.fault.from_call.unwrap_or(1).max(1);
        self.one(Condition::Tool(Trouble {
            kind,
            from_call,
            calls: self.fault.calls,
        }))
    }

    fn size(&self) -> Result<u64, FaultError> {
        Ok(u64::from(self.fault.number(0, 1_000_000_000)?))
    }
}

pub(super) fn carrier_loss(context: &EventContext<'_>) -> Made {
    let both = match context.fault.text.as_deref() {
        None | Some("both") => true,
        Some("local") => false,
        Some(other) => {
            return Err(context
                .fault
                .bad("text", format!("\"{other}\""), "\"both\" or \"local\""));
        }
    };
    Ok(context.one(Condition::CarrierLoss {
        end: context.port()?,
        both,
    }))
}

pub(super) fn bit_errors(context: &EventContext<'_>) -> Made {
    Ok(context.one(Condition::BitErrors {
        end: context.port()?,
        rate: context.rate()?,
    }))
}

pub(super) fn congestion(context: &EventContext<'_>) -> Made {
    Ok(context.one(Condition::Congestion {
        end: context.port()?,
        rate: context.rate()?,
    }))
}

pub(super) fn flap_train(context: &EventContext<'_>) -> Made {
    let condition = Condition::CarrierLoss {
        end: context.port()?,
        both: true,
    };
    context.train(30, 20_000, &condition)
}

pub(super) fn session_flap(context: &EventContext<'_>) -> Made {
    let (neighbor, vrf) = context.session()?;
    context.train(20, 15_000, &Condition::SessionDrop { neighbor, vrf })
}

pub(super) fn node_down(context: &EventContext<'_>) -> Made {
    let reason = context.fault.text.clone().unwrap_or_else(|| "Power cycle".into());
    Ok(context.one(Condition::NodeDown { reason }))
}

pub(super) fn management_down(context: &EventContext<'_>) -> Made {
    Ok(context.one(Condition::ManagementDown))
}

pub(super) fn reload(context: &EventContext<'_>) -> Made {
    let reason = context
        .fault
        .text
        .clone()
        .unwrap_or_else(|| "Kernel panic - CPU stuck".into());
    let until = context.from_ms + context.fault.window_s.unwrap_or(BOOT_S).max(1) * 1_000;
    Ok(vec![context.span(
        context.from_ms,
        Some(until),
        Condition::NodeDown { reason },
    )])
}

pub(super) fn process_hog(context: &EventContext<'_>) -> Made {
    let percent = match &context.fault.value {
        None => HOG_PERCENT,
        Some(_) => f64::from(context.fault.number(1, 100)?),
    };
    let process = context.fault.text.clone().unwrap_or_else(|| "bgp".into());
    Ok(context.one(Condition::ProcessHog { process, percent }))
}

pub(super) fn clock_skew(context: &EventContext<'_>) -> Made {
    let seconds = context
        .fault
        .value
        .as_ref()
        .and_then(toml::Value::as_integer)
        .filter(|s| *s != 0 && s.abs() < 400_000_000);
    let seconds = seconds.ok_or_else(|| {
        context
            .fault
            .bad("value", context.fault.shown(), "seconds, not 0")
    })?;
    Ok(context.one(Condition::ClockSkew { ms: seconds * 1_000 }))
}

pub(super) fn config_inconsistency(context: &EventContext<'_>) -> Made {
    Ok(context.one(Condition::ConfigInconsistency))
}

pub(super) fn srgb_pending(context: &EventContext<'_>) -> Made {
    Ok(context.one(Condition::SrgbPending))
}

pub(super) fn edge_down(context: &EventContext<'_>) -> Made {
    let (neighbor, vrf) = edge(context)?;
    Ok(context.one(Condition::EdgeDown { neighbor, vrf }))
}

pub(super) fn edge_prefixes(context: &EventContext<'_>) -> Made {
    let (neighbor, vrf) = edge(context)?;
    let count = context.fault.count.unwrap_or(0);
    if !(1..=10_000).contains(&count) {
        return Err(context.fault.bad("count", count, "1 to 10000"));
    }
    Ok(context.one(Condition::EdgePrefixes { neighbor, vrf, count }))
}

fn edge(context: &EventContext<'_>) -> Result<(std::net::Ipv4Addr, Option<String>), FaultError> {
    let (neighbor, vrf) = context.session()?;
    if context.network.by_loopback(neighbor).is_some() {
        return Err(context.fault.bad("neighbor", neighbor, "an eBGP neighbour"));
    }
    Ok((neighbor, vrf))
}

pub(super) fn log_line(context: &EventContext<'_>) -> Made {
    let mnemonic = match &context.fault.value {
        None => "MGBL-SYS-6-MESSAGE".to_string(),
        Some(v) => v
            .as_str()
            .map(str::to_string)
            .ok_or_else(|| context.fault.bad("value", context.fault.shown(), "a mnemonic"))?,
    };
    let text = context.fault.text.clone().unwrap_or_default();
    Ok(context.one(Condition::Log { mnemonic, text }))
}

pub(super) fn tool_delay(context: &EventContext<'_>) -> Made {
    Ok(context.trouble(TroubleKind::Delay { ms: context.size()? }))
}

pub(super) fn tool_error(context: &EventContext<'_>) -> Made {
    let code = context.fault.text.clone().unwrap_or_default();
    if !CODES.contains(&code.as_str()) {
        return Err(context.fault.unknown("gRPC status", &code, CODES.into_iter()));
    }
    let message = format!(
        "{}: {}",
        context.fault.device,
        code.to_ascii_lowercase().replace('_', " ")
    );
    Ok(context.trouble(TroubleKind::Error { code, message }))
}

pub(super) fn tool_truncate(context: &EventContext<'_>) -> Made {
    let bytes = usize::try_from(context.size()?).unwrap_or(0);
    Ok(context.trouble(TroubleKind::Truncate { bytes }))
}

pub(super) fn tool_hang(context: &EventContext<'_>) -> Made {
    Ok(context.trouble(TroubleKind::Hang))
}

pub(super) fn tool_reset(context: &EventContext<'_>) -> Made {
    Ok(context.trouble(TroubleKind::Reset))
}

pub(super) fn tool_oversize(context: &EventContext<'_>) -> Made {
    let bytes = usize::try_from(context.size()?).unwrap_or(0);
    Ok(context.trouble(TroubleKind::Oversize { bytes }))
}
