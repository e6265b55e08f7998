//! The tools a model is offered for a step: those of the registry in names that providers allow, and ours.
//!
//! Ours end the step, ask the human or show a piece of evidence.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::super::{quote::shortened, render};
use crate::agent::{model::Purpose, state::State};
use crate::llm::ToolSpec;

pub(super) const FINISH: &str = "finish_step";
pub(super) const GIVE_UP: &str = "give_up";
pub(super) const ASK: &str = "ask_human";
pub(super) const READ: &str = "read_evidence";
/// Our own tools.
pub(super) const OURS: [&str; 4] = [FINISH, GIVE_UP, ASK, READ];

/// Most tools offered.
const MAX_TOOLS: usize = 60;

/// Tool ids in the letters that providers allow, and back.
pub(super) struct Names {
    by_safe: BTreeMap<String, String>,
}

impl Names {
    pub(super) fn new(state: &State) -> Self {
        let mut by_safe = BTreeMap::new();
        for tool in state.intake.tools.iter().flatten().take(MAX_TOOLS) {
            let plain: String = tool
                .id
                .chars()
                .map(|c| {
                    if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') {
                        c
                    } else {
                        '_'
                    }
                })
                .take(60)
                .collect();
            let mut safe = plain.clone();
            let mut n = 2;
            while by_safe.contains_key(&safe) || OURS.contains(&safe.as_str()) {
                safe = format!("{plain}_{n}");
                n += 1;
            }
            by_safe.insert(safe, tool.id.clone());
        }
        Self { by_safe }
    }

    pub(super) fn safe(&self, id: &str) -> String {
        let found = self.by_safe.iter().find(|(_, known)| *known == id);
        found.map_or_else(|| id.to_owned(), |(safe, _)| safe.clone())
    }

    /// Some of the names, for a model that used another.
    pub(super) fn some(&self) -> Vec<&str> {
        self.by_safe.keys().take(20).map(String::as_str).collect()
    }

    /// The tool a model means: by the name it was given or by the tool's own id.
    pub(super) fn id(&self, name: &str) -> Option<&str> {
        let by_id = || self.by_safe.values().find(|id| *id == name);
        self.by_safe.get(name).or_else(by_id).map(String::as_str)
    }
}

/// Tools that read many devices at once or list them: on a lane of one device they are not offered. Who calls
/// one by its name all the same is not refused.
const WIDE: [Purpose; 4] = [
    Purpose::Inventory,
    Purpose::GetMany,
    Purpose::LogsMany,
    Purpose::Compare,
];

pub(super) fn offered(state: &State, names: &Names, one_device: bool) -> Vec<ToolSpec> {
    let text = |what: &str| json!({"type": "string", "description": what});
    let own = |name: &str, description: &str, properties: Value, required: Value| ToolSpec {
        name: name.into(),
        description: description.into(),
        parameters: json!({"type": "object", "properties": properties, "required": required,
                           "additionalProperties": false}),
    };
    let mut tools: Vec<ToolSpec> = names
        .by_safe
        .iter()
        .filter_map(|(safe, id)| {
            let tool = state
                .intake
                .tool(id)
                .filter(|t| !one_device || !WIDE.contains(&t.purpose))?;
            Some(ToolSpec {
                name: safe.clone(),
                description: shortened(&tool.description, 240),
                parameters: render::lean_schema(&tool.input_schema),
            })
        })
        .collect();
    tools.push(own(
        FINISH,
        "The step is done.",
        json!({"summary": text("What came of the step, with citations such as [E3].")}),
        json!(["summary"]),
    ));
    tools.push(own(
        GIVE_UP,
        "No tool can do this step.",
        json!({"limitation": text("What is missing.")}),
        json!(["limitation"]),
    ));
    tools.push(own(
        ASK,
        "Only the engineer can know this.",
        json!({"question": text("One question.")}),
        json!(["question"]),
    ));
    tools.push(own(
        READ,
        "Shows the text of a piece of evidence.",
        json!({"evidence": text("Its number, such as E3."), "pointer": text("JSON pointer into it; empty for all.")}),
        json!(["evidence"]),
    ));
    tools
}
