//! A language model's place taken by answers written beforehand: a small server that speaks Chat Completions.
//!
//! It knows the role from the system message and the step from the page, and answers as a good engineer would.
//! Each answer can be spoilt once, to see what the program does about it.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

/// The server; it ends with the test's process.
pub struct Peer {
    pub url: String,
    roles: Arc<Mutex<Vec<String>>>,
}

impl Peer {
    /// Starts it. The first answer of the role `spoilt` is cut off near its beginning.
    pub fn start(spoilt: &'static str) -> Self {
        Self::serving(move |socket, seen| serve(socket, seen, spoilt))
    }

    /// One that refuses every key, and quotes it.
    pub fn refusing() -> Self {
        Self::serving(|mut socket, seen| {
            let Some((head, _)) = read_request(&mut socket) else {
                return;
            };
            seen.lock().unwrap().push("refused".into());
            let key = head
                .lines()
                .find(|l| l.to_lowercase().starts_with("authorization:"));
            let body = json!({"error": {"message": format!("no such key: {}", key.unwrap_or_default())}})
                .to_string();
            let head = format!(
                "HTTP/1.1 401 Unauthorized\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                body.len()
            );
            let _ = socket.write_all(format!("{head}{body}").as_bytes());
        })
    }

    fn serving(answer: impl Fn(TcpStream, &Mutex<Vec<String>>) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let roles: Arc<Mutex<Vec<String>>> = Arc::default();
        let seen = Arc::clone(&roles);
        let answer = Arc::new(answer);
        std::thread::spawn(move || {
            for socket in listener.incoming() {
                let (seen, answer) = (Arc::clone(&seen), Arc::clone(&answer));
                std::thread::spawn(move || answer(socket.unwrap(), &seen));
            }
        });
        Self { url, roles }
    }

    /// The roles that asked, in order.
    pub fn roles(&self) -> Vec<String> {
        self.roles.lock().unwrap().clone()
    }
}

fn serve(mut socket: TcpStream, seen: &Mutex<Vec<String>>, spoilt: &str) {
    let Some((_, request)) = read_request(&mut socket) else {
        return;
    };
    let (system, page) = (text(&request, "system"), text(&request, "user"));
    let role = system.split("# Role: ").nth(1).and_then(|t| t.lines().next());
    let role = role.unwrap_or("nobody").to_owned();
    let side = system
        .split("# Your side: ")
        .nth(1)
        .and_then(|t| t.lines().next());
    let first = {
        let mut seen = seen.lock().unwrap();
        let first = !seen.contains(&role);
        seen.push(side.map_or(role.clone(), |side| format!("{role} {side}")));
        first
    };
    let mut delta = answer(&role, &page, turns(&request));
    if first
        && role == spoilt
        && let Some(content) = delta["content"].as_str()
    {
        delta["content"] = content[..content.len().min(60)].into();
    }
    let sent = request.to_string().len() / 4;
    let made = delta.to_string().len() / 4;
    let finish = if delta["tool_calls"].is_array() {
        "tool_calls"
    } else {
        "stop"
    };
    let chunks = [
        json!({"model": "beforehand", "choices": [{"index": 0, "delta": delta}]}),
        json!({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}),
        json!({"choices": [], "usage": {"prompt_tokens": sent, "completion_tokens": made}}),
    ];
    let mut body: String = chunks.iter().map(|c| format!("data: {c}\n\n")).collect();
    body.push_str("data: [DONE]\n\n");
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    let _ = socket.write_all(head.as_bytes());
    let _ = socket.write_all(body.as_bytes());
}

/// The head and the JSON of a request.
fn read_request(socket: &mut TcpStream) -> Option<(String, Value)> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 8192];
    loop {
        let n = socket.read(&mut chunk).ok().filter(|n| *n > 0)?;
        bytes.extend_from_slice(&chunk[..n]);
        let text = String::from_utf8_lossy(&bytes);
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let length = head.lines().find_map(|l| {
            l.to_lowercase()
                .strip_prefix("content-length:")
                .map(str::to_owned)
        })?;
        if body.len() >= length.trim().parse().ok()? {
            return Some((head.to_owned(), serde_json::from_str(body).ok()?));
        }
    }
}

fn text(request: &Value, role: &str) -> String {
    let messages = request["messages"].as_array().unwrap();
    let found = messages.iter().find(|m| m["role"] == role);
    found
        .and_then(|m| m["content"].as_str())
        .unwrap_or_default()
        .to_owned()
}

/// How often tools were called in the conversation so far.
fn turns(request: &Value) -> usize {
    let messages = request["messages"].as_array().unwrap();
    messages.iter().filter(|m| m["tool_calls"].is_array()).count()
}

fn answer(role: &str, page: &str, turns: usize) -> Value {
    match role {
        "executor" => execute(page, turns),
        "reader" => say(json!({"intent": "check_bgp_neighbors",
            "objective": "Find out why a BGP neighbour of xrd-1 is down.",
            "result_requirement": "The faulty session and the kind of fault, with evidence.",
            "devices": ["xrd-1"], "roles": [], "patterns": [], "whole_network": false, "vrfs": [], "interfaces": [],
            "protocols": ["bgp"], "peers": [], "minutes_back": 60, "wants_change": false, "unclear": []})),
        "planner" => {
            let step = |title: &str,
                        instruction: &str,
                        kind: &str,
                        over: &str,
                        devices: Value,
                        because: &str| {
                json!({"title": title, "instruction": instruction, "kind": kind, "source": "", "over": over,
                    "devices": devices, "aspects": ["bgp"], "because": [because]})
            };
            say(
                json!({"thinking": "The session itself first, then its other end.",
                "objective": "Find out why a BGP neighbour of xrd-1 is down.", "strategy": "conservative",
                "rationale": "A session has two ends.", "steps": [
                    step("BGP sessions", "Read all BGP sessions with details.", "instruction", "targets", json!([]), "runbook:1"),
                    step("The other end", "Read the BGP sessions of the reflector.", "instruction", "devices",
                        json!(["xrd-7"]), "runbook:7"),
                    step("Conclude", "Nothing more is to be read.", "conclude", "network", json!([]), "own")]}),
            )
        }
        "critic" | "specialist" => say(
            json!({"thinking": "Both ends are read.", "verdict": "pass", "confidence": 0.9,
            "missing": [], "next_search": [], "risk_flags": []}),
        ),
        "perceiver" => say(
            json!({"local_goal_achieved": true, "local_reasoning": "The sessions were read.",
            "original_goal_achieved": false, "original_reasoning": "Both ends must be compared.",
            "summary": "The sessions were read [E2].", "confidence": 0.7, "replan": ""}),
        ),
        "assessor" => say(
            json!({"objective_met": true, "reasoning": "Both ends were read [E2].", "confidence": 0.9,
            "tool_limitations": [], "notes_for_report": [], "next": "report", "feedback": ""}),
        ),
        "reporter" => say(
            json!({"headline": "xrd-1: the session to its route reflector is misconfigured.",
            "body": "The session of xrd-1 to the route reflector is not established [E2]."}),
        ),
        _ => say(json!("nobody asked me")),
    }
}

fn say(answer: Value) -> Value {
    json!({"role": "assistant", "content": answer.to_string()})
}

fn execute(page: &str, turns: usize) -> Value {
    let device = page
        .split("## The step, on ")
        .nth(1)
        .and_then(|t| t.lines().next())
        .unwrap_or_default();
    let (name, arguments) = if turns == 0 {
        let arguments = json!({"device_name": device, "protocol": "bgp", "include_details": true});
        ("gnmi_get_routing_info", arguments)
    } else {
        (
            "finish_step",
            json!({"summary": format!("The sessions of {device} were read [E2].")}),
        )
    };
    let function = json!({"name": name, "arguments": arguments.to_string()});
    json!({"role": "assistant", "content": null,
        "tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": function}]})
}
