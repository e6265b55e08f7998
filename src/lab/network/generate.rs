//! Networks of any size by rule: two core planes as rings with chords, everything else homed to both planes.
//!
//! `sp-m.toml` and `sp-l.toml` are `generate(24)` and `generate(96)` written out (a test compares them).

use super::file::{BundleSpec, DeviceSpec, LinkPlan, LinkSpec, NetworkFile, Role, TransitSpec, VrfSpec};

/// Smallest network the rule makes sense for.
const SMALLEST: usize = 12;

/// Describes a network of `devices` routers (at least 12): about two in five are PEs, 2 to 8 reflect routes, the
/// rest is core.
pub fn generate(devices: usize) -> NetworkFile {
    let total = devices.max(SMALLEST);
    let reflectors = if total < 48 {
        2
    } else {
        (total / 24).clamp(4, 8) / 2 * 2
    };
    let edges = (total * 5 / 12 / 2 * 2).min(total - reflectors - 4).max(4);
    let edges = if total < 48 { total / 3 / 2 * 2 } else { edges };
    let core = total - edges - reflectors;
    let name = |n: usize| format!("xrd-{}", n + 1);
    let (first_core, first_rr) = (edges, edges + core);
    let mut file = NetworkFile {
        name: network_name(total),
        size: size_name(total),
        asn: 100,
        srgb: (16_000, 23_999),
        link_plan: LinkPlan::Narrow,
        ntp: vec!["198.18.128.1".into(), "198.18.128.2".into()],
        devices: Vec::with_capacity(total),
        links: Vec::new(),
        vrfs: Vec::new(),
        transits: Vec::new(),
    };
    for n in 0..total {
        let role = if n < first_core {
            Role::Pe
        } else if n < first_rr {
            Role::P
        } else {
            Role::Rr
        };
        let pair = first_rr + 2 * (n % (reflectors / 2));
        let reflectors = if role == Role::Pe {
            vec![name(pair), name(pair + 1)]
        } else {
            Vec::new()
        };
        file.devices.push(DeviceSpec {
            name: name(n),
            role,
            reflectors,
        });
    }
    core_links(&mut file, first_core, core, &name);
    let pairs = core / 2;
    for (n, at) in (0..edges).chain(first_rr..total).enumerate() {
        let pair = n * pairs / (edges + reflectors) % pairs;
        for plane in 0..2 {
            file.links
                .push(plain(name(at), name(first_core + 2 * pair + plane), 10));
        }
    }
    file.vrfs = (1..=6usize)
        .map(|k| VrfSpec {
            name: format!("CUST-{}", char::from(b'A' + u8::try_from(k - 1).unwrap_or(0))),
            index: u32::try_from(k).unwrap_or(1),
            sites: (0..edges).filter(|i| (i / 2 + k) % 2 == 0).map(name).collect(),
        })
        .collect();
    file.transits = (0..edges.min(4))
        .step_by(2)
        .map(|i| TransitSpec {
            name: format!("transit-{}", i / 2 + 1),
            pe: name(i),
            asn: 64_600 + u32::try_from(i / 2).unwrap_or(0),
        })
        .collect();
    file
}

/// Rings of the two planes, chords every few hops, and rungs between the planes (every other one a bundle).
fn core_links(file: &mut NetworkFile, first: usize, core: usize, name: &impl Fn(usize) -> String) {
    let pairs = core / 2;
    let chord = (2..).find(|c| c * c >= pairs).unwrap_or(2).max(3);
    for plane in 0..2 {
        let at = |k: usize| name(first + 2 * (k % pairs) + plane);
        for k in 0..pairs {
            if pairs > 2 || k == 0 {
                file.links.push(plain(at(k), at(k + 1), 10));
            }
            if k % chord == 0 && pairs > 2 * chord {
                file.links.push(plain(at(k), at(k + chord), 20));
            }
        }
    }
    for k in 0..pairs {
        let (a, b) = (first + 2 * k, first + 2 * k + 1);
        let bundle = (k % 2 == 0).then(|| BundleSpec {
            id: u32::try_from(k + 1).unwrap_or(1),
            members: 2,
            min_links: 1,
        });
        file.links.push(LinkSpec {
            a: name(a),
            b: name(b),
            metric: 10,
            bundle,
        });
    }
    if core % 2 == 1 {
        let last = first + core - 1;
        for plane in 0..2 {
            file.links.push(plain(name(last), name(first + plane), 10));
        }
    }
}

fn plain(a: String, b: String, metric: u32) -> LinkSpec {
    LinkSpec {
        a,
        b,
        metric,
        bundle: None,
    }
}

fn network_name(total: usize) -> String {
    match total {
        24 => "sp-m".into(),
        96 => "sp-l".into(),
        n => format!("sp-{n}"),
    }
}

fn size_name(total: usize) -> String {
    match total {
        24 => "M".into(),
        96 => "L".into(),
        n => n.to_string(),
    }
}
