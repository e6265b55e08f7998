//! Networks of any size by rule: two core planes as rings with chords, everything else homed to both planes.
//!
//! `sp-m.toml` and `sp-l.toml` are `generate(24)` and `generate(96)` written out (a test compares them).

use super::file::{BundleSpec, DeviceSpec, LinkPlan, LinkSpec, NetworkFile, Role, TransitSpec, VrfSpec};

/// Devices of the smallest network the rule makes sense for.
pub const SMALLEST: usize = 12;

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
    let plan = Plan {
        edges,
        core: total - edges - reflectors,
        reflectors,
    };
    let mut file = NetworkFile {
        name: network_name(total),
        size: size_name(total),
        asn: 100,
        srgb: (16_000, 23_999),
        link_plan: LinkPlan::Narrow,
        ntp: vec!["198.18.128.1".into(), "198.18.128.2".into()],
        devices: (0..total).map(|n| plan.device(n)).collect(),
        links: Vec::new(),
        vrfs: (1..=6).map(|k| plan.vrf(k)).collect(),
        transits: (0..edges.min(4)).step_by(2).map(transit).collect(),
    };
    core_links(&mut file, plan.edges, plan.core, &name);
    plan.home(&mut file);
    file
}

fn name(n: usize) -> String {
    format!("xrd-{}", n + 1)
}

/// How many of each; devices are numbered edges first, then core, then reflectors.
struct Plan {
    edges: usize,
    core: usize,
    reflectors: usize,
}

impl Plan {
    fn device(&self, n: usize) -> DeviceSpec {
        let first_rr = self.edges + self.core;
        let role = if n < self.edges {
            Role::Pe
        } else if n < first_rr {
            Role::P
        } else {
            Role::Rr
        };
        let pair = first_rr + 2 * (n % (self.reflectors / 2));
        let reflectors = if role == Role::Pe {
            vec![name(pair), name(pair + 1)]
        } else {
            Vec::new()
        };
        DeviceSpec {
            name: name(n),
            role,
            reflectors,
        }
    }

    /// Links every PE and reflector to a pair of core routers, one in each plane.
    fn home(&self, file: &mut NetworkFile) {
        let (first_rr, pairs) = (self.edges + self.core, self.core / 2);
        let homed = self.edges + self.reflectors;
        for (n, at) in (0..self.edges)
            .chain(first_rr..first_rr + self.reflectors)
            .enumerate()
        {
            let pair = n * pairs / homed % pairs;
            for plane in 0..2 {
                let core = name(self.edges + 2 * pair + plane);
                file.links.push(plain(name(at), core, 10));
            }
        }
    }

    /// The `k`-th VPN, on every other pair of PEs.
    fn vrf(&self, k: usize) -> VrfSpec {
        VrfSpec {
            name: format!("CUST-{}", char::from(b'A' + u8::try_from(k - 1).unwrap_or(0))),
            index: u32::try_from(k).unwrap_or(1),
            sites: (0..self.edges)
                .filter(|i| (i / 2 + k).is_multiple_of(2))
                .map(name)
                .collect(),
        }
    }
}

fn transit(pe: usize) -> TransitSpec {
    TransitSpec {
        name: format!("transit-{}", pe / 2 + 1),
        pe: name(pe),
        asn: 64_600 + u32::try_from(pe / 2).unwrap_or(0),
    }
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
