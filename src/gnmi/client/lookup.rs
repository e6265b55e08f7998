//! Reading OpenConfig JSON without minding module prefixes: `openconfig-if-ip:ipv4` is found as `ipv4`.
//!
//! Numbers may be JSON numbers or the strings that JSON_IETF uses for 64-bit ones. All functions return
//! "nothing" for what is absent or of another type: a device that leaves a leaf out is no error.

use crate::proto::path::local_name;
use serde_json::Value;

/// Leaves that are keys of OpenConfig lists, by which an entry is told without its schema.
pub const KEY_LEAVES: [&str; 16] = [
    "identifier",
    "name",
    "id",
    "index",
    "neighbor-address",
    "afi-safi-name",
    "interface-id",
    "level-number",
    "system-id",
    "prefix",
    "ip",
    "peer-group-name",
    "local-id",
    "username",
    "facility",
    "severity",
];

/// The node below `value` at `path` (`levels/level`), or `None`.
pub fn at<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('/').try_fold(value, child)
}

fn child<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    let object = value.as_object()?;
    object
        .get(name)
        .or_else(|| object.iter().find(|(k, _)| local_name(k) == name).map(|(_, v)| v))
}

/// Text at `path`; numbers are printed, other types are nothing.
pub fn text(value: &Value, path: &str) -> Option<String> {
    match at(value, path)? {
        Value::String(s) => Some(s.clone()),
        Value::Number(n) => Some(n.to_string()),
        _ => None,
    }
}

/// A number at `path`, also written as text.
pub fn number(value: &Value, path: &str) -> Option<i64> {
    match at(value, path)? {
        Value::Number(n) => n.as_i64(),
        Value::String(s) => s.parse().ok(),
        _ => None,
    }
}

/// A 64-bit counter at `path`, also written as text.
pub fn counter(value: &Value, path: &str) -> Option<u64> {
    match at(value, path)? {
        Value::Number(n) => n.as_u64(),
        Value::String(s) => s.parse().ok(),
        _ => None,
    }
}

/// true or false at `path`.
pub fn flag(value: &Value, path: &str) -> Option<bool> {
    at(value, path)?.as_bool()
}

/// The entries of the list at `path`, none when there is no list.
pub fn list<'a>(value: &'a Value, path: &str) -> &'a [Value] {
    at(value, path)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// `state/leaf`, or `config/leaf` where the device reports no state.
pub fn either<'a>(value: &'a Value, leaf: &str) -> Option<&'a Value> {
    let pick = |container| {
        at(value, container)
            .and_then(|c| child(c, leaf))
            .filter(|v| !v.is_null())
    };
    pick("state").or_else(|| pick("config"))
}

/// An identity such as `openconfig-bgp-types:L3VPN_IPV4_UNICAST` in the form `l3vpn_ipv4_unicast`.
pub fn identity(text: &str) -> String {
    local_name(text).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn prefixes_do_not_matter() {
        let tree = json!({"oc-ip:ipv4": {"addresses": {"address": [{"state": {"mtu": "1514"}, "config": {"mtu": 9}}]}}});
        let address = &list(&tree, "ipv4/addresses/address")[0];
        assert_eq!(number(address, "state/mtu"), Some(1514));
        assert_eq!(either(address, "mtu").unwrap(), "1514");
        assert_eq!(at(&tree, "ipv4/absent/deeper"), None);
        assert_eq!(identity("openconfig-bgp-types:IPV4_UNICAST"), "ipv4_unicast");
    }
}
