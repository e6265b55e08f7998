//! The JSON schema of the settings, and the checks and hints that are made from it.
//!
//! The types are the source: the schema is generated, nothing is listed twice.

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use super::sections::Settings;

/// The schema of a settings file: every key optional, no other key allowed.
pub fn schema() -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    let mut schema = settings
        .into_generator()
        .into_root_schema_for::<Settings>()
        .to_value();
    make_optional(&mut schema);
    schema
}

/// A file holds only what differs, so nothing is required (but inside list items).
fn make_optional(node: &mut Value) {
    let Some(object) = node.as_object_mut() else {
        return;
    };
    object.remove("required");
    if let Some(properties) = object.get_mut("properties").and_then(Value::as_object_mut) {
        properties.values_mut().for_each(make_optional);
    }
}

/// The part of the schema that describes `key`; list positions are numbers.
pub(super) fn node<'a>(schema: &'a Value, key: &[String]) -> Option<&'a Value> {
    key.iter().try_fold(schema, |node, part| {
        let named = node.get("properties").and_then(|properties| properties.get(part));
        let listed = part.parse::<usize>().ok().and_then(|_| node.get("items"));
        named
            .or(listed)
            .or_else(|| node.get("additionalProperties").filter(|open| open.is_object()))
    })
}

/// The names that an object allows; empty when it allows any.
pub(super) fn names(node: &Value) -> Vec<&str> {
    node.get("properties")
        .and_then(Value::as_object)
        .map(|properties| properties.keys().map(String::as_str).collect())
        .unwrap_or_default()
}

/// Whether a value of this node is written as text.
pub(super) fn is_text(node: &Value) -> bool {
    !choices(node).is_empty() || types(node).contains(&"string")
}

/// What a value should be, in words: `an integer from 1 to 10`, `"rules" or "model"`.
pub(super) fn expectation(node: &Value) -> String {
    let choices = choices(node);
    if !choices.is_empty() {
        let quoted: Vec<String> = choices.iter().map(|choice| format!("\"{choice}\"")).collect();
        return quoted.join(" or ");
    }
    let article = |name: &str| match name {
        "integer" | "object" | "array" => format!("an {name}"),
        _ => format!("a {name}"),
    };
    let types: Vec<String> = types(node)
        .iter()
        .filter(|name| **name != "null")
        .map(|n| article(n))
        .collect();
    let mut text = if types.is_empty() {
        "another value".to_owned()
    } else {
        types.join(" or ")
    };
    match (node.get("minimum"), node.get("maximum")) {
        (Some(low), Some(high)) => text.push_str(&format!(" from {low} to {high}")),
        (Some(low), None) => text.push_str(&format!(" of at least {low}")),
        (None, Some(high)) => text.push_str(&format!(" of at most {high}")),
        (None, None) => {}
    }
    text
}

fn choices(node: &Value) -> Vec<&str> {
    let documented = node.get("oneOf").and_then(Value::as_array).into_iter().flatten();
    let documented = documented.filter_map(|choice| choice.get("const").and_then(Value::as_str));
    let plain = node
        .get("enum")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str);
    documented.chain(plain).collect()
}

fn types(node: &Value) -> Vec<&str> {
    match node.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// All keys with a value of their own, dotted; open tables appear as themselves.
pub(super) fn keys(schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
        collect(properties, "", &mut found);
    }
    found
}

fn collect(properties: &Map<String, Value>, prefix: &str, found: &mut Vec<String>) {
    for (name, node) in properties {
        let key = if prefix.is_empty() {
            name.clone()
        } else {
            format!("{prefix}.{name}")
        };
        match node.get("properties").and_then(Value::as_object) {
            Some(inner) => collect(inner, &key, found),
            None => found.push(key),
        }
    }
}

/// The candidate that is most like `name`, when one is like it at all.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| (likeness(&name, &candidate.to_lowercase()), candidate))
        .filter(|(likeness, _)| *likeness >= LIKE)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// Jaro-Winkler likeness, but a name that was cut short is meant before one that only looks alike.
fn likeness(name: &str, candidate: &str) -> f64 {
    let cut = name.len() >= SHORTEST_CUT;
    if cut && candidate.starts_with(name) {
        0.98
    } else if cut && candidate.contains(name) {
        0.92
    } else {
        strsim::jaro_winkler(name, candidate)
    }
}

/// Likeness from which a name is offered as a correction; below it hints are noise.
const LIKE: f64 = 0.75;
/// A part of a name must be this long to count as the name cut short.
const SHORTEST_CUT: usize = 3;

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn slips_and_cut_names_find_what_was_meant() {
        let names = ["review_p_device", "review_pe_device", "max_loops", "theme"];
        assert_eq!(nearest("review_pe", names), Some("review_pe_device"));
        assert_eq!(nearest("loops", names), Some("max_loops"));
        assert_eq!(nearest("THMEE", names), Some("theme"));
        assert_eq!(nearest("zzz", names), None);
        assert_eq!(nearest("", names), None);
    }
}
