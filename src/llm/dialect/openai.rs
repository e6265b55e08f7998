//! The Chat Completions dialect: OpenAI's own and what Groq, Ollama, vLLM, llama.cpp and gateways make of it.
//!
//! Tolerated in answers: missing indexes of tool calls, arguments as an object, usage in any chunk,
//! `reasoning` under either of its names.

use serde_json::{Map, Value, json};

use super::super::{SchemaMode, TokensField, ToolChoice, schema::strict};
use super::{
    ChatRequest, Delta, Draft, Fault, Output, ProviderConfig, Stop, Usage, arguments_object, error_fault,
};
use crate::llm::Message;

pub(super) fn body(request: &ChatRequest, model: &str, config: &ProviderConfig) -> Map<String, Value> {
    let mut body = Map::new();
    body.insert("model".into(), model.into());
    body.insert("messages".into(), request.messages.iter().map(message).collect());
    let tokens_field = match config.tokens_field {
        TokensField::MaxTokens => "max_tokens",
        TokensField::MaxCompletionTokens => "max_completion_tokens",
    };
    body.insert(tokens_field.into(), request.max_tokens.into());
    if let Some(temperature) = request.temperature.filter(|_| config.temperature) {
        body.insert("temperature".into(), json!(temperature));
    }
    let mut tools: Vec<Value> = request
        .tools
        .iter()
        .map(|t| tool(&t.name, &t.description, &t.parameters))
        .collect();
    let mut choice = match &request.tool_choice {
        ToolChoice::Auto => None,
        ToolChoice::Never => Some(json!("none")),
        ToolChoice::Required => Some(json!("required")),
        ToolChoice::Only(name) => Some(json!({"type": "function", "function": {"name": name}})),
    };
    if let Output::Json { name, schema } = &request.output {
        match config.schema {
            SchemaMode::Native => {
                let format = json!({"name": name, "strict": true, "schema": strict(schema)});
                body.insert(
                    "response_format".into(),
                    json!({"type": "json_schema", "json_schema": format}),
                );
            }
            SchemaMode::JsonObject => {
                body.insert("response_format".into(), json!({"type": "json_object"}));
            }
            SchemaMode::Tool => {
                tools.push(tool(name, "Give the answer by calling this.", schema));
                choice = Some(json!({"type": "function", "function": {"name": name}}));
            }
            SchemaMode::Prompt => {}
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
        if config.stream_usage {
            body.insert("stream_options".into(), json!({"include_usage": true}));
        }
    }
    body
}

fn tool(name: &str, description: &str, parameters: &Value) -> Value {
    json!({"type": "function", "function": {"name": name, "description": description, "parameters": parameters}})
}

fn message(message: &Message) -> Value {
    match message {
        Message::System { text } => json!({"role": "system", "content": text}),
        Message::User { text } => json!({"role": "user", "content": text}),
        Message::Assistant { text, calls } if calls.is_empty() => {
            json!({"role": "assistant", "content": text})
        }
        Message::Assistant { text, calls } => {
            let calls: Vec<Value> = calls
                .iter()
                .map(|c| {
                    let arguments = Value::Object(arguments_object(&c.arguments)).to_string();
                    json!({"id": c.id, "type": "function", "function": {"name": c.name, "arguments": arguments}})
                })
                .collect();
            let content = if text.is_empty() {
                Value::Null
            } else {
                text.as_str().into()
            };
            json!({"role": "assistant", "content": content, "tool_calls": calls})
        }
        Message::Tool { call_id, text, .. } => {
            json!({"role": "tool", "tool_call_id": call_id, "content": text})
        }
    }
}

pub(super) fn absorb(draft: &mut Draft, chunk: &Value, deltas: &mut Vec<Delta>) -> Result<(), Fault> {
    if let Some(error) = chunk.get("error").filter(|e| !e.is_null()) {
        return Err(error_fault(error));
    }
    envelope(draft, chunk);
    let choice = &chunk["choices"][0];
    let delta = &choice["delta"];
    for key in ["reasoning_content", "reasoning"] {
        if let Some(text) = delta[key].as_str() {
            draft.add_thought(text, deltas)?;
            break;
        }
    }
    if let Some(text) = delta["content"].as_str() {
        draft.add_text(text, deltas)?;
    }
    refusal(draft, &delta["refusal"], deltas)?;
    for call in delta["tool_calls"].as_array().into_iter().flatten() {
        absorb_call(draft, call, deltas)?;
    }
    finish_reason(draft, &choice["finish_reason"]);
    Ok(())
}

pub(super) fn absorb_whole(draft: &mut Draft, value: &Value, deltas: &mut Vec<Delta>) -> Result<(), Fault> {
    if let Some(error) = value.get("error").filter(|e| !e.is_null()) {
        return Err(error_fault(error));
    }
    envelope(draft, value);
    let choice = value["choices"]
        .get(0)
        .ok_or_else(|| Fault::malformed("the answer has no choices"))?;
    let message = &choice["message"];
    if let Some(text) = message["content"].as_str() {
        draft.add_text(text, deltas)?;
    }
    refusal(draft, &message["refusal"], deltas)?;
    for (n, call) in message["tool_calls"].as_array().into_iter().flatten().enumerate() {
        let name = call["function"]["name"].as_str().unwrap_or_default();
        draft.open_call(n as u64, deltas, call["id"].as_str().unwrap_or_default(), name)?;
        draft.add_arguments(n as u64, &arguments_text(&call["function"]["arguments"]))?;
    }
    finish_reason(draft, &choice["finish_reason"]);
    draft.finished = true;
    Ok(())
}

fn absorb_call(draft: &mut Draft, call: &Value, deltas: &mut Vec<Delta>) -> Result<(), Fault> {
    let id = call["id"].as_str().filter(|id| !id.is_empty());
    let name = call["function"]["name"].as_str().filter(|name| !name.is_empty());
    let last = draft.calls.last().map(|c| c.index);
    let index = match (call["index"].as_u64(), last) {
        (Some(index), _) => index,
        // without an index, an id or a name opens the next call and anything else continues the last one
        (None, Some(last)) if id.is_none() && name.is_none() => last,
        (None, last) => last.map_or(0, |l| l + 1),
    };
    match draft.calls.iter_mut().find(|c| c.index == index) {
        Some(open) => {
            if let (true, Some(id)) = (open.id.is_empty(), id) {
                open.id = id.to_owned();
            }
        }
        None => draft.open_call(index, deltas, id.unwrap_or_default(), name.unwrap_or_default())?,
    }
    let piece = arguments_text(&call["function"]["arguments"]);
    if piece.is_empty() {
        Ok(())
    } else {
        draft.add_arguments(index, &piece)
    }
}

fn arguments_text(arguments: &Value) -> String {
    match arguments {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

fn refusal(draft: &mut Draft, refusal: &Value, deltas: &mut Vec<Delta>) -> Result<(), Fault> {
    match refusal.as_str() {
        Some(text) if !text.is_empty() => {
            draft.stop = Some(Stop::Refusal);
            draft.add_text(text, deltas)
        }
        _ => Ok(()),
    }
}

fn finish_reason(draft: &mut Draft, reason: &Value) {
    let Some(reason) = reason.as_str() else { return };
    draft.finished = true;
    let stop = match reason {
        "stop" => Stop::End,
        "tool_calls" | "function_call" => Stop::ToolCalls,
        "length" => Stop::Length,
        "content_filter" => Stop::Refusal,
        _ => Stop::Other,
    };
    if draft.stop != Some(Stop::Refusal) {
        draft.stop = Some(stop);
    }
}

fn envelope(draft: &mut Draft, value: &Value) {
    if let Some(model) = value["model"].as_str().filter(|m| !m.is_empty()) {
        draft.model = model.to_owned();
    }
    let usage = [&value["usage"], &value["x_groq"]["usage"]]
        .into_iter()
        .find(|u| u.is_object());
    if let Some(usage) = usage {
        let count = |key: &str| usage[key].as_u64().unwrap_or(0);
        draft.usage = Some(Usage {
            input: count("prompt_tokens"),
            cached: usage["prompt_tokens_details"]["cached_tokens"]
                .as_u64()
                .unwrap_or(0),
            cache_written: 0,
            output: count("completion_tokens"),
            estimated: false,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Dialect, Event, Timing};
    use super::*;
    use crate::llm::{ToolCall, ToolSpec};

    fn request() -> ChatRequest {
        ChatRequest::new("executor", vec![Message::system("s"), Message::user("u")], 100)
    }

    fn read(events: &[&str]) -> (Draft, Vec<Delta>) {
        let (mut draft, mut deltas) = (Draft::default(), Vec::new());
        for data in events {
            let event = Event {
                name: String::new(),
                data: (*data).into(),
            };
            Dialect::OpenAi.absorb(&mut draft, &event, &mut deltas).unwrap();
        }
        (draft, deltas)
    }

    #[test]
    fn tools_schema_and_history_are_written_as_the_dialect_wants() {
        let mut request = request();
        request.tools.push(ToolSpec {
            name: "get".into(),
            description: "d".into(),
            parameters: json!({}),
        });
        request.tool_choice = ToolChoice::Required;
        request.output = Output::Json {
            name: "plan".into(),
            schema: json!({"type": "object", "properties": {}}),
        };
        request.messages.push(Message::Assistant {
            text: String::new(),
            calls: vec![ToolCall {
                id: "1".into(),
                name: "get".into(),
                arguments: "{bad".into(),
            }],
        });
        request.messages.push(Message::Tool {
            call_id: "1".into(),
            name: "get".into(),
            text: "no".into(),
            failed: true,
        });
        let body = Dialect::OpenAi.body(
            &request,
            "m",
            &ProviderConfig::local("http://h/v1", Dialect::OpenAi),
        );
        assert_eq!(body["tool_choice"], "required");
        assert_eq!(body["response_format"]["json_schema"]["strict"], true);
        assert_eq!(body["stream_options"]["include_usage"], true);
        assert_eq!(body["messages"][2]["content"], Value::Null);
        assert_eq!(
            body["messages"][2]["tool_calls"][0]["function"]["arguments"],
            r#"{"unparsed":"{bad"}"#
        );
        assert_eq!(
            body["messages"][3],
            json!({"role": "tool", "tool_call_id": "1", "content": "no"})
        );
    }

    #[test]
    fn text_calls_and_usage_are_put_together() {
        let (draft, deltas) = read(&[
            r#"{"model":"m-1","choices":[{"delta":{"content":"Look"}}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"get","arguments":""}}]}}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"d\":"}}]}}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"1}"}},{"index":1,"id":"b","function":{"name":"ping"}}]}}]}"#,
            r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#,
            r#"{"choices":[],"usage":{"prompt_tokens":11,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":4}}}"#,
            "[DONE]",
        ]);
        assert!(draft.finished);
        assert_eq!(deltas.len(), 3);
        let reply = draft.finish(&request(), "m", Timing::default());
        assert_eq!(
            (reply.text.as_str(), reply.model.as_str(), reply.stop),
            ("Look", "m-1", Stop::ToolCalls)
        );
        assert_eq!(
            reply.calls[0],
            ToolCall {
                id: "a".into(),
                name: "get".into(),
                arguments: "{\"d\":1}".into()
            }
        );
        assert_eq!(reply.calls[1].arguments, "{}");
        assert_eq!(
            reply.usage,
            Usage {
                input: 11,
                cached: 4,
                output: 7,
                ..Usage::default()
            }
        );
    }

    #[test]
    fn calls_without_index_or_with_object_arguments_are_read() {
        let (draft, _) = read(&[
            r#"{"choices":[{"delta":{"tool_calls":[{"id":"a","function":{"name":"x","arguments":{"k":1}}}]}}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"id":"b","function":{"name":"y","arguments":"{"}}]}}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"}"}}]},"finish_reason":"stop"}]}"#,
        ]);
        let reply = draft.finish(&request(), "m", Timing::default());
        let got: Vec<_> = reply
            .calls
            .iter()
            .map(|c| (c.name.as_str(), c.arguments.as_str()))
            .collect();
        assert_eq!(got, [("x", r#"{"k":1}"#), ("y", "{}")]);
        assert_eq!(reply.stop, Stop::ToolCalls);
        assert!(reply.usage.estimated);
    }

    #[test]
    fn an_answer_given_as_a_call_becomes_the_text() {
        let mut request = request();
        request.output = Output::Json {
            name: "plan".into(),
            schema: json!({}),
        };
        let (draft, _) = read(&[
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"plan","arguments":"{\"a\":1}"}}]},"finish_reason":"tool_calls"}]}"#,
        ]);
        let reply = draft.finish(&request, "m", Timing::default());
        assert_eq!(
            (reply.text.as_str(), reply.calls.len(), reply.stop),
            (r#"{"a":1}"#, 0, Stop::End)
        );
    }

    #[test]
    fn an_error_event_is_a_fault_of_its_kind() {
        let (mut draft, mut deltas) = (Draft::default(), Vec::new());
        let event = Event {
            name: String::new(),
            data: r#"{"error":{"message":"busy","code":529}}"#.into(),
        };
        let fault = Dialect::OpenAi
            .absorb(&mut draft, &event, &mut deltas)
            .unwrap_err();
        assert_eq!(fault.kind, crate::llm::ErrorKind::Overloaded);
    }
}
