//! JSON schemas of the tools, made from the catalog: input from the parameters, output from the envelope.

use super::catalog::{Kind, Parameter, Spec, Tool};
use serde_json::{Map, Value, json};

impl Kind {
    /// What a parameter that was left out is taken for.
    pub(super) fn default(self) -> Value {
        match self {
            Self::Name | Self::Names => Value::Null,
            Self::OptionalText | Self::OptionalNames | Self::OptionalNumber { .. } => Value::Null,
            Self::Flag => json!(false),
            Self::Minutes => json!(5),
            Self::Number { default, .. } => json!(default),
            Self::Choice { default, .. } => json!(default),
            Self::Object => json!({}),
        }
    }

    fn schema(self) -> Value {
        let texts = json!({ "type": "array", "items": { "type": "string" } });
        match self {
            Self::Name => json!({ "type": "string" }),
            Self::OptionalText => json!({ "anyOf": [{ "type": "string" }, { "type": "null" }] }),
            Self::Flag => json!({ "type": "boolean" }),
            Self::Minutes => {
                json!({ "anyOf": [{ "type": "string" }, { "type": "integer" }, { "type": "null" }] })
            }
            Self::Names => json!({ "type": "array", "items": { "type": "string" }, "minItems": 1 }),
            Self::OptionalNames => json!({ "anyOf": [texts, { "type": "null" }] }),
            Self::Number { low, high, .. } => json!({ "type": "integer", "minimum": low, "maximum": high }),
            Self::OptionalNumber { low, high } => {
                json!({ "anyOf": [{ "type": "integer", "minimum": low, "maximum": high }, { "type": "null" }] })
            }
            Self::Choice { values, .. } => json!({ "type": "string", "enum": values }),
            Self::Object => json!({ "type": "object", "additionalProperties": true }),
        }
    }
}

impl Spec {
    /// Schema of the arguments.
    pub fn input_schema(&self) -> Map<String, Value> {
        let property = |p: &Parameter| {
            let mut schema = p.kind.schema();
            schema["description"] = json!(p.description);
            if !p.required {
                schema["default"] = p.kind.default();
            }
            (p.name.to_owned(), schema)
        };
        let properties: Map<String, Value> = self.parameters.iter().map(property).collect();
        let required: Vec<&str> = self
            .parameters
            .iter()
            .filter(|p| p.required)
            .map(|p| p.name)
            .collect();
        let mut schema =
            object(json!({ "type": "object", "additionalProperties": false, "properties": properties }));
        if !required.is_empty() {
            schema.insert("required".into(), json!(required));
        }
        schema
    }

    /// Schema of the structured answer.
    pub fn output_schema(&self) -> Map<String, Value> {
        if self.tool == Tool::GetDevices {
            device_list()
        } else {
            envelope()
        }
    }

    /// Whether the tool reports progress.
    pub fn is_long(&self) -> bool {
        matches!(
            self.tool,
            Tool::NetworkTopology
                | Tool::TopologyNeighbors
                | Tool::GnmiGetMany
                | Tool::GetLogsMany
                | Tool::SampleCounters
                | Tool::Compare
                | Tool::CallMany
        )
    }
}

fn envelope() -> Map<String, Value> {
    let open = json!({ "type": "object", "additionalProperties": true });
    object(json!({
        "type": "object",
        "required": ["device_name", "ip_address", "nos", "operation_type", "status"],
        "properties": {
            "device_name": { "type": "string" },
            "ip_address": { "anyOf": [{ "type": "string" }, { "type": "null" }] },
            "nos": { "type": "string", "enum": ["iosxr", "unknown"] },
            "operation_type": { "type": "string" },
            "status": {
                "type": "string",
                "enum": ["success", "failed", "feature_not_available", "partial_success"],
                "description": "A device's failure is told here, not as a tool error"
            },
            "data": open,
            "metadata": open,
            "error_response": { "anyOf": [
                { "type": "object", "required": ["type"], "properties": {
                    "type": { "type": "string" },
                    "message": { "anyOf": [{ "type": "string" }, { "type": "null" }] },
                    "details": open,
                } },
                { "type": "null" },
            ] },
            "feature_not_found_response": { "anyOf": [
                { "type": "object", "required": ["feature_name", "message"], "properties": {
                    "feature_name": { "type": "string" },
                    "message": { "type": "string" },
                    "details": open,
                } },
                { "type": "null" },
            ] },
        },
    }))
}

fn device_list() -> Map<String, Value> {
    object(json!({
        "type": "object",
        "required": ["devices"],
        "properties": { "devices": { "type": "array", "items": {
            "type": "object",
            "additionalProperties": true,
            "required": ["name"],
            "properties": {
                "name": { "type": "string" },
                "ip_address": { "anyOf": [{ "type": "string" }, { "type": "null" }] },
                "port": { "type": "integer" },
                "nos": { "type": "string", "enum": ["iosxr", "unknown"] },
            },
        } } },
    }))
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
