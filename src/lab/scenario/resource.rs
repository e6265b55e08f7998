//! Resource ids and the closed list of fault types, as scenario files write them.

use std::net::Ipv4Addr;

use crate::lab::network::Network;

/// Every fault type there is.
#[rustfmt::skip]
pub const FAULT_TYPES: [&str; 44] = [
    "link_admin_down", "link_down", "fcs_errors", "congestion_drops", "link_flap", "mtu_mismatch", "mtu_blackhole",
    "lag_member_down",
    "isis_auth_mismatch", "isis_level_mismatch", "isis_duplicate_system_id", "isis_overload_stuck",
    "isis_passive_interface", "isis_metric_misconfig", "loopback_not_advertised",
    "srgb_mismatch", "prefix_sid_duplicate", "prefix_sid_missing", "sr_disabled", "mpls_disabled_interface",
    "sid_out_of_srgb", "srgb_alloc_pending",
    "bgp_remote_as_wrong", "bgp_auth_mismatch", "bgp_admin_shutdown", "bgp_max_prefix", "rr_client_flag_missing",
    "afi_not_active", "import_policy_drops_all", "next_hop_unreachable", "bgp_flap_holdtimer",
    "rt_import_missing", "rt_export_mismatch", "rd_duplicate", "vrf_wrong_interface", "pe_ce_bgp_down",
    "redistribute_connected_missing", "rt_leak",
    "mgmt_unreachable", "node_down", "clock_skew", "unexpected_reload", "config_inconsistency", "process_hog",
];

/// A thing that can be at fault.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Resource {
    Node(String),
    Interface(String, String),
    /// Two ends, sorted.
    Link([(String, String); 2]),
    /// Device and neighbour address.
    Session(String, String),
    Vrf(String, String),
}

impl Resource {
    /// Parses `node/N`, `interface/N/IF`, `link/N:IF--N:IF`, `session/N--PEER`, `vrf/N/NAME`.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn parse(text: &str) -> Result<Self, String> {
        let bad = || format!("\"{text}\" is no resource");
        let (kind, rest) = text.split_once('/').ok_or_else(bad)?;
        let pair = |text: &str, by: &str| {
            text.split_once(by)
                .map(|(a, b)| (a.to_string(), b.to_string()))
                .ok_or_else(bad)
        };
        match kind {
            "node" => Ok(Self::Node(rest.to_string())),
            "interface" => pair(rest, "/").map(|(n, i)| Self::Interface(n, i)),
            "session" => pair(rest, "--").map(|(n, p)| Self::Session(n, p)),
            "vrf" => pair(rest, "/").map(|(n, v)| Self::Vrf(n, v)),
            "link" => {
                let (a, b) = pair(rest, "--")?;
                if a > b {
                    return Err(format!("\"{text}\": ends are not sorted"));
                }
                Ok(Self::Link([pair(&a, ":")?, pair(&b, ":")?]))
            }
            _ => Err(bad()),
        }
    }

    /// Devices it belongs to.
    pub fn devices(&self) -> Vec<&str> {
        match self {
            Self::Node(n) | Self::Interface(n, _) | Self::Session(n, _) | Self::Vrf(n, _) => vec![n],
            Self::Link([a, b]) => vec![&a.0, &b.0],
        }
    }

    /// Checks that it exists.
    pub(super) fn check(&self, network: &Network) -> Result<(), String> {
        let config = |name: &str| {
            let id = network.id(name).ok_or_else(|| format!("no device \"{name}\""))?;
            Ok::<_, String>(&network.devices[id].config)
        };
        let interface = |n: &str, i: &str| {
            config(n)?
                .interface(i)
                .map(|_| ())
                .ok_or_else(|| format!("{n} has no interface \"{i}\""))
        };
        match self {
            Self::Node(n) => config(n).map(|_| ()),
            Self::Interface(n, i) => interface(n, i),
            Self::Vrf(n, v) => config(n)?
                .vrfs
                .get(v)
                .map(|_| ())
                .ok_or_else(|| format!("{n} has no VRF \"{v}\"")),
            Self::Session(n, p) => {
                let address: Ipv4Addr = p.parse().map_err(|_| format!("\"{p}\" is no address"))?;
                let config = config(n)?;
                let found = config.neighbor(None, address).is_some()
                    || config.vrfs.values().any(|v| v.neighbors.contains_key(&address));
                if found {
                    Ok(())
                } else {
                    Err(format!("{n} has no neighbour {p}"))
                }
            }
            Self::Link([a, b]) => {
                interface(&a.0, &a.1)?;
                interface(&b.0, &b.1)?;
                let same = |d: usize, i: &str, end: &(String, String)| {
                    network.devices[d].name == end.0 && i == end.1
                };
                let ends = network
                    .cables
                    .iter()
                    .map(|c| (&c.a, &c.b))
                    .chain(network.links.iter().map(|l| (&l.a, &l.b)));
                let joined = ends.into_iter().any(|(x, y)| {
                    let fits = |x: &crate::lab::network::End, y: &crate::lab::network::End| {
                        same(x.device, &x.interface, a) && same(y.device, &y.interface, b)
                    };
                    fits(x, y) || fits(y, x)
                });
                if joined {
                    Ok(())
                } else {
                    Err(format!("{}:{} and {}:{} are not linked", a.0, a.1, b.0, b.1))
                }
            }
        }
    }
}
