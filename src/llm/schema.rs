//! JSON Schema in the strict subset that providers enforce token by token.
//!
//! Strict mode wants every property required and no other allowed, and refuses many keywords. Here a
//! schema is rewritten to that: optional properties become nullable, unsupported keywords are dropped.
//! It validates nothing; the reader of the answer does.

use serde_json::{Map, Value, json};

/// Keywords that describe or restrict a value in ways strict decoding refuses or ignores.
const DROPPED: [&str; 16] = [
    "$schema",
    "title",
    "format",
    "default",
    "examples",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "uniqueItems",
    "pattern",
];

/// The strict form of `schema`.
pub fn strict(schema: &Value) -> Value {
    match schema {
        Value::Object(map) => Value::Object(strict_object(map)),
        Value::Array(items) => Value::Array(items.iter().map(strict).collect()),
        other => other.clone(),
    }
}

fn strict_object(map: &Map<String, Value>) -> Map<String, Value> {
    let mut out = Map::new();
    for (key, value) in map {
        match key.as_str() {
            k if DROPPED.contains(&k) => {}
            "properties" | "required" | "additionalProperties" => {}
            "oneOf" => {
                out.insert("anyOf".into(), strict(value));
            }
            // names, not keywords, at the next level
            "$defs" | "definitions" => {
                let defs = value.as_object().into_iter().flatten();
                let defs: Map<_, _> = defs.map(|(name, def)| (name.clone(), strict(def))).collect();
                out.insert(key.clone(), Value::Object(defs));
            }
            "enum" | "const" => {
                out.insert(key.clone(), value.clone());
            }
            _ => {
                out.insert(key.clone(), strict(value));
            }
        }
    }
    if let Some(properties) = map.get("properties").and_then(Value::as_object) {
        let required: Vec<&str> = map
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let strict_properties: Map<String, Value> = properties
            .iter()
            .map(|(name, schema)| {
                let schema = strict(schema);
                let schema = if required.contains(&name.as_str()) {
                    schema
                } else {
                    nullable(schema)
                };
                (name.clone(), schema)
            })
            .collect();
        out.insert(
            "required".into(),
            strict_properties.keys().cloned().map(Value::String).collect(),
        );
        out.insert("properties".into(), Value::Object(strict_properties));
        out.insert("additionalProperties".into(), Value::Bool(false));
    } else if map.get("type").and_then(Value::as_str) == Some("object") {
        out.insert("additionalProperties".into(), Value::Bool(false));
    }
    out
}

fn nullable(schema: Value) -> Value {
    let has_null = match schema.get("type") {
        Some(Value::Array(types)) => types.iter().any(|t| t == "null"),
        Some(t) => t == "null",
        None => schema
            .get("anyOf")
            .and_then(Value::as_array)
            .is_some_and(|any| any.iter().any(|s| s["type"] == "null")),
    };
    if has_null {
        schema
    } else {
        json!({ "anyOf": [schema, { "type": "null" }] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn optional_properties_become_nullable_and_required() {
        let schema = json!({
            "$schema": "x", "title": "T", "type": "object", "required": ["a"],
            "properties": {
                "a": {"type": "integer", "minimum": 0, "format": "uint8"},
                "b": {"type": "string"},
                "title": {"type": ["string", "null"]},
            },
        });
        assert_eq!(
            strict(&schema),
            json!({
                "type": "object",
                "required": ["a", "b", "title"],
                "properties": {
                    "a": {"type": "integer"},
                    "b": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                    "title": {"type": ["string", "null"]},
                },
                "additionalProperties": false,
            })
        );
    }

    #[test]
    fn definitions_keep_their_names_and_one_of_becomes_any_of() {
        let schema = json!({"$defs": {"format": {"type": "object", "properties": {}}},
                            "oneOf": [{"$ref": "#/$defs/format"}]});
        assert_eq!(
            strict(&schema),
            json!({"$defs": {"format": {"type": "object", "required": [], "properties": {}, "additionalProperties": false}},
                   "anyOf": [{"$ref": "#/$defs/format"}]})
        );
    }
}
