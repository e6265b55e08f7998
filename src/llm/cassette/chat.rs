//! Chats on a tape: a model that is recorded, and one that is the tape.

use std::sync::Arc;

use async_trait::async_trait;

use super::{ChatReply, ChatRequest, Delta, ErrorKind, Exchange, LlmError, Matching, Outcome, Tape, steady};
use crate::llm::{ChatModel, DeltaSink, Message};

/// A model whose chats are written to a tape.
pub struct Recorder {
    inner: Arc<dyn ChatModel>,
    tape: Arc<Tape>,
}

impl Recorder {
    pub fn new(inner: Arc<dyn ChatModel>, tape: Arc<Tape>) -> Self {
        Self { inner, tape }
    }
}

#[async_trait]
impl ChatModel for Recorder {
    fn name(&self) -> &str {
        self.inner.name()
    }

    async fn chat(&self, request: &ChatRequest, deltas: &mut DeltaSink<'_>) -> Result<ChatReply, LlmError> {
        let mut heard = Vec::new();
        let result = self
            .inner
            .chat(request, &mut |delta| {
                if !matches!(delta, Delta::Ended { .. }) {
                    heard.push(delta.clone());
                }
                deltas(delta);
            })
            .await;
        let outcome = match &result {
            Ok(reply) => Outcome::Reply(Box::new(reply.clone())),
            Err(error) => Outcome::Error(error.clone()),
        };
        let (model, request) = (self.inner.name().to_owned(), Box::new(request.clone()));
        self.tape.write(&Exchange::Chat {
            model,
            request,
            deltas: heard,
            outcome,
        })?;
        result
    }
}

/// A model that answers from a tape.
pub struct Replayer {
    name: String,
    tape: Arc<Tape>,
}

impl Replayer {
    /// `name` is shown and entered in the ledger; the tape is searched by request.
    pub fn new(name: impl Into<String>, tape: Arc<Tape>) -> Self {
        Self {
            name: name.into(),
            tape,
        }
    }

    fn miss(&self, request: &ChatRequest) -> LlmError {
        let mut nearest = None;
        self.tape.take(|exchange| {
            if let Exchange::Chat { request: known, .. } = exchange
                && known.role == request.role
                && nearest.is_none()
            {
                nearest = Some(difference(known, request));
            }
            false
        });
        let why = nearest.unwrap_or_else(|| format!("no exchange of role {:?} is left", request.role));
        let hint = "record it again, or replay in the recorded order with replay-sequence:FILE";
        LlmError::new(
            ErrorKind::Cassette,
            "cassette",
            format!("this request is not on the tape: {why}"),
            hint,
        )
    }
}

#[async_trait]
impl ChatModel for Replayer {
    fn name(&self) -> &str {
        &self.name
    }

    async fn chat(&self, request: &ChatRequest, deltas: &mut DeltaSink<'_>) -> Result<ChatReply, LlmError> {
        let wanted = self.tape.redacted(request)?;
        let chat = |like: &dyn Fn(&ChatRequest) -> bool| {
            self.tape.take(|exchange| match exchange {
                Exchange::Chat { request, .. } => like(request),
                Exchange::Embed { .. } => false,
            })
        };
        let found = match self.tape.matching {
            Matching::Exact => {
                chat(&|known| *known == wanted).or_else(|| chat(&|known| steady::same(known, &wanted)))
            }
            Matching::Sequence => chat(&|known| known.role == wanted.role),
        };
        match found {
            Some(Exchange::Chat {
                deltas: heard,
                outcome,
                ..
            }) => {
                heard.into_iter().for_each(&mut *deltas);
                Result::from(outcome).map(|reply| *reply)
            }
            Some(Exchange::Embed { .. }) | None => Err(self.miss(&wanted)),
        }
    }
}

/// Where two requests part, in words.
fn difference(known: &ChatRequest, wanted: &ChatRequest) -> String {
    if known.messages.len() != wanted.messages.len() {
        return format!(
            "{} messages, on the tape {}",
            wanted.messages.len(),
            known.messages.len()
        );
    }
    for (n, (a, b)) in known.messages.iter().zip(&wanted.messages).enumerate() {
        if a != b {
            let (a, b) = (steady::steady(&text(a)), steady::steady(&text(b)));
            if a == b {
                continue;
            }
            let same = a.chars().zip(b.chars()).take_while(|(x, y)| x == y).count();
            let part = |t: &str| {
                t.chars()
                    .skip(same.saturating_sub(10))
                    .take(40)
                    .collect::<String>()
            };
            return format!(
                "message {n} parts at character {same}: {:?}, on the tape {:?}",
                part(&b),
                part(&a)
            );
        }
    }
    if known.tools != wanted.tools {
        return "the tools differ".into();
    }
    "the output, limits or tool choice differ".into()
}

fn text(message: &Message) -> String {
    match message {
        Message::System { text } | Message::User { text } | Message::Tool { text, .. } => text.clone(),
        Message::Assistant { text, calls } => {
            let calls: String = calls
                .iter()
                .map(|c| format!(" {}({})", c.name, c.arguments))
                .collect();
            format!("{text}{calls}")
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::llm::{Redactor, redact_secrets, scripted::Scripted};

    fn request(text: &str) -> ChatRequest {
        ChatRequest::new("planner", vec![Message::system("s"), Message::user(text)], 10)
    }

    fn redactor() -> Redactor {
        Arc::new(|text| redact_secrets(text).replace("s3cr3t", "[x]"))
    }

    async fn record(path: &Path) {
        let failure = LlmError::new(ErrorKind::Server, "p", "m", "h");
        let model = Scripted::texts([Ok("one s3cr3t"), Err(failure), Ok("two")]);
        let tape = Arc::new(Tape::record(path, redactor()).unwrap());
        let recorder = Recorder::new(model, tape);
        for text in ["a s3cr3t", "b", "a"] {
            let _ = recorder.chat(&request(text), &mut |_| {}).await;
        }
    }

    fn replayer(path: &Path, matching: Matching) -> (Replayer, Arc<Tape>) {
        let tape = Arc::new(Tape::replay(path, redactor(), matching).unwrap());
        (Replayer::new("p/m", Arc::clone(&tape)), tape)
    }

    #[tokio::test]
    async fn what_was_recorded_is_replayed_failures_and_deltas_too() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("tape.jsonl");
        record(&path).await;
        assert!(!std::fs::read_to_string(&path).unwrap().contains("s3cr3t"));
        let (model, tape) = replayer(&path, Matching::Exact);
        let mut seen = Vec::new();
        let reply = model
            .chat(&request("a s3cr3t"), &mut |d| seen.push(d))
            .await
            .unwrap();
        assert_eq!(reply.text, "one [x]");
        assert_eq!(
            seen,
            [Delta::Text {
                text: "one [x]".into()
            }]
        );
        assert_eq!(
            model.chat(&request("b"), &mut |_| {}).await.unwrap_err().kind,
            ErrorKind::Server
        );
        assert_eq!(model.chat(&request("a"), &mut |_| {}).await.unwrap().text, "two");
        assert_eq!(tape.remaining(), 0);
    }

    #[tokio::test]
    async fn an_unknown_request_says_where_it_differs_and_sequence_ignores_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("tape.jsonl");
        record(&path).await;
        let (model, tape) = replayer(&path, Matching::Exact);
        let e = model.chat(&request("c"), &mut |_| {}).await.unwrap_err();
        assert_eq!(e.kind, ErrorKind::Cassette);
        assert!(e.message.contains("message 1 parts at character 0"), "{e}");
        assert_eq!(tape.remaining(), 3);
        let (model, _) = replayer(&path, Matching::Sequence);
        assert_eq!(
            model.chat(&request("c"), &mut |_| {}).await.unwrap().text,
            "one [x]"
        );
    }

    #[tokio::test]
    async fn what_moves_with_the_clock_makes_no_other_request() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("tape.jsonl");
        let model = Scripted::texts([Ok("early"), Ok("late")]);
        let recorder = Recorder::new(model, Arc::new(Tape::record(&path, redactor()).unwrap()));
        for text in ["xrd-1 is down since 10 s", "xrd-1 is down since 20 s"] {
            recorder.chat(&request(text), &mut |_| {}).await.unwrap();
        }
        let (model, _) = replayer(&path, Matching::Exact);
        let ask = async |text: &str| model.chat(&request(text), &mut |_| {}).await.map(|r| r.text);
        // the very same first, then the first that differs by the time only
        assert_eq!(ask("xrd-1 is down since 20 s").await.unwrap(), "late");
        assert!(ask("xrd-2 is down since 30 s").await.is_err());
        assert_eq!(ask("xrd-1 is down since 30 s").await.unwrap(), "early");
    }

    #[test]
    fn a_file_that_is_no_tape_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        std::fs::write(&path, "{}\n").unwrap();
        let e = Tape::replay(&path, redactor(), Matching::Exact).err().unwrap();
        assert!(e.message.contains("not a cassette"), "{e}");
        std::fs::write(&path, "{\"noctui_cassette\":1}\n{\"half\":").unwrap();
        let e = Tape::replay(&path, redactor(), Matching::Exact).err().unwrap();
        assert!(e.message.contains("line 2"), "{e}");
    }
}
