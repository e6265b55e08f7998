//! Questions, answers and steering.

use serde_json::{Map, Value};

use super::State;
use crate::agent::model::{Answer, Author, CallId, Grant, Question, QuestionId, QuestionKind, Timestamp};

/// A question with its answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// Question.
    pub question: Question,
    /// The answer, who gave it and when.
    pub answer: Option<(Answer, Author, Timestamp)>,
    /// Sequence number of the event that answered it; 0 while it is open.
    pub answered_seq: u64,
}

/// The talk between human and agent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Dialogue {
    /// Questions in the order they were asked.
    pub asked: Vec<Asked>,
    /// What the human said without being asked.
    pub steering: Vec<String>,
    /// How much of it the latest draft has taken into account.
    pub steering_seen: usize,
    /// Nothing new is started.
    pub paused: bool,
    /// Questions whose "always" was taken back.
    pub withdrawn: Vec<QuestionId>,
}

impl Dialogue {
    /// A question by id.
    pub fn question(&self, id: QuestionId) -> Option<&Asked> {
        self.asked.iter().find(|asked| asked.question.id == id)
    }

    /// The id of the next question.
    pub fn next_id(&self) -> QuestionId {
        QuestionId(self.asked.last().map_or(1, |last| last.question.id.0 + 1))
    }

    /// Questions about a call, in order.
    pub fn about_call(&self, call: CallId) -> impl DoubleEndedIterator<Item = &Asked> {
        self.asked.iter().filter(move |asked| match &asked.question.kind {
            QuestionKind::ToolFailure { call: c, .. } | QuestionKind::Approval { call: c } => *c == call,
            _ => false,
        })
    }

    /// What is allowed for the rest of the session, with the question that was answered so, oldest first.
    pub fn grants(&self) -> impl Iterator<Item = (QuestionId, &Grant)> {
        self.asked.iter().filter_map(|asked| match &asked.answer {
            Some((Answer::Always { grant }, ..)) if !self.withdrawn.contains(&asked.question.id) => {
                Some((asked.question.id, grant))
            }
            _ => None,
        })
    }

    /// The question whose "always" covers a call, if any.
    pub fn grant_for(&self, tool: &str, arguments: &Map<String, Value>) -> Option<QuestionId> {
        let mut standing = self.grants();
        standing.find_map(|(id, grant)| grant.covers(tool, arguments).then_some(id))
    }

    /// Answers that asked for a new plan after something failed.
    pub fn replans(&self) -> usize {
        let replan = |asked: &&Asked| {
            matches!(asked.question.kind, QuestionKind::StepFailure { .. })
                && matches!(asked.answer, Some((Answer::Replan, ..)))
        };
        self.asked.iter().filter(replan).count()
    }

    /// Clarifications with their answers in words, oldest first; `None`: skipped.
    pub fn clarifications(&self) -> Vec<(&str, Option<&str>)> {
        let answered = self
            .asked
            .iter()
            .filter(|a| matches!(a.question.kind, QuestionKind::Clarification { .. }));
        answered
            .filter_map(|asked| {
                let (answer, ..) = asked.answer.as_ref()?;
                let words = match answer {
                    Answer::Text { text } => Some(text.as_str()),
                    _ => None,
                };
                Some((asked.question.text.as_str(), words))
            })
            .collect()
    }
}

impl State {
    /// Questions that wait for an answer. Once the report is being written none does.
    pub fn open_questions(&self) -> Vec<&Question> {
        if self.phase >= super::Phase::Reporting {
            return Vec::new();
        }
        self.dialogue
            .asked
            .iter()
            .filter(|asked| asked.answer.is_none())
            .map(|asked| &asked.question)
            .collect()
    }
}
