//! Server-sent events from bytes, as they come: a push decoder with no I/O.
//!
//! Chunks may be cut anywhere, inside a character too. Lines end with LF, CRLF or CR; comments are
//! skipped; `id` and `retry` are ignored. An event or line beyond the cap, and text that is not UTF-8,
//! are errors. Follows the WHATWG HTML standard, section 9.2.6.

/// Largest event accepted, in bytes. A model's delta is under a kilobyte; whole answers are far below.
pub const MAX_EVENT: usize = 4 * 1024 * 1024;

/// One dispatched event.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Event {
    /// The `event` field, empty where there was none.
    pub name: String,
    pub data: String,
}

/// Why the bytes are not an event stream.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SseError {
    #[error("the answer is not valid UTF-8")]
    NotUtf8,
    #[error("an event is larger than {MAX_EVENT} bytes")]
    TooLarge,
}

/// The decoder's state between chunks.
#[derive(Debug, Default)]
pub struct Decoder {
    line: Vec<u8>,
    event: Event,
    has_data: bool,
    after_cr: bool,
    started: bool,
    stray: Option<String>,
}

impl Decoder {
    /// Takes the next bytes and returns the events they complete.
    ///
    /// # Errors
    /// On text that is not UTF-8 and on an event beyond `MAX_EVENT`; the decoder is then of no use.
    pub fn push(&mut self, chunk: &[u8]) -> Result<Vec<Event>, SseError> {
        let mut events = Vec::new();
        for &byte in chunk {
            let after_cr = std::mem::take(&mut self.after_cr);
            match byte {
                b'\n' if after_cr => {}
                b'\n' | b'\r' => {
                    self.after_cr = byte == b'\r';
                    let line = std::mem::take(&mut self.line);
                    let text = std::str::from_utf8(&line).map_err(|_| SseError::NotUtf8)?;
                    if let Some(event) = self.end_line(text)? {
                        events.push(event);
                    }
                    self.line = line;
                    self.line.clear();
                }
                _ => {
                    if self.line.len() >= MAX_EVENT {
                        return Err(SseError::TooLarge);
                    }
                    self.line.push(byte);
                }
            }
        }
        Ok(events)
    }

    /// The first line that was no field of an event stream, if there was one: what a proxy's error page
    /// or a server of another kind looks like.
    pub fn stray(&self) -> Option<&str> {
        self.stray.as_deref()
    }

    /// Bytes of an unfinished line when the stream ended.
    pub fn rest(&self) -> &[u8] {
        &self.line
    }

    fn end_line(&mut self, line: &str) -> Result<Option<Event>, SseError> {
        let line = if std::mem::replace(&mut self.started, true) {
            line
        } else {
            line.strip_prefix('\u{feff}').unwrap_or(line)
        };
        if line.is_empty() {
            let event = std::mem::take(&mut self.event);
            return Ok(std::mem::take(&mut self.has_data).then_some(event));
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => {
                if self.has_data {
                    self.event.data.push('\n');
                }
                self.has_data = true;
                self.event.data.push_str(value);
                if self.event.data.len() > MAX_EVENT {
                    return Err(SseError::TooLarge);
                }
            }
            "event" => self.event.name = value.to_owned(),
            "" | "id" | "retry" => {}
            _ => {
                self.stray.get_or_insert_with(|| line.chars().take(80).collect());
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all(chunks: &[&[u8]]) -> Vec<(String, String)> {
        let mut decoder = Decoder::default();
        let events = chunks.iter().flat_map(|c| decoder.push(c).unwrap());
        events.map(|e| (e.name, e.data)).collect()
    }

    #[test]
    fn fields_comments_and_line_ends() {
        let text = "\u{feff}: hello\r\nevent: a\r\ndata: 1\r\ndata:2\r\n\r\nid: 4\rdata:  x\r\rdata\n\n";
        let got = all(&[text.as_bytes()]);
        assert_eq!(
            got,
            [
                ("a".into(), "1\n2".into()),
                ("".into(), " x".into()),
                ("".into(), "".into())
            ]
        );
    }

    #[test]
    fn an_event_without_its_blank_line_is_not_dispatched() {
        assert!(all(&[b"data: {\"half\":"]).is_empty());
    }

    #[test]
    fn bytes_that_are_not_utf8_and_endless_lines_are_refused() {
        assert_eq!(
            Decoder::default().push(b"data: \xff\xfe\n"),
            Err(SseError::NotUtf8)
        );
        let mut decoder = Decoder::default();
        let chunk = vec![b'x'; MAX_EVENT];
        assert_eq!(decoder.push(&chunk), Ok(vec![]));
        assert_eq!(decoder.push(b"y"), Err(SseError::TooLarge));
    }

    #[test]
    fn a_page_is_remembered_as_stray() {
        let mut decoder = Decoder::default();
        decoder.push(b"<html>\n<body>login</body>\n\n").unwrap();
        assert_eq!(decoder.stray(), Some("<html>"));
    }

    proptest! {
        #[test]
        fn cuts_do_not_matter(cut in 0usize..60, texts in prop::collection::vec("[a-zé€😀 ]{0,8}", 1..5)) {
            let stream: String = texts.iter().map(|t| format!("data:{t}.\r\n\r\n")).collect();
            let bytes = stream.as_bytes();
            let cut = cut.min(bytes.len());
            prop_assert_eq!(all(&[&bytes[..cut], &bytes[cut..]]), all(&[bytes]));
            prop_assert_eq!(all(&[bytes]).len(), texts.len());
        }

        #[test]
        fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = Decoder::default().push(&bytes);
        }
    }
}
