//! The network at one moment of the simulation: inputs, tracks and topology; and what never changes under it.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use super::adjacency::EndTrack;
use super::graph::Graph;
use super::ports::PortTrack;
use super::session::SessionTrack;
use super::situation::Situation;
use super::traffic::Usual;
use super::wiring::Wiring;
use crate::lab::network::{DeviceId, Network};

/// What never changes during the life of a lab.
#[derive(Debug)]
pub(crate) struct Base {
    pub(super) network: Arc<Network>,
    pub(super) wiring: Wiring,
    pub(super) seed: u64,
    /// Start of the lab, unix ms.
    pub(super) epoch_ms: i64,
    /// Traffic of the settled network, once asked for.
    pub(super) usual: OnceLock<Usual>,
}

impl Base {
    pub(crate) fn new(network: Arc<Network>, seed: u64, epoch_ms: i64) -> Self {
        let wiring = Wiring::new(&network);
        Self {
            network,
            wiring,
            seed,
            epoch_ms,
            usual: OnceLock::new(),
        }
    }

    pub(crate) fn network(&self) -> &Arc<Network> {
        &self.network
    }
}

/// When and why a device came up.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Boot {
    pub at_ms: i64,
    pub reason: String,
}

/// A condition a device complains about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Complaint {
    ConfigInconsistency,
    SrgbPending,
    SidConflict,
    SidOutOfRange,
    NtpUnsynchronised,
    ProcessHog,
    DuplicateSystemId,
}

/// State of the simulation at one moment.
#[derive(Debug, Clone)]
pub(super) struct Moment {
    pub situation: Situation,
    /// `[device][interface]`.
    pub ports: Vec<Vec<PortTrack>>,
    /// `[link][side]`.
    pub ends: Vec<[EndTrack; 2]>,
    pub graph: Arc<Graph>,
    pub sessions: Vec<SessionTrack>,
    pub boots: Vec<Boot>,
    /// Standing complaints and since when.
    pub complaints: BTreeMap<(DeviceId, Complaint), i64>,
}

impl Moment {
    /// Line protocols as plain flags.
    pub(super) fn ups(&self) -> Vec<Vec<bool>> {
        self.ports
            .iter()
            .map(|d| d.iter().map(|p| p.up).collect())
            .collect()
    }
}
