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
const SPECIALIST: &str = include_str!("../../../config/prompts/specialist.md");

/// The specialists that are shipped, each with its side of the matter.
const SPECIALISTS: [(&str, &str); 3] = [
    (
        "safety",
        include_str!("../../../config/prompts/specialists/safety.md"),
    ),
    (
        "coverage",
        include_str!("../../../config/prompts/specialists/coverage.md"),
    ),
    (
        "cost",
        include_str!("../../../config/prompts/specialists/cost.md"),
    ),
];

/// The system message of every role, and of the specialists that were chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompts {
    texts: BTreeMap<PromptRole, String>,
    /// In the order in which they were chosen.
    specialists: Vec<(String, String)>,
    /// The files that replace shipped ones.
    pub overridden: Vec<String>,
}

impl Default for Prompts {
    fn default() -> Self {
        Self::read(|_| Ok(None), &[]).unwrap_or_else(|_| Self {
            texts: BTreeMap::new(),
            specialists: Vec::new(),
            overridden: Vec::new(),
        })
    }
}

impl Prompts {
    /// The shipped prompts with those of `folder` in their place: `planner.md`, …, `common.md`; and those of
    /// the chosen specialists, shipped or of one's own: `specialists/NAME.md`.
    ///
    /// # Errors
    /// When a file is there and can't be read, with its path; when a specialist has none.
    pub fn load(folder: &Path, specialists: &[String]) -> Result<Self, String> {
        let own = |name: &str| {
            let path = folder.join(format!("{name}.md"));
            match std::fs::read_to_string(&path) {
                Ok(text) => Ok(Some(text)),
                Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
                Err(e) => Err(format!("{}: {e}", path.display())),
            }
        };
        Self::read(own, specialists)
    }

    fn read(own: impl Fn(&str) -> Result<Option<String>, String>, chosen: &[String]) -> Result<Self, String> {
        let mut overridden = Vec::new();
        let mut pick = |name: &str, shipped: Option<&str>| -> Result<Option<String>, String> {
            let found = own(name)?;
            if found.is_some() {
                overridden.push(format!("{name}.md"));
            }
            let text = found.or_else(|| shipped.map(str::to_owned));
            Ok(text.map(|text| text.trim().to_owned()))
        };
        let common = pick("common", Some(COMMON))?.unwrap_or_default();
        let mut texts = BTreeMap::new();
        for role in PromptRole::ALL {
            let text = pick(role.name(), Some(role.built_in()))?.unwrap_or_default();
            texts.insert(role, format!("{common}\n\n{text}"));
        }
        let mut specialists = Vec::new();
        if !chosen.is_empty() {
            let form = pick("specialist", Some(SPECIALIST))?.unwrap_or_default();
            for name in chosen {
                let shipped = SPECIALISTS
                    .iter()
                    .find(|(known, _)| known == name)
                    .map(|(_, text)| *text);
                let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
                let text = if !name.is_empty() && name.chars().all(plain) {
                    pick(&format!("specialists/{name}"), shipped)?
                } else {
                    None
                };
                let text = text.ok_or_else(|| no_specialist(name))?;
                specialists.push((name.clone(), format!("{common}\n\n{form}\n\n{text}")));
            }
        }
        Ok(Self {
            texts,
            specialists,
            overridden,
        })
    }

    /// The chosen specialists with their system messages.
    pub fn specialists(&self) -> impl Iterator<Item = (&str, &str)> {
        self.specialists
            .iter()
            .map(|(name, text)| (name.as_str(), text.as_str()))
    }

    /// The system message of a role.
    pub fn system(&self, role: PromptRole) -> &str {
        self.texts.get(&role).map_or("", String::as_str)
    }
}

fn no_specialist(name: &str) -> String {
    let known: Vec<&str> = SPECIALISTS.iter().map(|(name, _)| *name).collect();
    format!(
        "reasoner.specialists: there is no specialist {name:?} (shipped are {}; another needs prompts/specialists/{name}.md)",
        known.join(", ")
    )
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
        example_of::<T>(role.built_in());
    }

    fn example_of<T: Answer + serde::Serialize>(text: &str) {
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
            "a field is missing or unknown in {text}"
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
        example_of::<CritiqueAnswer>(SPECIALIST);
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
        let prompts = Prompts::load(dir.path(), &[]).unwrap();
        assert!(prompts.system(PromptRole::Critic).ends_with("Be kind."));
        assert_eq!(prompts.overridden, ["critic.md"]);
        assert_eq!(
            prompts.system(PromptRole::Planner),
            Prompts::default().system(PromptRole::Planner)
        );
    }

    #[test]
    fn specialists_are_shipped_or_of_ones_own_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("specialists")).unwrap();
        std::fs::write(dir.path().join("specialists/mpls.md"), "Look at labels.").unwrap();
        let chosen = ["safety".to_owned(), "mpls".to_owned()];
        let prompts = Prompts::load(dir.path(), &chosen).unwrap();
        let names: Vec<&str> = prompts.specialists().map(|(name, _)| name).collect();
        assert_eq!(names, ["safety", "mpls"]);
        for (name, text) in prompts.specialists() {
            assert!(
                text.contains(OPEN) && text.contains("# Role: specialist"),
                "{name}"
            );
        }
        for wrong in ["nobody", "", "../critic"] {
            let error = Prompts::load(dir.path(), &[wrong.to_owned()]).unwrap_err();
            assert!(error.contains("shipped are safety, coverage, cost"), "{error}");
        }
        assert_eq!(Prompts::default().specialists().count(), 0);
    }
}
