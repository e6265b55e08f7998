//! gNMI paths as text, both ways: `openconfig:/interfaces/interface[name=Gi0/0/0/0]/state`.
//!
//! The form is the one gnmic and the gNMI path conventions use. `\` escapes `/`, `[`, `]` and itself in
//! a name, and `]` and itself in a key value; `*` is any name or key, `...` any depth. A text that starts
//! with `//NAME` names the target. This module knows no schema: it does not judge whether a path exists.

use super::gnmi::{Path, PathElem};

/// Why a text is no gNMI path, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("path \"{text}\": {what} at character {at}\n{}", pointer(text, *at))]
pub struct PathError {
    /// The whole text.
    pub text: String,
    /// Character position, counted from 1.
    pub at: usize,
    /// What is wrong and what would be right.
    pub what: &'static str,
}

/// The text with a caret below the position.
fn pointer(text: &str, at: usize) -> String {
    format!("  {text}\n  {}^", " ".repeat(at.saturating_sub(1)))
}

/// Parses a path.
///
/// A first element written `module:name` stays as it is (the module prefix belongs to the element);
/// `origin:/name` sets the origin. Leading and trailing slashes are optional. The empty text and `/`
/// are the root.
///
/// # Errors
/// [`PathError`] with the position: an empty element, an unclosed or empty key, a missing `=`, a key
/// without an element, a stray bracket or a trailing backslash.
pub fn parse(text: &str) -> Result<Path, PathError> {
    Reader {
        text,
        chars: text.chars().collect(),
        pos: 0,
    }
    .path()
}

/// Prints a path so that [`parse`] gives it back. Deprecated string elements are not printed.
pub fn print(path: &Path) -> String {
    let mut out = String::new();
    if !path.target.is_empty() {
        out.push_str("//");
        escape(&mut out, &path.target, "/[]\\:");
    }
    if !path.origin.is_empty() {
        if !path.target.is_empty() {
            out.push('/');
        }
        escape(&mut out, &path.origin, "/[]\\:");
        out.push(':');
    }
    if path.elem.is_empty() {
        out.push('/');
    }
    for (index, elem) in path.elem.iter().enumerate() {
        out.push('/');
        print_elem(&mut out, elem);
        // Behind a target the first element would read as an origin.
        let reads_as_origin = index == 0 && path.origin.is_empty() && !path.target.is_empty();
        if reads_as_origin && out.ends_with(':') {
            out.insert(out.len() - 1, '\\');
        }
    }
    out
}

/// Prints one element with its keys, sorted by key name.
pub fn print_elem(out: &mut String, elem: &PathElem) {
    escape(out, &elem.name, "/[]\\");
    for (key, value) in &elem.key {
        out.push('[');
        escape(out, key, "=]\\");
        out.push('=');
        escape(out, value, "]\\");
        out.push(']');
    }
}

/// `path` below `prefix`, as a Get or Subscribe with a prefix means it. Target and origin are the
/// prefix's, or the path's where the prefix has none.
pub fn join(prefix: Option<&Path>, path: &Path) -> Path {
    let Some(prefix) = prefix else { return path.clone() };
    let pick = |a: &str, b: &str| if a.is_empty() { b.to_owned() } else { a.to_owned() };
    let mut joined = Path {
        origin: pick(&prefix.origin, &path.origin),
        target: pick(&prefix.target, &path.target),
        ..Path::default()
    };
    joined.elem.extend(prefix.elem.iter().chain(&path.elem).cloned());
    joined
}

/// The element's name without a `module:` prefix.
pub fn local_name(name: &str) -> &str {
    name.split_once(':').map_or(name, |(_, local)| local)
}

fn escape(out: &mut String, text: &str, special: &str) {
    for c in text.chars() {
        if special.contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
}

struct Reader<'a> {
    text: &'a str,
    chars: Vec<char>,
    pos: usize,
}

impl Reader<'_> {
    fn path(mut self) -> Result<Path, PathError> {
        let mut path = Path::default();
        if self.chars.starts_with(&['/', '/']) {
            self.pos = 2;
            path.target = self.word(&['/', '[', ']'])?;
            if path.target.is_empty() {
                return self.fail("a target name is expected after \"//\"");
            }
        }
        path.origin = self.origin()?;
        self.skip_slash();
        while self.peek().is_some() {
            let elem = self.elem()?;
            path.elem.push(elem);
            match self.peek() {
                None => {}
                Some('/') => self.skip_slash(),
                Some('[') => return self.fail("a key must follow an element name"),
                Some(_) => return self.fail("\"/\" or \"[\" is expected after a key"),
            }
        }
        Ok(path)
    }

    /// Text up to `:/` before any other slash or bracket; nothing consumed when there is none.
    fn origin(&mut self) -> Result<String, PathError> {
        let start = self.pos;
        // After a target the slash that ends it stands before the origin.
        if start > 0 {
            self.skip_slash();
        } else if self.peek() == Some('/') {
            return Ok(String::new());
        }
        let word = self.word(&['/', '[', ']', ':'])?;
        let rest = &self.chars[self.pos..];
        if !word.is_empty() && (rest.starts_with(&[':', '/']) || rest == [':']) {
            self.pos += 1;
            return Ok(word);
        }
        self.pos = start;
        Ok(String::new())
    }

    fn elem(&mut self) -> Result<PathElem, PathError> {
        let name = self.word(&['/', '[', ']'])?;
        if name.is_empty() {
            return match self.peek() {
                Some('[') => self.fail("a key needs an element name before it"),
                Some(']') => self.fail("\"]\" without \"[\""),
                _ => self.fail("an element name is expected, not an empty one"),
            };
        }
        let mut elem = PathElem {
            name,
            ..PathElem::default()
        };
        while self.peek() == Some('[') {
            let open = self.pos;
            self.pos += 1;
            let key = self.word(&['=', ']'])?;
            if self.peek() != Some('=') {
                return self.fail("a key is written [name=value]; \"=\" is expected");
            }
            if key.is_empty() {
                return self.fail("a key name is expected before \"=\"");
            }
            self.pos += 1;
            let value = self.word(&[']'])?;
            if self.peek() != Some(']') {
                self.pos = open;
                return self.fail("this \"[\" is never closed");
            }
            self.pos += 1;
            if elem.key.insert(key, value).is_some() {
                self.pos = open;
                return self.fail("the key is given twice");
            }
        }
        if self.peek() == Some(']') {
            return self.fail("\"]\" without \"[\"");
        }
        Ok(elem)
    }

    /// Text up to one of `stops`, escapes resolved.
    fn word(&mut self, stops: &[char]) -> Result<String, PathError> {
        let mut word = String::new();
        while let Some(c) = self.peek() {
            if stops.contains(&c) {
                break;
            }
            self.pos += 1;
            if c != '\\' {
                word.push(c);
                continue;
            }
            match self.peek() {
                Some(escaped) => word.push(escaped),
                None => {
                    self.pos -= 1;
                    return self.fail("\"\\\" escapes nothing; write \"\\\\\" for a backslash");
                }
            }
            self.pos += 1;
        }
        Ok(word)
    }

    fn peek(&self) -> Option<char> {
        self.chars.get(self.pos).copied()
    }

    fn skip_slash(&mut self) {
        if self.peek() == Some('/') {
            self.pos += 1;
        }
    }

    fn fail<T>(&self, what: &'static str) -> Result<T, PathError> {
        Err(PathError {
            text: self.text.to_owned(),
            at: self.pos + 1,
            what,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn elem(name: &str, keys: &[(&str, &str)]) -> PathElem {
        PathElem {
            name: name.into(),
            key: keys.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect(),
        }
    }

    #[test]
    fn reads_what_engineers_write() {
        let path = parse("openconfig-interfaces:interfaces/interface[name=Gi0/0/0/0]/state").unwrap();
        assert_eq!(path.origin, "");
        assert_eq!(path.elem[0].name, "openconfig-interfaces:interfaces");
        assert_eq!(path.elem[1], elem("interface", &[("name", "Gi0/0/0/0")]));
        assert_eq!(path.elem[2].name, "state");
        assert_eq!(local_name(&path.elem[0].name), "interfaces");
    }

    #[test]
    fn origin_target_wildcards_and_slashes() {
        let path = parse("//xrd-1/openconfig:/network-instances/.../neighbor[neighbor-address=*]/").unwrap();
        assert_eq!(
            (path.target.as_str(), path.origin.as_str()),
            ("xrd-1", "openconfig")
        );
        assert_eq!(path.elem[1].name, "...");
        assert_eq!(path.elem[2].key["neighbor-address"], "*");
        assert_eq!(
            parse("openconfig-system:/system").unwrap().origin,
            "openconfig-system"
        );
        assert_eq!(parse("").unwrap(), parse("/").unwrap());
        assert_eq!(parse("cli:").unwrap().origin, "cli");
        assert_eq!(parse("//xrd-1").unwrap().target, "xrd-1");
        let two = parse("a[x=1][y=2]/b").unwrap();
        assert_eq!(two.elem[0], elem("a", &[("x", "1"), ("y", "2")]));
    }

    #[test]
    fn brackets_in_values_are_escaped() {
        let path = parse(r"a/b[k=x\]y\\z[]").unwrap();
        assert_eq!(path.elem[1].key["k"], r"x]y\z[");
        assert_eq!(print(&path), r"/a/b[k=x\]y\\z[]");
    }

    #[test]
    fn errors_point_at_the_position() {
        for (text, at, part) in [
            ("a//b", 3, "empty"),
            ("a[name", 7, "\"=\""),
            ("a[name=x", 2, "never closed"),
            ("a[=x]", 3, "key name"),
            ("[k=v]", 1, "before it"),
            ("a]b", 2, "without"),
            ("a[k=v]b", 7, "after a key"),
            ("a[k=1][k=2]", 7, "twice"),
            ("a/b\\", 4, "escapes nothing"),
            ("///a", 3, "target"),
            ("//r1/a//b", 8, "empty"),
        ] {
            let error = parse(text).unwrap_err();
            assert_eq!(error.at, at, "{error}");
            assert!(error.what.contains(part), "{text}: {error}");
        }
        let shown = parse("interfaces/interface[name").unwrap_err().to_string();
        assert!(shown.ends_with(&format!("\n  {}^", " ".repeat(25))), "{shown}");
    }

    #[test]
    fn a_prefix_is_joined() {
        let prefix = parse("//r1/openconfig:/interfaces").unwrap();
        let joined = join(Some(&prefix), &parse("interface[name=a]").unwrap());
        assert_eq!(print(&joined), "//r1/openconfig:/interfaces/interface[name=a]");
    }

    fn any_text() -> impl Strategy<Value = String> {
        proptest::string::string_regex(r"[a-z0-9:=*./\[\]\\é \-]{1,12}").unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn printing_and_parsing_round_trips(
            target in proptest::option::of(any_text()),
            origin in proptest::option::of(any_text()),
            elems in proptest::collection::vec(
                (any_text(), proptest::collection::btree_map(any_text(), any_text(), 0..3)), 0..5),
        ) {
            let path = Path {
                target: target.unwrap_or_default(),
                origin: origin.unwrap_or_default(),
                elem: elems.into_iter().map(|(name, key)| PathElem { name, key }).collect(),
                ..Path::default()
            };
            prop_assert_eq!(parse(&print(&path)), Ok(path));
        }

        #[test]
        fn no_text_panics(text in ".{0,40}") {
            if let Ok(path) = parse(&text) {
                prop_assert_eq!(parse(&print(&path)), Ok(path));
            }
        }
    }
}
