//! The change a human would make, in IOS XR's words; printed, never sent.

use super::cited::Known;
use super::detect::{Sign, View};
use super::ontology::{FaultType, Resource};

/// What would mend the fault; `None` when it is nothing that configuration mends.
pub fn remedy(view: &View<'_>, sign: &Sign) -> Option<String> {
    let fault = sign.fault?;
    let on = sign.resource.device();
    let text = match &sign.resource {
        Resource::Interface(_, interface) => interface_remedy(fault, interface),
        Resource::Link((_, a), (other, b)) => link_remedy(fault, a, other, b),
        Resource::Session(_, address) => session_remedy(view, fault, on, address),
        Resource::Vrf(_, name) => vrf_remedy(fault, name),
        Resource::Node(_) => node_remedy(fault),
    }?;
    Some(format!("{on}: {text}"))
}

fn interface_remedy(fault: FaultType, interface: &str) -> Option<String> {
    use FaultType as F;
    Some(match fault {
        F::LinkAdminDown => format!("interface {interface} / no shutdown"),
        F::LinkDown | F::LagMemberDown | F::LinkFlap => {
            format!("check optics and cabling of {interface}, then clear its counters")
        }
        F::FcsErrors => {
            format!("clean or replace the optic and fibre of {interface}; cost the link out until then")
        }
        F::CongestionDrops => format!("move traffic off {interface} (metric, policy) or add capacity"),
        F::MtuMismatch | F::MtuBlackhole => format!("interface {interface} / mtu as on the other end"),
        F::IsisPassiveInterface => format!("router isis / interface {interface} / no passive"),
        F::IsisMetricMisconfig => format!(
            "router isis / interface {interface} / address-family ipv4 unicast / metric as on the other end"
        ),
        F::IsisAuthMismatch => {
            format!("router isis / interface {interface} / hello-password as on the other end")
        }
        F::IsisLevelMismatch => {
            format!("router isis / interface {interface} / circuit-type as on the other end")
        }
        F::MplsDisabledInterface => format!("mpls / interface {interface}"),
        F::VrfWrongInterface => {
            format!("interface {interface} / vrf as sold to its customer (its address must be set again)")
        }
        _ => return None,
    })
}

fn link_remedy(fault: FaultType, a: &str, other: &str, b: &str) -> Option<String> {
    use FaultType as F;
    Some(match fault {
        F::LinkDown | F::LinkFlap | F::LagMemberDown => {
            format!("check optics and cabling between {a} and {other} {b}")
        }
        F::MtuMismatch | F::MtuBlackhole => format!("set the same MTU on {a} and on {other} {b}"),
        F::IsisAuthMismatch => format!("set the same hello-password on {a} and on {other} {b}"),
        F::IsisLevelMismatch => format!("set the same circuit-type on {a} and on {other} {b}"),
        _ => return None,
    })
}

fn session_remedy(view: &View<'_>, fault: FaultType, on: &str, address: &str) -> Option<String> {
    use FaultType as F;
    let neighbor = format!("router bgp / neighbor {address}");
    let actual = || {
        let far = view.owner(address)?;
        far.bgp.asn.known().copied()
    };
    Some(match fault {
        F::BgpRemoteAsWrong => match actual() {
            Some(asn) => format!("{neighbor} / remote-as {asn}"),
            None => format!("{neighbor} / remote-as as the peer has it"),
        },
        F::BgpAuthMismatch => format!("{neighbor} / password: set the same on both ends"),
        F::BgpAdminShutdown => format!("{neighbor} / no shutdown"),
        F::BgpMaxPrefix => format!(
            "ask the peer why it sends more routes; then clear bgp {address}, or raise maximum-prefix"
        ),
        F::RrClientFlagMissing => format!("{neighbor} / address-family … / route-reflector-client"),
        F::AfiNotActive => format!("{neighbor} / address-family: activate it on both ends"),
        F::ImportPolicyDropsAll => {
            format!("{neighbor} / address-family … / route-policy that passes the wanted routes in")
        }
        F::NextHopUnreachable => format!("{neighbor} / address-family ipv4 unicast / next-hop-self"),
        F::BgpFlapHoldtimer => {
            format!("find what delays keepalives between {on} and {address}: path loss, CPU, MTU")
        }
        F::PeCeBgpDown => format!("ask the customer about {address}; ping it from the VRF first"),
        _ => return None,
    })
}

fn vrf_remedy(fault: FaultType, name: &str) -> Option<String> {
    use FaultType as F;
    Some(match fault {
        F::RtImportMissing => format!(
            "vrf {name} / address-family ipv4 unicast / import route-target as its other sites export"
        ),
        F::RtExportMismatch => format!(
            "vrf {name} / address-family ipv4 unicast / export route-target as its other sites import"
        ),
        F::RdDuplicate => format!("router bgp / vrf {name} / rd of its own"),
        F::RedistributeConnectedMissing => {
            format!("router bgp / vrf {name} / address-family ipv4 unicast / redistribute connected")
        }
        F::RtLeak => {
            format!("vrf {name} / address-family ipv4 unicast: remove the other customer's route-target")
        }
        _ => return None,
    })
}

fn node_remedy(fault: FaultType) -> Option<String> {
    use FaultType as F;
    Some(
        match fault {
            F::IsisOverloadStuck => "router isis / no set-overload-bit",
            F::IsisDuplicateSystemId => "router isis / net with a system id of its own",
            F::LoopbackNotAdvertised => {
                "router isis / interface Loopback0 / passive, address-family ipv4 unicast"
            }
            F::IsisAuthMismatch => "router isis / lsp-password and hello-password as everywhere else",
            F::IsisLevelMismatch => "router isis / is-type as everywhere else",
            F::SrgbMismatch => {
                "segment-routing / global-block as everywhere else, in a window: labels are reallocated"
            }
            F::PrefixSidDuplicate => "router isis / interface Loopback0 / prefix-sid index of its own",
            F::PrefixSidMissing => {
                "router isis / interface Loopback0 / address-family ipv4 unicast / prefix-sid index"
            }
            F::SrDisabled => "router isis / address-family ipv4 unicast / segment-routing mpls",
            F::SidOutOfSrgb => "a prefix-sid index inside the global-block",
            F::SrgbAllocPending => {
                "free the label range or reload in a window, so that the global-block is allocated"
            }
            F::MgmtUnreachable => "look at the management network and port from the console",
            F::NodeDown => "send someone: power and console first",
            F::ClockSkew => "ntp: reach a server; then clock set",
            F::UnexpectedReload => "collect the crash files before they rotate (dir harddisk:/dumper)",
            F::ConfigInconsistency => {
                "show configuration inconsistency; then clear it or commit replace in a window"
            }
            F::ProcessHog => "collect top and follow of the process; restart it in a window",
            _ => return None,
        }
        .to_owned(),
    )
}
