//! Traffic through time: what every port was offered in each period between two events that moved it.
//!
//! Counters are integrals over these periods. Loads of a period are worked out when first asked for; periods in which
//! nothing that steers traffic changed share them.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use super::graph::Graph;
use super::matrix::{Loads, Reach};
use super::moment::{Base, Moment};
use super::ports;
use super::wiring::Port;
use crate::lab::config::DeviceConfig;

/// Speed of an Ethernet port, bits per second.
pub(super) const PORT_BPS: f64 = 1.0e9;

/// Traffic of the network before anything went wrong.
#[derive(Debug)]
pub(super) struct Usual {
    /// What the matrix is scaled by, so that its links hold it.
    factor: f64,
    loads: Loads,
}

/// A time in which nothing moved traffic.
#[derive(Debug)]
struct Period {
    from_ms: i64,
    graph: Arc<Graph>,
    configs: Vec<Arc<DeviceConfig>>,
    reach: Reach,
    /// Line protocols, `[device][interface]`.
    up: Vec<Vec<bool>>,
    /// Ports that carry a bundle's traffic, and the bundle.
    active: BTreeMap<Port, Port>,
    /// `None` for the first period: it is the usual traffic.
    loads: Option<Arc<OnceLock<Loads>>>,
}

impl Period {
    fn new(base: &Base, moment: &Moment, from_ms: i64) -> Self {
        let up = moment.ups();
        let configs = moment.situation.configs.clone();
        let mut active = BTreeMap::new();
        for (device, config) in configs.iter().enumerate() {
            for (n, interface) in config.interfaces.iter().enumerate() {
                let bundle = interface.member_of.as_ref();
                if let Some(bundle) = bundle.and_then(|name| base.wiring.port(device, name)) {
                    if ports::distributes(&base.wiring, &moment.situation, (device, n), &up) {
                        active.insert((device, n), bundle);
                    }
                }
            }
        }
        Self {
            from_ms,
            graph: moment.graph.clone(),
            configs,
            reach: Reach::of(base, moment),
            up,
            active,
            loads: None,
        }
    }

    /// The same flows take the same paths.
    fn steers_like(&self, other: &Self) -> bool {
        let same = |a: &Arc<DeviceConfig>, b: &Arc<DeviceConfig>| Arc::ptr_eq(a, b) || a.vrfs == b.vrfs;
        self.reach == other.reach
            && (Arc::ptr_eq(&self.graph, &other.graph) || self.graph == other.graph)
            && self.configs.iter().zip(&other.configs).all(|(a, b)| same(a, b))
    }
}

/// All periods so far, oldest first; never empty.
#[derive(Debug)]
pub(super) struct Traffic {
    periods: Vec<Period>,
}

/// A stretch of time within one period.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stretch {
    period: usize,
    pub from_ms: i64,
    pub until_ms: i64,
}

impl Stretch {
    pub(super) fn ms(self) -> i64 {
        self.until_ms - self.from_ms
    }

    /// Milliseconds of it in which something holds that began and perhaps ended.
    pub(super) fn overlap_ms(self, from_ms: i64, until_ms: Option<i64>) -> i64 {
        let until_ms = until_ms.map_or(self.until_ms, |until| until.min(self.until_ms));
        (until_ms - from_ms.max(self.from_ms)).max(0)
    }
}

impl Traffic {
    /// Begins with the settled network.
    pub(super) fn new(base: &Base, moment: &Moment) -> Self {
        Self {
            periods: vec![Period::new(base, moment, i64::MIN)],
        }
    }

    /// Takes in what a step of the simulation changed.
    pub(super) fn note(&mut self, base: &Base, moment: &Moment, at_ms: i64) {
        let mut next = Period::new(base, moment, at_ms);
        let unmoved =
            |last: &Period| last.steers_like(&next) && last.up == next.up && last.active == next.active;
        if self.periods.last().is_some_and(unmoved) {
            return;
        }
        // What goes and comes back, as flaps do, finds the loads it had.
        let recent = self.periods.iter().rev().take(3).chain(self.periods.first());
        let known = recent.into_iter().find(|p| p.steers_like(&next));
        next.loads = match known {
            Some(period) => period.loads.clone(),
            None => Some(Arc::default()),
        };
        self.periods.push(next);
    }

    /// The periods of a stretch of time.
    pub(super) fn stretches(&self, from_ms: i64, until_ms: i64) -> impl Iterator<Item = Stretch> + '_ {
        let ends = self.periods.iter().skip(1).map(|p| p.from_ms);
        let ends = ends.chain(std::iter::once(i64::MAX));
        let cut = move |(period, (p, end)): (usize, (&Period, i64))| Stretch {
            period,
            from_ms: p.from_ms.max(from_ms),
            until_ms: end.min(until_ms),
        };
        let all = self.periods.iter().zip(ends).enumerate().map(cut);
        all.filter(|s| s.from_ms < s.until_ms)
    }

    /// The line of a port was up then.
    pub(super) fn up(&self, stretch: Stretch, port: Port) -> bool {
        self.periods[stretch.period].up[port.0][port.1]
    }

    /// Bits per second offered to a port for sending. The port of a bundle is offered its share.
    pub(super) fn offered(&self, base: &Base, stretch: Stretch, port: Port) -> f64 {
        let period = &self.periods[stretch.period];
        let loads = self.loads(base, period);
        if let Some(edge) = base.wiring.edge_at.get(&port) {
            return loads.edges[*edge][0];
        }
        let bundle = period.active.get(&port).copied();
        let shared = period.active.values().filter(|b| Some(**b) == bundle).count();
        let Some((link, side)) = base.wiring.link_at.get(&bundle.unwrap_or(port)) else {
            return 0.0;
        };
        loads.links[*link][*side] / f64::from(u32::try_from(shared).unwrap_or(1).max(1))
    }

    /// Bits per second the customer at a port sends.
    pub(super) fn from_customer(&self, base: &Base, stretch: Stretch, edge: usize) -> f64 {
        self.loads(base, &self.periods[stretch.period]).edges[edge][1]
    }

    fn loads<'a>(&'a self, base: &'a Base, period: &'a Period) -> &'a Loads {
        let usual = base.usual.get_or_init(|| {
            let first = &self.periods[0];
            let raw = Loads::new(base, &first.graph, &first.reach, &first.configs);
            let factor = raw.fit(base, PORT_BPS);
            Usual {
                factor,
                loads: raw.scaled(factor),
            }
        });
        let Some(own) = &period.loads else {
            return &usual.loads;
        };
        own.get_or_init(|| {
            Loads::new(base, &period.graph, &period.reach, &period.configs).scaled(usual.factor)
        })
    }
}
