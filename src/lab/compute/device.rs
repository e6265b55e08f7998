//! One device as it shows itself: puts together what the files beside this one compute.

use std::sync::Arc;

use super::control::Control;
use super::labels::{self, Sid};
use super::shown::Shown;
use super::{counters, ports, protocols, routes, system};
use crate::lab::config::InterfaceKind;
use crate::lab::network::DeviceId;
use crate::lab::state::{
    BundleState, DeviceState, Hardware, InterfaceState, MemberState, MplsInterfaceState, MplsState,
    PolicyState, PrefixSidState, SrState, SrgbState, VrfInterfaceState, VrfState,
};

/// Local block (IOS-XR default), inclusive.
const SRLB: (u32, u32) = (15_000, 15_999);

pub(super) fn render(control: &Arc<Control>, device: DeviceId, now_ms: i64) -> DeviceState {
    let spec = &control.base.network.devices[device];
    let config = &control.moment.situation.configs[device];
    let shown = Shown::new(control, device);
    DeviceState {
        name: spec.name.clone(),
        role: spec.role,
        loopback: config.loopback,
        now_ms,
        system: system::system(control, device, now_ms),
        management: system::management(control, device),
        interfaces: (0..config.interfaces.len())
            .map(|n| interface(control, device, n, now_ms))
            .collect(),
        isis: protocols::isis(control, device, now_ms),
        sr: segment_routing(control, device),
        mpls: MplsState {
            enabled: !config.mpls.interfaces.is_empty(),
            ttl_propagation: true,
            interfaces: config
                .mpls
                .interfaces
                .iter()
                .map(|(name, on)| MplsInterfaceState {
                    name: name.clone(),
                    enabled: *on,
                })
                .collect(),
            entries: shown.entries(),
        },
        bgp: protocols::bgp(control, &shown, device, now_ms),
        vrfs: config
            .vrfs
            .keys()
            .map(|name| vrf(control, &shown, device, name, now_ms))
            .collect(),
        policies: config
            .policies
            .iter()
            .map(|(name, accepts)| PolicyState {
                name: name.clone(),
                accepts: *accepts,
            })
            .collect(),
        routes: shown.routes(),
    }
}

fn interface(control: &Control, device: DeviceId, n: usize, now_ms: i64) -> InterfaceState {
    let config = &control.moment.situation.configs[device].interfaces[n];
    let track = &control.moment.ports[device][n];
    let index = u32::try_from(n + 1).unwrap_or(u32::MAX);
    let bundle = (config.kind == InterfaceKind::Bundle).then(|| {
        let ups = control.moment.ups();
        let (wiring, situation) = (&control.base.wiring, &control.moment.situation);
        let members = ports::members(wiring, situation, (device, n)).map(|m| MemberState {
            interface: situation.configs[m.0].interfaces[m.1].name.clone(),
            active: ports::distributes(wiring, situation, m, &ups),
        });
        BundleState {
            min_links: config.min_links,
            members: members.collect(),
        }
    });
    InterfaceState {
        name: config.name.clone(),
        kind: config.kind,
        hardware: Hardware {
            ifindex: index,
            speed_bps: counters::speed(control, (device, n)),
            mac: format!(
                "02:4e:{:02x}:{:02x}:00:{:02x}",
                device / 256 % 256,
                device % 256,
                n % 256
            ),
        },
        description: config.description.clone(),
        enabled: config.enabled,
        oper_up: track.up,
        mtu: config.mtu,
        address: config.address,
        vrf: config.vrf.clone(),
        last_change_ms: track.since_ms,
        carrier_transitions: track.transitions,
        counters: counters::of(control, (device, n), now_ms),
        member_of: config.member_of.clone(),
        bundle,
    }
}

fn segment_routing(control: &Control, device: DeviceId) -> SrState {
    let situation = &control.moment.situation;
    let sr = &situation.configs[device].sr;
    let allocated = labels::allocated(situation, device);
    let prefix_sid = sr.prefix_sid.map(|index| PrefixSidState {
        index,
        label: allocated.and_then(|block| labels::label_of(block, index)),
        conflict: matches!(control.sids()[device], Sid::Lost(_)),
    });
    SrState {
        enabled: sr.enabled,
        srgb: SrgbState {
            configured: sr.srgb,
            allocated,
        },
        prefix_sid,
        srlb: SRLB,
    }
}

fn vrf(control: &Control, shown: &Shown, device: DeviceId, name: &str, now_ms: i64) -> VrfState {
    let config = &control.moment.situation.configs[device];
    let settings = config.vrfs.get(name);
    let inside = config
        .interfaces
        .iter()
        .enumerate()
        .filter(|(_, i)| i.vrf.as_deref() == Some(name));
    let interfaces = inside.map(|(n, i)| VrfInterfaceState {
        name: i.name.clone(),
        address: i.address,
        oper_up: control.moment.ports[device][n].up,
    });
    VrfState {
        name: name.to_string(),
        rd: settings.map(|s| s.rd.clone()).unwrap_or_default(),
        import_targets: settings.map(|s| s.import_targets.clone()).unwrap_or_default(),
        export_targets: settings.map(|s| s.export_targets.clone()).unwrap_or_default(),
        redistribute_connected: settings.is_some_and(|s| s.redistribute_connected),
        interfaces: interfaces.collect(),
        neighbors: protocols::neighbors(control, device, Some(name), now_ms),
        prefixes: control
            .tables(device)
            .vrf_prefixes
            .get(name)
            .copied()
            .unwrap_or(0),
        routes: shown.vrf_routes(name),
        label: routes::vrf_label(config, name),
    }
}
