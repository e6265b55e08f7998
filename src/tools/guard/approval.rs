//! When to ask the human before a call, and what was allowed for the rest of the session.
//!
//! A grant covers exactly the server, tool and arguments it shows, and can be withdrawn. The policy decides;
//! asking is the agent's work.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use serde_json::{Map, Value};

use crate::agent::model::Risk;
use crate::tools::capability::{Capability, matches};

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

/// An "always" of the human: this tool with exactly these arguments, or with any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// Server.
    pub server: String,
    /// Tool.
    pub tool: String,
    /// Canonical JSON of the arguments; `None` for any arguments.
    pub arguments: Option<String>,
}

impl fmt::Display for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arguments = self.arguments.as_deref().unwrap_or("any arguments");
        write!(f, "{}.{} with {arguments}", self.server, self.tool)
    }
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

/// The policy and the grants of this session.
#[derive(Debug)]
pub struct Approvals {
    policy: Approval,
    rules: Vec<Rule>,
    grants: Mutex<Vec<Grant>>,
}

impl Approvals {
    /// A policy with its exceptions and no grants.
    #[must_use]
    pub fn new(policy: Approval, rules: Vec<Rule>) -> Self {
        Self {
            policy,
            rules,
            grants: Mutex::default(),
        }
    }

    /// What the policy says. `approved` means that the human allowed this very call.
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
        } else if self.is_granted(capability, &text) {
            Verdict::Allowed("by an earlier \"always\"")
        } else {
            Verdict::Ask
        }
    }

    fn is_granted(&self, capability: &Capability, arguments: &str) -> bool {
        self.lock().iter().any(|grant| {
            grant.server == capability.server
                && grant.tool == capability.name
                && grant
                    .arguments
                    .as_deref()
                    .is_none_or(|granted| granted == arguments)
        })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Grant>> {
        self.grants.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Allows what the grant shows for the rest of the session.
    pub fn grant(&self, grant: Grant) {
        let mut grants = self.lock();
        if !grants.contains(&grant) {
            grants.push(grant);
        }
    }

    /// Takes a grant back; false when there is none such.
    pub fn withdraw(&self, grant: &Grant) -> bool {
        let mut grants = self.lock();
        let before = grants.len();
        grants.retain(|held| held != grant);
        grants.len() < before
    }

    /// What is granted now.
    #[must_use]
    pub fn grants(&self) -> Vec<Grant> {
        self.lock().clone()
    }
}

/// The arguments as JSON with sorted keys: the same call gives the same text.
#[must_use]
pub(in crate::tools) fn canonical(arguments: &Map<String, Value>) -> String {
    let mut sorted = Value::Object(arguments.clone());
    sorted.sort_all_objects();
    sorted.to_string()
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

    #[test]
    fn a_grant_covers_what_it_shows_and_can_be_withdrawn() {
        let approvals = Approvals::new(Approval::Changes, vec![]);
        let apply = capability("apply", false);
        let call = arguments(json!({"b": 2, "a": 1}));
        let grant = Grant {
            server: "srv".into(),
            tool: "apply".into(),
            arguments: Some(canonical(&call)),
        };
        assert_eq!(grant.to_string(), "srv.apply with {\"a\":1,\"b\":2}");
        approvals.grant(grant.clone());
        let reordered = arguments(json!({"a": 1, "b": 2}));
        assert!(matches!(
            approvals.judge(&apply, &reordered, false),
            Verdict::Allowed(_)
        ));
        assert_eq!(
            approvals.judge(&apply, &arguments(json!({"a": 2})), false),
            Verdict::Ask
        );
        assert!(approvals.withdraw(&grant) && !approvals.withdraw(&grant));
        assert_eq!(approvals.judge(&apply, &call, false), Verdict::Ask);
    }
}
