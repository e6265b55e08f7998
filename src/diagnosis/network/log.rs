//! Log lines, taken apart.

use crate::agent::model::Timestamp;

/// One line of a device log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    /// When, by the device's clock; `None` when the stamp could not be read.
    pub at: Option<Timestamp>,
    /// Mnemonic, e.g. `ROUTING-BGP-5-ADJCHANGE`; empty when there is none.
    pub mnemonic: String,
    /// The message behind it.
    pub text: String,
}

impl LogLine {
    /// True when the message has every one of these words, in any case.
    pub fn says(&self, words: &[&str]) -> bool {
        let lower = self.text.to_ascii_lowercase();
        words.iter().all(|w| lower.contains(w))
    }
}
