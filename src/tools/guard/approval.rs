//! When to ask the human before a call: the policy and its exceptions.
//!
//! Asking, and what the human allowed for this call or always, is the agent's work: a call comes here with it.

use serde_json::{Map, Value};

use crate::agent::model::{Risk, canonical, matches};
use crate::tools::capability::Capability;

/// When to ask before a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Approval {
    /// Never.
    Never,
    /// For what is not known to be read-only.
    Changes,
    /// For every call.
    Always,
}

/// What a rule says about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ruling {
    /// Call without asking.
    Allow,
    /// Ask.
    Ask,
    /// Refuse.
    Deny,
}

/// An exception from the policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Server pattern, `*` for any part.
    pub server: String,
    /// Tool pattern, `*` for any part.
    pub tool: String,
    /// Pattern over the canonical JSON of the arguments; `None` means any.
    pub arguments: Option<String>,
    /// What to do.
    pub ruling: Ruling,
}

/// What the policy says about one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Go ahead.
    Allowed(&'static str),
    /// A human must allow it first.
    Ask,
    /// A rule forbids it.
    Denied,
}

/// The policy with its exceptions.
#[derive(Debug)]
pub struct Approvals {
    policy: Approval,
    rules: Vec<Rule>,
}

impl Approvals {
    /// A policy with its exceptions.
    #[must_use]
    pub fn new(policy: Approval, rules: Vec<Rule>) -> Self {
        Self { policy, rules }
    }

    /// What the policy says. `approved` means that the human allowed this call, or what covers it.
    #[must_use]
    pub fn judge(&self, capability: &Capability, arguments: &Map<String, Value>, approved: bool) -> Verdict {
        let text = canonical(arguments);
        let rule = self.rules.iter().find(|rule| {
            matches(&rule.server, &capability.server)
                && matches(&rule.tool, &capability.name)
                && rule
                    .arguments
                    .as_deref()
                    .is_none_or(|pattern| matches(pattern, &text))
        });
        let asks = match (rule.map(|rule| rule.ruling), self.policy) {
            (Some(Ruling::Deny), _) => return Verdict::Denied,
            (Some(Ruling::Allow), _) => return Verdict::Allowed("by a rule"),
            (Some(Ruling::Ask), _) | (None, Approval::Always) => true,
            (None, Approval::Changes) => capability.judgement.risk != Risk::ReadOnly,
            (None, Approval::Never) => false,
        };
        if !asks {
            Verdict::Allowed("not needed")
        } else if approved {
            Verdict::Allowed("by the operator")
        } else {
            Verdict::Ask
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rmcp::model::{Tool, ToolAnnotations};
    use serde_json::json;

    use super::*;

    fn capability(name: &'static str, read_only: bool) -> Capability {
        let tool =
            Tool::new(name, "", Map::new()).with_annotations(ToolAnnotations::new().read_only(read_only));
        Capability::new("srv", None, &tool, &[], Duration::ZERO)
    }

    fn arguments(value: Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap_or_default()
    }

    #[test]
    fn reads_run_and_changes_ask_by_default() {
        let approvals = Approvals::new(Approval::Changes, vec![]);
        let none = Map::new();
        assert_eq!(
            approvals.judge(&capability("show", true), &none, false),
            Verdict::Allowed("not needed")
        );
        assert_eq!(
            approvals.judge(&capability("apply", false), &none, false),
            Verdict::Ask
        );
        assert_eq!(
            approvals.judge(&capability("apply", false), &none, true),
            Verdict::Allowed("by the operator")
        );
        assert_eq!(
            Approvals::new(Approval::Always, vec![]).judge(&capability("show", true), &none, false),
            Verdict::Ask
        );
    }

    #[test]
    fn the_first_matching_rule_wins_and_deny_cannot_be_approved() {
        let rule = |tool: &str, arguments: Option<&str>, ruling| Rule {
            server: "*".into(),
            tool: tool.into(),
            arguments: arguments.map(Into::into),
            ruling,
        };
        let rules = vec![
            rule("apply", Some("*\"device\":\"core-*"), Ruling::Deny),
            rule("apply", None, Ruling::Allow),
            rule("show*", None, Ruling::Ask),
        ];
        let approvals = Approvals::new(Approval::Changes, rules);
        let core = arguments(json!({"x": 1, "device": "core-1"}));
        assert_eq!(
            approvals.judge(&capability("apply", false), &core, true),
            Verdict::Denied
        );
        let edge = arguments(json!({"device": "edge-1"}));
        assert_eq!(
            approvals.judge(&capability("apply", false), &edge, false),
            Verdict::Allowed("by a rule")
        );
        assert_eq!(
            approvals.judge(&capability("show_x", true), &edge, false),
            Verdict::Ask
        );
    }
}
