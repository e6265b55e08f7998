//! The table of fault operations, and how a [`Fault`] is checked against it and a network.

use super::condition::{Change, Edit, Interval};
use super::error::nearest;
use super::{Fault, FaultError, edits, events};
use crate::lab::network::{DeviceId, Network};

/// What an operation does.
#[derive(Clone, Copy)]
pub enum OpKind {
    /// Changes a leaf of the configuration.
    Edit(Edit),
    /// Makes a condition hold.
    Event(fn(&EventContext<'_>) -> Result<Vec<Interval>, FaultError>),
}

/// One operation.
#[derive(Clone, Copy)]
pub struct Op {
    /// Dotted name.
    pub name: &'static str,
    /// One line for people.
    pub doc: &'static str,
    /// Fields it needs, beside `op` and `device`.
    pub needs: &'static [&'static str],
    /// Fields it may have, beside `at_s` and `for_s`.
    pub may: &'static [&'static str],
    pub kind: OpKind,
}

/// What an event is made from.
pub struct EventContext<'a> {
    pub network: &'a Network,
    pub device: DeviceId,
    pub fault: &'a Fault,
    /// Start, unix ms.
    pub from_ms: i64,
    /// End, unix ms.
    pub until_ms: Option<i64>,
}

const fn edit(
    name: &'static str,
    needs: &'static [&'static str],
    may: &'static [&'static str],
    f: Edit,
    doc: &'static str,
) -> Op {
    Op {
        name,
        doc,
        needs,
        may,
        kind: OpKind::Edit(f),
    }
}

const fn event(
    name: &'static str,
    needs: &'static [&'static str],
    may: &'static [&'static str],
    f: fn(&EventContext<'_>) -> Result<Vec<Interval>, FaultError>,
    doc: &'static str,
) -> Op {
    Op {
        name,
        doc,
        needs,
        may,
        kind: OpKind::Event(f),
    }
}

const IF: &[&str] = &["interface", "value"];
const NBR: &[&str] = &["neighbor", "value"];
const VRF: &[&str] = &["vrf", "value"];
const CALLS: &[&str] = &["from_call", "calls"];

/// Every operation there is.
#[rustfmt::skip]
pub const OPS: &[Op] = &[
    edit("interface.enabled", IF, &[], edits::interface_enabled, "bool: no shutdown"),
    edit("interface.description", IF, &[], edits::interface_description, "string: description"),
    edit("interface.mtu", IF, &[], edits::interface_mtu, "bytes: layer-2 MTU"),
    edit("interface.vrf", IF, &[], edits::interface_vrf, "VRF the interface is in; \"\" is the default VRF"),
    edit("interface.bundle", IF, &[], edits::interface_bundle, "bundle a port is a member of; \"\" takes it out"),
    edit("interface.min_links", IF, &[], edits::interface_min_links, "members a bundle needs to be up"),
    edit("isis.net", &["value"], &[], edits::isis_net, "network entity title"),
    edit("isis.level", &["value"], &["interface"], edits::isis_level, "1, 2 or 12; of the process, or the circuit type of an interface"),
    edit("isis.auth", &["value"], &["interface"], edits::isis_auth, "key; \"\" removes it; of the process, or of one interface"),
    edit("isis.passive", IF, &[], edits::isis_passive, "bool: passive interface"),
    edit("isis.metric", IF, &[], edits::isis_metric, "metric, 1-16777214"),
    edit("isis.hello_padding", IF, &[], edits::isis_hello_padding, "bool: pad hellos to the MTU"),
    edit("isis.overload", &["value"], &[], edits::isis_overload, "bool: overload bit"),
    edit("isis.loopback_advertised", &["value"], &[], edits::isis_loopback, "bool: Loopback0 is in the process"),
    edit("sr.enabled", &["value"], &[], edits::sr_enabled, "bool: segment routing"),
    edit("sr.srgb", &["value"], &[], edits::sr_srgb, "[first, last]: global block"),
    edit("sr.prefix_sid", &["value"], &[], edits::sr_prefix_sid, "index of Loopback0, or \"none\""),
    edit("mpls.interface", IF, &[], edits::mpls_interface, "bool: MPLS forwarding on an interface"),
    edit("bgp.neighbor.remote_as", NBR, &["vrf"], edits::bgp_remote_as, "AS number expected of the neighbour"),
    edit("bgp.neighbor.password", NBR, &["vrf"], edits::bgp_password, "TCP MD5 password; \"\" removes it"),
    edit("bgp.neighbor.shutdown", NBR, &["vrf"], edits::bgp_shutdown, "bool: shut the session"),
    edit("bgp.neighbor.description", NBR, &["vrf"], edits::bgp_description, "string: description"),
    edit("bgp.neighbor.hold_time", NBR, &["vrf"], edits::bgp_hold_time, "seconds"),
    edit("bgp.neighbor.afi", &["neighbor", "afi", "value"], &["vrf"], edits::bgp_afi, "bool: an address family of the neighbour"),
    edit("bgp.neighbor.max_prefix", NBR, &["vrf", "afi"], edits::bgp_max_prefix, "prefixes taken before the session is closed"),
    edit("bgp.neighbor.rr_client", NBR, &["afi"], edits::bgp_rr_client, "bool: route-reflector client"),
    edit("bgp.neighbor.next_hop_self", NBR, &["afi"], edits::bgp_next_hop_self, "bool: next-hop-self"),
    edit("bgp.neighbor.import_policy", NBR, &["vrf", "afi"], edits::bgp_import_policy, "policy for routes in; \"\" removes it"),
    edit("bgp.neighbor.export_policy", NBR, &["vrf", "afi"], edits::bgp_export_policy, "policy for routes out; \"\" removes it"),
    edit("policy.accept", &["text", "value"], &[], edits::policy_accept, "bool: the policy named in text accepts routes"),
    edit("vrf.rd", VRF, &[], edits::vrf_rd, "route distinguisher"),
    edit("vrf.import_rt", VRF, &[], edits::vrf_import, "list of route targets imported"),
    edit("vrf.export_rt", VRF, &[], edits::vrf_export, "list of route targets exported"),
    edit("vrf.redistribute_connected", VRF, &[], edits::vrf_redistribute, "bool: connected routes into BGP"),
    edit("ntp.servers", &["value"], &[], edits::ntp_servers, "list of server addresses"),
    edit("system.banner", &["value"], &[], edits::system_banner, "login banner"),
    event("link.carrier_loss", &["interface"], &["text"], events::carrier_loss, "no carrier; text = \"both\" ends (default) or \"local\""),
    event("link.bit_errors", &["interface", "rate"], &[], events::bit_errors, "frames with bad FCS arrive here, per second"),
    event("link.congestion", &["interface", "rate"], &[], events::congestion, "output drops here, per second"),
    event("link.flap_train", &["interface", "count", "window_s"], &[], events::flap_train, "the link goes down and up count times in window_s"),
    event("bgp.session_flap", &["neighbor", "count", "window_s"], &["vrf"], events::session_flap, "the hold timer runs out count times in window_s"),
    event("node.down", &[], &["text"], events::node_down, "the device is dark"),
    event("node.management_down", &[], &[], events::management_down, "forwards, but its management address does not answer"),
    event("node.reload", &[], &["text", "window_s"], events::reload, "boots; text is the reason, window_s how long it takes (180)"),
    event("node.process_hog", &[], &["text", "value"], events::process_hog, "process text (bgp) eats value percent (92) of the CPU"),
    event("node.clock_skew", &["value"], &[], events::clock_skew, "clock off by value seconds, NTP lost"),
    event("node.config_inconsistency", &[], &[], events::config_inconsistency, "configuration inconsistency alarm"),
    event("sr.srgb_pending", &[], &[], events::srgb_pending, "the configured SRGB is not allocated"),
    event("edge.down", &["neighbor"], &["vrf"], events::edge_down, "the router beyond an eBGP session is silent"),
    event("edge.prefixes", &["neighbor", "count"], &["vrf"], events::edge_prefixes, "it announces count more prefixes"),
    event("log.line", &["text"], &["value"], events::log_line, "the device logs text, with mnemonic value"),
    event("tool.delay", &["value"], CALLS, events::tool_delay, "answers to tools come value ms late"),
    event("tool.error", &["text"], CALLS, events::tool_error, "tools get gRPC status text, e.g. UNAVAILABLE"),
    event("tool.truncate", &["value"], CALLS, events::tool_truncate, "answers end after value bytes"),
    event("tool.hang", &[], CALLS, events::tool_hang, "calls are never answered"),
    event("tool.reset", &[], CALLS, events::tool_reset, "the connection is closed in the middle"),
    event("tool.oversize", &["value"], CALLS, events::tool_oversize, "answers carry an extra value of so many bytes"),
];

impl Op {
    fn fields(&self) -> String {
        let mut all: Vec<String> = self.needs.iter().map(|f| (*f).to_string()).collect();
        all.extend(self.may.iter().map(|f| format!("[{f}]")));
        if all.is_empty() {
            "only op, device, at_s, for_s".into()
        } else {
            all.join(", ")
        }
    }
}

impl Fault {
    /// The operation's row.
    ///
    /// # Errors
    /// [`FaultError::UnknownOp`] with the nearest name.
    pub fn operation(&self) -> Result<&'static Op, FaultError> {
        OPS.iter()
            .find(|op| op.name == self.op)
            .ok_or_else(|| FaultError::UnknownOp {
                op: self.op.clone(),
                hint: nearest(&self.op, OPS.iter().map(|op| op.name)),
            })
    }

    /// Checks the fault against a network and turns it into intervals, `at_s` counted from `epoch_ms`.
    ///
    /// # Errors
    /// [`FaultError`] naming operation, device and field.
    pub fn compile(&self, network: &Network, epoch_ms: i64) -> Result<Vec<Interval>, FaultError> {
        let op = self.operation()?;
        let device = network
            .id(&self.device)
            .ok_or_else(|| FaultError::UnknownDevice {
                op: self.op.clone(),
                device: self.device.clone(),
                hint: nearest(&self.device, network.names()),
            })?;
        self.check_fields(op)?;
        let from_ms = epoch_ms + self.at_s * 1_000;
        let until_ms = self.for_s.map(|s| from_ms + s.max(1) * 1_000);
        match op.kind {
            OpKind::Edit(edit) => {
                let mut trial = (*network.devices[device].config).clone();
                edit(&mut trial, self)?;
                Ok(vec![Interval {
                    from_ms,
                    until_ms,
                    device,
                    change: Change::Edit {
                        edit,
                        fault: Box::new(self.clone()),
                    },
                }])
            }
            OpKind::Event(make) => make(&EventContext {
                network,
                device,
                fault: self,
                from_ms,
                until_ms,
            }),
        }
    }

    fn check_fields(&self, op: &Op) -> Result<(), FaultError> {
        let given = [
            ("interface", self.interface.is_some()),
            ("neighbor", self.neighbor.is_some()),
            ("vrf", self.vrf.is_some()),
            ("afi", self.afi.is_some()),
            ("value", self.value.is_some()),
            ("count", self.count.is_some()),
            ("rate", self.rate.is_some()),
            ("window_s", self.window_s.is_some()),
            ("text", self.text.is_some()),
            ("from_call", self.from_call.is_some()),
            ("calls", self.calls.is_some()),
        ];
        for (field, present) in given {
            let (op_name, device, fields) = (self.op.clone(), self.device.clone(), op.fields());
            if op.needs.contains(&field) && !present {
                return Err(FaultError::MissingField {
                    op: op_name,
                    device,
                    field,
                    fields,
                });
            }
            if present && !op.needs.contains(&field) && !op.may.contains(&field) {
                return Err(FaultError::StrayField {
                    op: op_name,
                    device,
                    field,
                    fields,
                });
            }
        }
        Ok(())
    }

    /// An error about a value of this fault.
    pub(super) fn bad(&self, field: &'static str, got: impl ToString, expected: &str) -> FaultError {
        FaultError::BadValue {
            op: self.op.clone(),
            device: self.device.clone(),
            field,
            got: got.to_string(),
            expected: expected.to_string(),
        }
    }

    /// An error about a name this fault uses.
    pub(super) fn unknown<'a>(
        &self,
        field: &'static str,
        name: &str,
        known: impl Iterator<Item = &'a str>,
    ) -> FaultError {
        FaultError::UnknownName {
            op: self.op.clone(),
            device: self.device.clone(),
            field,
            name: name.to_string(),
            hint: nearest(name, known),
        }
    }
}
