//! Measures a result and cuts it to the cap, keeping its shape: long lists and strings shrink first.

use std::io::{self, Write};

use serde_json::{Value, json};

/// A result within the cap.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    /// The result, cut where it was too large.
    pub value: Value,
    /// Whether it was cut.
    pub truncated: bool,
}

/// Bytes of a value as JSON.
#[must_use]
pub fn measure(value: &Value) -> usize {
    let mut counter = Counter(0);
    // Counting cannot fail.
    match serde_json::to_writer(&mut counter, value) {
        Ok(()) => counter.0,
        Err(_) => usize::MAX,
    }
}

struct Counter(usize);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Cuts a value to at most `cap` bytes of JSON (at least 256). Lists lose their tails and strings their ends,
/// in steps; what still does not fit becomes its size and the head of its text.
#[must_use]
pub fn shrink(value: Value, cap: usize) -> Fitted {
    let cap = cap.max(256);
    let bytes = measure(&value);
    if bytes <= cap {
        return Fitted {
            value,
            truncated: false,
        };
    }
    for most in [2000, 500, 100, 20, 5] {
        let cut = prune(&value, most);
        if measure(&cut) <= cap {
            return Fitted {
                value: cut,
                truncated: true,
            };
        }
    }
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let mut room = (cap - 128).min(text.len());
    loop {
        let head: String = text
            .char_indices()
            .take_while(|(at, _)| *at < room)
            .map(|(_, c)| c)
            .collect();
        let cut = if value.is_string() {
            Value::String(head)
        } else {
            json!({"truncated": true, "bytes": bytes, "head": head})
        };
        if measure(&cut) <= cap {
            return Fitted {
                value: cut,
                truncated: true,
            };
        }
        // Escapes made it longer than its text; halving ends at an empty head.
        room /= 2;
    }
}

fn prune(value: &Value, most: usize) -> Value {
    match value {
        Value::Array(items) => items.iter().take(most).map(|item| prune(item, most)).collect(),
        Value::Object(map) => map
            .iter()
            .map(|(key, item)| (key.clone(), prune(item, most)))
            .collect(),
        Value::String(text) => {
            let longest = most * 64;
            if text.len() <= longest {
                value.clone()
            } else {
                Value::String(text.chars().take(longest).collect())
            }
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_long_list_keeps_its_shape() {
        let value = json!({"status": "success", "data": {"logs": vec!["line of a log"; 10_000]}});
        let cut = shrink(value, 20_000);
        assert!(cut.truncated && measure(&cut.value) <= 20_000);
        assert_eq!(cut.value["status"], "success");
        assert_eq!(cut.value["data"]["logs"].as_array().unwrap().len(), 500);
    }

    #[test]
    fn what_fits_is_untouched_and_a_huge_string_is_cut() {
        let small = json!([1, {"a": "b"}]);
        assert_eq!(
            shrink(small.clone(), 1000),
            Fitted {
                value: small,
                truncated: false
            }
        );
        let cut = shrink(Value::String("\u{1}é".repeat(100_000)), 1000);
        assert!(cut.truncated && cut.value.is_string() && measure(&cut.value) <= 1000);
        let wide: Value = (0..50_000)
            .map(|i| (format!("key-{i}"), json!(i)))
            .collect::<serde_json::Map<_, _>>()
            .into();
        let cut = shrink(wide, 1000);
        assert!(measure(&cut.value) <= 1000 && cut.value["truncated"] == true);
    }

    proptest! {
        #[test]
        fn the_cap_holds(texts in proptest::collection::vec(any::<String>(), 0..40), cap in 256usize..2000) {
            let value = json!({"a": texts, "b": {"c": texts}});
            prop_assert!(measure(&shrink(value, cap).value) <= cap);
        }
    }
}
