//! Reads Rust files and cuts them into what the rules look at: code without comments and strings, paths,
//! enum bodies.

use std::fs;
use std::path::Path;

/// A source file.
#[derive(Debug, Clone)]
pub struct File {
    /// Relative to the repository: `src/agent/state.rs`.
    pub name: String,
    /// As it is.
    pub text: String,
    /// The text with comments, strings and character literals blanked; lines stay where they are.
    pub code: String,
}

impl File {
    /// A file from a snippet.
    pub fn new(name: &str, text: &str) -> Self {
        Self {
            name: name.to_owned(),
            text: text.to_owned(),
            code: code_only(text),
        }
    }

    /// The room: `agent` for `src/agent/…`; the file's stem for a file of `src/` itself.
    pub fn room(&self) -> &str {
        let inside = self.name.strip_prefix("src/").unwrap_or(&self.name);
        inside.split('/').next().unwrap_or(inside).trim_end_matches(".rs")
    }

    /// How many modules deep the file is: 1 for `src/agent/mod.rs` and `src/agent.rs`.
    fn depth(&self) -> usize {
        let inside = self.name.strip_prefix("src/").unwrap_or(&self.name);
        inside.trim_end_matches("/mod.rs").split('/').count()
    }

    fn line(&self, at: usize) -> usize {
        self.code[..at].matches('\n').count() + 1
    }
}

/// Every `.rs` file below a folder of the repository, sorted; none when the folder is not there.
pub fn files(folder: &str) -> Vec<File> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut names = Vec::new();
    walk(&root.join(folder), &mut names);
    names.sort();
    let relative = |path: &std::path::PathBuf| {
        path.strip_prefix(root)
            .unwrap()
            .to_string_lossy()
            .replace('\\', "/")
    };
    names
        .iter()
        .map(|path| File::new(&relative(path), &fs::read_to_string(path).unwrap()))
        .collect()
}

fn walk(folder: &Path, names: &mut Vec<std::path::PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            walk(&path, names);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            names.push(path);
        }
    }
}

/// A path that leaves its module, from the root of the crate: `agent::model`, with its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reach {
    /// Room and, when it is named, the module below it.
    pub path: Vec<String>,
    /// Line, from 1.
    pub line: usize,
}

/// Everything the file reaches through `crate::`, and through `super::` chains that climb out of the room.
pub fn reaches(file: &File) -> Vec<Reach> {
    let mut found = Vec::new();
    for (at, _) in file.code.match_indices("crate::") {
        if !continues_a_word(&file.code, at) {
            tails(&file.code[at + "crate::".len()..], &mut |path| {
                found.push(Reach {
                    path,
                    line: file.line(at),
                });
            });
        }
    }
    let mut rest = 0;
    while let Some(at) = file.code[rest..].find("super::").map(|at| at + rest) {
        let mut end = at;
        let mut climbs = 0;
        while file.code[end..].starts_with("super::") {
            end += "super::".len();
            climbs += 1;
        }
        if climbs >= file.depth() && !continues_a_word(&file.code, at) {
            tails(&file.code[end..], &mut |path| {
                found.push(Reach {
                    path,
                    line: file.line(at),
                })
            });
        }
        rest = end;
    }
    found
}

fn continues_a_word(code: &str, at: usize) -> bool {
    code[..at]
        .chars()
        .next_back()
        .is_some_and(|c| c.is_alphanumeric() || c == '_')
}

/// The first two names of a path, or of each path of a group.
fn tails(code: &str, visit: &mut impl FnMut(Vec<String>)) {
    if let Some(group) = code.trim_start().strip_prefix('{') {
        for part in split_group(group) {
            visit(names(part));
        }
        return;
    }
    visit(names(code));
}

fn names(code: &str) -> Vec<String> {
    let mut path = Vec::new();
    let mut rest = code.trim_start();
    while path.len() < 2 {
        let word: String = rest
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect();
        if word.is_empty() {
            break;
        }
        rest = &rest[word.len()..];
        path.push(word);
        match rest.strip_prefix("::") {
            Some(tail) => rest = tail.trim_start(),
            None => break,
        }
    }
    path
}

/// The members of a group up to its closing brace, cut at the commas of its own level.
fn split_group(code: &str) -> Vec<&str> {
    let (mut parts, mut level, mut start) = (Vec::new(), 0_usize, 0);
    for (at, c) in code.char_indices() {
        match c {
            '{' => level += 1,
            '}' if level == 0 => {
                parts.push(&code[start..at]);
                break;
            }
            '}' => level -= 1,
            ',' if level == 0 => {
                parts.push(&code[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.into_iter().filter(|part| !part.trim().is_empty()).collect()
}

/// Names and number of variants of the enums of a file.
pub fn enums(file: &File) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    for (at, _) in file.code.match_indices("enum ") {
        if continues_a_word(&file.code, at) {
            continue;
        }
        let rest = &file.code[at + "enum ".len()..];
        let name: String = rest
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect();
        let Some(open) = rest.find('{').filter(|_| !name.is_empty()) else {
            continue;
        };
        found.push((name, variants(&rest[open + 1..])));
    }
    found
}

fn variants(body: &str) -> usize {
    let (mut count, mut level, mut inside) = (0, 0_usize, false);
    for c in body.chars() {
        match c {
            '{' | '(' | '[' | '<' => level += 1,
            '}' if level == 0 => break,
            '}' | ')' | ']' | '>' => level = level.saturating_sub(1),
            ',' if level == 0 => inside = false,
            c if level == 0 && !inside && (c.is_alphabetic() || c == '_') => {
                count += 1;
                inside = true;
            }
            _ => {}
        }
    }
    count
}

/// Blanks comments, strings and character literals.
pub fn code_only(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < chars.len() {
        let end = blank_end(&chars, at);
        if end > at {
            out.extend(chars[at..end].iter().map(|c| if *c == '\n' { '\n' } else { ' ' }));
            at = end;
        } else {
            out.push(chars[at]);
            at += 1;
        }
    }
    out
}

/// Where the comment or literal that begins here ends; `at` itself when none begins.
fn blank_end(chars: &[char], at: usize) -> usize {
    let starts = |text: &str| {
        chars[at..]
            .iter()
            .copied()
            .zip(text.chars())
            .filter(|(a, b)| a == b)
            .count()
            == text.len()
    };
    let word_before = at > 0 && (chars[at - 1].is_alphanumeric() || chars[at - 1] == '_');
    if starts("//") {
        return chars[at..]
            .iter()
            .position(|c| *c == '\n')
            .map_or(chars.len(), |n| at + n);
    }
    if starts("/*") {
        return block_comment_end(chars, at);
    }
    if chars[at] == '"' {
        return string_end(chars, at + 1);
    }
    if chars[at] == 'r' && !word_before || chars[at] == 'r' && at > 0 && chars[at - 1] == 'b' {
        let hashes = chars[at + 1..].iter().take_while(|c| **c == '#').count();
        if chars.get(at + 1 + hashes) == Some(&'"') {
            return raw_string_end(chars, at + 2 + hashes, hashes);
        }
    }
    if chars[at] == '\'' {
        return char_end(chars, at);
    }
    at
}

fn block_comment_end(chars: &[char], start: usize) -> usize {
    let (mut at, mut level) = (start, 0_usize);
    while at + 1 < chars.len() {
        match (chars[at], chars[at + 1]) {
            ('/', '*') => (level, at) = (level + 1, at + 2),
            ('*', '/') => {
                (level, at) = (level - 1, at + 2);
                if level == 0 {
                    return at;
                }
            }
            _ => at += 1,
        }
    }
    chars.len()
}

fn string_end(chars: &[char], mut at: usize) -> usize {
    while at < chars.len() {
        match chars[at] {
            '\\' => at += 2,
            '"' => return at + 1,
            _ => at += 1,
        }
    }
    chars.len()
}

fn raw_string_end(chars: &[char], mut at: usize, hashes: usize) -> usize {
    while at < chars.len() {
        let closing =
            chars[at] == '"' && chars[at + 1..].iter().take(hashes).filter(|c| **c == '#').count() == hashes;
        if closing {
            return at + 1 + hashes;
        }
        at += 1;
    }
    chars.len()
}

/// A character literal ends; a lifetime is code.
fn char_end(chars: &[char], at: usize) -> usize {
    match (chars.get(at + 1), chars.get(at + 2)) {
        (Some('\\'), _) => chars[at + 3..]
            .iter()
            .position(|c| *c == '\'')
            .map_or(chars.len(), |n| at + 3 + n + 1),
        (Some(_), Some('\'')) => at + 3,
        _ => at,
    }
}

mod tests {
    use super::*;

    fn paths(name: &str, text: &str) -> Vec<String> {
        reaches(&File::new(name, text))
            .into_iter()
            .map(|reach| reach.path.join("::"))
            .collect()
    }

    #[test]
    fn every_way_to_write_a_path_is_followed() {
        let text = "use crate::agent::model::Plan;\npub use crate::{tui, llm::{Chat, Role}};\n\
                    fn f() -> crate::lab::Lab { crate::gnmi::get() }\nuse crate :: broken;";
        let found = paths("src/tools/hub.rs", text);
        assert_eq!(
            found,
            ["agent::model", "tui", "llm::Chat", "lab::Lab", "gnmi::get"].map(|p| {
                // A group's inner group is cut at its first name.
                if p == "llm::Chat" {
                    "llm".to_owned()
                } else {
                    p.to_owned()
                }
            })
        );
    }

    #[test]
    fn supers_that_leave_the_room_are_followed() {
        assert_eq!(
            paths("src/tools/mod.rs", "use super::agent::State;"),
            ["agent::State"]
        );
        assert_eq!(paths("src/tools/hub.rs", "use super::guard::Guard;"), [""; 0]);
        assert_eq!(
            paths("src/tools/hub.rs", "use super::super::tui::App;"),
            ["tui::App"]
        );
        assert_eq!(
            paths("src/tools/hub/pool.rs", "use super::super::guard::Guard;"),
            [""; 0]
        );
    }

    #[test]
    fn comments_and_strings_are_no_code() {
        let text = "// use crate::tui;\n/* crate::llm /* crate::lab */ */\nlet s = \"crate::gnmi \\\" crate::tui\";\n\
                    let r = r#\"crate::cli \" \"#; let c = '\"'; fn f<'a>(x: &'a str) -> crate::agent::Id {}";
        assert_eq!(paths("src/x/y.rs", text), ["agent::Id"]);
    }

    #[test]
    fn variants_are_counted_at_their_own_level() {
        let text = "/// Doc, with commas.\n#[derive(A, B)]\npub enum E<T> {\n #[x(a, b)]\n A,\n B(u8, Vec<(T, T)>),\n \
                    C { a: u8, b: u8 },\n D = 3,\n}\nenum Empty {}\nfn enum_like() {}";
        let found = enums(&File::new("src/x.rs", text));
        assert_eq!(found, [("E".to_owned(), 4), ("Empty".to_owned(), 0)]);
    }
}
