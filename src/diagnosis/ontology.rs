//! The closed list of fault types and the names of the things that can be faulty.
//!
//! Shown to every reasoner in full, so it gives nothing away. A fault type outside this list does not
//! exist; a resource id is text with a fixed grammar, so it can be compared, sorted and stored.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

macro_rules! fault_types {
    ($($variant:ident $name:literal $meaning:literal),* $(,)?) => {
        /// What can be wrong.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum FaultType {
            $(#[doc = $meaning] #[serde(rename = $name)] $variant,)*
        }

        impl FaultType {
            /// Every fault type, in the order of the list.
            pub const ALL: &'static [FaultType] = &[$(FaultType::$variant),*];

            /// The name in the list.
            pub fn name(self) -> &'static str {
                match self { $(FaultType::$variant => $name),* }
            }

            /// What it means, for people.
            pub fn meaning(self) -> &'static str {
                match self { $(FaultType::$variant => $meaning),* }
            }
        }

        impl FromStr for FaultType {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                match text {
                    $($name => Ok(FaultType::$variant),)*
                    _ => Err(format!("\"{text}\" is not a fault type")),
                }
            }
        }
    };
}

fault_types! {
    LinkAdminDown "link_admin_down" "an interface is shut down by configuration",
    LinkDown "link_down" "a link has lost its carrier",
    FcsErrors "fcs_errors" "frames arrive damaged",
    CongestionDrops "congestion_drops" "an interface drops packets because its queue is full",
    LinkFlap "link_flap" "a link went down and up again and again",
    MtuMismatch "mtu_mismatch" "the two ends of a link disagree on the MTU",
    MtuBlackhole "mtu_blackhole" "large packets vanish: the MTU is too small for labelled traffic",
    LagMemberDown "lag_member_down" "a member of a bundle is down",
    IsisAuthMismatch "isis_auth_mismatch" "IS-IS authentication differs between two ends",
    IsisLevelMismatch "isis_level_mismatch" "IS-IS levels differ between two ends",
    IsisDuplicateSystemId "isis_duplicate_system_id" "two routers use the same IS-IS system id",
    IsisOverloadStuck "isis_overload_stuck" "the IS-IS overload bit stays set",
    IsisPassiveInterface "isis_passive_interface" "IS-IS is passive where an adjacency is expected",
    IsisMetricMisconfig "isis_metric_misconfig" "an IS-IS metric is out of line",
    LoopbackNotAdvertised "loopback_not_advertised" "a loopback is missing from IS-IS",
    SrgbMismatch "srgb_mismatch" "a router's SRGB differs from the others'",
    PrefixSidDuplicate "prefix_sid_duplicate" "two routers use the same prefix SID",
    PrefixSidMissing "prefix_sid_missing" "a loopback has no prefix SID",
    SrDisabled "sr_disabled" "segment routing is off",
    MplsDisabledInterface "mpls_disabled_interface" "MPLS is off on a core interface",
    SidOutOfSrgb "sid_out_of_srgb" "a prefix SID lies outside the SRGB",
    SrgbAllocPending "srgb_alloc_pending" "the configured SRGB is not allocated yet",
    BgpRemoteAsWrong "bgp_remote_as_wrong" "a BGP neighbour is configured with the wrong AS",
    BgpAuthMismatch "bgp_auth_mismatch" "the passwords of a BGP session differ",
    BgpAdminShutdown "bgp_admin_shutdown" "a BGP session is shut down by configuration",
    BgpMaxPrefix "bgp_max_prefix" "a BGP session was closed by its prefix limit",
    RrClientFlagMissing "rr_client_flag_missing" "a route reflector does not treat a neighbour as client",
    AfiNotActive "afi_not_active" "an address family is not active on a BGP session",
    ImportPolicyDropsAll "import_policy_drops_all" "an import policy rejects every route",
    NextHopUnreachable "next_hop_unreachable" "a BGP next hop cannot be resolved",
    BgpFlapHoldtimer "bgp_flap_holdtimer" "a BGP session flaps on its hold timer",
    RtImportMissing "rt_import_missing" "a VRF does not import a route target it needs",
    RtExportMismatch "rt_export_mismatch" "a VRF exports the wrong route target",
    RdDuplicate "rd_duplicate" "two VRFs use the same route distinguisher",
    VrfWrongInterface "vrf_wrong_interface" "an interface is bound to the wrong VRF",
    PeCeBgpDown "pe_ce_bgp_down" "the BGP session to a customer is down",
    RedistributeConnectedMissing "redistribute_connected_missing" "connected routes of a VRF are not redistributed",
    RtLeak "rt_leak" "a VRF imports another customer's route target",
    MgmtUnreachable "mgmt_unreachable" "a router does not answer management while it forwards",
    NodeDown "node_down" "a router is down",
    ClockSkew "clock_skew" "a router's clock is wrong",
    UnexpectedReload "unexpected_reload" "a router restarted unexpectedly",
    ConfigInconsistency "config_inconsistency" "running and committed configuration differ",
    ProcessHog "process_hog" "a process takes the CPU or the memory",
}

impl fmt::Display for FaultType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The name of a thing that can be faulty.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Resource {
    /// `node/N`
    Node(String),
    /// `interface/N/IF`
    Interface(String, String),
    /// `link/N:IF--N:IF`, ends sorted
    Link((String, String), (String, String)),
    /// `session/N--PEER`
    Session(String, String),
    /// `vrf/N/NAME`
    Vrf(String, String),
}

impl Resource {
    /// A link with its ends in order.
    pub fn link(a: (&str, &str), b: (&str, &str)) -> Resource {
        let own = |(node, interface): (&str, &str)| (node.to_owned(), interface.to_owned());
        let (a, b) = (own(a), own(b));
        if a <= b {
            Resource::Link(a, b)
        } else {
            Resource::Link(b, a)
        }
    }

    /// The device it is on; for a link the first end.
    pub fn device(&self) -> &str {
        match self {
            Resource::Node(n)
            | Resource::Interface(n, _)
            | Resource::Link((n, _), _)
            | Resource::Session(n, _)
            | Resource::Vrf(n, _) => n,
        }
    }

    /// Every device it touches.
    pub fn devices(&self) -> Vec<&str> {
        match self {
            Resource::Link((a, _), (b, _)) if a != b => vec![a, b],
            other => vec![other.device()],
        }
    }
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Resource::Node(n) => write!(f, "node/{n}"),
            Resource::Interface(n, i) => write!(f, "interface/{n}/{i}"),
            Resource::Link((a, ai), (b, bi)) => write!(f, "link/{a}:{ai}--{b}:{bi}"),
            Resource::Session(n, peer) => write!(f, "session/{n}--{peer}"),
            Resource::Vrf(n, name) => write!(f, "vrf/{n}/{name}"),
        }
    }
}

impl FromStr for Resource {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bad = || {
            format!(
                "\"{text}\" is not a resource id - use node/N, interface/N/IF, link/N:IF--N:IF, session/N--PEER or vrf/N/NAME"
            )
        };
        let (kind, rest) = text.split_once('/').ok_or_else(bad)?;
        let pair = |s: &str, by: &str| {
            s.split_once(by)
                .filter(|(a, b)| !a.is_empty() && !b.is_empty())
                .map(|(a, b)| (a.to_owned(), b.to_owned()))
        };
        match kind {
            "node" if !rest.is_empty() => Ok(Resource::Node(rest.to_owned())),
            "interface" => pair(rest, "/")
                .map(|(n, i)| Resource::Interface(n, i))
                .ok_or_else(bad),
            "vrf" => pair(rest, "/").map(|(n, v)| Resource::Vrf(n, v)).ok_or_else(bad),
            "session" => pair(rest, "--")
                .map(|(n, p)| Resource::Session(n, p))
                .ok_or_else(bad),
            "link" => {
                let (a, b) = pair(rest, "--").ok_or_else(bad)?;
                let (an, ai) = pair(&a, ":").ok_or_else(bad)?;
                let (bn, bi) = pair(&b, ":").ok_or_else(bad)?;
                Ok(Resource::link((&an, &ai), (&bn, &bi)))
            }
            _ => Err(bad()),
        }
    }
}

impl TryFrom<String> for Resource {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Resource> for String {
    fn from(resource: Resource) -> Self {
        resource.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_type_reads_back() {
        assert_eq!(FaultType::ALL.len(), 44);
        for fault in FaultType::ALL {
            assert_eq!(fault.name().parse::<FaultType>().as_ref(), Ok(fault));
        }
    }

    #[test]
    fn resources_read_back_and_links_are_sorted() {
        for text in [
            "node/xrd-1",
            "interface/xrd-1/GigabitEthernet0/0/0/0",
            "link/xrd-1:GigabitEthernet0/0/0/0--xrd-3:GigabitEthernet0/0/0/2",
            "session/xrd-1--100.100.100.107",
            "vrf/xrd-2/CUST-A",
        ] {
            let resource: Resource = text.parse().unwrap();
            assert_eq!(resource.to_string(), text);
        }
        let turned: Resource = "link/b:1--a:2".parse().unwrap();
        assert_eq!(turned.to_string(), "link/a:2--b:1");
        for bad in [
            "",
            "node/",
            "interface/x",
            "session/x",
            "vrf/x/",
            "link/a--b",
            "host/x",
        ] {
            assert!(bad.parse::<Resource>().is_err(), "{bad}");
        }
    }
}
