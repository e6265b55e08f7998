//! Calls as a model writes them: arguments put right where nothing is guessed, then checked like any other name.
//!
//! What can't be used is told in words that the model is given back.

use serde_json::{Map, Value, json};

use super::super::{
    ask::Asker,
    check::{MAX_TEXT, Objections},
    coerce::coerce,
    lenient,
    quote::clipped,
    render,
};
use super::offer::{ASK, FINISH, GIVE_UP, Names, OURS, READ};
use crate::agent::{
    model::{Action, EvidenceId, Proposal},
    state::State,
};
use crate::llm::{ToolCall, neutralise};

/// Characters of one reading of evidence.
const READ_LIMIT: usize = 8_000;

/// A call that can be used.
pub(super) enum Parsed {
    End(Action),
    Read(String),
    Call(Proposal),
}

/// What one call in an answer means: an end, a reading or a proposal that fits registry, schema and inventory.
pub(super) fn one_call(
    asker: &Asker<'_>,
    names: &Names,
    call: &ToolCall,
    cut: bool,
) -> Result<Parsed, String> {
    let state = &*asker.brief.state;
    let name = clipped(&neutralise(&call.name), 80);
    let arguments = arguments(asker, &name, &call.arguments, cut)?;
    let text = |key: &str| own_text(state, &name, &arguments, key);
    Ok(match call.name.as_str() {
        FINISH => Parsed::End(Action::Finish {
            summary: text("summary")?,
        }),
        GIVE_UP => Parsed::End(Action::GiveUp {
            limitation: text("limitation")?,
        }),
        ASK => Parsed::End(Action::Ask {
            question: text("question")?,
        }),
        READ => {
            let pointer = arguments.get("pointer").and_then(Value::as_str);
            Parsed::Read(reading(state, &text("evidence")?, pointer.unwrap_or_default())?)
        }
        _ => {
            let id = names.id(&call.name).ok_or_else(|| {
                let ours = [FINISH, GIVE_UP, ASK].join(", ");
                format!(
                    "there is no tool {name:?}; the tools are {}, {ours}",
                    names.some().join(", ")
                )
            })?;
            Parsed::Call(proposal(asker, id, arguments)?)
        }
    })
}

/// A text among the arguments of one of our tools, checked.
fn own_text(state: &State, name: &str, arguments: &Map<String, Value>, key: &str) -> Result<String, String> {
    let text = arguments.get(key).and_then(Value::as_str).unwrap_or_default();
    let mut objections = Objections::default();
    objections.text(key, text, MAX_TEXT);
    objections.mentions(state, text);
    objections.into_result().map_err(|e| format!("{name}: {e}"))?;
    Ok(neutralise(text))
}

/// The text of the evidence that is asked for.
fn reading(state: &State, wanted: &str, pointer: &str) -> Result<String, String> {
    let wanted = wanted.trim_matches(['[', ']', ' ']);
    let id: EvidenceId = wanted
        .parse()
        .map_err(|_| format!("{READ}: {wanted:?} is no evidence"))?;
    let evidence = state
        .evidence(id)
        .ok_or_else(|| format!("{READ}: there is no {id}"))?;
    Ok(render::evidence_text(evidence, pointer, READ_LIMIT))
}

fn proposal(asker: &Asker<'_>, id: &str, arguments: Map<String, Value>) -> Result<Proposal, String> {
    let state = &*asker.brief.state;
    let tool = state
        .intake
        .tool(id)
        .ok_or_else(|| format!("there is no tool {id:?}"))?;
    let mut value = Value::Object(arguments);
    if coerce(&mut value, &tool.input_schema) {
        asker.note(format!(
            "answer repaired: types of {id}'s arguments were put right"
        ));
    }
    // a schema that can't be compiled is the server's fault; the guard decides then
    if let Ok(validator) = jsonschema::validator_for(&tool.input_schema)
        && let Err(e) = validator.validate(&value)
    {
        return Err(format!("{id}: {}", clipped(&neutralise(&e.to_string()), 200)));
    }
    let Value::Object(arguments) = value else {
        return Err(format!("{id}: the arguments must be an object"));
    };
    let mut objections = Objections::default();
    for device in devices_in(&arguments) {
        objections.device(state, &device);
    }
    objections.into_result().map_err(|e| format!("{id}: {e}"))?;
    Ok(Proposal {
        tool: id.to_owned(),
        arguments,
        why: String::new(),
    })
}

/// The arguments as an object; what was cut off is not guessed.
fn arguments(asker: &Asker<'_>, name: &str, text: &str, cut: bool) -> Result<Map<String, Value>, String> {
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(map)) => return Ok(map),
        // an object written into a string, as some servers do
        Ok(Value::String(inner)) if inner.trim_start().starts_with('{') => {
            if let Ok(Value::Object(map)) = serde_json::from_str(&inner) {
                return Ok(map);
            }
        }
        Ok(Value::Null) => return Ok(Map::new()),
        _ => {}
    }
    match lenient::objects(text).into_iter().next() {
        Some(found) if !found.cut && !cut => {
            if let Value::Object(map) = found.value {
                asker.note(format!(
                    "answer repaired: arguments of {name}: {}",
                    found.repairs.join(", ")
                ));
                return Ok(map);
            }
            Err(format!("{name}: the arguments are no object"))
        }
        Some(_) => Err(format!("{name}: the arguments are cut off")),
        None => Err(format!("{name}: the arguments are not JSON")),
    }
}

/// Names of devices in arguments: under a key that speaks of devices, as texts or lists of texts.
fn devices_in(arguments: &Map<String, Value>) -> Vec<String> {
    let speaks = |key: &str| {
        let key = key.to_ascii_lowercase();
        key.contains("device")
            || ["target", "targets", "host", "hosts", "hostname", "router", "node"].contains(&key.as_str())
    };
    let values = arguments
        .iter()
        .filter(|(key, _)| speaks(key))
        .map(|(_, value)| value);
    values
        .flat_map(|value| match value {
            Value::String(name) => vec![name.clone()],
            Value::Array(items) => items
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect(),
            _ => Vec::new(),
        })
        .collect()
}

/// Calls that a model without a tool format wrote into its text: `{"name": …, "arguments": {…}}`.
pub(super) fn calls_in_text(names: &Names, text: &str) -> Result<Vec<ToolCall>, String> {
    let mut calls = Vec::new();
    for found in lenient::objects(text) {
        let at = |keys: [&str; 3]| keys.into_iter().find_map(|k| found.value.get(k)).cloned();
        let Some(Value::String(name)) = at(["name", "tool", "function"]) else {
            continue;
        };
        if names.id(&name).is_none() && !OURS.contains(&name.as_str()) {
            return Err(format!("there is no tool {:?}", clipped(&neutralise(&name), 80)));
        }
        if found.cut {
            return Err(format!("the call of {name} is cut off"));
        }
        let arguments = at(["arguments", "parameters", "args"]).unwrap_or_else(|| json!({}));
        let arguments = match arguments {
            Value::String(text) => text,
            other => other.to_string(),
        };
        calls.push(ToolCall {
            id: format!("text_{}", calls.len()),
            name,
            arguments,
        });
    }
    if calls.is_empty() {
        Err("no tool was called".into())
    } else {
        Ok(calls)
    }
}
