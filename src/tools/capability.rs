//! A tool as the registry knows it: what it is for, what it may do to the network, what it costs.
//!
//! What it can do is judged in `risk`; whether a call may run is the guard's decision.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::Tool;
use serde::Serialize;
use serde_json::{Value, json};

use super::purpose;
use super::risk::{Judgement, Trust, judge};
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

#[cfg(test)]
mod tests {
    use super::*;

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
