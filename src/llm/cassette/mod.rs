//! Record and replay: exchanges with models on a tape that is a file of JSON lines.
//!
//! What goes on the tape is what the caller saw: request, deltas and outcome, failures too, in no provider's
//! dialect. Keys are in no request; everything written passes a redactor. A replay touches no network; it
//! looks a request up as `steady` sees it, and gives for an unknown one an error that says where it differs.

mod chat;
mod embed;
mod steady;

use std::{
    fs::{File, OpenOptions},
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub use chat::{Recorder, Replayer};
pub(crate) use embed::{RecordedEmbedder, ReplayedEmbedder};

use super::{ChatReply, ChatRequest, Delta, ErrorKind, LlmError, Redactor};

const VERSION: u64 = 1;

/// How a request is looked up on a tape.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Matching {
    /// The first unused exchange with the same request, or with one that differs in times and counters only.
    #[default]
    Exact,
    /// The first unused exchange of the same role, whatever was asked.
    Sequence,
}

/// One exchange on a tape.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Exchange {
    Chat {
        model: String,
        request: Box<ChatRequest>,
        deltas: Vec<Delta>,
        outcome: Outcome<Box<ChatReply>>,
    },
    Embed {
        model: String,
        texts: Vec<String>,
        outcome: Outcome<Vec<Vec<f32>>>,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome<T> {
    Reply(T),
    Error(LlmError),
}

impl<T> From<Outcome<T>> for Result<T, LlmError> {
    fn from(outcome: Outcome<T>) -> Self {
        match outcome {
            Outcome::Reply(reply) => Ok(reply),
            Outcome::Error(error) => Err(error),
        }
    }
}

/// A cassette, being recorded or replayed.
pub struct Tape {
    path: PathBuf,
    redactor: Redactor,
    matching: Matching,
    state: Mutex<State>,
}

enum State {
    Recording(File),
    /// The exchanges that were not used yet, `None` where one was.
    Replaying(Vec<Option<Exchange>>),
}

impl Tape {
    /// A new tape at `path`; one that is there is overwritten.
    ///
    /// # Errors
    /// `Cassette` when the file cannot be written.
    pub fn record(path: &Path, redactor: Redactor) -> Result<Self, LlmError> {
        let fail = |e: std::io::Error| error(path, &e.to_string(), "check the path and its permissions");
        let mut file = OpenOptions::new()
            .create(true)
            .write(true)
            .truncate(true)
            .open(path)
            .map_err(fail)?;
        writeln!(file, "{}", json!({ "noctui_cassette": VERSION })).map_err(fail)?;
        let state = Mutex::new(State::Recording(file));
        Ok(Self {
            path: path.to_owned(),
            redactor,
            matching: Matching::Exact,
            state,
        })
    }

    /// The tape at `path`, to be played.
    ///
    /// # Errors
    /// `Cassette` when it is not there, of another version, or a line is broken.
    pub fn replay(path: &Path, redactor: Redactor, matching: Matching) -> Result<Self, LlmError> {
        let hint = "record it again with NOCTUI_CASSETTE=record:FILE";
        let file = File::open(path).map_err(|e| error(path, &e.to_string(), hint))?;
        let mut exchanges = Vec::new();
        for (n, line) in BufReader::new(file).lines().enumerate() {
            let line = line.map_err(|e| error(path, &e.to_string(), hint))?;
            if n == 0 {
                let head: Value = serde_json::from_str(&line).unwrap_or_default();
                if head["noctui_cassette"] != VERSION {
                    return Err(error(path, "not a cassette of this version", hint));
                }
            } else if !line.trim().is_empty() {
                let exchange = serde_json::from_str(&line);
                exchanges.push(Some(
                    exchange.map_err(|e| error(path, &format!("line {}: {e}", n + 1), hint))?,
                ));
            }
        }
        let state = Mutex::new(State::Replaying(exchanges));
        Ok(Self {
            path: path.to_owned(),
            redactor,
            matching,
            state,
        })
    }

    /// Exchanges that were not replayed yet; 0 while recording.
    pub fn remaining(&self) -> usize {
        match &*self.lock() {
            State::Recording(_) => 0,
            State::Replaying(exchanges) => exchanges.iter().flatten().count(),
        }
    }

    fn write(&self, exchange: &Exchange) -> Result<(), LlmError> {
        let mut value =
            serde_json::to_value(exchange).map_err(|e| error(&self.path, &e.to_string(), "report this"))?;
        redact(&mut value, &self.redactor);
        match &mut *self.lock() {
            State::Recording(file) => writeln!(file, "{value}")
                .and_then(|()| file.flush())
                .map_err(|e| error(&self.path, &e.to_string(), "is the disk full?")),
            State::Replaying(_) => Ok(()),
        }
    }

    /// Takes the first unused exchange `pick` accepts; the closure sees them in order.
    fn take(&self, mut pick: impl FnMut(&Exchange) -> bool) -> Option<Exchange> {
        match &mut *self.lock() {
            State::Recording(_) => None,
            State::Replaying(exchanges) => exchanges
                .iter_mut()
                .find(|e| e.as_ref().is_some_and(&mut pick))
                .and_then(Option::take),
        }
    }

    fn redacted<T: Serialize + for<'de> Deserialize<'de>>(&self, value: &T) -> Result<T, LlmError> {
        let fail = |e: serde_json::Error| error(&self.path, &e.to_string(), "report this");
        let mut json = serde_json::to_value(value).map_err(fail)?;
        redact(&mut json, &self.redactor);
        serde_json::from_value(json).map_err(fail)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn error(path: &Path, what: &str, hint: &str) -> LlmError {
    LlmError::new(
        ErrorKind::Cassette,
        "cassette",
        format!("{}: {what}", path.display()),
        hint,
    )
}

fn redact(value: &mut Value, redactor: &Redactor) {
    match value {
        Value::String(text) => *text = redactor(text),
        Value::Array(items) => items.iter_mut().for_each(|v| redact(v, redactor)),
        Value::Object(map) => map.values_mut().for_each(|v| redact(v, redactor)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
