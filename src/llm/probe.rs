//! What a provider and a model can do, tried out: chat, stream, tools, schema, embeddings.
//!
//! Each check is one small real call. A model that answers but does not do what was asked fails the check
//! with what it did instead. Prints nothing.

use serde_json::{Value, json};
use tokio::time::Instant;

use super::{
    ChatModel, ChatReply, ChatRequest, Delta, Embedder, LlmError, Message, Output, Provider, ToolChoice,
    ToolSpec, scrub::excerpt,
};

/// A capability that is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    Models,
    Chat,
    Stream,
    Tools,
    Schema,
    Embeddings,
}

impl Check {
    pub const ALL: [Self; 6] = [
        Self::Models,
        Self::Chat,
        Self::Stream,
        Self::Tools,
        Self::Schema,
        Self::Embeddings,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Models => "models",
            Self::Chat => "chat",
            Self::Stream => "stream",
            Self::Tools => "tools",
            Self::Schema => "schema",
            Self::Embeddings => "embeddings",
        }
    }
}

/// How a check ended.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckResult {
    pub check: Check,
    /// What was seen, or what went wrong.
    pub outcome: Result<String, String>,
    pub millis: u64,
}

/// Runs one check against a model; `embedding` is asked for vectors.
pub async fn probe(provider: &Provider, embedding: &Provider, check: Check) -> CheckResult {
    let started = Instant::now();
    let outcome = match check {
        Check::Models => models(provider).await,
        Check::Chat => chat(provider).await,
        Check::Stream => stream(provider).await,
        Check::Tools => tools(provider).await,
        Check::Schema => schema(provider).await,
        Check::Embeddings => embeddings(embedding).await,
    };
    let millis = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    CheckResult {
        check,
        outcome,
        millis,
    }
}

fn words(error: LlmError) -> String {
    error.to_string()
}

fn question(system: &str, user: &str, max_tokens: u32) -> ChatRequest {
    ChatRequest::new(
        "probe",
        vec![Message::system(system), Message::user(user)],
        max_tokens,
    )
}

async fn models(provider: &Provider) -> Result<String, String> {
    let names = provider.models().await.map_err(words)?;
    Ok(format!("{} offered", names.len()))
}

async fn chat(provider: &Provider) -> Result<String, String> {
    let request = question("Answer in one word.", "Which protocol uses TCP port 179?", 64);
    let reply = provider.chat(&request, &mut |_| {}).await.map_err(words)?;
    if reply.text.trim().is_empty() {
        return Err("the answer is empty".into());
    }
    Ok(format!(
        "{:?}, {}",
        excerpt(&reply.text, &[]).chars().take(60).collect::<String>(),
        tokens(&reply)
    ))
}

fn tokens(reply: &ChatReply) -> String {
    let estimated = if reply.usage.estimated { " (estimated)" } else { "" };
    format!(
        "{} tokens in, {} out{estimated}",
        reply.usage.input, reply.usage.output
    )
}

async fn stream(provider: &Provider) -> Result<String, String> {
    let request = question("Answer briefly.", "Name three routing protocols.", 48);
    let mut pieces = 0;
    let reply = provider
        .chat(&request, &mut |d| {
            pieces += usize::from(matches!(d, Delta::Text { .. } | Delta::Thought { .. }))
        })
        .await
        .map_err(words)?;
    match reply.timing.first_token_ms {
        Some(first) if pieces > 1 => Ok(format!("{pieces} pieces, the first after {first} ms")),
        _ => Err(format!(
            "the answer came in {pieces} piece(s): it is not streamed"
        )),
    }
}

async fn tools(provider: &Provider) -> Result<String, String> {
    let system = "You check routers. Call the tool get_bgp_info for the device the user names.\n\
                  Example: for pe-9 call get_bgp_info with {\"device_name\": \"pe-9\"}.";
    let mut request = question(system, "Check BGP on xrd-1.", 128);
    request.tools = vec![ToolSpec {
        name: "get_bgp_info".into(),
        description: "BGP neighbours and their state on one device.".into(),
        parameters: json!({"type": "object", "properties": {"device_name": {"type": "string"}},
                           "required": ["device_name"], "additionalProperties": false}),
    }];
    request.tool_choice = ToolChoice::Required;
    let reply = provider.chat(&request, &mut |_| {}).await.map_err(words)?;
    let Some(call) = reply.calls.first() else {
        let said: String = excerpt(&reply.text, &[]).chars().take(60).collect();
        return Err(format!("no tool was called; the model said {said:?}"));
    };
    let arguments: Value = serde_json::from_str(&call.arguments)
        .map_err(|e| format!("{} was called with broken arguments: {e}", call.name))?;
    match (call.name.as_str(), arguments["device_name"].as_str()) {
        ("get_bgp_info", Some("xrd-1")) => Ok(format!("{}({arguments})", call.name)),
        _ => Err(format!(
            "the wrong call: {}({arguments})",
            excerpt(&call.name, &[])
        )),
    }
}

async fn schema(provider: &Provider) -> Result<String, String> {
    let schema = json!({
        "type": "object",
        "properties": {"protocol": {"type": "string", "enum": ["BGP", "OSPF", "ISIS"]}, "port": {"type": "integer"}},
        "required": ["protocol", "port"],
        "additionalProperties": false,
    });
    let system =
        "Answer with one JSON object: {\"protocol\": \"BGP\" | \"OSPF\" | \"ISIS\", \"port\": number}.";
    let mut request = question(system, "Which of them runs over TCP, and on which port?", 96);
    request.output = Output::Json {
        name: "answer".into(),
        schema: schema.clone(),
    };
    let reply = provider.chat(&request, &mut |_| {}).await.map_err(words)?;
    let said: String = excerpt(&reply.text, &[]).chars().take(60).collect();
    let value: Value =
        serde_json::from_str(reply.text.trim()).map_err(|e| format!("not JSON ({e}): {said:?}"))?;
    match jsonschema::validate(&schema, &value) {
        Ok(()) => Ok(value.to_string()),
        Err(e) => Err(format!(
            "not of the schema ({}): {said:?}",
            excerpt(&e.to_string(), &[])
        )),
    }
}

async fn embeddings(provider: &Provider) -> Result<String, String> {
    let texts = ["BGP session down".to_owned(), "interface flapping".to_owned()];
    let vectors = provider.embed(&texts).await.map_err(words)?;
    Ok(format!("{} dimensions", vectors.first().map_or(0, Vec::len)))
}
