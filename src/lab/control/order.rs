//! Reads a fault from a line: `bgp.neighbor.remote_as device=xrd-1 neighbor=100.100.100.107 value=65001`.
//! Whether the operation exists and fits is for the fault room to judge.

use crate::lab::fault::Fault;

/// Why a line is no fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("fault \"{line}\": {what}")]
pub struct OrderError {
    line: String,
    what: String,
}

/// Reads `op key=value …`. A value is TOML where it parses as such (`12`, `true`, `["100:1"]`), else text;
/// quotes keep blanks together.
///
/// # Errors
/// [`OrderError`] for a missing operation, a word without `=`, an unclosed quote or an unknown key.
pub fn parse_fault(line: &str) -> Result<Fault, OrderError> {
    let fail = |what: String| OrderError {
        line: line.trim().to_owned(),
        what,
    };
    let words = words(line).map_err(fail)?;
    let Some((op, rest)) = words.split_first() else {
        return Err(fail("an operation is expected, e.g. interface.enabled".into()));
    };
    let mut table = toml::Table::new();
    table.insert("op".into(), toml::Value::String(op.clone()));
    for word in rest {
        let Some((key, text)) = word.split_once('=') else {
            return Err(fail(format!("\"{word}\" is not KEY=VALUE")));
        };
        table.insert(key.to_owned(), value(key, text));
    }
    table
        .try_into()
        .map_err(|error: toml::de::Error| fail(error.message().to_owned()))
}

/// Names and texts stay texts, whatever they look like.
fn value(key: &str, text: &str) -> toml::Value {
    const TEXTS: [&str; 6] = ["device", "interface", "neighbor", "vrf", "afi", "text"];
    let parsed = || {
        toml::from_str::<toml::Table>(&format!("v = {text}"))
            .ok()?
            .remove("v")
    };
    let value = if TEXTS.contains(&key) { None } else { parsed() };
    match (key, value) {
        // A whole number is a rate too.
        ("rate", Some(toml::Value::Integer(_))) => {
            let rate = text.trim().parse().map(toml::Value::Float);
            rate.unwrap_or_else(|_| toml::Value::String(text.to_owned()))
        }
        (_, Some(value)) => value,
        (_, None) => toml::Value::String(text.to_owned()),
    }
}

/// Splits at blanks outside double or single quotes. Quotes around a part go, those inside brackets stay.
fn words(line: &str) -> Result<Vec<String>, String> {
    let (mut words, mut word, mut quote, mut depth) = (Vec::new(), String::new(), None, 0_usize);
    let mut quoted = false;
    for c in line.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => {
                quote = None;
                if depth > 0 {
                    word.push(c);
                }
            }
            (Some(_), c) => word.push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                quoted = true;
                if depth > 0 {
                    word.push(c);
                }
            }
            (None, c) if c.is_whitespace() && depth == 0 => {
                if !word.is_empty() || quoted {
                    words.push(std::mem::take(&mut word));
                }
                quoted = false;
            }
            (None, c) => {
                match c {
                    '[' => depth += 1,
                    ']' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                word.push(c);
            }
        }
    }
    if quote.is_some() {
        return Err("a quote is never closed".into());
    }
    if !word.is_empty() || quoted {
        words.push(word);
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_fault() {
        let line = "bgp.neighbor.remote_as device=xrd-1 neighbor=100.100.100.107 value=65001 at_s=-60";
        let fault = parse_fault(line).unwrap();
        assert_eq!(
            (fault.op.as_str(), fault.device.as_str()),
            ("bgp.neighbor.remote_as", "xrd-1")
        );
        assert_eq!(fault.neighbor.as_deref(), Some("100.100.100.107"));
        assert_eq!(
            (fault.value, fault.at_s),
            (Some(toml::Value::Integer(65001)), -60)
        );
    }

    #[test]
    fn values_are_typed_and_quotes_kept_together() {
        let fault = parse_fault("x.y device=7 value='do not touch' text=\"a=b c\" rate=5 count=3").unwrap();
        assert_eq!(fault.device, "7");
        assert_eq!(fault.value, Some(toml::Value::String("do not touch".into())));
        assert_eq!(fault.text.as_deref(), Some("a=b c"));
        assert_eq!((fault.rate, fault.count), (Some(5.0), Some(3)));
        let list = parse_fault("vrf.import_rt device=r1 vrf=CUST-A value=[\"100:1\", \"100:2\"]").unwrap();
        assert_eq!(list.value.unwrap().as_array().unwrap().len(), 2);
        assert_eq!(
            parse_fault("x device=r1 value=false").unwrap().value,
            Some(toml::Value::Boolean(false))
        );
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (line, part) in [
            ("", "operation"),
            ("x.y device", "KEY=VALUE"),
            ("x.y device='r1", "never closed"),
            ("x.y value=1", "device"),
            ("x.y device=r1 wrong=1", "wrong"),
        ] {
            let error = parse_fault(line).unwrap_err().to_string();
            assert!(error.contains(part), "{line}: {error}");
        }
    }
}
