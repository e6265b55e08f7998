//! A gated fake server: plays one script a request over a raw socket, so that any byte can be wrong.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use noctui::llm::{
    ChatRequest, Delta, Dialect, Message, ModelRef, Provider, ProviderConfig, SecretSource, Timeouts,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::Semaphore,
};

/// One thing the server does.
#[derive(Clone)]
pub enum Step {
    Send(Vec<u8>),
    /// Waits until the test opens the gate once.
    Gate,
    /// Waits until the client closes, then counts it in `closed`.
    AwaitClose,
    /// Closes with a TCP reset instead of an orderly end.
    Reset,
}

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Request line and headers, lower-cased names as sent.
    pub head: String,
    pub body: String,
}

pub struct Fake {
    pub url: String,
    pub seen: Arc<Mutex<Vec<Seen>>>,
    gate: Arc<Semaphore>,
    closed: Arc<Semaphore>,
    served: Arc<AtomicUsize>,
}

impl Fake {
    /// Serves the scripts in order, one a request; further requests get the last one again.
    pub async fn start(scripts: Vec<Vec<Step>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let fake = Self {
            url,
            seen: Arc::default(),
            gate: Arc::new(Semaphore::new(0)),
            closed: Arc::new(Semaphore::new(0)),
            served: Arc::default(),
        };
        let (seen, gate, closed, served) = (
            Arc::clone(&fake.seen),
            Arc::clone(&fake.gate),
            Arc::clone(&fake.closed),
            Arc::clone(&fake.served),
        );
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let n = served.fetch_add(1, Ordering::SeqCst);
                let script = scripts[n.min(scripts.len() - 1)].clone();
                tokio::spawn(play(
                    socket,
                    script,
                    Arc::clone(&seen),
                    Arc::clone(&gate),
                    Arc::clone(&closed),
                ));
            }
        });
        fake
    }

    pub fn open_gate(&self) {
        self.gate.add_permits(1);
    }

    /// Returns when a client has closed on a script's `AwaitClose`.
    pub async fn client_closed(&self) {
        self.closed.acquire().await.unwrap().forget();
    }

    pub fn requests(&self) -> usize {
        self.seen.lock().unwrap().len()
    }

    pub fn seen(&self, n: usize) -> Seen {
        self.seen.lock().unwrap()[n].clone()
    }

    /// A model at this server, with a key and little patience.
    pub fn provider(&self, dialect: Dialect) -> Provider {
        let config = ProviderConfig {
            key: Some(SecretSource::Command(vec!["echo".into(), KEY.into()])),
            ..ProviderConfig::local(&self.url, dialect)
        };
        provider(config)
    }
}

pub const KEY: &str = "k3y-of-the-test";

pub fn model() -> ModelRef {
    "fake/m".parse().unwrap()
}

pub fn provider(config: ProviderConfig) -> Provider {
    Provider::new(&model(), config, impatient()).unwrap()
}

pub fn impatient() -> Timeouts {
    Timeouts {
        connect_s: 2.0,
        first_token_s: 2.0,
        idle_s: 2.0,
        total_s: 20.0,
    }
}

pub fn request() -> ChatRequest {
    ChatRequest::new("planner", vec![Message::system("s"), Message::user("u")], 50)
}

pub fn ignore(_: Delta) {}

async fn play(
    mut socket: TcpStream,
    script: Vec<Step>,
    seen: Arc<Mutex<Vec<Seen>>>,
    gate: Arc<Semaphore>,
    closed: Arc<Semaphore>,
) {
    let Some(request) = read_request(&mut socket).await else {
        return;
    };
    seen.lock().unwrap().push(request);
    for step in script {
        match step {
            Step::Send(bytes) => {
                if socket.write_all(&bytes).await.is_err() {
                    return;
                }
            }
            Step::Gate => gate.acquire().await.unwrap().forget(),
            Step::AwaitClose => {
                let mut rest = [0; 64];
                while matches!(socket.read(&mut rest).await, Ok(n) if n > 0) {}
                closed.add_permits(1);
            }
            Step::Reset => {
                socket.set_zero_linger().unwrap();
                return;
            }
        }
    }
    let _ = socket.shutdown().await;
}

async fn read_request(socket: &mut TcpStream) -> Option<Seen> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    let end = loop {
        let n = socket.read(&mut chunk).await.ok().filter(|n| *n > 0)?;
        bytes.extend_from_slice(&chunk[..n]);
        if let Some(at) = bytes.windows(4).position(|w| w == b"\r\n\r\n") {
            break at + 4;
        }
    };
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let length: usize = head
        .lines()
        .find_map(|l| {
            l.to_lowercase()
                .strip_prefix("content-length:")
                .map(|v| v.trim().parse().unwrap())
        })
        .unwrap_or(0);
    while bytes.len() < end + length {
        let n = socket.read(&mut chunk).await.ok().filter(|n| *n > 0)?;
        bytes.extend_from_slice(&chunk[..n]);
    }
    let body = String::from_utf8(bytes[end..].to_vec()).unwrap();
    Some(Seen { head, body })
}

/// The start of a streamed answer.
pub fn stream_head() -> Step {
    Step::Send(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n"
            .to_vec(),
    )
}

/// One HTTP chunk.
pub fn chunk(bytes: &[u8]) -> Step {
    let mut out = format!("{:x}\r\n", bytes.len()).into_bytes();
    out.extend_from_slice(bytes);
    out.extend_from_slice(b"\r\n");
    Step::Send(out)
}

pub fn last_chunk() -> Step {
    Step::Send(b"0\r\n\r\n".to_vec())
}

/// A whole response with a length.
pub fn response(status: &str, headers: &str, body: &str) -> Vec<Step> {
    let text = format!(
        "HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n{headers}\r\n{body}",
        body.len()
    );
    vec![Step::Send(text.into_bytes())]
}

pub fn json_response(body: &str) -> Vec<Step> {
    response("200 OK", "content-type: application/json\r\n", body)
}

/// An event of text in a dialect.
pub fn text_event(dialect: Dialect, text: &str) -> String {
    let text = serde_json::json!(text);
    match dialect {
        Dialect::OpenAi => {
            format!("data: {{\"model\":\"m-1\",\"choices\":[{{\"delta\":{{\"content\":{text}}}}}]}}\n\n")
        }
        Dialect::Anthropic => format!(
            "event: content_block_delta\ndata: {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{{\"type\":\"text_delta\",\"text\":{text}}}}}\n\n"
        ),
    }
}

/// The events that end an answer: 10 tokens in, 2 out.
pub fn end_events(dialect: Dialect) -> String {
    match dialect {
        Dialect::OpenAi => "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n\
             data: {\"choices\":[],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":2}}\n\ndata: [DONE]\n\n"
            .into(),
        Dialect::Anthropic => "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\
             \"usage\":{\"input_tokens\":10,\"output_tokens\":2}}\n\ndata: {\"type\":\"message_stop\"}\n\n"
            .into(),
    }
}

/// A complete streamed answer.
pub fn answer(dialect: Dialect, text: &str) -> Vec<Step> {
    let body = format!("{}{}", text_event(dialect, text), end_events(dialect));
    vec![stream_head(), chunk(body.as_bytes()), last_chunk()]
}
