//! Arguments of a call, checked against the tool's parameters: what is missing, mistyped or unknown is
//! refused in one line that names the parameter and shows a right value.
//!
//! As lenient as gNMIBuddy where that is harmless: a flag may be `"true"`, a number may be `"5"`.

use super::catalog::{Kind, Parameter, Spec};
use serde_json::{Map, Value, json};

/// Checked arguments; parameters that were left out have their defaults.
#[derive(Debug, Clone)]
pub(super) struct Arguments {
    values: Map<String, Value>,
}

impl Arguments {
    /// Checks `given` against `spec`.
    pub(super) fn read(spec: &Spec, given: &Map<String, Value>) -> Result<Self, String> {
        if let Some(unknown) = given
            .keys()
            .find(|k| spec.parameters.iter().all(|p| p.name != k.as_str()))
        {
            return Err(unexpected(spec, unknown));
        }
        let mut values = Map::new();
        for parameter in spec.parameters {
            let value = match given.get(parameter.name) {
                None if parameter.required => {
                    return Err(format!(
                        "{}: {}: missing required argument; {}",
                        spec.name, parameter.name, parameter.description
                    ));
                }
                None => parameter.kind.default(),
                Some(value) => check(parameter, value).map_err(|expected| {
                    format!(
                        "{}: {}: {expected}, got {}",
                        spec.name,
                        parameter.name,
                        shorten(value)
                    )
                })?,
            };
            values.insert(parameter.name.to_owned(), value);
        }
        Ok(Self { values })
    }

    /// The device of a call about one device.
    pub(super) fn device(&self) -> &str {
        self.text("device_name")
            .or_else(|| self.text("device"))
            .unwrap_or_default()
    }

    /// Text, `None` when it is null or absent.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.values.get(name).and_then(Value::as_str)
    }

    /// A flag, false when absent.
    pub(super) fn flag(&self, name: &str) -> bool {
        self.values.get(name).and_then(Value::as_bool).unwrap_or(false)
    }

    /// A whole number, `None` when it is null or absent.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        self.values.get(name).and_then(Value::as_u64)
    }

    /// A list of texts, empty when it is null or absent.
    pub(super) fn texts(&self, name: &str) -> Vec<&str> {
        self.values
            .get(name)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect()
    }

    /// An argument as it was given.
    pub(super) fn raw(&self, name: &str) -> &Value {
        self.values.get(name).unwrap_or(&Value::Null)
    }
}

fn unexpected(spec: &Spec, unknown: &str) -> String {
    let names: Vec<&str> = spec.parameters.iter().map(|p| p.name).collect();
    let known = if names.is_empty() {
        "it takes none".to_owned()
    } else {
        format!("it takes {}", names.join(", "))
    };
    format!("{}: {unknown}: unexpected argument; {known}", spec.name)
}

/// The value as the tool reads it, or what was expected.
fn check(parameter: &Parameter, value: &Value) -> Result<Value, String> {
    match parameter.kind {
        Kind::Name => match value.as_str() {
            Some(text) if !text.trim().is_empty() => Ok(value.clone()),
            Some(_) => Err("a name is expected (get_devices lists them)".into()),
            None => Err("text is expected".into()),
        },
        Kind::OptionalText => match value {
            Value::Null | Value::String(_) => Ok(value.clone()),
            _ => Err("text is expected".into()),
        },
        Kind::Flag => read_flag(value)
            .map(Value::Bool)
            .ok_or_else(|| "true or false is expected".into()),
        Kind::Minutes => match value {
            Value::Null | Value::String(_) => Ok(value.clone()),
            Value::Number(n) if n.is_i64() || n.is_u64() => Ok(value.clone()),
            _ => Err("a whole number or text is expected".into()),
        },
        Kind::Names => {
            let list = value.as_array().filter(|list| !list.is_empty());
            let good =
                list.is_some_and(|l| l.iter().all(|v| v.as_str().is_some_and(|s| !s.trim().is_empty())));
            if good {
                Ok(value.clone())
            } else {
                Err("a list of at least one text is expected".into())
            }
        }
        Kind::OptionalNames => match value {
            Value::Null => Ok(Value::Null),
            Value::Array(list) if list.iter().all(Value::is_string) => Ok(value.clone()),
            _ => Err("a list of texts is expected".into()),
        },
        Kind::Number { low, high, .. } | Kind::OptionalNumber { low, high } => {
            if value.is_null() {
                return Ok(parameter.kind.default());
            }
            let number = value
                .as_u64()
                .or_else(|| value.as_str().and_then(|s| s.parse().ok()));
            number
                .filter(|n| (low..=high).contains(n))
                .map(|n| json!(n))
                .ok_or_else(|| format!("a whole number from {low} to {high} is expected"))
        }
        Kind::Choice { values, .. } => {
            let text = value.as_str().map(str::to_lowercase);
            text.filter(|t| values.contains(&t.as_str()))
                .map(Value::String)
                .ok_or_else(|| format!("one of {} is expected", values.join(", ")))
        }
        Kind::Object => match value {
            Value::Null => Ok(json!({})),
            Value::Object(_) => Ok(value.clone()),
            _ => Err("an object is expected".into()),
        },
    }
}

fn read_flag(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(b) => Some(*b),
        Value::Number(n) => n.as_u64().filter(|n| *n < 2).map(|n| n == 1),
        Value::String(s) => match s.to_lowercase().as_str() {
            "true" | "yes" | "on" | "1" | "y" | "t" => Some(true),
            "false" | "no" | "off" | "0" | "n" | "f" => Some(false),
            _ => None,
        },
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn shorten(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 60 {
        text
    } else {
        text.chars().take(57).chain("...".chars()).collect()
    }
}
