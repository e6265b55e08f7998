//! JSON as models write it: fences, prose, comments, trailing commas, single quotes, cut-off tails.
//!
//! One forward pass with bounds on depth and size. What was put right is listed. A value that was cut in
//! its middle is left out, never guessed: half a device name is another device.

use serde_json::{Map, Number, Value};

/// Deepest nesting accepted.
const MAX_DEPTH: usize = 48;
/// Longest text looked at, in bytes.
const MAX_TEXT: usize = 256 * 1024;
/// Most bytes read in all: a start that leads nowhere is read again from the next brace.
const MAX_WORK: usize = 2 * MAX_TEXT;
/// Most objects taken from one text.
const MAX_CANDIDATES: usize = 8;

/// An object found in a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found {
    pub value: Value,
    /// What was put right, in words, each once; empty for plain JSON.
    pub repairs: Vec<&'static str>,
    /// The text ended inside the object.
    pub cut: bool,
}

/// Every JSON object in `text`, in order; plain JSON gives itself.
pub(super) fn objects(text: &str) -> Vec<Found> {
    let trimmed = text.trim().trim_start_matches('\u{feff}').trim_start();
    if trimmed.len() <= MAX_TEXT
        && let Ok(value @ Value::Object(_)) = serde_json::from_str(trimmed)
    {
        return vec![Found {
            value,
            repairs: Vec::new(),
            cut: false,
        }];
    }
    let mut end = trimmed.len().min(MAX_TEXT);
    while !trimmed.is_char_boundary(end) {
        end -= 1;
    }
    let bytes = &trimmed.as_bytes()[..end];
    let mut found = Vec::new();
    let (mut at, mut work) = (0, 0);
    while let Some(offset) = bytes[at..].iter().position(|b| *b == b'{') {
        let start = at + offset;
        let mut parser = Parser {
            bytes,
            at: start,
            repairs: Vec::new(),
            cut: false,
        };
        let value = parser.value(0);
        work += parser.at.saturating_sub(start);
        match value {
            Some(value @ Value::Object(_)) => {
                at = parser.at.max(start + 1);
                let outside = before(bytes, start, found.is_empty())
                    .into_iter()
                    .chain(after(bytes, at));
                let mut repairs: Vec<&'static str> = outside.collect();
                repairs.append(&mut parser.repairs);
                repairs.dedup();
                found.push(Found {
                    value,
                    repairs,
                    cut: parser.cut,
                });
            }
            _ => at = start + 1,
        }
        if found.len() >= MAX_CANDIDATES || at >= bytes.len() || work > MAX_WORK {
            break;
        }
    }
    found
}

fn before(bytes: &[u8], start: usize, first: bool) -> Option<&'static str> {
    let text = String::from_utf8_lossy(&bytes[..start]);
    let text = text.trim();
    if text.is_empty() || !first {
        return None;
    }
    Some(if text.ends_with("```") || text.ends_with("```json") {
        "a code fence was taken off"
    } else {
        "text around the JSON was left out"
    })
}

fn after(bytes: &[u8], end: usize) -> Option<&'static str> {
    let text = String::from_utf8_lossy(&bytes[end.min(bytes.len())..]);
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    Some(if text.trim_end_matches('`').trim().is_empty() {
        "a code fence was taken off"
    } else {
        "text around the JSON was left out"
    })
}

struct Parser<'a> {
    bytes: &'a [u8],
    at: usize,
    repairs: Vec<&'static str>,
    cut: bool,
}

impl Parser<'_> {
    fn note(&mut self, repair: &'static str) {
        if !self.repairs.contains(&repair) {
            self.repairs.push(repair);
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn rest(&self) -> &[u8] {
        &self.bytes[self.at.min(self.bytes.len())..]
    }

    /// Marks the end of the text as a cut.
    fn cut<T>(&mut self) -> Option<T> {
        self.cut = true;
        self.note("a cut-off tail was closed");
        None
    }

    /// Skips blanks and comments.
    fn blanks(&mut self) {
        loop {
            while self.peek().is_some_and(|b| b.is_ascii_whitespace()) {
                self.at += 1;
            }
            let end = match self.rest() {
                [b'/', b'/', ..] | [b'#', ..] => self.rest().iter().position(|b| *b == b'\n'),
                [b'/', b'*', ..] => self.rest().windows(2).position(|w| w == b"*/").map(|at| at + 2),
                [0xc2, 0xa0, ..] => {
                    self.at += 2;
                    continue;
                }
                _ => return,
            };
            self.note("comments were left out");
            self.at = end.map_or(self.bytes.len(), |end| self.at + end);
        }
    }

    /// A value; `None` when there is none or it was cut in its middle.
    fn value(&mut self, depth: usize) -> Option<Value> {
        self.blanks();
        if depth > MAX_DEPTH {
            return None;
        }
        match self.peek() {
            None => self.cut(),
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"' | b'\'') => self.string().map(Value::String),
            Some(0xe2) if self.smart_quote().is_some() => self.string().map(Value::String),
            Some(_) => self.word(),
        }
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        self.at += 1;
        let mut map = Map::new();
        loop {
            self.blanks();
            match self.peek() {
                None => {
                    let _: Option<()> = self.cut();
                    break;
                }
                Some(b'}') => {
                    self.at += 1;
                    break;
                }
                Some(b',') => {
                    self.at += 1;
                    self.blanks();
                    if matches!(self.peek(), Some(b'}' | b',')) {
                        self.note("a stray comma was left out");
                    }
                }
                // an array's end here means that this object was never closed
                Some(b']') => {
                    self.note("a missing brace was added");
                    break;
                }
                Some(_) => {
                    let key = self.key();
                    self.blanks();
                    if key.is_some() && self.peek() == Some(b':') {
                        self.at += 1;
                    } else if self.peek().is_none() {
                        let _: Option<()> = self.cut();
                        break;
                    } else {
                        return None;
                    }
                    match (key, self.value(depth + 1)) {
                        (Some(key), Some(value)) => {
                            map.entry(key).or_insert(value);
                        }
                        _ if self.cut => break,
                        _ => return None,
                    }
                    if self.cut {
                        break;
                    }
                }
            }
        }
        Some(Value::Object(map))
    }

    fn array(&mut self, depth: usize) -> Option<Value> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.blanks();
            match self.peek() {
                None => {
                    let _: Option<()> = self.cut();
                    break;
                }
                Some(b']') => {
                    self.at += 1;
                    break;
                }
                Some(b',') => {
                    self.at += 1;
                    self.blanks();
                    if matches!(self.peek(), Some(b']' | b',')) {
                        self.note("a stray comma was left out");
                    }
                }
                Some(b'}' | b':') => {
                    self.note("a missing bracket was added");
                    break;
                }
                Some(_) => {
                    match self.value(depth + 1) {
                        Some(value) => items.push(value),
                        None if self.cut => {}
                        None => return None,
                    }
                    if self.cut {
                        break;
                    }
                }
            }
        }
        Some(Value::Array(items))
    }

    fn key(&mut self) -> Option<String> {
        match self.peek()? {
            b'"' | b'\'' => self.string(),
            0xe2 if self.smart_quote().is_some() => self.string(),
            _ => {
                let start = self.at;
                while self
                    .peek()
                    .is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
                {
                    self.at += 1;
                }
                if start == self.at {
                    return None;
                }
                self.note("quotes were added to keys");
                Some(String::from_utf8_lossy(&self.bytes[start..self.at]).into_owned())
            }
        }
    }

    /// “ or ” at this place.
    fn smart_quote(&self) -> Option<()> {
        matches!(self.rest(), [0xe2, 0x80, 0x9c | 0x9d, ..]).then_some(())
    }

    fn string(&mut self) -> Option<String> {
        let quote = self.peek()?;
        let smart = quote == 0xe2;
        if quote != b'"' {
            self.note("quotes were put right");
        }
        self.at += if smart { 3 } else { 1 };
        let mut out: Vec<u8> = Vec::new();
        loop {
            match self.peek() {
                None => return self.cut(),
                Some(b'\\') => self.escape(&mut out)?,
                Some(_) if smart && self.smart_quote().is_some() => {
                    self.at += 3;
                    break;
                }
                Some(b) if !smart && b == quote => {
                    self.at += 1;
                    break;
                }
                Some(b) => {
                    if b == b'\n' {
                        self.note("line ends in texts were escaped");
                    }
                    out.push(b);
                    self.at += 1;
                }
            }
        }
        Some(String::from_utf8_lossy(&out).into_owned())
    }

    fn escape(&mut self, out: &mut Vec<u8>) -> Option<()> {
        let Some(code) = self.bytes.get(self.at + 1).copied() else {
            self.at = self.bytes.len();
            return self.cut();
        };
        self.at += 2;
        let plain = match code {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'b' | b'f' => b' ',
            b'u' => {
                let c = self.unicode()?;
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                return Some(());
            }
            b'"' | b'\'' | b'\\' | b'/' => code,
            other => {
                self.note("a wrong escape was left out");
                other
            }
        };
        out.push(plain);
        Some(())
    }

    /// The character of `\uXXXX`, with a second half for a surrogate pair.
    fn unicode(&mut self) -> Option<char> {
        let Some(high) = self.hex4() else {
            return if self.rest().len() < 4 {
                self.at = self.bytes.len();
                self.cut()
            } else {
                self.note("a wrong escape was left out");
                Some('\u{fffd}')
            };
        };
        if (0xd800..0xdc00).contains(&high) && self.rest().starts_with(b"\\u") {
            self.at += 2;
            let low = self.hex4().unwrap_or(0);
            let pair = 0x10000 + ((high - 0xd800) << 10) + (low.wrapping_sub(0xdc00) & 0x3ff);
            return Some(char::from_u32(pair).unwrap_or('\u{fffd}'));
        }
        Some(char::from_u32(high).unwrap_or('\u{fffd}'))
    }

    fn hex4(&mut self) -> Option<u32> {
        let digits = std::str::from_utf8(self.rest().get(..4)?).ok()?;
        let code = u32::from_str_radix(digits, 16).ok()?;
        self.at += 4;
        Some(code)
    }

    /// A number or a literal, Python's and JavaScript's too.
    fn word(&mut self) -> Option<Value> {
        let start = self.at;
        while self
            .peek()
            .is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.' | b'_'))
        {
            self.at += 1;
        }
        let word = std::str::from_utf8(&self.bytes[start..self.at]).ok()?;
        // a number at the very end may have had more digits; these words are whole
        if self.peek().is_none() && !["true", "false", "null"].contains(&word) {
            return self.cut();
        }
        let value = match word {
            "true" => return Some(Value::Bool(true)),
            "false" => return Some(Value::Bool(false)),
            "null" => return Some(Value::Null),
            "True" => Value::Bool(true),
            "False" => Value::Bool(false),
            "None" | "undefined" | "NaN" => Value::Null,
            number => {
                if let Ok(whole) = number.parse::<i64>() {
                    return Some(Value::Number(whole.into()));
                }
                let fraction = number.parse::<f64>().ok().and_then(Number::from_f64)?;
                return Some(Value::Number(fraction));
            }
        };
        self.note("words of another language were put right");
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn one(text: &str) -> (Value, Vec<&'static str>) {
        let mut found = objects(text);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        let found = found.remove(0);
        (found.value, found.repairs)
    }

    #[test]
    fn plain_json_needs_no_repair() {
        assert_eq!(
            one(r#" {"a": [1, 2.5, "x"]} "#),
            (json!({"a": [1, 2.5, "x"]}), vec![])
        );
    }

    #[test]
    fn each_habit_is_put_right_and_named() {
        let want = json!({"a": 1, "b": ["x"], "c": true});
        let cases = [
            (
                "```json\n{\"a\":1,\"b\":[\"x\"],\"c\":true}\n```",
                "a code fence was taken off",
            ),
            (
                "Sure! {\"a\":1,\"b\":[\"x\"],\"c\":true} Hope it helps.",
                "text around the JSON was left out",
            ),
            (
                "{\"a\":1,\"b\":[\"x\",],\"c\":true,}",
                "a stray comma was left out",
            ),
            (
                "{\"a\":1, // one\n\"b\":[\"x\"], /* two */ \"c\":true}",
                "comments were left out",
            ),
            ("{'a':1,'b':['x'],'c':true}", "quotes were put right"),
            ("{a:1,b:[\"x\"],c:true}", "quotes were added to keys"),
            (
                "{\"a\":1,\"b\":[\"x\"],\"c\":True}",
                "words of another language were put right",
            ),
            ("{“a”:1,“b”:[“x”],“c”:true}", "quotes were put right"),
            ("{\"a\":1,\"b\":[\"x\"],\"c\":true", "a cut-off tail was closed"),
            (
                "{\"a\":1,\"b\":[\"x\"],\"c\":true,\"d\":\"half",
                "a cut-off tail was closed",
            ),
        ];
        for (text, repair) in cases {
            let found = objects(text);
            assert_eq!(found[0].value, want, "{text}");
            // a literal at the very end of the text may have been cut
            assert!(
                found[0].repairs.contains(&repair) || found[0].cut,
                "{text}: {:?}",
                found[0].repairs
            );
        }
    }

    #[test]
    fn what_was_cut_in_its_middle_is_left_out() {
        assert_eq!(
            objects(r#"{"d": ["xrd-1", "xrd-1"#)[0].value,
            json!({"d": ["xrd-1"]})
        );
        assert_eq!(objects(r#"{"a": 1, "port": 17"#)[0].value, json!({"a": 1}));
        assert_eq!(objects(r#"{"a": 1, "na"#)[0].value, json!({"a": 1}));
        assert!(objects(r#"{"a": 1, "na"#)[0].cut);
    }

    #[test]
    fn several_objects_are_all_found() {
        let values: Vec<Value> = objects("first {\"a\":1} then {\"b\":2}")
            .into_iter()
            .map(|f| f.value)
            .collect();
        assert_eq!(values, [json!({"a": 1}), json!({"b": 2})]);
        assert!(objects("no object [1, 2]").is_empty());
    }

    #[test]
    fn depth_and_size_are_bounded() {
        assert!(
            objects(&"{\"a\":".repeat(100_000))
                .iter()
                .all(|f| f.value.is_object())
        );
        assert!(objects(&"[".repeat(1_000_000)).is_empty());
        let _ = objects(&"{".repeat(200_000));
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in "[{}\\[\\]\":,a1\\\\ntrue'#/* é“]{0,200}") {
            let _ = objects(&text);
        }

        #[test]
        fn any_prefix_of_json_gives_only_whole_values(cut in 0usize..80) {
            let text = r#"{"steps": [{"device": "xrd-12", "n": 42}, {"device": "xrd-7", "n": 5}], "ok": true}"#;
            for found in objects(&text[..cut.min(text.len())]) {
                for step in found.value["steps"].as_array().into_iter().flatten() {
                    let device = step.get("device").and_then(Value::as_str);
                    prop_assert!(device.is_none_or(|d| ["xrd-12", "xrd-7"].contains(&d)));
                    prop_assert!(step.get("n").is_none_or(|n| *n == 42 || *n == 5));
                }
            }
        }
    }
}
