//! Puts questions to the person at the terminal; without one the policy answers or nobody does.

use std::sync::Arc;

use serde_json::Value;

use super::progress::{Progress, Screen};
use crate::agent::model::{Answer, Author, Draft, Grant, Question, QuestionKind, canonical};
use crate::agent::state::State;
use crate::redaction::neutralise;
use crate::runtime::{Handle, Policy, SessionError};

/// Answers until the session has ended, or a question is left that nobody here can answer.
pub(super) async fn attend(
    handle: &Handle,
    mut policy: Policy,
    interactive: bool,
    progress: &Progress,
) -> Result<Arc<State>, SessionError> {
    if !interactive {
        return crate::runtime::attend(handle, policy).await;
    }
    let mut seen = Vec::new();
    loop {
        let state = handle
            .wait_for(|s| s.open_questions().iter().any(|q| !seen.contains(&q.id)))
            .await?;
        let next = state
            .open_questions()
            .into_iter()
            .find(|q| !seen.contains(&q.id))
            .cloned();
        let Some(question) = next else {
            return Ok(state);
        };
        seen.push(question.id);
        let prepared = match question.kind {
            QuestionKind::Clarification { .. } => {
                policy.answers.pop_front().map(|text| Answer::Text { text })
            }
            _ => None,
        };
        let answer = match prepared {
            Some(answer) => Some(answer),
            None => put(progress.screen(), &state, &question).await,
        };
        match answer {
            Some(answer) => handle.answer(question.id, answer, Author::Human),
            // End of input: the question stays open, the session can be resumed.
            None => return Ok(handle.state()),
        }
    }
}

/// Shows a question with its choices and reads lines until one is an answer; `None` at the end of input.
async fn put(screen: &Screen, state: &State, question: &Question) -> Option<Answer> {
    screen.still();
    let choices = question.kind.choices();
    screen.line(&format!("\n{} · {}", question.id, question.kind.name()));
    screen.line(&format!("  {}", question.text));
    if matches!(question.kind, QuestionKind::PlanApproval { .. }) {
        show_scripts(screen, state);
    }
    if !question.suggestions.is_empty() {
        screen.line(&format!("  {}", question.suggestions.join(", ")));
    }
    let free_text = matches!(question.kind, QuestionKind::Clarification { .. });
    let keys: Vec<String> = choices
        .iter()
        .map(|c| format!("[{}] {}", c.key, c.label))
        .collect();
    screen.line(&format!("  {}", keys.join("   ")));
    loop {
        let line = read_line("> ").await?;
        let word = line.trim();
        let key = word.chars().next().filter(|_| word.chars().count() == 1);
        let picked = key.and_then(|key| choices.iter().find(|c| c.key == key.to_ascii_lowercase()));
        match picked {
            Some(choice) => {
                if let Some(answer) = carry_out(screen, state, choice.key, &question.kind).await? {
                    return Some(answer);
                }
            }
            None if free_text && !word.is_empty() => {
                return Some(Answer::Text {
                    text: word.to_owned(),
                });
            }
            None => screen.line("  type one of the letters above"),
        }
    }
}

/// The scripts of the plan that waits for approval, line by line as they would run.
fn show_scripts(screen: &Screen, state: &State) {
    let draft = state.planning.drafts.iter().rev().find_map(|d| d.draft.as_ref());
    for (number, title, source) in draft.into_iter().flat_map(Draft::scripts) {
        screen.line(&format!("  step {number}, {title}, runs this script:"));
        for line in neutralise(source).lines() {
            screen.line(&format!("    {line}"));
        }
    }
}

/// The answer behind a key; asks for the text it needs. `Some(None)`: not given, choose again.
async fn carry_out(screen: &Screen, state: &State, key: char, kind: &QuestionKind) -> Option<Option<Answer>> {
    let tool_failure = matches!(kind, QuestionKind::ToolFailure { .. });
    Some(match key {
        'r' => Some(Answer::Retry),
        'e' => {
            let line = read_line("arguments as JSON: ").await?;
            edited(screen, state, kind, &line)
        }
        'p' => {
            let text = read_line("the result, JSON or text, in one line: ").await?;
            let value = serde_json::from_str(&text).unwrap_or(Value::String(text.trim().to_owned()));
            Some(Answer::Supply { value })
        }
        'a' => {
            let text = read_line("your answer: ").await?;
            Some(Answer::Text {
                text: text.trim().to_owned(),
            })
        }
        'y' => Some(Answer::Approve),
        'w' => always(screen, state, kind).await?,
        'd' => Some(Answer::Decline),
        'n' => Some(Answer::Replan),
        's' if tool_failure || kind.accepts(&Answer::Skip) => Some(Answer::Skip),
        'x' => Some(Answer::Stop),
        _ => None,
    })
}

/// New arguments for the failed call, once they are a JSON object that its tool takes.
fn edited(screen: &Screen, state: &State, kind: &QuestionKind, line: &str) -> Option<Answer> {
    let Ok(Value::Object(arguments)) = serde_json::from_str(line) else {
        screen.line("  that is no JSON object");
        return None;
    };
    let problem = match kind {
        QuestionKind::ToolFailure { call, .. } => state.objection(*call, &arguments),
        _ => None,
    };
    match problem {
        None => Some(Answer::EditArguments { arguments }),
        Some(problem) => {
            screen.line(&format!("  the tool does not take this: {problem}"));
            None
        }
    }
}

/// Asks for the scope of an "always": an empty line means exactly this call.
async fn always(screen: &Screen, state: &State, kind: &QuestionKind) -> Option<Option<Answer>> {
    let QuestionKind::Approval { call } = kind else {
        return Some(None);
    };
    let Some(record) = state.execution.call(*call) else {
        return Some(None);
    };
    let exact = canonical(&record.call.arguments);
    screen.line(&format!("  {} with exactly {exact}", record.call.tool));
    let line = read_line("Enter for exactly this, or a pattern with * for what may differ: ").await?;
    let text = if line.trim().is_empty() { exact } else { line };
    let grant = Grant::for_call(&record.call, &text);
    if !grant.covers(&record.call.tool, &record.call.arguments) {
        screen.line("  this does not cover the call that is asked about");
        return Some(None);
    }
    screen.line(&format!(
        "  allowed for the rest of this session: {grant} (noctui tools approvals withdraw takes it back)"
    ));
    Some(Some(Answer::Always { grant }))
}

async fn read_line(prompt: &str) -> Option<String> {
    let prompt = prompt.to_owned();
    let read = move || {
        use std::io::Write;
        let mut out = std::io::stderr().lock();
        let _ = write!(out, "{prompt}");
        let _ = out.flush();
        let mut line = String::new();
        match std::io::stdin().read_line(&mut line) {
            Ok(0) | Err(_) => None,
            Ok(_) => Some(line),
        }
    };
    tokio::task::spawn_blocking(read).await.ok().flatten()
}
