//! Typed values to JSON.
//!
//! JSON that a device sends is kept as it is, module prefixes included. What some devices send although
//! it is not JSON - raw control characters in a description, bytes that are no UTF-8 - is repaired and
//! reported as a warning, so one bad byte does not hide the rest of the tree. Scalars of the PROTO
//! encoding become JSON scalars; bytes become base64.

use crate::proto::gnmi::{TypedValue, typed_value::Value as Typed};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// Decodes a value.
///
/// # Errors
/// One line when it is JSON by name only.
pub(super) fn decode(typed: &TypedValue, warnings: &mut Vec<String>) -> Result<Value, String> {
    let Some(value) = &typed.value else {
        return Ok(Value::Null);
    };
    #[allow(deprecated, reason = "older devices still send float and decimal")]
    Ok(match value {
        Typed::JsonVal(bytes) | Typed::JsonIetfVal(bytes) => parse_json(bytes, warnings)?,
        Typed::StringVal(text) | Typed::AsciiVal(text) => json!(text),
        Typed::IntVal(n) => json!(n),
        Typed::UintVal(n) => json!(n),
        Typed::BoolVal(b) => json!(b),
        Typed::FloatVal(f) => json!(f),
        Typed::DoubleVal(f) => json!(f),
        Typed::DecimalVal(d) => json!(decimal(d.digits, d.precision)),
        Typed::BytesVal(bytes) | Typed::ProtoBytes(bytes) => json!(STANDARD.encode(bytes)),
        Typed::LeaflistVal(list) => {
            let items: Result<Vec<Value>, String> =
                list.element.iter().map(|item| decode(item, warnings)).collect();
            Value::Array(items?)
        }
        Typed::AnyVal(any) => json!({ "type_url": any.type_url, "value": STANDARD.encode(&any.value) }),
    })
}

/// A decimal64 as RFC 7951 writes it: text, so no digit is lost.
fn decimal(digits: i64, precision: u32) -> String {
    let places = precision.min(18) as usize;
    let sign = if digits < 0 { "-" } else { "" };
    let text = format!("{:0>width$}", digits.unsigned_abs(), width = places + 1);
    let (whole, fraction) = text.split_at(text.len() - places);
    if fraction.is_empty() {
        format!("{sign}{whole}")
    } else {
        format!("{sign}{whole}.{fraction}")
    }
}

fn parse_json(bytes: &[u8], warnings: &mut Vec<String>) -> Result<Value, String> {
    if bytes.is_empty() {
        return Ok(Value::Null);
    }
    let strict = match serde_json::from_slice(bytes) {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    let text = String::from_utf8_lossy(bytes);
    if matches!(text, std::borrow::Cow::Owned(_)) {
        warnings.push("bytes that are not UTF-8 were replaced by U+FFFD".into());
    }
    let repaired = escape_controls(&text);
    if repaired.len() != text.len() {
        warnings.push("raw control characters in the device's JSON were escaped".into());
    }
    serde_json::from_str(&repaired).map_err(|_| format!("the value is not valid JSON: {strict}"))
}

/// Escapes raw control characters inside JSON strings; outside they are white space or an error anyway.
fn escape_controls(text: &str) -> String {
    use std::fmt::Write as _;
    let mut out = String::with_capacity(text.len() + 16);
    let (mut inside, mut escaped) = (false, false);
    for c in text.chars() {
        if inside && c < ' ' {
            let _ = write!(out, "\\u{:04x}", u32::from(c));
            escaped = false;
            continue;
        }
        match c {
            '"' if !escaped => inside = !inside,
            '\\' if inside && !escaped => {
                escaped = true;
                out.push(c);
                continue;
            }
            _ => {}
        }
        escaped = false;
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json_ietf(bytes: &[u8]) -> TypedValue {
        TypedValue {
            value: Some(Typed::JsonIetfVal(bytes.to_vec())),
        }
    }

    #[test]
    fn json_is_kept_as_it_is() {
        let mut warnings = Vec::new();
        let value = decode(
            &json_ietf(br#"{"oc:a":"18446744073709551615","b":[1,null]}"#),
            &mut warnings,
        )
        .unwrap();
        assert_eq!(value, json!({"oc:a": "18446744073709551615", "b": [1, null]}));
        assert!(warnings.is_empty());
    }

    #[test]
    fn bad_bytes_and_control_characters_are_repaired_and_told() {
        let mut warnings = Vec::new();
        let value = decode(
            &json_ietf(b"{\"description\":\"a\x1b[2Jb\\\"\tc\xff\"}"),
            &mut warnings,
        )
        .unwrap();
        assert_eq!(value["description"], "a\u{1b}[2Jb\"\tc\u{fffd}");
        assert_eq!(warnings.len(), 2, "{warnings:?}");
    }

    #[test]
    fn what_is_no_json_is_an_error() {
        let error = decode(&json_ietf(b"{\"a\": tru"), &mut Vec::new()).unwrap_err();
        assert!(error.contains("not valid JSON"), "{error}");
    }

    #[test]
    fn proto_scalars_become_json_scalars() {
        let value = |v| decode(&TypedValue { value: Some(v) }, &mut Vec::new()).unwrap();
        assert_eq!(value(Typed::UintVal(u64::MAX)), json!(u64::MAX));
        assert_eq!(value(Typed::BytesVal(vec![1, 2])), json!("AQI="));
        assert_eq!(decimal(-1234, 2), "-12.34");
        assert_eq!(decimal(5, 3), "0.005");
        assert_eq!(decimal(7, 0), "7");
    }
}
