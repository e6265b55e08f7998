//! What a person sees while a JSON answer is being written: the words in it, not the braces.
//!
//! A small machine over characters: keys become labels, texts run on, the rest is dropped. An answer that is
//! no JSON is shown as it is.

/// Deepest nesting that is told apart.
const MAX_DEPTH: usize = 64;
/// Bytes of an answer that are looked at: nobody reads more of it as it comes.
const MAX_SEEN: usize = 64 * 1024;

/// The state between pieces.
#[derive(Debug, Default)]
pub(super) struct Words {
    place: Place,
    escape: Option<String>,
    /// The text just read may be a key: a colon decides.
    held: String,
    after_colon: bool,
    started: bool,
    seen: usize,
    /// Whether each open bracket is a list's.
    lists: Vec<bool>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq)]
enum Place {
    #[default]
    Before,
    Prose,
    Between,
    Text,
}

impl Words {
    /// What to show of the next piece of the answer.
    pub(super) fn push(&mut self, piece: &str) -> String {
        let mut out = String::new();
        for c in piece.chars() {
            if self.seen > MAX_SEEN {
                break;
            }
            self.seen += c.len_utf8();
            match self.place {
                Place::Before if c.is_whitespace() => {}
                Place::Before | Place::Prose if c == '{' => {
                    self.place = Place::Between;
                    self.lists = vec![false];
                }
                Place::Before => {
                    self.place = Place::Prose;
                    out.push(c);
                }
                Place::Prose => out.push(c),
                Place::Between => self.between(c, &mut out),
                Place::Text => self.text(c, &mut out),
            }
        }
        out
    }

    fn between(&mut self, c: char, out: &mut String) {
        match c {
            '"' => {
                self.place = Place::Text;
                self.held.clear();
            }
            ':' if !self.held.is_empty() => {
                if self.started {
                    out.push('\n');
                }
                self.started = true;
                out.push_str(&self.held.replace('_', " "));
                out.push_str(": ");
                self.held.clear();
                self.after_colon = true;
            }
            ',' | ']' | '}' => {
                if c != ',' {
                    self.lists.pop();
                }
                self.held.clear();
                // the next text is a list's item, or an object's key
                self.after_colon = self.lists.last() == Some(&true);
            }
            '[' | '{' => {
                self.lists.truncate(MAX_DEPTH);
                self.lists.push(c == '[');
                self.after_colon = c == '[';
            }
            c if self.after_colon && !c.is_whitespace() => out.push(c),
            _ => {}
        }
    }

    fn text(&mut self, c: char, out: &mut String) {
        if let Some(escape) = &mut self.escape {
            escape.push(c);
            let done = match escape.chars().next() {
                Some('u') => escape.len() == 5,
                _ => true,
            };
            if done {
                let plain = match escape.as_str() {
                    "n" => '\n',
                    "t" => '\t',
                    code if code.starts_with('u') => {
                        let code = u32::from_str_radix(&code[1..], 16).ok();
                        code.and_then(char::from_u32)
                            .filter(|c| !c.is_control())
                            .unwrap_or('\u{fffd}')
                    }
                    other => other.chars().next().unwrap_or('\u{fffd}'),
                };
                self.escape = None;
                self.show(plain, out);
            }
            return;
        }
        match c {
            '\\' => self.escape = Some(String::new()),
            '"' => {
                self.place = Place::Between;
                if self.after_colon {
                    out.push(' ');
                }
            }
            c => self.show(c, out),
        }
    }

    fn show(&mut self, c: char, out: &mut String) {
        if self.after_colon {
            out.push(c)
        } else {
            self.held.push(c)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let mut words = Words::default();
        // one character at a time, so that no cut matters
        text.chars().map(|c| words.push(&c.to_string())).collect()
    }

    #[test]
    fn words_are_shown_without_the_braces() {
        let text = r#"{"thinking": "First\nBGP \"up\"?", "confidence": 0.8, "missing": ["logs", "MTU"], "steps": [{"title": "Look"}]}"#;
        assert_eq!(
            shown(text),
            "thinking: First\nBGP \"up\"? \nconfidence: 0.8\nmissing: logs MTU \nsteps: \ntitle: Look "
        );
    }

    #[test]
    fn prose_is_shown_as_it_is() {
        assert_eq!(shown("I would look at BGP."), "I would look at BGP.");
    }

    #[test]
    fn an_answer_without_end_is_shown_to_a_point() {
        let mut words = Words::default();
        let shown = words.push(&"the session is the ".repeat(50_000));
        assert!((MAX_SEEN..MAX_SEEN + 2).contains(&shown.len()), "{}", shown.len());
        assert_eq!(words.push("more"), "");
    }

    #[test]
    fn no_control_character_gets_through() {
        assert!(!shown(r#"{"a": "\u001b[2J"}"#).contains('\u{1b}'));
    }
}
