//! The arguments of a call in a few words: what a reader needs to know the call by. The whole is one key away.

use serde_json::Value;

use crate::agent::state::CallRecord;
use crate::tui::text;

/// More devices than this are counted, not named.
const NAMED: usize = 2;

/// Cells that the items of a list may take before they are counted.
const LISTED: usize = 34;

/// The values of a call's arguments in a line.
pub(in super::super) fn arguments(record: &CallRecord) -> String {
    let list: Vec<String> = record
        .call
        .arguments
        .iter()
        .map(|(name, value)| brief(name, value))
        .collect();
    text::one_line(&list.join(", "))
}

fn brief(name: &str, value: &Value) -> String {
    match value {
        Value::String(s) => short_path(s).unwrap_or_else(|| s.clone()),
        Value::Array(items) if name.contains("device") && items.len() > NAMED => {
            text::plural(items.len(), "device")
        }
        Value::Array(items) => {
            let all: Vec<String> = items.iter().map(|item| brief("", item)).collect();
            let fits = |n: &usize| text::width(&all[..*n].join(" ")) <= LISTED;
            let shown = (1..=all.len())
                .take_while(fits)
                .last()
                .unwrap_or(all.len().min(1));
            match all.len() - shown {
                0 => all.join(" "),
                rest => format!("{} +{rest}", all[..shown].join(" ")),
            }
        }
        other => other.to_string(),
    }
}

/// A YANG path by its last two names, without modules and keys: `network-instance/config`.
fn short_path(path: &str) -> Option<String> {
    let module = |segment: &str| {
        let (module, _) = segment.split_once(':')?;
        (module.contains('-') && module.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')).then_some(())
    };
    if !path.starts_with('/') {
        module(path.split('/').next()?)?;
    }
    let mut names: Vec<&str> = Vec::new();
    let mut depth = 0_u32;
    let mut start = 0;
    // A key may hold a slash: `interface[name=Gi0/0/0/1]`.
    for (i, c) in path.char_indices().chain([(path.len(), '/')]) {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            '/' if depth == 0 => {
                names.push(&path[start..i]);
                start = (i + 1).min(path.len());
            }
            _ => {}
        }
    }
    let names: Vec<&str> = names
        .into_iter()
        .filter(|name| !name.is_empty())
        .map(|name| {
            let bare = name.split('[').next().unwrap_or(name);
            bare.split_once(':').map_or(bare, |(_, name)| name)
        })
        .collect();
    let last = &names[names.len().saturating_sub(2)..];
    (!last.is_empty()).then(|| last.join("/"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn paths_lose_their_modules_and_keys() {
        let short = |path| short_path(path).unwrap_or_default();
        assert_eq!(short("openconfig-interfaces:interfaces"), "interfaces");
        assert_eq!(
            short("openconfig-network-instance:network-instances/network-instance[name=*]/config"),
            "network-instance/config"
        );
        assert_eq!(
            short("/interfaces/interface[name=Gi0/0/0/1]/state"),
            "interface/state"
        );
        for plain in ["10.0.0.0/24", "fe80::1/64", "BGP", "", "/", "a:b"] {
            assert_eq!(short_path(plain), None, "{plain}");
        }
    }

    #[test]
    fn many_devices_are_counted() {
        assert_eq!(brief("devices", &json!(["a", "b", "c"])), "3 devices");
        assert_eq!(brief("devices", &json!(["a", "b"])), "a b");
        assert_eq!(brief("paths", &json!(["w", "x", "y", "z"])), "w x y z");
        let long = "x".repeat(20);
        assert_eq!(brief("paths", &json!([long, long, long])), format!("{long} +2"));
    }
}
