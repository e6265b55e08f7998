//! The Messages dialect: Anthropic's own and what llama.cpp and gateways make of it.
//!
//! System text is sent apart, tool results travel as user turns, and the system prompt is marked for the
//! prompt cache. Input tokens are reported without the cached ones there; here they are added.

use serde_json::{Map, Value, json};

use super::super::{SchemaMode, ToolChoice, schema::strict};
use super::{
    ChatRequest, Delta, Draft, Fault, Output, ProviderConfig, Stop, Usage, arguments_object, error_fault,
};
use crate::llm::Message;

pub(super) fn body(request: &ChatRequest, model: &str, config: &ProviderConfig) -> Map<String, Value> {
    let mut body = Map::new();
    body.insert("model".into(), model.into());
    body.insert("max_tokens".into(), request.max_tokens.into());
    let system: Vec<&str> = request
        .messages
        .iter()
        .filter_map(|m| {
            if let Message::System { text } = m {
                Some(text.as_str())
            } else {
                None
            }
        })
        .collect();
    if !system.is_empty() {
        let block =
            json!({"type": "text", "text": system.join("\n\n"), "cache_control": {"type": "ephemeral"}});
        body.insert("system".into(), json!([block]));
    }
    body.insert("messages".into(), messages(&request.messages));
    if let Some(temperature) = request.temperature.filter(|_| config.temperature) {
        body.insert("temperature".into(), json!(temperature));
    }
    let mut tools: Vec<Value> = request
        .tools
        .iter()
        .map(|t| json!({"name": t.name, "description": t.description, "input_schema": t.parameters}))
        .collect();
    let mut choice = match &request.tool_choice {
        ToolChoice::Auto => None,
        ToolChoice::Never => Some(json!({"type": "none"})),
        ToolChoice::Required => Some(json!({"type": "any"})),
        ToolChoice::Only(name) => Some(json!({"type": "tool", "name": name})),
    };
    if let Output::Json { name, schema } = &request.output {
        match config.schema {
            SchemaMode::Native => {
                let format = json!({"type": "json_schema", "schema": strict(schema)});
                body.insert("output_config".into(), json!({"format": format}));
            }
            SchemaMode::Tool => {
                let description = "Give the answer by calling this.";
                tools.push(json!({"name": name, "description": description, "input_schema": schema}));
                choice = Some(json!({"type": "tool", "name": name}));
            }
            SchemaMode::JsonObject | SchemaMode::Prompt => {}
        }
    }
    if !tools.is_empty() {
        body.insert("tools".into(), tools.into());
        if let Some(choice) = choice {
            body.insert("tool_choice".into(), choice);
        }
    }
    if config.stream {
        body.insert("stream".into(), true.into());
    }
    body
}

/// The turns, with neighbours of one role joined as the dialect asks.
fn messages(messages: &[Message]) -> Value {
    let mut turns: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in messages {
        let (role, blocks) = match message {
            Message::System { .. } => continue,
            Message::User { text } => ("user", vec![json!({"type": "text", "text": text})]),
            Message::Assistant { text, calls } => {
                let text = (!text.is_empty()).then(|| json!({"type": "text", "text": text}));
                let calls = calls.iter().map(|c| {
                    json!({"type": "tool_use", "id": c.id, "name": c.name, "input": arguments_object(&c.arguments)})
                });
                ("assistant", text.into_iter().chain(calls).collect())
            }
            Message::Tool {
                call_id,
                text,
                failed,
                ..
            } => {
                let block = json!({"type": "tool_result", "tool_use_id": call_id, "content": text, "is_error": failed});
                ("user", vec![block])
            }
        };
        match turns.last_mut() {
            Some((last, content)) if *last == role => content.extend(blocks),
            _ => turns.push((role, blocks)),
        }
    }
    turns
        .into_iter()
        .map(|(role, content)| json!({"role": role, "content": content}))
        .collect()
}

pub(super) fn absorb(draft: &mut Draft, event: &Value, deltas: &mut Vec<Delta>) -> Result<(), Fault> {
    let index = event["index"].as_u64().unwrap_or(0);
    match event["type"].as_str() {
        Some("message_start") => {
            let message = &event["message"];
            if let Some(model) = message["model"].as_str() {
                draft.model = model.to_owned();
            }
            usage(draft, &message["usage"]);
        }
        Some("content_block_start") => block_start(draft, index, &event["content_block"], deltas)?,
        Some("content_block_delta") => {
            let delta = &event["delta"];
            match delta["type"].as_str() {
                Some("text_delta") => draft.add_text(delta["text"].as_str().unwrap_or_default(), deltas)?,
                Some("thinking_delta") => {
                    draft.add_thought(delta["thinking"].as_str().unwrap_or_default(), deltas)?;
                }
                Some("input_json_delta") => {
                    draft.add_arguments(index, delta["partial_json"].as_str().unwrap_or_default())?;
                }
                _ => {}
            }
        }
        Some("message_delta") => {
            stop_reason(draft, &event["delta"]["stop_reason"]);
            usage(draft, &event["usage"]);
        }
        Some("message_stop") => draft.finished = true,
        Some("error") => return Err(error_fault(&event["error"])),
        Some(_) => {}
        None => {
            return Err(match event.get("error") {
                Some(error) if !error.is_null() => error_fault(error),
                _ => Fault::malformed("an event has no type: is this the Messages API?"),
            });
        }
    }
    Ok(())
}

fn block_start(draft: &mut Draft, index: u64, block: &Value, deltas: &mut Vec<Delta>) -> Result<(), Fault> {
    match block["type"].as_str() {
        Some("text") => draft.add_text(block["text"].as_str().unwrap_or_default(), deltas),
        Some("tool_use") => {
            let (id, name) = (
                block["id"].as_str().unwrap_or_default(),
                block["name"].as_str().unwrap_or_default(),
            );
            draft.open_call(index, deltas, id, name)?;
            match &block["input"] {
                Value::Object(input) if !input.is_empty() => {
                    draft.add_arguments(index, &block["input"].to_string())
                }
                _ => Ok(()),
            }
        }
        _ => Ok(()),
    }
}

pub(super) fn absorb_whole(draft: &mut Draft, value: &Value, deltas: &mut Vec<Delta>) -> Result<(), Fault> {
    if let Some(error) = value.get("error").filter(|e| !e.is_null()) {
        return Err(error_fault(error));
    }
    let blocks = value["content"]
        .as_array()
        .ok_or_else(|| Fault::malformed("the answer has no content: is this the Messages API?"))?;
    if let Some(model) = value["model"].as_str() {
        draft.model = model.to_owned();
    }
    for (index, block) in blocks.iter().enumerate() {
        block_start(draft, index as u64, block, deltas)?;
    }
    stop_reason(draft, &value["stop_reason"]);
    usage(draft, &value["usage"]);
    draft.finished = true;
    Ok(())
}

fn stop_reason(draft: &mut Draft, reason: &Value) {
    draft.stop = match reason.as_str() {
        Some("end_turn" | "stop_sequence") => Some(Stop::End),
        Some("tool_use") => Some(Stop::ToolCalls),
        Some("max_tokens" | "model_context_window_exceeded") => Some(Stop::Length),
        Some("refusal") => Some(Stop::Refusal),
        Some(_) => Some(Stop::Other),
        None => draft.stop,
    };
}

/// Counts are cumulative and may come twice, so the larger one holds.
fn usage(draft: &mut Draft, usage: &Value) {
    if !usage.is_object() {
        return;
    }
    let count = |key: &str| usage[key].as_u64().unwrap_or(0);
    let (cached, written) = (
        count("cache_read_input_tokens"),
        count("cache_creation_input_tokens"),
    );
    let known = draft.usage.get_or_insert_default();
    *known = Usage {
        input: known.input.max(count("input_tokens") + cached + written),
        cached: known.cached.max(cached),
        cache_written: known.cache_written.max(written),
        output: known.output.max(count("output_tokens")),
        estimated: false,
    };
}

#[cfg(test)]
mod tests {
    use super::super::{Dialect, Event, Timing};
    use super::*;
    use crate::llm::{ToolCall, ToolSpec};

    #[test]
    fn turns_are_joined_and_the_system_prompt_is_apart() {
        let mut request = ChatRequest::new("executor", vec![Message::system("s"), Message::user("u")], 100);
        request.messages.push(Message::Assistant {
            text: "t".into(),
            calls: vec![ToolCall {
                id: "1".into(),
                name: "get".into(),
                arguments: "{\"a\":1}".into(),
            }],
        });
        for id in ["1", "2"] {
            let (name, text) = ("get".to_owned(), "r".to_owned());
            request.messages.push(Message::Tool {
                call_id: id.into(),
                name,
                text,
                failed: id == "2",
            });
        }
        request.tools.push(ToolSpec {
            name: "get".into(),
            description: "d".into(),
            parameters: json!({}),
        });
        request.tool_choice = ToolChoice::Only("get".into());
        let body = Dialect::Anthropic.body(
            &request,
            "m",
            &ProviderConfig::local("http://h/v1", Dialect::Anthropic),
        );
        assert_eq!(body["system"][0]["text"], "s");
        assert_eq!(body["tool_choice"], json!({"type": "tool", "name": "get"}));
        let turns = body["messages"].as_array().unwrap();
        assert_eq!(turns.len(), 3);
        assert_eq!(turns[1]["content"][1]["input"], json!({"a": 1}));
        assert_eq!(turns[2]["content"][1]["is_error"], true);
    }

    #[test]
    fn a_stream_becomes_a_reply() {
        let events = [
            r#"{"type":"message_start","message":{"model":"c","usage":{"input_tokens":25,"output_tokens":1,"cache_read_input_tokens":9}}}"#,
            r#"{"type":"ping"}"#,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}"#,
            r#"{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Look"}}"#,
            r#"{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"t","name":"get","input":{}}}"#,
            r#"{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"d\":1}"}}"#,
            r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":15}}"#,
            r#"{"type":"message_stop"}"#,
        ];
        let (mut draft, mut deltas) = (Draft::default(), Vec::new());
        for data in events {
            let event = Event {
                name: String::new(),
                data: data.into(),
            };
            Dialect::Anthropic
                .absorb(&mut draft, &event, &mut deltas)
                .unwrap();
        }
        assert!(draft.finished);
        let request = ChatRequest::new("executor", vec![], 10);
        let reply = draft.finish(&request, "m", Timing::default());
        assert_eq!((reply.text.as_str(), reply.stop), ("Look", Stop::ToolCalls));
        assert_eq!(reply.calls[0].arguments, "{\"d\":1}");
        assert_eq!(
            reply.usage,
            Usage {
                input: 34,
                cached: 9,
                output: 15,
                ..Usage::default()
            }
        );
        assert_eq!(deltas[0], Delta::Thought { text: "hm".into() });
    }

    #[test]
    fn a_foreign_stream_is_named_as_such() {
        let (mut draft, mut deltas) = (Draft::default(), Vec::new());
        let event = Event {
            name: String::new(),
            data: r#"{"choices":[]}"#.into(),
        };
        let fault = Dialect::Anthropic
            .absorb(&mut draft, &event, &mut deltas)
            .unwrap_err();
        assert!(fault.message.contains("Messages API"));
    }
}
