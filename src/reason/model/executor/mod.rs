//! The executor: a conversation of tool calls, rebuilt from the state at every turn.
//!
//! Four tools are ours: finish, give up, ask, and read a piece of evidence, which is answered here. Calls of
//! real tools are checked against registry, schema and inventory and handed to the machine; nothing is
//! called here.

mod calls;
mod offer;

use serde_json::Value;

use super::{
    ask::{Asker, Failure},
    quote::clipped,
    render,
};
use crate::agent::model::{Action, LaneId, StepId};
use crate::llm::{ChatReply, ChatRequest, Message, Stop, ToolCall, ToolChoice};
use calls::{Parsed, calls_in_text, one_call};
use offer::{Names, offered};

/// Rounds of `read_evidence` within one turn.
const MAX_READS: u32 = 3;
/// Most calls taken from one answer.
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
        let objection = match understand(asker, &names, &reply, refused) {
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

/// Reads an answer. With `last`, calls that can't be made are left out if others remain.
fn understand(asker: &Asker<'_>, names: &Names, reply: &ChatReply, last: bool) -> Result<Turn, String> {
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
        match one_call(asker, names, call, cut) {
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
