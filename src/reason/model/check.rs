//! Nobody's word is taken: names, citations, numbers and lengths in an answer must fit what is known.
//!
//! Each check returns objections in words that can be told to the model. The machine validates again; here
//! the model gets its one chance to put it right.

use std::sync::LazyLock;

use regex::Regex;

use crate::agent::{
    model::{DeviceName, EvidenceId, FindingId},
    state::State,
};
use crate::diagnosis::ontology::FaultType;

/// Longest text in an answer, in characters, and longest report.
pub(super) const MAX_TEXT: usize = 4_000;
pub(super) const MAX_REPORT: usize = 20_000;
/// Longest list in an answer.
pub(super) const MAX_ITEMS: usize = 40;

/// Collects objections; at most a handful are told.
#[derive(Debug, Default)]
pub(super) struct Objections(Vec<String>);

impl Objections {
    pub(super) fn push(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !self.0.contains(&text) {
            self.0.push(text);
        }
    }

    /// All objections in one line, at most five of them.
    pub(super) fn into_result(self) -> Result<(), String> {
        if self.0.is_empty() {
            return Ok(());
        }
        let shown = self.0.iter().take(5).cloned().collect::<Vec<_>>().join("; ");
        let more = self.0.len().saturating_sub(5);
        Err(if more > 0 {
            format!("{shown}; and {more} more")
        } else {
            shown
        })
    }

    /// A text that must be there, be of sensible length and not repeat itself without end.
    pub(super) fn text(&mut self, field: &str, text: &str, limit: usize) {
        if text.trim().is_empty() {
            self.push(format!("{field} is empty"));
        }
        self.length(field, text, limit);
    }

    /// A text that may be empty.
    pub(super) fn length(&mut self, field: &str, text: &str, limit: usize) {
        if text.chars().nth(limit).is_some() {
            self.push(format!("{field} is longer than {limit} characters"));
        } else if repeats(text) {
            self.push(format!("{field} repeats itself"));
        } else if foreign(text) {
            self.push(format!("{field} is not in English"));
        }
    }

    pub(super) fn list(&mut self, field: &str, items: &[String]) {
        if items.len() > MAX_ITEMS {
            self.push(format!("{field} has more than {MAX_ITEMS} entries"));
        }
        for item in items.iter().take(MAX_ITEMS) {
            self.length(field, item, MAX_TEXT);
        }
    }

    /// A probability; 85 is read as 85 %.
    pub(super) fn fraction(&mut self, field: &str, number: f64) -> f64 {
        match number {
            n if (0.0..=1.0).contains(&n) => n,
            n if n > 1.0 && n <= 100.0 => n / 100.0,
            _ => {
                self.push(format!("{field} must lie between 0 and 1"));
                0.0
            }
        }
    }

    pub(super) fn device(&mut self, state: &State, name: &str) {
        if !state.intake.knows(&DeviceName::from(name)) {
            self.push(format!("there is no device {name:?} in the inventory"));
        }
    }

    /// Citations, devices, tools and fault types that a free text names.
    pub(super) fn mentions(&mut self, state: &State, text: &str) {
        if text.len() > 4 * MAX_REPORT {
            return; // its length is objected to already
        }
        for citation in captures(&CITATION, text) {
            let number = citation[1..].parse().unwrap_or(u32::MAX);
            let known = match citation.as_bytes().first() {
                Some(b'E') => state.evidence(EvidenceId(number)).is_some(),
                Some(b'F') => state.finding(FindingId(number)).is_some(),
                _ => state.diagnosed.hypotheses.iter().any(|h| h.id.0 == number),
            };
            if !known {
                self.push(format!("there is no [{citation}]"));
            }
        }
        self.invented_devices(state, text);
        self.invented_tools(state, text);
    }

    /// A word that is built like a device's name and is none.
    fn invented_devices(&mut self, state: &State, text: &str) {
        let Some(devices) = &state.intake.devices else {
            return;
        };
        let mut stems: Vec<&str> = devices
            .iter()
            .map(|d| stem(d.name.as_str()))
            .filter(|s| s.len() >= 2)
            .collect();
        stems.sort_unstable();
        stems.dedup();
        let asked = state
            .query
            .as_ref()
            .map(|q| q.text.to_lowercase())
            .unwrap_or_default();
        for word in text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))) {
            let word = word.trim_end_matches(['.', '-', '_']);
            let number = stems.iter().find_map(|s| word.strip_prefix(s));
            let named = number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
            // the engineer's own words may be repeated; whether they name a device is intake's matter
            if named && !asked.contains(&word.to_lowercase()) {
                self.device(state, word);
            }
        }
    }

    /// `server.tool` of a known server with an unknown tool.
    fn invented_tools(&mut self, state: &State, text: &str) {
        let Some(tools) = &state.intake.tools else { return };
        for word in text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))) {
            let word = word.trim_end_matches('.');
            let Some((server, name)) = word.split_once('.') else {
                continue;
            };
            if tools.iter().any(|t| t.server == server)
                && !name.is_empty()
                && state.intake.tool(word).is_none()
            {
                self.push(format!("there is no tool {word:?}"));
            }
        }
    }

    /// A fault type in a report that the verdict and the hypotheses do not have.
    pub(super) fn faults(&mut self, state: &State, text: &str) {
        if text.len() > 4 * MAX_REPORT {
            return;
        }
        let words = text
            .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .filter(|w| w.contains('_'));
        for fault in words.filter_map(|w| w.parse::<FaultType>().ok()) {
            let ranked = state.diagnosed.hypotheses.iter().any(|h| h.fault == fault);
            let found = state.diagnosed.findings.iter().any(|f| f.fault == Some(fault));
            let judged = state
                .diagnosed
                .verdict
                .iter()
                .flat_map(|v| &v.causes)
                .any(|c| c.fault == fault);
            if !ranked && !found && !judged {
                self.push(format!("{fault} is not in the verdict"));
            }
        }
    }
}

/// A name without the number at its end: `xrd-` of `xrd-12`.
fn stem(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit())
}

static CITATION: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\[([EFH][0-9]{1,9})\]").ok());

fn captures<'t>(regex: &LazyLock<Option<Regex>>, text: &'t str) -> Vec<&'t str> {
    let Some(regex) = regex.as_ref() else {
        return Vec::new();
    };
    regex
        .captures_iter(text)
        .filter_map(|c| c.get(1))
        .map(|m| m.as_str())
        .collect()
}

/// The citations of evidence in a text.
pub(super) fn cites_evidence(text: &str) -> bool {
    captures(&CITATION, text).iter().any(|c| c.starts_with('E'))
}

/// True when the end of a long text is one short piece over and over.
fn repeats(text: &str) -> bool {
    let tail: Vec<char> = text.chars().rev().take(400).collect();
    if tail.len() < 400 {
        return false;
    }
    (1..=60).any(|period| tail.iter().zip(&tail[period..]).all(|(a, b)| a == b))
}

/// True when most letters are of another script than Latin.
fn foreign(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let latin = text
        .chars()
        .filter(|c| c.is_alphabetic() && (*c as u32) < 0x250)
        .count();
    letters >= 8 && latin * 2 < letters
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reason::model::tests::fixture;

    fn mentions(text: &str) -> Result<(), String> {
        let mut objections = Objections::default();
        objections.mentions(&fixture(), text);
        objections.into_result()
    }

    #[test]
    fn what_exists_may_be_named() {
        assert_eq!(
            mentions("xrd-1 and xrd-2 [E1][F1][H1] by lab.get_bgp_info. On 10.0.0.1, MPLS-1."),
            Ok(())
        );
    }

    #[test]
    fn what_does_not_exist_is_named_as_such() {
        for (text, says) in [
            ("see [E9]", "no [E9]"),
            ("see [F7]", "no [F7]"),
            ("see [H3]", "no [H3]"),
            ("look at xrd-99.", "no device \"xrd-99\""),
            ("call lab.reload now", "no tool \"lab.reload\""),
        ] {
            assert!(mentions(text).unwrap_err().contains(says), "{text}");
        }
    }

    #[test]
    fn endless_repetition_and_other_scripts_are_seen() {
        assert!(repeats(&"BGP is down. ".repeat(100)));
        assert!(!repeats(&(0..200).map(|n| format!("{n} ")).collect::<String>()));
        assert!(foreign("邻居状态异常请检查接口") && !foreign("état de l'interface Gi0/0/0/0"));
    }
}
