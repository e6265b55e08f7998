//! Asking a model for a typed answer: read leniently, validate, ask once more, and give up honestly.
//!
//! What was put right and what was refused is reported as a note each time. Budget and cancellation are not
//! softened: a budget ends the attempt with its own words.

use std::sync::Arc;

use serde_json::Value;

use super::{
    ModelOptions,
    answers::Answer,
    coerce::coerce,
    lenient,
    prompts::{PromptRole, Prompts},
    quote::clipped,
    stream::Words,
};
use crate::agent::{
    model::{Note, NoteSource, Usage},
    ports::{Brief, Reporter},
};
use crate::llm::{
    CallRecord, ChatReply, ChatRequest, Delta, ErrorKind, LlmError, Message, Output, Roster, Stop, neutralise,
};

/// Why a model gave no usable answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Failure {
    /// The call failed.
    Call(LlmError),
    /// Two answers in a row could not be used; the last objection.
    Unusable(String),
}

impl Failure {
    pub(super) fn is_budget(&self) -> bool {
        matches!(self, Self::Call(error) if error.kind == ErrorKind::Budget)
    }

    pub(super) fn words(&self) -> String {
        match self {
            Self::Call(error) => error.to_string(),
            Self::Unusable(why) => format!("two answers could not be used; the last one: {why}"),
        }
    }
}

/// As whom a model is asked.
pub(super) struct Voice<'a> {
    /// The role in the ledger, on a tape and before notes.
    name: String,
    prompt: &'a str,
    /// The role of the settings whose model is taken.
    model: &'static str,
    /// Its words are shown as they come.
    shown: bool,
}

impl<'a> Voice<'a> {
    /// A role of its own. Settings know six: reading and taking stock go to whoever assesses.
    pub(super) fn of(role: PromptRole, prompts: &'a Prompts) -> Self {
        Self {
            name: role.name().to_owned(),
            prompt: prompts.system(role),
            model: match role {
                PromptRole::Reader | PromptRole::Perceiver => PromptRole::Assessor.name(),
                other => other.name(),
            },
            shown: true,
        }
    }

    /// A specialist beside the critic. Several speak at once, so their words are not streamed.
    pub(super) fn specialist(name: &str, prompt: &'a str) -> Self {
        Self {
            name: format!("critic/{name}"),
            prompt,
            model: "specialist",
            shown: false,
        }
    }
}

/// A model in one role, for one question.
pub(super) struct Asker<'a> {
    pub roster: &'a Roster,
    pub options: &'a ModelOptions,
    pub brief: &'a Brief,
    pub voice: Voice<'a>,
}

impl Asker<'_> {
    /// The conversation's beginning.
    pub(super) fn open(&self, page: String) -> ChatRequest {
        let messages = vec![Message::system(self.voice.prompt), Message::user(page)];
        let mut request = ChatRequest::new(&self.voice.name, messages, self.options.max_tokens);
        request.temperature = self.options.temperature;
        request
    }

    /// Asks for an answer of type `T`. `accept` validates and converts it, or objects.
    pub(super) async fn ask<T: Answer, U>(
        &self,
        page: String,
        accept: impl Fn(T) -> Result<U, String> + Send,
    ) -> Result<U, Failure> {
        let schema = T::schema();
        let mut request = self.open(page);
        request.output = Output::Json {
            name: T::NAME.to_owned(),
            schema: schema.clone(),
        };
        let mut last = String::new();
        for attempt in 0..2 {
            let reply = self.chat(&request).await.map_err(Failure::Call)?;
            match self.understand(&reply, &schema, &accept) {
                Ok(answer) => return Ok(answer),
                Err(objection) if attempt == 0 => {
                    self.note(format!("answer refused, asked once more: {objection}"));
                    let said = clipped(&reply.text, 4_000);
                    request.messages.push(Message::assistant(if said.is_empty() {
                        "(nothing)"
                    } else {
                        &said
                    }));
                    request.messages.push(Message::user(format!(
                        "Your answer cannot be used: {objection}. Answer again with one complete JSON object of the \
                         form your instructions show, and nothing else."
                    )));
                    last = objection;
                }
                Err(objection) => last = objection,
            }
        }
        Err(Failure::Unusable(last))
    }

    fn understand<T: Answer, U>(
        &self,
        reply: &ChatReply,
        schema: &Value,
        accept: &impl Fn(T) -> Result<U, String>,
    ) -> Result<U, String> {
        if reply.stop == Stop::Refusal {
            return Err("you declined to answer".into());
        }
        if reply.text.trim().is_empty() {
            return Err("the answer is empty".into());
        }
        let found = lenient::objects(&reply.text);
        let several = found.len() > 1;
        let examples = example_texts(self.voice.prompt);
        let mut objection = None;
        for mut candidate in found {
            if let Some(text) = parroted(&candidate.value, &examples) {
                let text = clipped(text, 60);
                objection = objection.or(Some(format!(
                    "{text:?} is the example of your instructions, not an answer"
                )));
                continue;
            }
            if coerce(&mut candidate.value, schema) {
                candidate.repairs.push("types were put right");
            }
            let read = T::deserialize(&candidate.value).map_err(|e| {
                let cut = if candidate.cut || reply.stop == Stop::Length {
                    "it is cut off; "
                } else {
                    ""
                };
                format!("{cut}{}", clipped(&neutralise(&e.to_string()), 200))
            });
            match read.and_then(accept) {
                Ok(answer) => {
                    if several {
                        candidate.repairs.push("of several objects one was taken");
                    }
                    if !candidate.repairs.is_empty() {
                        self.note(format!("answer repaired: {}", candidate.repairs.join(", ")));
                    }
                    return Ok(answer);
                }
                Err(why) => objection = objection.or(Some(why)),
            }
        }
        Err(objection.unwrap_or_else(|| "there is no JSON object in it".into()))
    }

    /// One call; text goes to the screen as it comes, the cost to the reporter.
    pub(super) async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, LlmError> {
        let model = self.roster.model(self.voice.model)?;
        let reporter: &Arc<dyn Reporter> = &self.brief.reporter;
        let Voice {
            name: role, shown, ..
        } = &self.voice;
        let mut words = Words::default();
        model
            .chat(request, &mut |delta| match delta {
                Delta::Text { text } => {
                    let piece = words.push(&text);
                    if *shown && !piece.is_empty() {
                        reporter.delta(role, &piece);
                    }
                }
                Delta::Retry {
                    attempt,
                    after_ms,
                    reason,
                } => {
                    words = Words::default();
                    let seconds = after_ms as f64 / 1000.0;
                    self.note(format!("{reason}; try {attempt} in {seconds:.1} s"));
                    if *shown {
                        reporter.delta(role, "\n(the answer broke off and is asked for again)\n");
                    }
                }
                Delta::Ended { record } => reporter.usage(usage(&record)),
                Delta::Thought { .. } | Delta::Call { .. } => {}
            })
            .await
    }

    /// Tells the session, with the role in front.
    pub(super) fn note(&self, text: impl AsRef<str>) {
        let text = format!(
            "{}: {}",
            self.voice.name,
            clipped(&neutralise(text.as_ref()), 600)
        );
        self.brief.reporter.note(Note {
            source: NoteSource::Reasoner,
            text,
            at: self.brief.now,
        });
    }
}

/// Shorter texts may well be the same by chance.
const TELLING: usize = 24;

/// The longer texts in the example of a prompt.
fn example_texts(prompt: &str) -> Vec<String> {
    let block = prompt.split("```json").nth(1).and_then(|t| t.split("```").next());
    let Some(example) = block.and_then(|b| serde_json::from_str::<Value>(b).ok()) else {
        return Vec::new();
    };
    let mut texts = Vec::new();
    each_text(&example, &mut |text| texts.push(text.to_owned()));
    texts.retain(|t| t.len() >= TELLING);
    texts
}

/// A text copied from the example, when more than half of what the answer says is. One sentence may well
/// be worth repeating.
fn parroted<'v>(answer: &'v Value, examples: &[String]) -> Option<&'v str> {
    let (mut said, mut copied) = (0, Vec::new());
    each_text(answer, &mut |text| {
        if text.len() >= TELLING {
            said += 1;
            if examples.iter().any(|e| e == text.trim()) {
                copied.push(text);
            }
        }
    });
    copied.first().copied().filter(|_| copied.len() * 2 > said)
}

fn each_text<'v>(value: &'v Value, seen: &mut dyn FnMut(&'v str)) {
    match value {
        Value::String(text) => seen(text),
        Value::Array(items) => items.iter().for_each(|v| each_text(v, seen)),
        Value::Object(map) => map.values().for_each(|v| each_text(v, seen)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn usage(record: &CallRecord) -> Usage {
    let micro_usd = record
        .cost_usd
        .map_or(0, |usd| (usd * 1_000_000.0).round().max(0.0) as u64);
    Usage {
        role: record.role.clone(),
        calls: 1,
        tokens_in: record.usage.input,
        tokens_cached: record.usage.cached,
        tokens_out: record.usage.output,
        micro_usd,
        millis: record.timing.total_ms,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_was_copied_from_the_example_is_seen() {
        let prompts = Prompts::default();
        let examples = example_texts(prompts.system(PromptRole::Critic));
        let mut answer = serde_json::json!({"thinking": "x", "missing": [examples[1]], "risk_flags": []});
        assert_eq!(parroted(&answer, &examples), Some(examples[1].as_str()));
        answer["missing"] = serde_json::json!([examples[1], "The logs of the last twenty minutes."]);
        assert_eq!(parroted(&answer, &examples), None, "half of it is its own");
        assert!(example_texts("no example here").is_empty());
    }
}
