//! What a call can do to the network, and who says so.
//!
//! Everything a server says about its tool is a hint: names that change things outrank an annotation that
//! claims otherwise, and what nobody vouches for is treated as changing state.

use rmcp::model::ToolAnnotations;
use serde::Serialize;

use super::purpose;
use crate::agent::model::{Risk, matches};

/// What a call can do, and who says so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Judgement {
    /// Risk of a call.
    pub risk: Risk,
    /// Who says so.
    pub source: RiskSource,
    /// What the profile must grant.
    pub permission: Permission,
}

/// Who says what a tool can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RiskSource {
    /// An entry of the profile.
    Profile,
    /// A verb in the tool's name.
    Name,
    /// The server's annotations.
    Annotation,
    /// Nobody: treated as changing state.
    Unknown,
}

/// What the profile must grant before a tool is offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Permission {
    /// Reading.
    Read,
    /// Changing state.
    Write,
    /// Interrupting service.
    Disrupt,
}

/// An entry of the profile: what tools matching the patterns can do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trust {
    /// Server pattern, `*` for any part; compared without case and separators.
    pub server: String,
    /// Tool pattern, `*` for any part.
    pub tool: String,
    /// What such a tool can do.
    pub risk: Risk,
}

impl Trust {
    /// The entries that ship: gNMIBuddy annotates nothing, and its `get_*` tools only read.
    #[must_use]
    pub fn shipped() -> Vec<Self> {
        vec![Self {
            server: "gnmibuddy*".to_owned(),
            tool: "get_*".to_owned(),
            risk: Risk::ReadOnly,
        }]
    }

    fn covers(&self, server: &str, tool: &str) -> bool {
        let plain = |name: &str| {
            let kept = name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '*');
            kept.collect::<String>().to_ascii_lowercase()
        };
        matches(&plain(&self.server), &plain(server)) && matches(&self.tool, tool)
    }
}

/// Verbs that can interrupt service, and verbs that change state. Compared with the words of a tool's name.
const DANGEROUS: [&str; 18] = [
    "delete",
    "destroy",
    "drop",
    "erase",
    "format",
    "halt",
    "kill",
    "poweroff",
    "purge",
    "reboot",
    "reload",
    "remove",
    "reset",
    "restart",
    "rollback",
    "shutdown",
    "terminate",
    "wipe",
];
const CHANGING: [&str; 31] = [
    "add",
    "apply",
    "assign",
    "clear",
    "commit",
    "configure",
    "create",
    "deploy",
    "disable",
    "edit",
    "enable",
    "exec",
    "execute",
    "insert",
    "install",
    "merge",
    "modify",
    "move",
    "patch",
    "post",
    "provision",
    "push",
    "put",
    "rename",
    "replace",
    "run",
    "send",
    "set",
    "update",
    "upload",
    "write",
];

/// Risk of a tool: profile entry, then a telling verb in the name, then annotations, else changing.
pub(super) fn judge(
    server: &str,
    name: &str,
    annotations: Option<&ToolAnnotations>,
    trust: &[Trust],
) -> Judgement {
    let words = purpose::words(name);
    let names = |verbs: &[&str]| words.iter().any(|word| verbs.contains(&word.as_str()));
    let read_only = annotations.and_then(|a| a.read_only_hint);
    let destructive = annotations.and_then(|a| a.destructive_hint);
    let (risk, source) = if let Some(entry) = trust.iter().find(|entry| entry.covers(server, name)) {
        (entry.risk, RiskSource::Profile)
    } else if names(&DANGEROUS) {
        (Risk::Dangerous, RiskSource::Name)
    } else if names(&CHANGING) {
        let risk = if destructive == Some(true) {
            Risk::Dangerous
        } else {
            Risk::ChangesState
        };
        (risk, RiskSource::Name)
    } else {
        match (read_only, destructive) {
            (Some(true), _) => (Risk::ReadOnly, RiskSource::Annotation),
            (_, Some(true)) => (Risk::Dangerous, RiskSource::Annotation),
            (Some(false), _) | (None, Some(false)) => (Risk::ChangesState, RiskSource::Annotation),
            (None, None) => (Risk::ChangesState, RiskSource::Unknown),
        }
    };
    let permission = match risk {
        Risk::ReadOnly => Permission::Read,
        Risk::ChangesState => Permission::Write,
        Risk::Dangerous => Permission::Disrupt,
    };
    Judgement {
        risk,
        source,
        permission,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn risk(server: &str, name: &str, annotations: Option<ToolAnnotations>) -> (Risk, RiskSource) {
        let judgement = judge(server, name, annotations.as_ref(), &Trust::shipped());
        (judgement.risk, judgement.source)
    }

    #[test]
    fn unknown_is_changing_and_profile_entries_vouch() {
        assert_eq!(
            risk("other", "get_logs", None),
            (Risk::ChangesState, RiskSource::Unknown)
        );
        assert_eq!(
            risk("gnmibuddy", "get_logs", None),
            (Risk::ReadOnly, RiskSource::Profile)
        );
        assert_eq!(
            risk("gNMI-Buddy", "get_logs", None),
            (Risk::ReadOnly, RiskSource::Profile)
        );
        assert_eq!(
            risk("gnmibuddy", "set_config", None),
            (Risk::ChangesState, RiskSource::Name)
        );
    }

    #[test]
    fn a_name_outranks_the_annotation_that_calls_it_harmless() {
        let claims = || Some(ToolAnnotations::new().read_only(true));
        assert_eq!(
            risk("x", "show_version", claims()),
            (Risk::ReadOnly, RiskSource::Annotation)
        );
        assert_eq!(
            risk("x", "delete_vrf", claims()),
            (Risk::Dangerous, RiskSource::Name)
        );
        assert_eq!(
            risk("x", "applyConfig", claims()),
            (Risk::ChangesState, RiskSource::Name)
        );
        let honest = Some(ToolAnnotations::new().read_only(false).destructive(true));
        assert_eq!(
            risk("x", "config_session", honest),
            (Risk::Dangerous, RiskSource::Annotation)
        );
    }
}
