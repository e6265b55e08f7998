//! The settings in force as lines of TOML with their origins, and the commented file for a new user.
//!
//! Values that may hold secrets are hidden.

use toml::{Table, Value};

use super::{DEFAULT, Loaded, Origin};

/// One key, its value as TOML, and where it was set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The key, dotted.
    pub key: String,
    /// The value as TOML text.
    pub value: String,
    /// Where it was set.
    pub origin: Origin,
}

/// The settings in force, whole or below `prefix` (a section or a key).
pub fn lines(loaded: &Loaded, prefix: Option<&str>) -> Vec<Line> {
    let mut found = Vec::new();
    walk(&loaded.table, "", &mut |key, value| {
        let within =
            prefix.is_none_or(|p| key == p || key.strip_prefix(p).is_some_and(|r| r.starts_with('.')));
        if within {
            let origin = loaded.origins.get(key).cloned().unwrap_or(Origin::Default);
            found.push(Line {
                key: key.to_owned(),
                value: shown(key, value),
                origin,
            });
        }
    });
    found
}

fn walk(table: &Table, prefix: &str, visit: &mut impl FnMut(&str, &Value)) {
    for (name, value) in table {
        let key = if prefix.is_empty() {
            quoted(name)
        } else {
            format!("{prefix}.{}", quoted(name))
        };
        match value {
            Value::Table(inner) => walk(inner, &key, visit),
            value => visit(&key, value),
        }
    }
}

fn quoted(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.chars().all(bare) {
        name.to_owned()
    } else {
        format!("{name:?}")
    }
}

fn shown(key: &str, value: &Value) -> String {
    let hidden = Value::String("(hidden)".to_owned());
    match value {
        // A header that is taken from the environment shows the variable's name; any other may be a secret.
        Value::String(text) if key.starts_with("model.headers") && !text.contains("${") => hidden.to_string(),
        Value::String(text) if has_password(text) => hidden.to_string(),
        value => value.to_string(),
    }
}

/// `scheme://user:password@host`.
fn has_password(text: &str) -> bool {
    text.split_once("://")
        .and_then(|(_, rest)| rest.split('/').next())
        .and_then(|authority| authority.rsplit_once('@'))
        .is_some_and(|(user, _)| user.contains(':'))
}

/// The embedded file with every value commented out: a new user's starting point.
pub fn commented() -> String {
    let mut text = String::from(
        "# Your settings. Take the `#` away from what you want to change; the values shown are the defaults.\n\
         # `noctui config show --origin` shows what is in force and where it was set.\n",
    );
    let body = DEFAULT.split_once("\n\n").map_or(DEFAULT, |(_, body)| body);
    for line in body.lines() {
        let keep = line.is_empty() || line.starts_with('#') || line.starts_with('[');
        text.push_str(if keep { "" } else { "#" });
        text.push_str(line);
        text.push('\n');
    }
    text
}
