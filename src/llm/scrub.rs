//! Text that may be shown or stored: control characters neutralised, keys blotted out.
//!
//! Knows the shapes of common API keys and the exact secrets it is given. Device secrets are the caller's
//! matter: a `Redactor` of its own can be passed to a recorder.

use std::sync::{Arc, LazyLock};

use regex::Regex;

/// A function that blots out what must not be stored.
pub type Redactor = Arc<dyn Fn(&str) -> String + Send + Sync>;

/// What a secret is replaced with.
pub const BLOT: &str = "[redacted]";

static KEY_SHAPES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?x)
        \b(?:sk|pk|rk|gsk|xai|ghp|gho|hf|glpat|AIza)[-_][A-Za-z0-9_\-]{16,}   # vendors' prefixes
        | \beyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]*        # a JSON web token
        | (?i:\bbearer\s+)[A-Za-z0-9._~+/\-]{16,}=*",
    )
    .ok()
});

/// `text` without anything that looks like an API key or a bearer token.
pub fn redact_secrets(text: &str) -> String {
    match KEY_SHAPES.as_ref() {
        Some(shapes) => shapes.replace_all(text, BLOT).into_owned(),
        None => text.to_owned(),
    }
}

/// `text` with control characters (but newline and tab), C1 controls and bidirectional overrides replaced
/// by U+FFFD, so that a model's words cannot drive a terminal.
pub fn neutralise(text: &str) -> String {
    let dangerous = |c: char| {
        (c.is_control() && c != '\n' && c != '\t')
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if text.contains(dangerous) {
        text.chars()
            .map(|c| if dangerous(c) { '\u{fffd}' } else { c })
            .collect()
    } else {
        text.to_owned()
    }
}

/// A server's words fit for an error message: one line, at most 300 characters, no secrets.
pub(crate) fn excerpt(text: &str, secrets: &[String]) -> String {
    let mut text = redact_secrets(text);
    for secret in secrets.iter().filter(|s| s.len() >= 4) {
        text = text.replace(secret.as_str(), BLOT);
    }
    let line = neutralise(&text).split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() > 300 {
        line.chars().take(299).chain(['…']).collect()
    } else {
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_blotted_out() {
        assert_eq!(
            redact_secrets("key sk-proj-abcdefghijklmnop1234 bad"),
            "key [redacted] bad"
        );
        assert_eq!(
            redact_secrets("Authorization: Bearer abcdefghijklmnop"),
            "Authorization: [redacted]"
        );
        assert_eq!(
            redact_secrets("the bearer of GigabitEthernet0/0/0/1"),
            "the bearer of GigabitEthernet0/0/0/1"
        );
        assert_eq!(excerpt("got\nhunter2!", &["hunter2!".into()]), "got [redacted]");
    }

    #[test]
    fn escape_sequences_lose_their_power() {
        assert_eq!(neutralise("a\x1b[2Jb\u{202e}c\n\t"), "a\u{fffd}[2Jb\u{fffd}c\n\t");
    }
}
