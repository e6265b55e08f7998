//! A runbook: what to check for one intent, step by step, in plain words for a junior engineer.
//!
//! Reads and checks one file, `{"intent", "description", "steps": […]}` and optionally `"extends"`. The first
//! sentence of a step is its title and names what is checked. It never holds tool syntax: which tool serves a
//! step is decided when it runs.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value};

/// What to check for one intent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Runbook {
    /// The intent it serves; also the file's name without `.json`.
    pub intent: String,
    /// What it is for, in a sentence.
    pub description: String,
    /// The steps, in order.
    pub steps: Vec<String>,
    /// The runbook whose steps come before its own.
    pub extends: Option<String>,
    /// Where it was read: a file, or `plans/<intent>.json` for a built-in one.
    pub file: PathBuf,
}

/// What is wrong with a runbook file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {field}: {problem}", file.display())]
pub struct RunbookError {
    /// The file.
    pub file: PathBuf,
    /// The field, e.g. `steps[2]`; `file` for the file as a whole.
    pub field: String,
    /// What is wrong.
    pub problem: String,
}

/// Fields of a runbook.
const FIELDS: [&str; 4] = ["intent", "description", "steps", "extends"];
/// Most steps, longest step and longest description: beyond them nobody reads it at night.
const MAX_STEPS: usize = 40;
const MAX_STEP_CHARS: usize = 2_000;
const MAX_DESCRIPTION_CHARS: usize = 400;

/// A call such as `get_routing_info(…)`: an identifier with an underscore, then a parenthesis.
static CALL: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"[A-Za-z0-9]+_[A-Za-z0-9_]+\s*\(").ok());

impl Runbook {
    /// Reads a runbook from the text of a file. The file's name must be the intent.
    ///
    /// # Errors
    /// Names the file and the field that is wrong.
    pub fn parse(text: &str, file: &Path) -> Result<Self, RunbookError> {
        let fault = |field: &str, problem: String| RunbookError {
            file: file.to_owned(),
            field: field.to_owned(),
            problem,
        };
        let value: Value =
            serde_json::from_str(text).map_err(|error| fault("file", format!("is not JSON: {error}")))?;
        let body = value
            .as_object()
            .ok_or_else(|| fault("file", "is not a JSON object".to_owned()))?;
        if let Some(field) = body.keys().find(|field| !FIELDS.contains(&field.as_str())) {
            return Err(fault(
                field,
                format!("unknown field (a runbook has {})", FIELDS.join(", ")),
            ));
        }
        let text_of = |field: &str| text_field(body, field).map_err(|problem| fault(field, problem));
        let intent = text_of("intent")?;
        check_intent(&intent, file).map_err(|problem| fault("intent", problem))?;
        let description = text_of("description")?;
        if description.chars().count() > MAX_DESCRIPTION_CHARS {
            return Err(fault(
                "description",
                format!("is longer than {MAX_DESCRIPTION_CHARS} characters"),
            ));
        }
        let extends = if body.contains_key("extends") {
            Some(text_of("extends")?)
        } else {
            None
        };
        let steps = steps(body).map_err(|(field, problem)| fault(&field, problem))?;
        Ok(Self {
            intent,
            description,
            steps,
            extends,
            file: file.to_owned(),
        })
    }

    /// The first sentence of a step (counted from 0).
    pub fn title(&self, step: usize) -> &str {
        self.steps.get(step).map_or("", |text| title(text))
    }

    /// Name of the source as a search gives it.
    pub fn source(&self) -> String {
        format!("plans/{}.json", self.intent)
    }
}

fn title(text: &str) -> &str {
    let end = text.char_indices().find(|(at, c)| {
        matches!(c, '.' | ':') && text[at + 1..].chars().next().is_none_or(char::is_whitespace)
    });
    text[..end.map_or(text.len(), |(at, _)| at)].trim()
}

fn text_field(body: &Map<String, Value>, field: &str) -> Result<String, String> {
    match body.get(field) {
        None => Err("is missing".to_owned()),
        Some(Value::String(text)) if text.trim().is_empty() => Err("is empty".to_owned()),
        Some(Value::String(text)) => Ok(text.trim().to_owned()),
        Some(_) => Err("is not a string".to_owned()),
    }
}

fn check_intent(intent: &str, file: &Path) -> Result<(), String> {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if intent.len() > 64 || !intent.chars().all(allowed) {
        return Err(format!(
            "\"{intent}\" must be lower-case letters, digits and _, at most 64"
        ));
    }
    match file.file_stem().and_then(|stem| stem.to_str()) {
        Some(stem) if stem == intent => Ok(()),
        stem => Err(format!(
            "\"{intent}\" is not the name of the file ({})",
            stem.unwrap_or("?")
        )),
    }
}

fn steps(body: &Map<String, Value>) -> Result<Vec<String>, (String, String)> {
    let whole = |problem: String| ("steps".to_owned(), problem);
    let steps = match body.get("steps") {
        None => return Err(whole("is missing".to_owned())),
        Some(Value::Array(steps)) => steps,
        Some(_) => return Err(whole("is not a list".to_owned())),
    };
    if steps.is_empty() || steps.len() > MAX_STEPS {
        return Err(whole(format!(
            "must hold 1 to {MAX_STEPS} steps, holds {}",
            steps.len()
        )));
    }
    steps
        .iter()
        .enumerate()
        .map(|(i, step)| check_step(step).map_err(|problem| (format!("steps[{i}]"), problem)))
        .collect()
}

fn check_step(step: &Value) -> Result<String, String> {
    let text = step.as_str().ok_or("is not a string")?.trim();
    let length = text.chars().count();
    if !(10..=MAX_STEP_CHARS).contains(&length) {
        return Err(format!(
            "must have 10 to {MAX_STEP_CHARS} characters, has {length}"
        ));
    }
    if let Some(call) = CALL.as_ref().and_then(|call| call.find(text)) {
        let name = call.as_str().trim_end_matches('(').trim_end();
        return Err(format!(
            "names a call, \"{name}(…)\": say what to look at, not which tool"
        ));
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        Runbook::parse(text, Path::new("/p/check_x.json"))
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn a_good_one_is_read() {
        let text = r#"{"intent": "check_x", "description": "Check x.",
            "steps": ["Look at the BGP sessions. All should be up.", "Check v1.2 of it: is it there"]}"#;
        let runbook = Runbook::parse(text, Path::new("/p/check_x.json")).unwrap();
        assert_eq!(runbook.title(0), "Look at the BGP sessions");
        assert_eq!(runbook.title(1), "Check v1.2 of it");
        assert_eq!(runbook.title(9), "");
        assert_eq!(runbook.source(), "plans/check_x.json");
    }

    #[test]
    fn errors_name_file_and_field() {
        let with = |body: &str| {
            error(&format!(
                "{{\"intent\": \"check_x\", \"description\": \"d\", {body}}}"
            ))
        };
        assert!(error("nonsense").starts_with("/p/check_x.json: file: is not JSON"));
        assert!(error("[]").ends_with("file: is not a JSON object"));
        assert!(error("{}").ends_with("intent: is missing"));
        assert!(error(r#"{"intent": 3}"#).ends_with("intent: is not a string"));
        assert!(
            error(r#"{"intent": "check_y"}"#).contains("intent: \"check_y\" is not the name of the file")
        );
        assert!(error(r#"{"intent": "Check X"}"#).contains("lower-case"));
        assert!(error(r#"{"intent": "check_x"}"#).ends_with("description: is missing"));
        assert!(with("\"steps\": 3").ends_with("steps: is not a list"));
        assert!(with("\"steps\": []").contains("steps: must hold 1 to 40 steps, holds 0"));
        assert!(with("\"steps\": [\"look at the sessions\", 4]").ends_with("steps[1]: is not a string"));
        assert!(with("\"steps\": [\"short\"]").contains("steps[0]: must have 10 to 2000 characters, has 5"));
        assert!(
            with("\"steps\": [\"Call get_routing_info(xrd-1) now\"]")
                .contains("steps[0]: names a call, \"get_routing_info(…)\"")
        );
        assert!(with("\"stpes\": []").contains("stpes: unknown field"));
        assert!(
            with("\"extends\": \"\", \"steps\": [\"look at the sessions\"]").ends_with("extends: is empty")
        );
    }
}
