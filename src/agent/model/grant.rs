//! Standing grants: what a human allowed "always", that is for the rest of one session.
//!
//! A grant covers one tool of one server, with exactly the arguments it shows or with those its pattern
//! matches; nothing else. It is an answer, so it is an event: it survives a crash and can be withdrawn.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::ToolCall;

/// What may be called again without asking.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// `server.tool`, this one only.
    pub tool: String,
    /// With which arguments.
    pub arguments: ArgumentScope,
}

/// The arguments a grant covers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "are", content = "text")]
pub enum ArgumentScope {
    /// These, as canonical JSON; a `*` in it is a star.
    Exactly(String),
    /// Those whose canonical JSON this pattern matches; `*` stands for any part.
    Like(String),
}

impl Grant {
    /// For this call from now on, with the text a human left of its canonical arguments: untouched it means
    /// exactly these, changed it is a pattern.
    pub fn for_call(call: &ToolCall, text: &str) -> Self {
        let exact = canonical(&call.arguments);
        Self {
            tool: call.tool.clone(),
            arguments: match text.trim() {
                same if same == exact => ArgumentScope::Exactly(exact),
                pattern => ArgumentScope::Like(pattern.to_owned()),
            },
        }
    }

    /// Whether a call of this tool with these arguments is covered.
    pub fn covers(&self, tool: &str, arguments: &Map<String, Value>) -> bool {
        self.tool == tool
            && match &self.arguments {
                ArgumentScope::Exactly(exact) => *exact == canonical(arguments),
                ArgumentScope::Like(pattern) => matches(pattern, &canonical(arguments)),
            }
    }
}

impl fmt::Display for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.arguments {
            ArgumentScope::Exactly(exact) => write!(f, "{} with exactly {exact}", self.tool),
            ArgumentScope::Like(pattern) if pattern == "*" => write!(f, "{} with any arguments", self.tool),
            ArgumentScope::Like(pattern) => write!(f, "{} with arguments like {pattern}", self.tool),
        }
    }
}

/// The arguments as JSON with sorted keys: the same call gives the same text.
#[must_use]
pub fn canonical(arguments: &Map<String, Value>) -> String {
    let mut sorted = Value::Object(arguments.clone());
    sorted.sort_all_objects();
    sorted.to_string()
}

/// Whether a text matches a pattern in which `*` stands for any part. Case matters.
#[must_use]
pub fn matches(pattern: &str, text: &str) -> bool {
    let Some((head, mut rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(mut text) = text.strip_prefix(head) else {
        return false;
    };
    while let Some((part, tail)) = rest.split_once('*') {
        match text.find(part) {
            Some(at) => text = &text[at + part.len()..],
            None => return false,
        }
        rest = tail;
    }
    text.ends_with(rest)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(arguments: Value) -> ToolCall {
        ToolCall {
            id: super::super::CallId(1),
            lane: None,
            step: None,
            tool: "srv.apply".into(),
            arguments: arguments.as_object().cloned().unwrap_or_default(),
            devices: vec![],
            why: String::new(),
            approved: false,
            grant: None,
            follows: None,
        }
    }

    #[test]
    fn patterns() {
        for (pattern, text, expected) in [
            ("*", "", true),
            ("get_*", "get_logs", true),
            ("get_*", "forget_logs", false),
            ("*_*_api", "get_device_profile_api", true),
            ("a*b*c", "a1b2c", true),
            ("a*b*c", "acb", false),
            ("exact", "exact", true),
            ("*ab", "aab", true),
            ("a*a", "a", false),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn an_untouched_scope_is_exact_even_with_a_star_in_it() {
        let asked = call(json!({"b": "*", "a": 1}));
        let grant = Grant::for_call(&asked, " {\"a\":1,\"b\":\"*\"} ");
        assert_eq!(grant.to_string(), "srv.apply with exactly {\"a\":1,\"b\":\"*\"}");
        assert!(grant.covers("srv.apply", &asked.arguments));
        let wider = call(json!({"a": 1, "b": "shutdown"}));
        assert!(!grant.covers("srv.apply", &wider.arguments));
        assert!(!grant.covers("other.apply", &asked.arguments));
    }

    #[test]
    fn a_changed_scope_is_a_pattern_over_sorted_arguments() {
        let asked = call(json!({"line": "description x", "device": "xrd-1"}));
        let grant = Grant::for_call(&asked, "{\"device\":\"xrd-1\",\"line\":\"description *\"}");
        assert!(grant.to_string().contains("arguments like"));
        let same_kind = call(json!({"line": "description y", "device": "xrd-1"}));
        assert!(grant.covers("srv.apply", &same_kind.arguments));
        for other in [
            json!({"line": "shutdown", "device": "xrd-1"}),
            json!({"line": "description y", "device": "xrd-2"}),
        ] {
            assert!(!grant.covers("srv.apply", &call(other).arguments));
        }
        assert!(
            Grant::for_call(&asked, "*")
                .to_string()
                .ends_with("with any arguments")
        );
    }
}
