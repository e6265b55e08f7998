//! Tests of the lab as a whole: a healthy network is clean, every fault shows where it must and nowhere else.

mod clean;
mod consequences;
mod laws;
mod traffic;

use super::fault::Fault;
use super::network::builtin;
use super::{Lab, NetworkState};
use std::sync::Arc;

/// Start of all labs under test: 2026-11-22 00:00 UTC.
pub(super) const EPOCH_MS: i64 = 1_795_305_600_000;

pub(super) fn lab(size: &str) -> Lab {
    Lab::new(builtin(size).unwrap(), 7, EPOCH_MS)
}

pub(super) fn fault(toml: &str) -> Fault {
    toml::from_str(toml).unwrap_or_else(|e| panic!("{toml}: {e}"))
}

/// The small network with faults given as TOML, 20 minutes after the epoch.
pub(super) fn broken(faults: &[&str]) -> Arc<NetworkState> {
    let mut lab = lab("S");
    for toml in faults {
        lab.inject(fault(toml)).unwrap();
    }
    lab.snapshot(EPOCH_MS + 1_200_000)
}

/// The healthy small network at the same time.
pub(super) fn healthy() -> Arc<NetworkState> {
    lab("S").snapshot(EPOCH_MS + 1_200_000)
}
