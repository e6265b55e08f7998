//! A tool as the registry knows it: what it is for, what it may do to the network, what it costs.
//!
//! Everything a server says about its tool is a hint: names that change things outrank an annotation that
//! claims otherwise, and what nobody vouches for is treated as changing state. Whether a call may run is the
//! guard's decision.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{Tool, ToolAnnotations};
use serde::Serialize;
use serde_json::{Value, json};

use super::purpose;
use crate::agent::model::{Purpose, Risk, ToolSpec};
use crate::redaction::{Limits, clean_json, clean_text};

/// Longest description kept, and longest string in a schema, characters.
const DESCRIPTION: Limits = Limits {
    line: 2000,
    text: 4000,
};

/// Largest schema kept, bytes; a larger one is replaced by "any object".
const LARGEST_SCHEMA: usize = 128 * 1024;

/// One tool of one server.
#[derive(Debug, Clone, Serialize)]
pub struct Capability {
    /// `server.tool`.
    pub id: String,
    /// Server by name.
    pub server: String,
    /// Name on that server.
    pub name: String,
    /// What the server says it does; cleaned and capped.
    pub description: String,
    /// Category: what the rules may use it for.
    pub purpose: Purpose,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// JSON Schema of the arguments.
    pub input_schema: Arc<Value>,
    /// JSON Schema of the structured result, where the server gives one.
    pub output_schema: Option<Arc<Value>>,
    /// Risk, why, and the permission that follows.
    pub judgement: Judgement,
    /// What a call costs and how long its answer keeps.
    pub budget: Budget,
    /// Arguments to try.
    pub examples: Vec<Value>,
    /// Name and version of the server.
    pub version: Option<String>,
}

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

/// What a call costs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Budget {
    /// Rough duration of a call, milliseconds, from the tool's purpose until calls have been measured.
    pub estimated_ms: u64,
    /// How long an identical read may be answered from the cache, milliseconds; 0 never.
    pub cache_ttl_ms: u64,
    /// Calls per minute; 0 is no limit.
    pub per_minute: u32,
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

impl Capability {
    /// Reads a tool as listed by its server.
    #[must_use]
    pub fn new(
        server: &str,
        version: Option<String>,
        tool: &Tool,
        trust: &[Trust],
        cache_ttl: Duration,
    ) -> Self {
        let name = clean_text(&tool.name, &DESCRIPTION).into_owned();
        let description =
            clean_text(tool.description.as_deref().unwrap_or_default(), &DESCRIPTION).into_owned();
        let input_schema = schema(Value::Object(tool.input_schema.as_ref().clone()));
        let output_schema = tool
            .output_schema
            .as_ref()
            .map(|raw| Arc::new(schema(Value::Object(raw.as_ref().clone()))));
        let purpose = purpose::classify(&name, &input_schema);
        let judgement = judge(server, &name, tool.annotations.as_ref(), trust);
        let cached = judgement.risk == Risk::ReadOnly && purpose != Purpose::Counters;
        Self {
            id: format!("{server}.{name}"),
            server: server.to_owned(),
            tags: tags(&name, purpose),
            budget: Budget {
                estimated_ms: purpose::estimated_ms(purpose),
                cache_ttl_ms: if cached {
                    u64::try_from(cache_ttl.as_millis()).unwrap_or(u64::MAX)
                } else {
                    0
                },
                per_minute: 0,
            },
            examples: example(&input_schema).into_iter().collect(),
            input_schema: Arc::new(input_schema),
            output_schema,
            name,
            description,
            purpose,
            judgement,
            version,
        }
    }

    /// The part that reasoners see.
    #[must_use]
    pub fn spec(&self) -> ToolSpec {
        ToolSpec {
            id: self.id.clone(),
            server: self.server.clone(),
            name: self.name.clone(),
            description: self.description.clone(),
            input_schema: Arc::clone(&self.input_schema),
            purpose: self.purpose,
            risk: self.judgement.risk,
        }
    }
}

/// Risk of a tool: profile entry, then a telling verb in the name, then annotations, else changing.
fn judge(server: &str, name: &str, annotations: Option<&ToolAnnotations>, trust: &[Trust]) -> Judgement {
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

fn schema(mut raw: Value) -> Value {
    if raw.to_string().len() > LARGEST_SCHEMA {
        return json!({"type": "object"});
    }
    clean_json(&mut raw, &DESCRIPTION);
    raw
}

fn tags(name: &str, purpose: Purpose) -> Vec<String> {
    let mut tags = purpose::words(name);
    if let Ok(Value::String(word)) = serde_json::to_value(purpose)
        && purpose != Purpose::Other
        && !tags.contains(&word)
    {
        tags.push(word);
    }
    tags
}

/// Arguments that fit the required part of a schema, from its examples, defaults, enums and types.
fn example(schema: &Value) -> Option<Value> {
    if let Some(given) = schema
        .get("examples")
        .and_then(Value::as_array)
        .and_then(|all| all.first())
    {
        return Some(given.clone());
    }
    let required = schema.get("required").and_then(Value::as_array)?;
    let properties = schema.get("properties")?;
    let fill = |name: &Value| {
        let name = name.as_str()?;
        let property = properties.get(name)?;
        let given = property
            .get("default")
            .or_else(|| property.get("examples").and_then(|all| all.get(0)));
        let value = given
            .or_else(|| property.get("enum").and_then(|all| all.get(0)))
            .cloned();
        let value = value.unwrap_or_else(|| match property.get("type").and_then(Value::as_str) {
            Some("integer" | "number") => json!(1),
            Some("boolean") => json!(false),
            Some("array") => json!([]),
            Some("object") => json!({}),
            _ => Value::String(format!("<{name}>")),
        });
        Some((name.to_owned(), value))
    };
    Some(Value::Object(required.iter().filter_map(fill).collect()))
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
    use super::*;

    fn tool(name: &'static str, annotations: Option<ToolAnnotations>) -> Tool {
        let tool = Tool::new(name, "does a thing", serde_json::Map::new());
        match annotations {
            Some(annotations) => tool.with_annotations(annotations),
            None => tool,
        }
    }

    fn risk(server: &str, name: &'static str, annotations: Option<ToolAnnotations>) -> (Risk, RiskSource) {
        let capability = Capability::new(
            server,
            None,
            &tool(name, annotations),
            &Trust::shipped(),
            Duration::from_secs(15),
        );
        (capability.judgement.risk, capability.judgement.source)
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

    #[test]
    fn text_of_a_server_is_cleaned_and_an_example_is_made() {
        let schema = json!({"type": "object", "required": ["device_name", "minutes"], "properties": {
            "device_name": {"type": "string", "description": "\u{1b}[2J"}, "minutes": {"default": 5}}});
        let raw = Tool::new(
            "get_logs",
            "logs\u{202e}evil",
            schema.as_object().unwrap().clone(),
        );
        let capability = Capability::new("s", None, &raw, &[], Duration::ZERO);
        assert_eq!(capability.description, "logs\u{fffd}evil");
        assert!(!capability.input_schema.to_string().contains("\\u001b"));
        assert_eq!(
            capability.examples,
            vec![json!({"device_name": "<device_name>", "minutes": 5})]
        );
        assert_eq!(capability.id, "s.get_logs");
    }
}
