//! A sentence of a verdict together with what it stands on, so that every one of them can be checked.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Citation, EvidenceId};

/// A sentence with its evidence. Older journals hold the sentence alone.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Stored")]
pub struct Statement {
    /// The sentence.
    pub text: String,
    /// Evidence; empty for what the humans said, and for what follows from the question alone.
    pub citations: Vec<Citation>,
}

/// A sentence as it may stand in a journal.
#[derive(Deserialize)]
#[serde(untagged)]
enum Stored {
    Bare(String),
    Whole {
        text: String,
        #[serde(default)]
        citations: Vec<Citation>,
    },
}

impl From<Stored> for Statement {
    fn from(stored: Stored) -> Self {
        match stored {
            Stored::Bare(text) => text.into(),
            Stored::Whole { text, citations } => Self { text, citations },
        }
    }
}

impl Statement {
    /// Each sentence with its evidence behind it, as text.
    pub fn lines(list: &[Statement]) -> Vec<String> {
        list.iter().map(ToString::to_string).collect()
    }
}

impl From<String> for Statement {
    fn from(text: String) -> Self {
        Self {
            text,
            citations: Vec::new(),
        }
    }
}

/// The sentence with its evidence behind it: `both ends are up [E2] [E3]`.
impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        let mut ids: Vec<EvidenceId> = self.citations.iter().map(|c| c.evidence).collect();
        ids.sort_unstable();
        ids.dedup();
        ids.iter().try_for_each(|id| write!(f, " [{id}]"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_of_older_journals_are_read() {
        let old: Statement = serde_json::from_str("\"both ends are up\"").unwrap();
        assert_eq!(old.to_string(), "both ends are up");
        let new =
            r#"{"text":"it is up","citations":[{"evidence":3,"pointer":"/a","claim":{"is":"present"}}]}"#;
        let new: Statement = serde_json::from_str(new).unwrap();
        assert_eq!(new.to_string(), "it is up [E3]");
        let back: Statement = serde_json::from_str(&serde_json::to_string(&new).unwrap()).unwrap();
        assert_eq!(back, new);
    }
}
