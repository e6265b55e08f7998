//! What may ever be called. A tool outside the profile is not even offered to reasoners.

use crate::agent::model::Risk;
use crate::tools::capability::Capability;

/// What may ever be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// Only tools known to be read-only.
    ReadOnly,
    /// Every tool; the approval policy decides.
    All,
}

impl Profile {
    /// Whether the profile admits a tool.
    #[must_use]
    pub fn admits(self, capability: &Capability) -> bool {
        match self {
            Self::ReadOnly => capability.judgement.risk == Risk::ReadOnly,
            Self::All => true,
        }
    }
}
