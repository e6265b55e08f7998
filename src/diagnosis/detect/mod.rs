//! Detectors: from facts to signs. One subject a file; `DETECTORS` is the table of all.
//!
//! A detector reads the network as it is known now and says what it sees, with citations. What follows from
//! what is not its business.

mod adjacency;
mod bgp_families;
mod bgp_flaps;
mod bundles;
mod counters;
mod flaps;
mod history;
mod interfaces;
mod isis_process;
mod labels;
mod logs;
mod metrics;
mod mtu;
mod reach;
mod segment_routing;
mod sessions;
mod sign;
mod system;
mod text;
mod view;
mod vpn;

pub use sign::Sign;
pub use view::{Pair, View, names};

use super::focus::Focus;
use super::network::Network;
use crate::agent::model::{Evidence, Finding};

/// What a detector looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// One device at a time: worth running on every result.
    Device,
    /// Several devices, or several points in time.
    Network,
}

/// A row of the table.
struct Detector {
    scope: Scope,
    run: fn(&View<'_>, &mut Vec<Sign>),
}

const fn device(run: fn(&View<'_>, &mut Vec<Sign>)) -> Detector {
    Detector {
        scope: Scope::Device,
        run,
    }
}

const fn network(run: fn(&View<'_>, &mut Vec<Sign>)) -> Detector {
    Detector {
        scope: Scope::Network,
        run,
    }
}

/// Every detector.
const DETECTORS: &[Detector] = &[
    device(interfaces::detect),
    device(bundles::detect),
    device(flaps::detect),
    device(bgp_flaps::detect),
    device(system::detect),
    device(text::detect),
    network(counters::detect),
    network(reach::detect),
    network(mtu::detect),
    network(adjacency::detect),
    network(isis_process::detect),
    network(metrics::detect),
    network(segment_routing::detect),
    network(labels::detect),
    network(sessions::detect),
    network(bgp_families::detect),
    network(vpn::detect),
    network(history::detect),
];

/// All signs there are now.
pub fn signs(view: &View<'_>) -> Vec<Sign> {
    let mut signs = Vec::new();
    for detector in DETECTORS {
        (detector.run)(view, &mut signs);
    }
    signs
}

/// What detectors see: in one result, or (with `None`) across all of them.
pub fn examine(network: &Network, evidence: Option<&Evidence>, focus: &Focus) -> Vec<Finding> {
    let view = View::new(network, focus);
    let mut signs = Vec::new();
    for detector in DETECTORS
        .iter()
        .filter(|d| evidence.is_none() || d.scope == Scope::Device)
    {
        (detector.run)(&view, &mut signs);
    }
    if let Some(evidence) = evidence {
        signs.retain(|sign| sign.citations.iter().any(|c| c.evidence == evidence.id));
    }
    signs.iter().map(Sign::finding).collect()
}
