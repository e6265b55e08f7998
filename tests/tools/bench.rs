//! The workbench of these tests: specs of test servers, hubs, toolboxes and calls.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use noctui::agent::model::{CallId, CallOutcome, DeviceName, ToolCall};
use noctui::agent::ports::{CallContext, Elicitation, Toolbox};
use noctui::tools::hub::HubCall;
use noctui::tools::{GuardOptions, Hub, McpToolbox, ServerSpec, ToolboxOptions};
use serde_json::{Map, Value};

use crate::server::MODE;

/// A server process of this very binary in the given mode.
pub fn spec(name: &str, mode: &str) -> ServerSpec {
    let binary = std::env::current_exe().unwrap();
    let arguments = ["serve", "--exact", "--nocapture", "--quiet"]
        .map(str::to_owned)
        .to_vec();
    ServerSpec::stdio(name, binary.to_str().unwrap(), arguments).env(MODE, mode)
}

pub async fn hub(specs: Vec<ServerSpec>) -> Arc<Hub> {
    let hub = Arc::new(Hub::start(specs).unwrap());
    hub.settled(Duration::from_secs(20)).await;
    hub
}

pub fn hub_call(server: &str, tool: &str, arguments: Value) -> HubCall {
    HubCall {
        server: server.to_owned(),
        tool: tool.to_owned(),
        arguments: object(arguments),
        timeout: None,
        progress: None,
        asks: None,
    }
}

pub fn object(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

pub async fn toolbox(mode: &str, options: GuardOptions) -> McpToolbox {
    let hub = hub(vec![spec("srv", mode)]).await;
    McpToolbox::new(
        hub,
        ToolboxOptions {
            guard: options,
            ..ToolboxOptions::default()
        },
    )
}

pub fn call(tool: &str, arguments: Value) -> ToolCall {
    let devices = arguments
        .get("device_name")
        .and_then(Value::as_str)
        .map(DeviceName::from);
    ToolCall {
        id: CallId(1),
        lane: None,
        step: None,
        tool: tool.to_owned(),
        arguments: object(arguments),
        devices: devices.into_iter().collect(),
        why: "a test".to_owned(),
        approved: false,
        grant: None,
        follows: None,
    }
}

/// Hears progress and answers questions with what it was given.
#[derive(Default)]
pub struct Listener {
    pub answer: Option<Value>,
    pub heard: Mutex<Vec<(Option<f64>, String)>>,
    pub asked: Mutex<Vec<Elicitation>>,
}

#[async_trait]
impl CallContext for Listener {
    fn progress(&self, fraction: Option<f64>, text: &str) {
        self.heard.lock().unwrap().push((fraction, text.to_owned()));
    }

    async fn elicit(&self, elicitation: Elicitation) -> Option<Value> {
        self.asked.lock().unwrap().push(elicitation);
        self.answer.clone()
    }
}

pub async fn run(toolbox: &McpToolbox, call: &ToolCall) -> CallOutcome {
    toolbox.call(call, &Listener::default()).await
}

/// Waits until something holds; tells what it waited for when it never does.
pub async fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..1000 {
        if holds() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("waited ten seconds in vain until {what}");
}
