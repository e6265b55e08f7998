//! The prompts: one Markdown file a role, shipped in `config/prompts/`, each replaceable by one's own.
//!
//! A prompt is the whole system message of its role, after `common.md`. Nothing is filled into it, so it
//! stays the same from call to call and a provider's prompt cache can hold it.

use std::{collections::BTreeMap, path::Path};

/// A role with a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PromptRole {
    Reader,
    Planner,
    Critic,
    Executor,
    Perceiver,
    Assessor,
    Reporter,
}

impl PromptRole {
    pub const ALL: [Self; 7] = [
        Self::Reader,
        Self::Planner,
        Self::Critic,
        Self::Executor,
        Self::Perceiver,
        Self::Assessor,
        Self::Reporter,
    ];

    /// The role's name: in the ledger, in settings, and of its file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reader => "reader",
            Self::Planner => "planner",
            Self::Critic => "critic",
            Self::Executor => "executor",
            Self::Perceiver => "perceiver",
            Self::Assessor => "assessor",
            Self::Reporter => "reporter",
        }
    }

    fn built_in(self) -> &'static str {
        match self {
            Self::Reader => include_str!("../../../config/prompts/reader.md"),
            Self::Planner => include_str!("../../../config/prompts/planner.md"),
            Self::Critic => include_str!("../../../config/prompts/critic.md"),
            Self::Executor => include_str!("../../../config/prompts/executor.md"),
            Self::Perceiver => include_str!("../../../config/prompts/perceiver.md"),
            Self::Assessor => include_str!("../../../config/prompts/assessor.md"),
            Self::Reporter => include_str!("../../../config/prompts/reporter.md"),
        }
    }
}

const COMMON: &str = include_str!("../../../config/prompts/common.md");

/// The system message of every role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompts {
    texts: BTreeMap<PromptRole, String>,
    /// The files that replace shipped ones.
    pub overridden: Vec<String>,
}

impl Default for Prompts {
    fn default() -> Self {
        Self::with(|_| None)
    }
}

impl Prompts {
    /// The shipped prompts with those of `folder` in their place: `planner.md`, …, `common.md`.
    ///
    /// # Errors
    /// When a file is there and can't be read, with its path.
    pub fn load(folder: &Path) -> Result<Self, String> {
        let mut failure = None;
        let prompts = Self::with(|name| {
            let path = folder.join(format!("{name}.md"));
            match std::fs::read_to_string(&path) {
                Ok(text) => Some(text),
                Err(e) if e.kind() == std::io::ErrorKind::NotFound => None,
                Err(e) => {
                    failure.get_or_insert(format!("{}: {e}", path.display()));
                    None
                }
            }
        });
        failure.map_or(Ok(prompts), Err)
    }

    fn with(mut own: impl FnMut(&str) -> Option<String>) -> Self {
        let mut overridden = Vec::new();
        let mut pick = |name: &str, shipped: &str| match own(name) {
            Some(text) => {
                overridden.push(format!("{name}.md"));
                text
            }
            None => shipped.to_owned(),
        };
        let common = pick("common", COMMON);
        let texts = PromptRole::ALL
            .into_iter()
            .map(|role| {
                (
                    role,
                    format!(
                        "{}\n\n{}",
                        common.trim(),
                        pick(role.name(), role.built_in()).trim()
                    ),
                )
            })
            .collect();
        Self { texts, overridden }
    }

    /// The system message of a role.
    pub fn system(&self, role: PromptRole) -> &str {
        self.texts.get(&role).map_or("", String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::super::answers::{
        Answer, AssessAnswer, CritiqueAnswer, PerceiveAnswer, PlanAnswer, ProseAnswer, ReadAnswer,
    };
    use super::super::quote::{CLOSE, OPEN};
    use super::*;

    /// The example in a prompt is a valid answer, so prompt and type cannot drift apart.
    fn example<T: Answer + serde::Serialize>(role: PromptRole) {
        let text = role.built_in();
        let block = text
            .split("```json\n")
            .nth(1)
            .and_then(|t| t.split("```").next())
            .unwrap();
        let value: serde_json::Value = serde_json::from_str(block).unwrap();
        let answer: T = serde_json::from_value(value.clone()).unwrap();
        assert_eq!(
            serde_json::to_value(answer).unwrap(),
            value,
            "{role:?}: a field is missing or unknown"
        );
    }

    #[test]
    fn every_example_is_a_valid_answer() {
        example::<ReadAnswer>(PromptRole::Reader);
        example::<PlanAnswer>(PromptRole::Planner);
        example::<CritiqueAnswer>(PromptRole::Critic);
        example::<PerceiveAnswer>(PromptRole::Perceiver);
        example::<AssessAnswer>(PromptRole::Assessor);
        example::<ProseAnswer>(PromptRole::Reporter);
    }

    #[test]
    fn the_marks_are_explained_to_every_role() {
        let prompts = Prompts::default();
        for role in PromptRole::ALL {
            let text = prompts.system(role);
            assert!(text.contains(OPEN) && text.contains(CLOSE), "{role:?}");
            assert!(text.len() < 6_000, "{role:?} has {} characters", text.len());
        }
    }

    #[test]
    fn ones_own_file_replaces_the_shipped_one() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("critic.md"), "Be kind.").unwrap();
        let prompts = Prompts::load(dir.path()).unwrap();
        assert!(prompts.system(PromptRole::Critic).ends_with("Be kind."));
        assert_eq!(prompts.overridden, ["critic.md"]);
        assert_eq!(
            prompts.system(PromptRole::Planner),
            Prompts::default().system(PromptRole::Planner)
        );
    }
}
