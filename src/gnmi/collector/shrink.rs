//! `fields` and `limit`: keeping an answer small without changing where things are.
//!
//! A kept node stays at its place, so a JSON pointer into the small answer is a pointer into the whole
//! one as well (unless a list before it was filtered). What a list lost is reported.

use crate::gnmi::client::lookup::KEY_LEAVES;
use crate::proto::path::{local_name, parse};
use serde_json::{Map, Value, json};

/// Filters `data` by field names, then cuts lists. Returns pointer -> original length of each cut list.
pub(super) fn shrink(data: &mut Value, fields: &[&str], limit: Option<u64>) -> Map<String, Value> {
    if !fields.is_empty()
        && let Value::Object(answers) = data
    {
        let wanted: Vec<Vec<&str>> = fields
            .iter()
            .map(|f| f.trim_matches('/').split('/').collect())
            .collect();
        for answer in answers.values_mut() {
            if (answer.is_object() || answer.is_array()) && !keep(answer, &wanted) {
                *answer = json!({});
            }
        }
    }
    let mut cut = Map::new();
    if let Some(limit) = limit {
        truncate(
            data,
            usize::try_from(limit).unwrap_or(usize::MAX),
            &mut String::new(),
            &mut cut,
        );
    }
    cut
}

/// Removes what no field names; tells whether anything is left.
fn keep(value: &mut Value, fields: &[Vec<&str>]) -> bool {
    match value {
        Value::Object(object) => {
            let mut any = false;
            object.retain(|name, node| {
                let below: Vec<Vec<&str>> = fields.iter().filter_map(|f| rest(f, name)).collect();
                let whole = below.iter().any(Vec::is_empty);
                let kept = whole || keep(node, &[fields, &below].concat());
                any |= kept;
                kept || is_key(name, node)
            });
            any
        }
        Value::Array(list) => {
            list.retain_mut(|entry| keep(entry, fields));
            !list.is_empty()
        }
        _ => false,
    }
}

/// What is left of the field `a/b` below a node called `a`: `b`, or nothing when all of `a` is wanted.
/// A concrete path, as a wildcard's match is called, counts by its last element.
fn rest<'a>(field: &[&'a str], name: &str) -> Option<Vec<&'a str>> {
    let (first, rest) = field.split_first()?;
    let last = name
        .starts_with('/')
        .then(|| parse(name).ok()?.elem.pop().map(|e| e.name))
        .flatten();
    let name = last.as_deref().unwrap_or(name);
    (*first == name || *first == local_name(name)).then(|| rest.to_vec())
}

fn is_key(name: &str, node: &Value) -> bool {
    KEY_LEAVES.contains(&local_name(name)) && !node.is_object() && !node.is_array()
}

fn truncate(value: &mut Value, limit: usize, pointer: &mut String, cut: &mut Map<String, Value>) {
    let depth = pointer.len();
    match value {
        Value::Array(list) => {
            if list.len() > limit {
                cut.insert(pointer.clone(), json!(list.len()));
                list.truncate(limit);
            }
            for (index, entry) in list.iter_mut().enumerate() {
                pointer.push_str(&format!("/{index}"));
                truncate(entry, limit, pointer, cut);
                pointer.truncate(depth);
            }
        }
        Value::Object(object) => {
            // The answer to a path with wildcards is a list in all but form: one member per match.
            let matches = depth > 0 && object.keys().all(|k| k.starts_with('/'));
            if matches && object.len() > limit {
                cut.insert(pointer.clone(), json!(object.len()));
                let mut left = limit;
                object.retain(|_, _| {
                    let keep = left > 0;
                    left = left.saturating_sub(1);
                    keep
                });
            }
            for (name, node) in object.iter_mut() {
                pointer.push('/');
                pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
                truncate(node, limit, pointer, cut);
                pointer.truncate(depth);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_keep_names_keys_and_places() {
        let mut data = json!({"/interfaces": {"interface": [
            {"name": "a", "config": {"mtu": 1}, "state": {"oper-status": "UP", "counters": {"in-errors": "1", "in-octets": "2"}}},
            {"name": "b", "config": {"mtu": 2}}]}});
        let whole = data.clone();
        shrink(
            &mut data,
            &["oper-status", "counters/in-errors", "counters/in-octets"],
            None,
        );
        assert_eq!(
            data,
            json!({"/interfaces": {"interface": [
            {"name": "a", "state": {"oper-status": "UP", "counters": {"in-errors": "1", "in-octets": "2"}}}]}})
        );
        let mut data = whole;
        shrink(&mut data, &["counters/in-errors"], None);
        assert_eq!(
            data["/interfaces"]["interface"][0]["state"],
            json!({"counters": {"in-errors": "1"}})
        );
    }

    #[test]
    fn a_container_is_kept_whole_and_prefixes_do_not_matter() {
        let mut data = json!({"p": {"oc:a": {"oc-x:state": {"k": 1}}, "b": 2}});
        shrink(&mut data, &["state"], None);
        assert_eq!(data, json!({"p": {"oc:a": {"oc-x:state": {"k": 1}}}}));
    }

    #[test]
    fn nothing_left_is_an_empty_object() {
        let mut data = json!({"p": {"name": "only a key"}});
        shrink(&mut data, &["absent"], None);
        assert_eq!(data, json!({"p": {}}));
    }

    #[test]
    fn limits_tell_what_they_cut() {
        let mut data = json!({"a/b": [[1, 2, 3], 2, 3]});
        let cut = shrink(&mut data, &[], Some(2));
        assert_eq!(data, json!({"a/b": [[1, 2], 2]}));
        assert_eq!(Value::Object(cut), json!({"/a~1b": 3, "/a~1b/0": 3}));
        let mut matches = json!({"/x[k=*]": {"/x[k=1]": 1, "/x[k=2]": 2}});
        let cut = shrink(&mut matches, &[], Some(1));
        assert_eq!(matches, json!({"/x[k=*]": {"/x[k=1]": 1}}));
        assert_eq!(cut.len(), 1);
    }
}
