//! The schema of a tool as a model is told of it: what it must fill in, without what only a validator needs.
//!
//! Arguments are checked against the tool's own schema, not against this one.

use serde_json::{Map, Value};

use super::super::quote::shortened;

/// Characters of an argument's description.
const DESCRIPTION: usize = 90;

/// `schema` without titles, examples, empty defaults and the null that an optional argument may be.
pub(in crate::reason::model) fn lean_schema(schema: &Value) -> Value {
    match schema {
        Value::Object(map) => Value::Object(lean(map)),
        other => other.clone(),
    }
}

fn lean(map: &Map<String, Value>) -> Map<String, Value> {
    let mut out = Map::new();
    for (key, value) in map {
        match (key.as_str(), value) {
            ("title" | "$schema" | "examples" | "$comment", Value::String(_) | Value::Array(_))
            | ("default", Value::Null) => {}
            ("description", Value::String(text)) => {
                out.insert(key.clone(), shortened(text, DESCRIPTION).into());
            }
            // the names below `properties` are arguments and no keywords
            ("properties" | "$defs" | "definitions", Value::Object(members)) => {
                let members = members
                    .iter()
                    .map(|(name, schema)| (name.clone(), lean_schema(schema)));
                out.insert(key.clone(), Value::Object(members.collect()));
            }
            ("anyOf", Value::Array(variants)) => match without_null(variants).as_slice() {
                [Value::Object(only)] => out.extend(lean(only)),
                some => {
                    out.insert(key.clone(), some.iter().map(|v| lean_schema(v)).collect());
                }
            },
            ("items" | "additionalProperties", inner) => {
                out.insert(key.clone(), lean_schema(inner));
            }
            _ => {
                out.insert(key.clone(), value.clone());
            }
        }
    }
    out
}

fn without_null(variants: &[Value]) -> Vec<&Value> {
    variants.iter().filter(|v| v["type"] != "null").collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_only_a_validator_needs_is_left_out() {
        let schema = json!({"$schema": "x", "title": "Args", "type": "object", "additionalProperties": false,
            "required": ["device"], "properties": {
                "device": {"type": "string", "title": "Device", "description": "d".repeat(300)},
                "title": {"anyOf": [{"type": "string", "examples": ["a"]}, {"type": "null"}], "default": null},
                "of": {"anyOf": [{"type": "string"}, {"type": "integer"}]}}});
        let lean = lean_schema(&schema);
        assert_eq!(lean["properties"]["title"], json!({"type": "string"}));
        assert_eq!(lean["properties"]["of"], schema["properties"]["of"]);
        assert_eq!(lean["required"], schema["required"]);
        assert_eq!(lean["additionalProperties"], false);
        let told = lean["properties"]["device"]["description"].as_str().unwrap();
        assert!(told.chars().count() <= DESCRIPTION + 1, "{told}");
        assert!(lean.get("title").is_none() && lean.get("$schema").is_none());
    }
}
