//! One forward pass over a JSON value with what models do to it put right, and each thing noted.

use serde_json::{Map, Number, Value};

/// Deepest nesting accepted.
const MAX_DEPTH: usize = 48;

/// A place in a text, and what was met on the way to it.
pub(super) struct Parser<'a> {
    bytes: &'a [u8],
    pub(super) at: usize,
    pub(super) repairs: Vec<&'static str>,
    /// The text ended inside a value.
    pub(super) cut: bool,
}

impl<'a> Parser<'a> {
    /// A parser at a place of `bytes`.
    pub(super) fn at(bytes: &'a [u8], at: usize) -> Self {
        Self {
            bytes,
            at,
            repairs: Vec::new(),
            cut: false,
        }
    }

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
    pub(super) fn value(&mut self, depth: usize) -> Option<Value> {
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

    /// Goes to the next member of a list that `closing` ends; false when there is none. What can't stand
    /// there, one of `foreign`, means that the list was never closed: `missing` says so.
    fn next_member(&mut self, closing: u8, foreign: &[u8], missing: &'static str) -> bool {
        loop {
            self.blanks();
            match self.peek() {
                None => {
                    let _: Option<()> = self.cut();
                    return false;
                }
                Some(b) if b == closing => {
                    self.at += 1;
                    return false;
                }
                Some(b',') => {
                    self.at += 1;
                    self.blanks();
                    if self.peek().is_some_and(|b| b == closing || b == b',') {
                        self.note("a stray comma was left out");
                    }
                }
                Some(b) if foreign.contains(&b) => {
                    self.note(missing);
                    return false;
                }
                Some(_) => return true,
            }
        }
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        self.at += 1;
        let mut map = Map::new();
        while !self.cut && self.next_member(b'}', b"]", "a missing brace was added") {
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
                _ if self.cut => {}
                _ => return None,
            }
        }
        Some(Value::Object(map))
    }

    fn array(&mut self, depth: usize) -> Option<Value> {
        self.at += 1;
        let mut items = Vec::new();
        while !self.cut && self.next_member(b']', b"}:", "a missing bracket was added") {
            match self.value(depth + 1) {
                Some(value) => items.push(value),
                None if self.cut => {}
                None => return None,
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
