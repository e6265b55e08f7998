//! A router before it has links: loopback, management, IS-IS, SR, an empty BGP process, policies.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;

use super::super::address;
use super::super::file::{NetworkFile, Role};
use super::EDGE_MTU;
use crate::lab::config::{
    BgpConfig, DeviceConfig, InterfaceConfig, InterfaceKind, IsisConfig, IsisInterfaceConfig, Level,
    MplsConfig, SrConfig,
};

/// Default BGP hold time of IOS-XR, seconds.
pub(super) const HOLD_S: u32 = 180;

pub(super) fn base_config(file: &NetworkFile, i: usize, role: Role) -> DeviceConfig {
    let loopback = address::loopback(i);
    let mut lo = interface("Loopback0", InterfaceKind::Loopback, "router id", 1_500);
    lo.address = Some((loopback, 32));
    let mut mgmt = interface(
        "MgmtEth0/RP0/CPU0/0",
        InterfaceKind::Management,
        "out-of-band management",
        EDGE_MTU,
    );
    mgmt.address = Some((address::management(i), 18));
    mgmt.vrf = Some("MGMT".into());
    let index = u32::try_from(i).unwrap_or(0);
    DeviceConfig {
        hostname: file.devices[i].name.clone(),
        loopback,
        interfaces: vec![lo, mgmt],
        isis: Some(IsisConfig {
            instance: "CORE".into(),
            net: address::net(loopback),
            level: Level::L2,
            key: Some("core-hello-key".into()),
            overload: false,
            interfaces: BTreeMap::from([("Loopback0".to_string(), isis_interface(1, true))]),
        }),
        sr: SrConfig {
            enabled: true,
            srgb: file.srgb,
            prefix_sid: Some(index + 1),
        },
        mpls: MplsConfig {
            interfaces: BTreeMap::new(),
        },
        bgp: (role != Role::P).then(|| BgpConfig {
            asn: file.asn,
            router_id: loopback,
            groups: BTreeMap::new(),
            neighbors: BTreeMap::new(),
            networks: if role == Role::Pe {
                vec![internet_block(i)]
            } else {
                Vec::new()
            },
        }),
        vrfs: BTreeMap::new(),
        policies: policies(role),
        ntp_servers: file.ntp.clone(),
        login_banner: "Authorised access only.".into(),
    }
}

/// Block of the internet customers of a PE, in shared address space (RFC 6598).
fn internet_block(i: usize) -> (Ipv4Addr, u8) {
    let n = i + 1;
    let octet = |x: usize| u8::try_from(x % 256).unwrap_or(0);
    (Ipv4Addr::new(100, octet(64 + n / 256), octet(n), 0), 24)
}

fn policies(role: Role) -> BTreeMap<String, bool> {
    let names: &[&str] = match role {
        Role::Pe => &[
            "CUST-IN",
            "CUST-OUT",
            "RR-IN",
            "RR-OUT",
            "TRANSIT-IN",
            "TRANSIT-OUT",
        ],
        Role::P => &[],
        Role::Rr => &["PASS"],
    };
    let mut all: BTreeMap<String, bool> = names.iter().map(|n| ((*n).to_string(), true)).collect();
    if role != Role::P {
        all.insert("DROP-ALL".into(), false);
    }
    all
}

pub(super) fn interface(name: &str, kind: InterfaceKind, description: &str, mtu: u32) -> InterfaceConfig {
    InterfaceConfig {
        name: name.to_string(),
        kind,
        description: description.to_string(),
        enabled: true,
        mtu,
        address: None,
        vrf: None,
        member_of: None,
        min_links: 1,
    }
}

pub(super) fn isis_interface(metric: u32, passive: bool) -> IsisInterfaceConfig {
    IsisInterfaceConfig {
        passive,
        metric,
        level: None,
        key: None,
        hello_padding: true,
    }
}
