//! Hides secrets in text and JSON: by shape, by key name, and by value for the secrets the program itself holds.
//!
//! Redaction errs on the side of hiding and is idempotent. It does not encrypt and cannot be undone.

use std::borrow::Cow;

use regex::{Captures, Regex};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

use super::keys::{is_community, is_secret_key, is_snmp_section};
use super::patterns::{PATTERNS, PROSE, TRIGGER};

/// What stands where a secret was.
pub const MARK: &str = "<redacted>";

/// Shorter literals are not searched for: they would hit ordinary words.
const SHORTEST_LITERAL: usize = 6;

/// A redactor that also knows concrete values, such as the configured API keys and device passwords.
#[derive(Debug, Clone, Default)]
pub struct Redactor {
    literals: Vec<SecretString>,
}

impl Redactor {
    /// Adds values that must never appear; ones shorter than six bytes are left to the patterns.
    #[must_use]
    pub fn with_literals(mut self, values: impl IntoIterator<Item = SecretString>) -> Self {
        self.literals.extend(
            values
                .into_iter()
                .filter(|v| v.expose_secret().len() >= SHORTEST_LITERAL),
        );
        self
    }

    /// The text without secrets; borrowed when there were none.
    #[must_use]
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut out = Cow::Borrowed(text);
        for literal in &self.literals {
            if out.contains(literal.expose_secret()) {
                out = Cow::Owned(out.replace(literal.expose_secret(), MARK));
            }
        }
        match out {
            Cow::Borrowed(same) => redact_text(same),
            Cow::Owned(changed) => Cow::Owned(redact_text(&changed).into_owned()),
        }
    }

    /// Redacts every string of a JSON value in place, and whole values under secret keys.
    /// Returns how many strings changed.
    pub fn json(&self, value: &mut Value) -> usize {
        self.walk(value, Section::Plain)
    }

    fn walk(&self, value: &mut Value, section: Section) -> usize {
        match value {
            Value::String(text) => {
                let redacted = match section {
                    Section::Secret => hide_whole(text),
                    Section::Plain | Section::Snmp => self.text(text),
                };
                match redacted {
                    Cow::Borrowed(_) => 0,
                    Cow::Owned(new) => {
                        *text = new;
                        1
                    }
                }
            }
            Value::Number(_) if section == Section::Secret => {
                *value = Value::String(MARK.to_owned());
                1
            }
            Value::Array(items) => items.iter_mut().map(|item| self.walk(item, section)).sum(),
            Value::Object(map) => map
                .iter_mut()
                .map(|(key, item)| self.walk(item, section.enter(key)))
                .sum(),
            Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        }
    }
}

/// Where in a JSON value the walk stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Section {
    Plain,
    /// Below an SNMP key: a bare `community` is a secret here.
    Snmp,
    /// Below a secret key: every leaf is one.
    Secret,
}

impl Section {
    fn enter(self, key: &str) -> Self {
        match self {
            Self::Secret => Self::Secret,
            _ if is_secret_key(key) => Self::Secret,
            Self::Snmp if is_community(key) => Self::Secret,
            Self::Snmp => Self::Snmp,
            Self::Plain if is_snmp_section(key) => Self::Snmp,
            Self::Plain => Self::Plain,
        }
    }
}

/// Redacts by shape alone; see [`Redactor::text`].
#[must_use]
pub fn redact_text(text: &str) -> Cow<'_, str> {
    if !TRIGGER.as_ref().is_none_or(|trigger| trigger.is_match(text)) {
        return Cow::Borrowed(text);
    }
    let mut out = Cow::Borrowed(text);
    for pattern in PATTERNS.iter() {
        if let Some(changed) = hide(pattern, &out) {
            out = Cow::Owned(changed);
        }
    }
    out
}

/// Redacts a JSON value by shape and key name; see [`Redactor::json`].
pub fn redact_json(value: &mut Value) -> usize {
    Redactor::default().json(value)
}

/// Replaces the captured secrets of one pattern; `None` when nothing changes.
fn hide(pattern: &Regex, text: &str) -> Option<String> {
    let mut out = String::new();
    let mut copied = 0;
    for captures in pattern.captures_iter(text) {
        for (start, end) in secrets_of(&captures) {
            out.push_str(&text[copied..start]);
            out.push_str(MARK);
            copied = end;
        }
    }
    if copied == 0 {
        return None;
    }
    out.push_str(&text[copied..]);
    Some(out)
}

/// Byte ranges to hide, left to right, without prose words and what is hidden already.
fn secrets_of(captures: &Captures<'_>) -> Vec<(usize, usize)> {
    ["s", "t", "u"]
        .iter()
        .filter_map(|group| captures.name(group))
        .filter(|found| !is_harmless(found.as_str()))
        .map(|found| (found.start(), found.end()))
        .collect()
}

fn is_harmless(word: &str) -> bool {
    let bare = word.trim_matches(|c: char| matches!(c, '.' | ',' | ')' | '(' | '"' | '\''));
    bare.is_empty()
        || bare.contains(MARK)
        || bare.bytes().all(|b| b == b'*')
        || matches!(bare, "null" | "None" | "true" | "false")
        || PROSE.iter().any(|prose| bare.eq_ignore_ascii_case(prose))
}

fn hide_whole(text: &str) -> Cow<'_, str> {
    if text.is_empty() || text == MARK || text.bytes().all(|b| b == b'*') {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(MARK.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    const SECRETS: &str = include_str!("../../tests/fixtures/redaction/secrets.txt");
    const HARMLESS: &str = include_str!("../../tests/fixtures/redaction/harmless.txt");

    fn lines(corpus: &str) -> impl Iterator<Item = &str> {
        corpus
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with("# "))
    }

    /// In the corpus the secret of each line contains `SEKRIT`, so a leak is easy to see.
    #[test]
    fn the_corpus_of_secrets_is_hidden() {
        let mut seen = 0;
        let mut leaks = Vec::new();
        for line in lines(SECRETS) {
            assert!(line.contains("SEKRIT"), "corpus line without a secret: {line}");
            let out = redact_text(line);
            if out.contains("SEKRIT") || !out.contains(MARK) {
                leaks.push(format!("{line}\n    -> {out}"));
            }
            seen += 1;
        }
        assert!(leaks.is_empty(), "leaked:\n{}", leaks.join("\n"));
        assert!(seen >= 60, "{seen}");
    }

    #[test]
    fn the_corpus_of_harmless_lines_is_untouched() {
        for line in lines(HARMLESS) {
            assert_eq!(redact_text(line), line);
        }
    }

    #[test]
    fn json_is_redacted_by_key_shape_and_section() {
        let mut value = json!({
            "name": "xrd-1", "username": "ops", "password": "SEKRIT1", "port": 57400,
            "bgp": {"neighbor": {"auth-password": "SEKRIT2", "community": ["65000:100", "no-export"]}},
            "snmp": {"communities": [{"community": "SEKRIT3", "access": "ro"}]},
            "credentials": {"list": ["SEKRIT4", 12345], "enabled": true},
            "logs": ["neighbor 10.0.0.1 password 7 SEKRIT5", "Interface up"],
            "text": "{\"password\": \"SEKRIT6\", \"x\": 1}",
            "usage": {"prompt_tokens": 25},
        });
        let changed = redact_json(&mut value);
        let text = value.to_string();
        assert!(!text.contains("SEKRIT") && !text.contains("12345"), "{text}");
        assert_eq!(changed, 7);
        assert_eq!(
            value["bgp"]["neighbor"]["community"],
            json!(["65000:100", "no-export"])
        );
        assert_eq!(value["usage"]["prompt_tokens"], 25);
        assert_eq!(value["credentials"]["enabled"], true);
        assert_eq!(value["username"], "ops");
        assert_eq!(redact_json(&mut value), 0, "a second pass finds nothing");
    }

    #[test]
    fn known_values_are_hidden_anywhere() {
        let redactor = Redactor::default().with_literals(["hunter22".into(), "ab".into()]);
        assert_eq!(
            redactor.text("the device said: hunter22! (cab)"),
            "the device said: <redacted>! (cab)"
        );
        assert!(!format!("{redactor:?}").contains("hunter22"));
    }

    proptest! {
        #[test]
        fn redacting_twice_changes_nothing(text in any::<String>()) {
            let once = redact_text(&text).into_owned();
            prop_assert_eq!(redact_text(&once), once.as_str());
        }

        #[test]
        fn a_generated_secret_never_survives(
            secret in "[A-Za-z0-9!%^*_+]{8,20}",
            form in proptest::sample::select(vec![
                "password 7 {}", "password={}", "\"password\": \"{}\"", "snmp-server community {} RO",
                "Authorization: Bearer {}", "key 7 {}", "https://ops:{}@host/x", "isis password {}",
                "api_key: '{}'", "tacacs-server host 10.0.0.1 key 7 {}",
            ]),
        ) {
            let text = form.replace("{}", &format!("Zz9{secret}"));
            let out = redact_text(&text);
            prop_assert!(!out.contains(&secret), "{} -> {}", text, out);
        }
    }
}
