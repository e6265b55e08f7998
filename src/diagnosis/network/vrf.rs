//! VRFs: route distinguisher, route targets, interfaces, redistribution.

use std::collections::BTreeMap;

use crate::agent::model::Citation;
use crate::diagnosis::cited::Cited;

/// One VRF of a device.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Vrf {
    /// Route distinguisher.
    pub rd: Option<Cited<String>>,
    /// Imported route targets; `None` when they were not read.
    pub imports: Option<Cited<Vec<String>>>,
    /// Exported route targets; `None` when they were not read.
    pub exports: Option<Cited<Vec<String>>>,
    /// Interfaces bound to it.
    pub interfaces: BTreeMap<String, Citation>,
    /// Connected routes go into BGP.
    pub connected: Option<Cited<bool>>,
}
