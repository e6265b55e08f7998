//! The collector from outside: the contract, broken devices, the tools over MCP, the stdio child, TLS.
//!
//! Devices are small gNMI servers on loopback (`fake`), made to fail in one way each.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a panic in a test is the message, and a skipped one says so"
)]

mod broken;
mod contract;
mod fake;
mod lab;
mod stdio;
mod tls;
mod tools;
mod trees;

use noctui::gnmi::client::Limits;
use noctui::gnmi::collector::Collector;
use noctui::gnmi::inventory::{Fallback, Inventory};
use noctui::gnmi::server::Server;
use rmcp::model::{CallToolRequestParams, CallToolResult};
use rmcp::service::RunningService;
use rmcp::{RoleClient, ServiceExt};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// An MCP client of a collector in this process.
type Client = RunningService<RoleClient, ()>;

/// Longest any call of these tests may take; devices have deadlines of one second.
const PATIENCE: Duration = Duration::from_secs(15);

/// An inventory entry of a device on loopback.
fn entry(name: &str, port: u16) -> Value {
    json!({ "name": name, "ip_address": "127.0.0.1", "port": port, "username": "cisco", "password": "s3cret",
            "gnmi_timeout": 1 })
}

fn inventory(entries: &[Value]) -> Inventory {
    Inventory::parse(
        &json!(entries).to_string(),
        Path::new("test.json"),
        &Fallback::default(),
    )
    .unwrap()
}

/// A collector for these entries and a client that talks MCP to it through a pipe in memory.
async fn connect(entries: &[Value], limits: Limits) -> Client {
    let server = Server::new(Arc::new(Collector::new(inventory(entries), limits)));
    let (ours, theirs) = tokio::io::duplex(256 * 1024);
    tokio::spawn(server.serve(theirs, CancellationToken::new()));
    ().serve(ours).await.unwrap()
}

async fn call_raw(client: &Client, tool: &str, arguments: Value) -> CallToolResult {
    let mut params = CallToolRequestParams::new(tool.to_owned());
    if let Value::Object(arguments) = arguments {
        params = params.with_arguments(arguments);
    }
    let answer = tokio::time::timeout(PATIENCE, client.call_tool(params)).await;
    answer
        .unwrap_or_else(|_| panic!("{tool} gave no answer"))
        .unwrap()
}

/// The envelope of a call that is expected to be well formed.
async fn call(client: &Client, tool: &str, arguments: Value) -> Value {
    let result = call_raw(client, tool, arguments).await;
    assert_eq!(result.is_error, Some(false), "{tool}: {:?}", result.content);
    let answer = result.structured_content.expect("structured content");
    let text = result.content[0].as_text().expect("text content").text.clone();
    assert_eq!(
        serde_json::from_str::<Value>(&text).unwrap(),
        answer,
        "text and structure are the same"
    );
    answer
}

/// Recorded files of the contract, or `None` (and a word) where they are not.
fn recorded(file: &str) -> Option<Value> {
    let shared =
        std::env::var_os("NOCTUI_SHARED").map_or_else(|| "../shared".into(), std::path::PathBuf::from);
    match std::fs::read_to_string(shared.join("gnmibuddy").join(file)) {
        Ok(text) => Some(serde_json::from_str(&text).unwrap()),
        Err(_) => {
            println!("skipped: no recorded {file}");
            None
        }
    }
}
