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

/// What decides where traffic goes, and where it goes then.
#[derive(Debug)]
struct Steering {
    graph: Arc<Graph>,
    configs: Vec<Arc<DeviceConfig>>,
    reach: Reach,
    loads: OnceLock<Loads>,
}

impl Steering {
    fn of(base: &Base, moment: &Moment) -> Self {
        Self {
            graph: moment.graph.clone(),
            configs: moment.situation.configs.clone(),
            reach: Reach::of(base, moment),
            loads: OnceLock::new(),
        }
    }

    /// The same flows take the same paths.
    fn like(&self, other: &Self) -> bool {
        let same = |a: &Arc<DeviceConfig>, b: &Arc<DeviceConfig>| Arc::ptr_eq(a, b) || a.vrfs == b.vrfs;
        self.reach == other.reach
            && (Arc::ptr_eq(&self.graph, &other.graph) || self.graph == other.graph)
            && self.configs.iter().zip(&other.configs).all(|(a, b)| same(a, b))
    }

    fn loads(&self, base: &Base) -> Loads {
        Loads::new(base, &self.graph, &self.reach, &self.configs)
    }
}

/// Which lines are up.
#[derive(Debug, PartialEq)]
struct Lines {
    /// Line protocols, `[device][interface]`.
    up: Vec<Vec<bool>>,
    /// Ports that carry a bundle's traffic, and the bundle.
    active: BTreeMap<Port, Port>,
}

impl Lines {
    fn of(base: &Base, moment: &Moment) -> Self {
        let up = moment.ups();
        let mut active = BTreeMap::new();
        for (device, config) in moment.situation.configs.iter().enumerate() {
            for (n, interface) in config.interfaces.iter().enumerate() {
                let bundle = interface.member_of.as_ref();
                if let Some(bundle) = bundle.and_then(|name| base.wiring.port(device, name))
                    && ports::distributes(&base.wiring, &moment.situation, (device, n), &up)
                {
                    active.insert((device, n), bundle);
                }
            }
        }
        Self { up, active }
    }
}

/// A time in which nothing moved traffic.
#[derive(Debug)]
struct Period {
    from_ms: i64,
    lines: Arc<Lines>,
    steering: Arc<Steering>,
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
        let first = Period {
            from_ms: i64::MIN,
            lines: Arc::new(Lines::of(base, moment)),
            steering: Arc::new(Steering::of(base, moment)),
        };
        Self { periods: vec![first] }
    }

    /// Takes in what a step of the simulation changed. What goes and comes back, as flaps do, is shared with the period
    /// that had it before.
    pub(super) fn note(&mut self, base: &Base, moment: &Moment, at_ms: i64) {
        let (lines, steering) = (Lines::of(base, moment), Steering::of(base, moment));
        let recent = || self.periods.iter().rev().take(3).chain(self.periods.first());
        let known = recent().find(|p| *p.lines == lines).map(|p| p.lines.clone());
        let lines = known.unwrap_or_else(|| Arc::new(lines));
        let known = recent().find(|p| p.steering.like(&steering));
        let steering = known.map_or_else(|| Arc::new(steering), |p| p.steering.clone());
        let same = |p: &Period| Arc::ptr_eq(&p.lines, &lines) && Arc::ptr_eq(&p.steering, &steering);
        if !self.periods.last().is_some_and(same) {
            self.periods.push(Period {
                from_ms: at_ms,
                lines,
                steering,
            });
        }
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
        self.periods[stretch.period].lines.up[port.0][port.1]
    }

    /// Bits per second offered to a port for sending. The port of a bundle is offered its share.
    pub(super) fn offered(&self, base: &Base, stretch: Stretch, port: Port) -> f64 {
        let period = &self.periods[stretch.period];
        let loads = self.loads(base, period);
        if let Some(edge) = base.wiring.edge_at.get(&port) {
            return loads.edges[*edge][0];
        }
        let active = &period.lines.active;
        let bundle = active.get(&port).copied();
        let shared = active.values().filter(|b| Some(**b) == bundle).count();
        let Some((link, side)) = base.wiring.link_at.get(&bundle.unwrap_or(port)) else {
            return 0.0;
        };
        loads.links[*link][*side] / f64::from(u32::try_from(shared).unwrap_or(1).max(1))
    }

    /// Bits per second the customer at a port sends.
    pub(super) fn customer_sends(&self, base: &Base, stretch: Stretch, edge: usize) -> f64 {
        self.loads(base, &self.periods[stretch.period]).edges[edge][1]
    }

    fn loads<'a>(&'a self, base: &'a Base, period: &'a Period) -> &'a Loads {
        let first = &self.periods[0].steering;
        let usual = base.usual.get_or_init(|| {
            let raw = first.loads(base);
            let factor = raw.fit(base, PORT_BPS);
            Usual {
                factor,
                loads: raw.scaled(factor),
            }
        });
        if Arc::ptr_eq(first, &period.steering) {
            return &usual.loads;
        }
        let own = &period.steering;
        own.loads.get_or_init(|| own.loads(base).scaled(usual.factor))
    }
}
