//! Reads lines of bounded length from a stream that may never send a newline.
//!
//! A line over the limit is reported once, by its head, and the rest of it is read and dropped.

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// How much of an oversized line is kept to tell what it was.
const HEAD: usize = 512;

/// One line without its newline.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// A whole line, or the last one without a newline.
    Whole(Vec<u8>),
    /// The first bytes of a line over the limit.
    TooLong(Vec<u8>),
}

/// A reader of bounded lines.
pub(super) struct Lines<R> {
    reader: BufReader<R>,
    max: usize,
    buffer: Vec<u8>,
    discarding: bool,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(super) fn new(reader: R, max: usize) -> Self {
        Self {
            reader: BufReader::with_capacity(64 * 1024, reader),
            max,
            buffer: Vec::new(),
            discarding: false,
        }
    }

    /// The next line, `None` at the end of the stream or when it breaks.
    pub(super) async fn next(&mut self) -> Option<Line> {
        loop {
            let chunk = self.reader.fill_buf().await.ok()?;
            if chunk.is_empty() {
                let rest = std::mem::take(&mut self.buffer);
                return (!rest.is_empty()).then_some(Line::Whole(rest));
            }
            // `contains` is a memchr in std; only a chunk with a newline is searched for its place.
            let newline = if chunk.contains(&b'\n') {
                chunk.iter().position(|b| *b == b'\n')
            } else {
                None
            };
            let body = newline.unwrap_or(chunk.len());
            let consumed = newline.map_or(chunk.len(), |at| at + 1);
            let fits = self.buffer.len() + body <= self.max;
            if !self.discarding && fits {
                self.buffer.extend_from_slice(&chunk[..body]);
            } else if !self.discarding {
                let room = HEAD.saturating_sub(self.buffer.len()).min(body);
                self.buffer.extend_from_slice(&chunk[..room]);
                self.buffer.truncate(HEAD);
                self.discarding = newline.is_none();
                self.reader.consume(consumed);
                return Some(Line::TooLong(std::mem::take(&mut self.buffer)));
            }
            self.reader.consume(consumed);
            if newline.is_some() && !std::mem::take(&mut self.discarding) {
                return Some(Line::Whole(std::mem::take(&mut self.buffer)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn all(input: &[u8], max: usize) -> Vec<Line> {
        let mut lines = Lines::new(input, max);
        let mut out = Vec::new();
        while let Some(line) = lines.next().await {
            out.push(line);
        }
        out
    }

    #[tokio::test]
    async fn lines_are_split_and_the_last_may_lack_a_newline() {
        let expected = vec![
            Line::Whole(b"a".to_vec()),
            Line::Whole(Vec::new()),
            Line::Whole(b"bc".to_vec()),
        ];
        assert_eq!(all(b"a\n\nbc", 10).await, expected);
    }

    #[tokio::test]
    async fn a_long_line_is_reported_once_and_memory_stays_small() {
        let mut input = vec![b'x'; 3_000_000];
        input.extend_from_slice(b"\nnext\n");
        let lines = all(&input, 1000).await;
        assert_eq!(lines.len(), 2);
        assert!(matches!(&lines[0], Line::TooLong(head) if head.len() == HEAD));
        assert_eq!(lines[1], Line::Whole(b"next".to_vec()));
    }

    #[tokio::test]
    async fn a_long_line_within_one_chunk_does_not_eat_the_next() {
        let lines = all(b"0123456789ab\nok\n", 10).await;
        assert_eq!(
            lines,
            vec![
                Line::TooLong(b"0123456789ab".to_vec()),
                Line::Whole(b"ok".to_vec())
            ]
        );
    }
}
