//! The executor: a conversation of tool calls, rebuilt from the state at every turn.
//!
//! Four tools are ours: finish, give up, ask, and read a piece of evidence, which is answered here. Calls of
//! real tools are checked against registry, schema and inventory and handed to the machine; nothing is
//! called here.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{
    ask::{Asker, Failure},
    check::{MAX_TEXT, Objections},
    coerce::coerce,
    lenient,
    quote::{clipped, shortened},
    render,
};
use crate::agent::{
    model::{Action, EvidenceId, LaneId, Proposal, Purpose, StepId},
    state::State,
};
use crate::llm::{ChatReply, ChatRequest, Message, Stop, ToolCall, ToolChoice, ToolSpec, neutralise};

const FINISH: &str = "finish_step";
const GIVE_UP: &str = "give_up";
const ASK: &str = "ask_human";
const READ: &str = "read_evidence";

/// Rounds of `read_evidence` within one turn, and characters of one reading.
const MAX_READS: u32 = 3;
const READ_LIMIT: usize = 8_000;
/// Most tools offered, and most calls taken from one answer.
const MAX_TOOLS: usize = 60;
const MAX_CALLS: usize = 32;

/// What an answer comes to.
enum Turn {
    Act(Action),
    /// The model wants to read evidence first: the calls with their answers.
    Read(Vec<(ToolCall, String)>),
}

/// Chooses the next action of a step on a lane.
pub(super) async fn act(asker: &Asker<'_>, lane: LaneId, id: StepId) -> Result<Action, Failure> {
    let state = &*asker.brief.state;
    let names = Names::new(state);
    let mut request = conversation(asker, &names, lane, id)?;
    let (mut reads, mut refused) = (0, false);
    loop {
        let reply = asker.chat(&request).await.map_err(Failure::Call)?;
        let objection = match understand(asker, state, &names, &reply, refused) {
            Ok(Turn::Act(action)) => return Ok(action),
            Ok(Turn::Read(readings)) if reads < MAX_READS => {
                reads += 1;
                let calls = readings.iter().map(|(call, _)| call.clone()).collect();
                request.messages.push(Message::Assistant {
                    text: String::new(),
                    calls,
                });
                for (call, text) in readings {
                    let (call_id, name) = (call.id, call.name);
                    request.messages.push(Message::Tool {
                        call_id,
                        name,
                        text,
                        failed: false,
                    });
                }
                continue;
            }
            Ok(Turn::Read(_)) => "enough was read: act on it".to_owned(),
            Err(objection) => objection,
        };
        if refused {
            return Err(Failure::Unusable(objection));
        }
        refused = true;
        asker.note(format!("answer refused, asked once more: {objection}"));
        complain(&mut request, &reply, &objection);
    }
}

fn complain(request: &mut ChatRequest, reply: &ChatReply, objection: &str) {
    let text = clipped(&reply.text, 2_000);
    let calls: Vec<ToolCall> = reply.calls.iter().take(MAX_CALLS).cloned().collect();
    let nothing = text.is_empty() && calls.is_empty();
    let text = if nothing { "(nothing)".to_owned() } else { text };
    request.messages.push(Message::Assistant {
        text,
        calls: calls.clone(),
    });
    for call in calls {
        let text = "not called: the answer was refused".to_owned();
        request.messages.push(Message::Tool {
            call_id: call.id,
            name: call.name,
            text,
            failed: true,
        });
    }
    request.messages.push(Message::user(format!(
        "Your answer cannot be used: {objection}. Answer with a tool call."
    )));
}

/// Tool ids in the letters that providers allow, and back.
struct Names {
    by_safe: BTreeMap<String, String>,
}

impl Names {
    fn new(state: &State) -> Self {
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
            while by_safe.contains_key(&safe) || [FINISH, GIVE_UP, ASK, READ].contains(&safe.as_str()) {
                safe = format!("{plain}_{n}");
                n += 1;
            }
            by_safe.insert(safe, tool.id.clone());
        }
        Self { by_safe }
    }

    fn safe(&self, id: &str) -> String {
        let found = self.by_safe.iter().find(|(_, known)| *known == id);
        found.map_or_else(|| id.to_owned(), |(safe, _)| safe.clone())
    }

    /// The tool a model means: by the name it was given or by the tool's own id.
    fn id(&self, name: &str) -> Option<&str> {
        let by_id = || self.by_safe.values().find(|id| *id == name);
        self.by_safe.get(name).or_else(by_id).map(String::as_str)
    }
}

fn conversation(asker: &Asker<'_>, names: &Names, lane: LaneId, id: StepId) -> Result<ChatRequest, Failure> {
    let state = &*asker.brief.state;
    let Some(step) = state.planning.step(id) else {
        return Err(Failure::Unusable(format!("{id} is not in the plan")));
    };
    let page = render::page([
        render::objective(state),
        render::inventory(state),
        render::findings(state, state.lane_device(lane)),
        render::step(state, lane, step),
    ]);
    let mut request = asker.open(page);
    request.tools = offered(state, names, state.lane_device(lane).is_some());
    request.tool_choice = ToolChoice::Required;
    for turn in state.run(lane, id).into_iter().flat_map(|run| &run.turns) {
        let mut calls = Vec::new();
        let mut results = Vec::new();
        for call in &turn.calls {
            let Some(record) = state.execution.call(*call) else {
                continue;
            };
            let name = names.safe(&record.call.tool);
            let arguments = Value::Object(record.call.arguments.clone()).to_string();
            calls.push(ToolCall {
                id: call.to_string(),
                name: name.clone(),
                arguments,
            });
            let (text, failed) = render::call_result(state, *call);
            results.push(Message::Tool {
                call_id: call.to_string(),
                name,
                text,
                failed,
            });
        }
        if !calls.is_empty() {
            request.messages.push(Message::Assistant {
                text: String::new(),
                calls,
            });
            request.messages.extend(results);
        }
        if !turn.objections.is_empty() {
            let told = format!(
                "Refused of your last answer: {}.",
                clipped(&turn.objections.join("; "), 1_000)
            );
            request.messages.push(Message::user(told));
        }
    }
    Ok(request)
}

/// Tools that read many devices at once or list them: on a lane of one device they are not offered. Who calls
/// one by its name all the same is not refused.
const WIDE: [Purpose; 4] = [
    Purpose::Inventory,
    Purpose::GetMany,
    Purpose::LogsMany,
    Purpose::Compare,
];

fn offered(state: &State, names: &Names, one_device: bool) -> Vec<ToolSpec> {
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

/// Reads an answer. With `last`, calls that can't be made are left out if others remain.
fn understand(
    asker: &Asker<'_>,
    state: &State,
    names: &Names,
    reply: &ChatReply,
    last: bool,
) -> Result<Turn, String> {
    if reply.stop == Stop::Refusal {
        return Err("you declined to answer".into());
    }
    let calls = match reply.calls.as_slice() {
        [] => {
            let calls = calls_in_text(names, &reply.text)?;
            asker.note("answer repaired: a call written as text was taken as a call");
            calls
        }
        calls => calls.to_vec(),
    };
    let cut = reply.stop == Stop::Length;
    let mut proposals = Vec::new();
    let mut readings = Vec::new();
    let mut refusals = Vec::new();
    for call in calls.iter().take(MAX_CALLS) {
        match one_call(asker, state, names, call, cut) {
            Ok(Parsed::End(action)) if proposals.is_empty() && readings.is_empty() => {
                return Ok(Turn::Act(action));
            }
            Ok(Parsed::End(_)) => {}
            Ok(Parsed::Read(text)) => readings.push((call.clone(), text)),
            Ok(Parsed::Call(proposal)) => proposals.push(proposal),
            Err(refusal) => refusals.push(refusal),
        }
    }
    if !refusals.is_empty() && (!last || (proposals.is_empty() && readings.is_empty())) {
        refusals.truncate(5);
        return Err(refusals.join("; "));
    }
    for refusal in refusals {
        asker.note(format!("left out: {refusal}"));
    }
    if proposals.is_empty() && !readings.is_empty() {
        return Ok(Turn::Read(readings));
    }
    Ok(Turn::Act(Action::Call { calls: proposals }))
}

enum Parsed {
    End(Action),
    Read(String),
    Call(Proposal),
}

fn one_call(
    asker: &Asker<'_>,
    state: &State,
    names: &Names,
    call: &ToolCall,
    cut: bool,
) -> Result<Parsed, String> {
    let name = clipped(&neutralise(&call.name), 80);
    let mut arguments = arguments(asker, &name, &call.arguments, cut)?;
    let text = |key: &str| -> Result<String, String> {
        let text = arguments
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned();
        let mut objections = Objections::default();
        objections.text(key, &text, MAX_TEXT);
        objections.mentions(state, &text);
        objections.into_result().map_err(|e| format!("{name}: {e}"))?;
        Ok(neutralise(&text))
    };
    match call.name.as_str() {
        FINISH => {
            return Ok(Parsed::End(Action::Finish {
                summary: text("summary")?,
            }));
        }
        GIVE_UP => {
            return Ok(Parsed::End(Action::GiveUp {
                limitation: text("limitation")?,
            }));
        }
        ASK => {
            return Ok(Parsed::End(Action::Ask {
                question: text("question")?,
            }));
        }
        READ => {
            let wanted = text("evidence")?;
            let wanted = wanted.trim_matches(['[', ']', ' ']);
            let id: EvidenceId = wanted
                .parse()
                .map_err(|_| format!("{READ}: {wanted:?} is no evidence"))?;
            let evidence = state
                .evidence(id)
                .ok_or_else(|| format!("{READ}: there is no {id}"))?;
            let pointer = arguments
                .get("pointer")
                .and_then(Value::as_str)
                .unwrap_or_default();
            return Ok(Parsed::Read(render::evidence_text(evidence, pointer, READ_LIMIT)));
        }
        _ => {}
    }
    let id = names.id(&call.name).ok_or_else(|| {
        let known: Vec<&str> = names.by_safe.keys().take(20).map(String::as_str).collect();
        format!(
            "there is no tool {name:?}; the tools are {}, {FINISH}, {GIVE_UP}, {ASK}",
            known.join(", ")
        )
    })?;
    let tool = state
        .intake
        .tool(id)
        .ok_or_else(|| format!("there is no tool {name:?}"))?;
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
    arguments = match value {
        Value::Object(map) => map,
        _ => return Err(format!("{id}: the arguments must be an object")),
    };
    let mut objections = Objections::default();
    for device in devices_in(&arguments) {
        objections.device(state, &device);
    }
    objections.into_result().map_err(|e| format!("{id}: {e}"))?;
    Ok(Parsed::Call(Proposal {
        tool: id.to_owned(),
        arguments,
        why: String::new(),
    }))
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
fn calls_in_text(names: &Names, text: &str) -> Result<Vec<ToolCall>, String> {
    let mut calls = Vec::new();
    for found in lenient::objects(text) {
        let at = |keys: [&str; 3]| keys.into_iter().find_map(|k| found.value.get(k)).cloned();
        let Some(Value::String(name)) = at(["name", "tool", "function"]) else {
            continue;
        };
        if names.id(&name).is_none() && ![FINISH, GIVE_UP, ASK, READ].contains(&name.as_str()) {
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
