//! Values of a nearby type turned into the type the schema wants: `"0.8"` into 0.8, `"PASS"` into `"pass"`.
//!
//! Only where nothing can be misread. What has no near reading is left for the deserialiser to refuse.

use serde_json::{Number, Value};

/// Rewrites `value` towards `schema`; true when something was changed.
pub(super) fn coerce(value: &mut Value, schema: &Value) -> bool {
    towards(value, schema, schema, 0)
}

fn towards(value: &mut Value, schema: &Value, root: &Value, depth: usize) -> bool {
    if depth > 24 {
        return false;
    }
    if let Some(target) = schema
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|r| root.pointer(r.trim_start_matches('#')))
    {
        return towards(value, target, root, depth + 1);
    }
    if let Some(names) = schema.get("enum").and_then(Value::as_array) {
        return near_name(value, names);
    }
    if let Some(any) = schema.get("oneOf").and_then(Value::as_array) {
        let names: Vec<Value> = any.iter().filter_map(|s| s.get("const").cloned()).collect();
        return if names.len() == any.len() {
            near_name(value, &names)
        } else {
            false
        };
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("object") => {
            let (Some(properties), Some(map)) = (
                schema.get("properties").and_then(Value::as_object),
                value.as_object_mut(),
            ) else {
                return false;
            };
            let mut changed = false;
            for (name, schema) in properties {
                if let Some(member) = map.get_mut(name) {
                    changed |= towards(member, schema, root, depth + 1);
                }
            }
            changed
        }
        Some("array") => array(value, schema, root, depth),
        Some("string") => string(value),
        Some("number" | "integer") => number(value),
        Some("boolean") => boolean(value),
        _ => false,
    }
}

fn array(value: &mut Value, schema: &Value, root: &Value, depth: usize) -> bool {
    let mut changed = !value.is_array();
    if changed {
        let alone = value.take();
        let nothing = |s: &str| matches!(s.trim(), "" | "none" | "None" | "n/a");
        let empty = alone.is_null() || alone.as_str().is_some_and(nothing);
        *value = Value::Array(if empty { Vec::new() } else { vec![alone] });
    }
    if let (Some(items), Some(schema)) = (value.as_array_mut(), schema.get("items")) {
        for item in items {
            changed |= towards(item, schema, root, depth + 1);
        }
    }
    changed
}

fn string(value: &mut Value) -> bool {
    let text = match value {
        Value::Null => String::new(),
        Value::Number(n) => n.to_string(),
        Value::Bool(b) => b.to_string(),
        _ => return false,
    };
    *value = Value::String(text);
    true
}

fn number(value: &mut Value) -> bool {
    let Some(text) = value.as_str() else { return false };
    let text = text.trim();
    let (digits, percent) = text.strip_suffix('%').map_or((text, false), |d| (d.trim(), true));
    let number = match (digits.parse::<i64>(), digits.parse::<f64>()) {
        (Ok(whole), _) if !percent => Some(Number::from(whole)),
        (_, Ok(fraction)) => Number::from_f64(if percent { fraction / 100.0 } else { fraction }),
        _ => None,
    };
    let Some(number) = number else { return false };
    *value = Value::Number(number);
    true
}

fn boolean(value: &mut Value) -> bool {
    let Some(text) = value.as_str() else { return false };
    let known = match text.trim().to_ascii_lowercase().as_str() {
        "true" | "yes" => true,
        "false" | "no" => false,
        _ => return false,
    };
    *value = Value::Bool(known);
    true
}

fn near_name(value: &mut Value, names: &[Value]) -> bool {
    let Some(text) = value.as_str() else { return false };
    if names.iter().any(|n| n == text) {
        return false;
    }
    let plain = |s: &str| -> String {
        s.chars()
            .filter(|c| c.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .collect()
    };
    let wanted = plain(text);
    match names
        .iter()
        .find(|n| n.as_str().is_some_and(|n| plain(n) == wanted))
    {
        Some(name) => {
            *value = name.clone();
            true
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn near_types_are_turned_and_others_left() {
        let schema = json!({
            "type": "object",
            "properties": {
                "n": {"type": "number"}, "b": {"type": "boolean"}, "s": {"type": "string"},
                "list": {"type": "array", "items": {"type": "string"}},
                "verdict": {"$ref": "#/$defs/Verdict"}, "k": {"type": "integer"},
            },
            "$defs": {"Verdict": {"type": "string", "enum": ["pass", "fail"]}},
        });
        let mut value =
            json!({"n": "80%", "b": "Yes", "s": 5, "list": "BGP", "verdict": "PASS", "k": "seven"});
        assert!(coerce(&mut value, &schema));
        assert_eq!(
            value,
            json!({"n": 0.8, "b": true, "s": "5", "list": ["BGP"], "verdict": "pass", "k": "seven"})
        );
        assert!(!coerce(&mut value, &schema));
    }

    #[test]
    fn nothing_is_an_empty_list() {
        let schema = json!({"type": "array", "items": {"type": "string"}});
        for nothing in [json!(null), json!("none"), json!("")] {
            let mut value = nothing;
            coerce(&mut value, &schema);
            assert_eq!(value, json!([]));
        }
    }
}
