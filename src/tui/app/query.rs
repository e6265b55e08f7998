//! The query line: text, history, completion.

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher};

use super::line::LineEdit;

/// The most suggestions that are shown.
pub const MAX_SUGGESTIONS: usize = 6;

/// The most lines of history that are kept.
const MAX_HISTORY: usize = 500;

/// The line at the top of the screen.
#[derive(Debug, Default)]
pub struct QueryLine {
    /// The text.
    pub edit: LineEdit,
    /// Whether the keys go here.
    pub focused: bool,
    history: Vec<String>,
    /// Where in the history we are, counted back from the newest; 0 is the line being written.
    back: usize,
    draft: String,
    suggestions: Vec<String>,
    chosen: Option<usize>,
}

impl QueryLine {
    /// A line with its history, oldest first.
    pub fn new(history: Vec<String>) -> Self {
        Self {
            history,
            ..Self::default()
        }
    }

    /// Takes the text out and remembers it.
    pub fn submit(&mut self) -> String {
        let text = self.edit.take().trim().to_owned();
        if !text.is_empty() && self.history.last() != Some(&text) {
            self.history.push(text.clone());
            let extra = self.history.len().saturating_sub(MAX_HISTORY);
            self.history.drain(..extra);
        }
        self.back = 0;
        self.close_suggestions();
        text
    }

    /// An older or newer line of the history.
    pub fn turn(&mut self, older: bool) {
        if self.back == 0 {
            self.draft = self.edit.text().to_owned();
        }
        self.back = if older {
            (self.back + 1).min(self.history.len())
        } else {
            self.back.saturating_sub(1)
        };
        let text = match self.back {
            0 => self.draft.clone(),
            n => self.history[self.history.len() - n].clone(),
        };
        self.edit.set(&text);
        self.close_suggestions();
    }

    /// What the history would add to the text, shown dim behind the cursor.
    pub fn ghost(&self) -> Option<&str> {
        let text = self.edit.text();
        if text.is_empty() || !self.edit.at_end() {
            return None;
        }
        self.history
            .iter()
            .rev()
            .find_map(|h| h.strip_prefix(text))
            .filter(|rest| !rest.is_empty())
    }

    /// Takes the ghost over.
    pub fn accept_ghost(&mut self) -> bool {
        let Some(ghost) = self.ghost().map(str::to_owned) else {
            return false;
        };
        self.edit.insert(&ghost)
    }

    /// Completes the word before the cursor from `words`: the first time it looks the matches up, then it
    /// goes through them.
    pub fn complete(&mut self, words: &[String]) {
        if self.suggestions.is_empty() {
            let (_, word) = self.edit.word();
            self.suggestions = best(word, words);
            self.chosen = None;
        }
        let next = self.chosen.map_or(0, |c| (c + 1) % self.suggestions.len().max(1));
        if let Some(word) = self.suggestions.get(next).cloned() {
            self.edit.replace_word(&word);
            self.chosen = Some(next);
        }
        if self.suggestions.len() == 1 {
            self.close_suggestions();
        }
    }

    /// The suggestions on show and the chosen one.
    pub fn suggestions(&self) -> (&[String], Option<usize>) {
        (&self.suggestions, self.chosen)
    }

    /// Puts the suggestions away. Returns whether there were any.
    pub fn close_suggestions(&mut self) -> bool {
        self.chosen = None;
        !std::mem::take(&mut self.suggestions).is_empty()
    }
}

/// The words that match best: those that begin so first, then fuzzy ones.
fn best(word: &str, words: &[String]) -> Vec<String> {
    if word.is_empty() {
        return words.iter().take(MAX_SUGGESTIONS).cloned().collect();
    }
    let mut matcher = Matcher::new(Config::DEFAULT);
    let pattern = Pattern::parse(word, CaseMatching::Ignore, Normalization::Smart);
    let mut hits = pattern.match_list(words.iter().map(String::as_str), &mut matcher);
    let begins = |w: &str| w.to_lowercase().starts_with(&word.to_lowercase());
    hits.sort_by_key(|(w, score)| (!begins(w), std::cmp::Reverse(*score)));
    hits.into_iter()
        .take(MAX_SUGGESTIONS)
        .map(|(w, _)| w.to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words() -> Vec<String> {
        ["xrd-1", "xrd-2", "PE", "CUST-A", "check_bgp_neighbors"]
            .map(String::from)
            .to_vec()
    }

    #[test]
    fn tab_goes_through_the_matches() {
        let mut line = QueryLine::default();
        line.edit.insert("bgp on xrd");
        line.complete(&words());
        assert_eq!(line.edit.text(), "bgp on xrd-1");
        line.complete(&words());
        assert_eq!(line.edit.text(), "bgp on xrd-2");
        line.complete(&words());
        assert_eq!(line.edit.text(), "bgp on xrd-1");
        assert!(line.close_suggestions());
        line.edit.set("cust");
        line.complete(&words());
        assert_eq!(line.edit.text(), "CUST-A");
        line.edit.set("zzz");
        line.complete(&words());
        assert_eq!(line.edit.text(), "zzz");
    }

    #[test]
    fn history_goes_back_and_comes_back() {
        let mut line = QueryLine::new(vec!["one".to_owned(), "two".to_owned()]);
        line.edit.insert("dr");
        line.turn(true);
        line.turn(true);
        line.turn(true);
        assert_eq!(line.edit.text(), "one");
        line.turn(false);
        line.turn(false);
        assert_eq!(line.edit.text(), "dr");
        line.edit.set("tw");
        assert_eq!(line.ghost(), Some("o"));
        assert!(line.accept_ghost());
        assert_eq!(line.submit(), "two");
        assert_eq!(line.edit.text(), "");
    }
}
