//! A stdio server's process: spawned in its own group, its stdout filtered, its stderr drained, killed whole.
//!
//! Lines on stdout that are no JSON-RPC never reach the protocol; the last ones are kept as diagnostics. An
//! answer over the size limit is replaced by an error for its request, so that its call fails at once.

use std::collections::VecDeque;
use std::io;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use process_wrap::tokio::{ChildWrapper, CommandWrap, ProcessGroup};
use tokio::io::{AsyncRead, AsyncWriteExt, DuplexStream};
use tokio::process::{ChildStdin, Command};
use tokio::task::JoinHandle;

use super::lines::{Line, Lines};
use super::spec::StdioCommand;
use crate::tools::failure::one_line;

/// JSON-RPC code with which an oversized answer fails its call (implementation-defined range).
pub(super) const OVERSIZED: i32 = -32_099;

/// Buffer between the filter and the protocol, bytes.
const PIPE: usize = 64 * 1024;

/// How long the rest of what an ended process printed is waited for.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// Longest line of stderr looked at, bytes.
const STDERR_LINE: usize = 16 * 1024;

/// The last lines a server printed outside the protocol, clean and redacted.
#[derive(Debug, Default)]
pub(super) struct LastLines(Mutex<VecDeque<String>>);

impl LastLines {
    const KEPT: usize = 20;

    fn push(&self, bytes: &[u8]) {
        let line = one_line(&String::from_utf8_lossy(bytes));
        if line.is_empty() {
            return;
        }
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == Self::KEPT {
            lines.pop_front();
        }
        lines.push_back(line);
    }

    pub(super) fn last(&self) -> Option<String> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .back()
            .cloned()
    }

    /// The last two lines: programs often put the reason before the advice.
    pub(super) fn last_words(&self) -> Option<String> {
        let lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let newest: Vec<&str> = lines.iter().rev().take(2).rev().map(String::as_str).collect();
        (!newest.is_empty()).then(|| newest.join(" / "))
    }

    pub(super) fn all(&self) -> Vec<String> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
            .cloned()
            .collect()
    }
}

/// What a server printed, kept over restarts.
#[derive(Debug, Default)]
pub(super) struct Diagnostics {
    pub(super) stderr: LastLines,
    pub(super) noise: LastLines,
}

/// A running child; dropping it kills its whole process group.
pub(super) struct Process {
    child: Box<dyn ChildWrapper>,
    drains: [JoinHandle<()>; 2],
}

impl Process {
    /// Starts the command; returns the process and the two ends that the protocol reads and writes.
    pub(super) fn spawn(
        command: &StdioCommand,
        max_message: usize,
        diagnostics: &Arc<Diagnostics>,
    ) -> io::Result<(Self, DuplexStream, ChildStdin)> {
        let mut wrapped = CommandWrap::from(prepare(command));
        wrapped.wrap(ProcessGroup::leader());
        let mut child = wrapped.spawn()?;
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (child.stdin().take(), child.stdout().take(), child.stderr().take())
        else {
            return Err(io::Error::other("the child's pipes are missing"));
        };
        let (sink, source) = tokio::io::duplex(PIPE);
        let kept = Arc::clone(diagnostics);
        let filter = tokio::spawn(async move { filter(stdout, sink, max_message, &kept.noise).await });
        let kept = Arc::clone(diagnostics);
        let drain = tokio::spawn(async move { drain(stderr, &kept.stderr).await });
        Ok((
            Self {
                child,
                drains: [filter, drain],
            },
            source,
            stdin,
        ))
    }

    /// Waits `grace` for the process to leave by itself (its stdin is closed), then kills its group.
    /// Returns how it ended, where that is known.
    pub(super) async fn end(mut self, grace: Duration) -> Option<ExitStatus> {
        let left = tokio::time::timeout(grace, self.child.inner_mut().wait()).await;
        // Also after it has left by itself: its children may live on.
        if let Err(error) = self.child.start_kill() {
            tracing::trace!(%error, "process group already gone");
        }
        let status = match left {
            Ok(Ok(status)) => Some(status),
            Ok(Err(_)) => None,
            Err(_elapsed) => self.reap().await,
        };
        // Its last words may still be in the pipes.
        let drained = futures::future::join_all(self.drains.iter_mut());
        if tokio::time::timeout(LAST_WORDS, drained).await.is_err() {
            tracing::debug!("somebody else holds the pipes of the process");
        }
        status
    }

    async fn reap(&mut self) -> Option<ExitStatus> {
        tokio::time::timeout(Duration::from_secs(1), self.child.inner_mut().wait())
            .await
            .ok()?
            .ok()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Err(error) = self.child.start_kill() {
            tracing::trace!(%error, "process group already gone");
        }
        self.drains.iter().for_each(JoinHandle::abort);
    }
}

fn prepare(spec: &StdioCommand) -> Command {
    let mut command = Command::new(&spec.command);
    command
        .args(&spec.args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    for (key, _) in std::env::vars_os() {
        if key.to_str().is_some_and(crate::redaction::is_secret_key) {
            command.env_remove(key);
        }
    }
    command.envs(&spec.env);
    if let Some(cwd) = &spec.cwd {
        command.current_dir(cwd);
    }
    command
}

async fn drain(stderr: impl AsyncRead + Unpin, kept: &LastLines) {
    let mut lines = Lines::new(stderr, STDERR_LINE);
    while let Some(Line::Whole(line) | Line::TooLong(line)) = lines.next().await {
        kept.push(&line);
    }
}

/// Passes JSON-RPC lines on and keeps everything else as noise.
async fn filter(stdout: impl AsyncRead + Unpin, mut sink: DuplexStream, max: usize, noise: &LastLines) {
    let mut lines = Lines::new(stdout, max);
    while let Some(line) = lines.next().await {
        let passed = match line {
            Line::Whole(mut message) if is_message(&message) => {
                message.push(b'\n');
                sink.write_all(&message).await
            }
            Line::Whole(other) => {
                noise.push(&other);
                Ok(())
            }
            Line::TooLong(head) => {
                noise.push(format!("an answer over {max} bytes was dropped").as_bytes());
                match request_id(&head) {
                    Some(id) => sink.write_all(oversized(&id, max).as_bytes()).await,
                    None => Ok(()),
                }
            }
        };
        if passed.is_err() {
            // The protocol side is gone; keep reading so that the child does not block before it is killed.
            while lines.next().await.is_some() {}
            return;
        }
    }
}

/// Whether a line looks like JSON-RPC: an object that names the protocol near its start or end.
fn is_message(line: &[u8]) -> bool {
    let trimmed = line.trim_ascii();
    let window = 256.min(trimmed.len());
    let names = |part: &[u8]| part.windows(9).any(|w| w == b"\"jsonrpc\"");
    trimmed.starts_with(b"{") && (names(&trimmed[..window]) || names(&trimmed[trimmed.len() - window..]))
}

/// The JSON-RPC id in the head of a message, as it stands there.
fn request_id(head: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(head);
    let (_, rest) = text.split_once("\"id\"")?;
    let value = rest.trim_start().strip_prefix(':')?.trim_start();
    let end = value.find([',', '}']).unwrap_or(value.len());
    let id = value[..end].trim();
    let is_id = id.parse::<i64>().is_ok() || (id.len() > 1 && id.starts_with('"') && id.ends_with('"'));
    is_id.then(|| id.to_owned())
}

fn oversized(id: &str, max: usize) -> String {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{{\"code\":{OVERSIZED},\"message\":\"the answer is larger than {max} bytes and was dropped\"}}}}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt;

    #[test]
    fn messages_are_told_from_noise() {
        assert!(is_message(br#"{"jsonrpc":"2.0","id":1,"result":{}}"#));
        assert!(is_message(br#"  {"id":1,"result":{},"jsonrpc":"2.0"}"#));
        for noise in [
            "GRPC ERROR Host: xrd-1",
            "{\"level\":\"info\"}",
            "[]",
            "",
            "{",
            "\u{1b}[31m{",
        ] {
            assert!(!is_message(noise.as_bytes()), "{noise}");
        }
    }

    #[test]
    fn the_id_of_an_oversized_answer_is_found() {
        assert_eq!(
            request_id(br#"{"jsonrpc":"2.0","id":17,"result":{"x":"#).as_deref(),
            Some("17")
        );
        assert_eq!(
            request_id(br#"{"id" : "a-1", "jsonrpc":"2.0""#).as_deref(),
            Some("\"a-1\"")
        );
        assert_eq!(request_id(b"xxxxxxxx"), None);
        assert!(serde_json::from_str::<serde_json::Value>(&oversized("17", 5)).is_ok());
    }

    #[tokio::test]
    async fn the_filter_passes_messages_and_fails_an_oversized_answer() {
        let good = br#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
        let mut input = b"Traceback: boom\n".to_vec();
        input.extend_from_slice(good);
        input.extend_from_slice(b"\n{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":\"");
        input.extend(std::iter::repeat_n(b'x', 5000));
        input.extend_from_slice(b"\"}\nbye\xff\n");
        let (sink, mut source) = tokio::io::duplex(PIPE);
        let noise = LastLines::default();
        filter(input.as_slice(), sink, 1000, &noise).await;
        let mut out = String::new();
        source.read_to_string(&mut out).await.unwrap();
        let lines: Vec<&str> = out.lines().collect();
        assert_eq!(lines.len(), 2, "{out}");
        assert_eq!(lines[0].as_bytes(), good);
        assert!(lines[1].contains("\"id\":2") && lines[1].contains("-32099"));
        assert_eq!(noise.all()[0], "Traceback: boom");
        assert_eq!(noise.last().as_deref(), Some("bye\u{fffd}"));
    }
}
