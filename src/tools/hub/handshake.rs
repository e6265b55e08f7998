//! From a spec to a live session: the process is started or the endpoint reached, hands are shaken, tools listed.
//!
//! Whatever goes wrong here is told with the command or address, the exit status and the server's last words.
//! It tries once; trying again is the worker's.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::model::Tool;
use rmcp::service::{ClientInitializeError, RoleClient, RunningService, ServiceError};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;

use super::client::{Client, Session};
use super::connection::{Connection, list_tools};
use super::process::{Diagnostics, Process};
use super::spec::{HttpEndpoint, Link, ServerSpec, StdioCommand};
use crate::agent::model::ErrorKind;
use crate::tools::failure::Failure;

/// A connected server with its tools.
pub(super) struct Connected {
    pub(super) connection: Arc<Connection>,
    pub(super) service: RunningService<RoleClient, Client>,
    pub(super) process: Option<Process>,
    pub(super) tools: Vec<Tool>,
}

/// Connects, shakes hands and lists the tools, all within the start timeout.
pub(super) async fn connect(spec: &ServerSpec, diagnostics: &Arc<Diagnostics>) -> Result<Connected, Failure> {
    let session = Arc::new(Session::default());
    let client = Client {
        server: spec.name.clone(),
        session: Arc::clone(&session),
    };
    match &spec.link {
        Link::Stdio(command) => connect_stdio(spec, command, client, session, diagnostics).await,
        Link::Http(endpoint) => connect_http(spec, endpoint, client, session).await,
    }
}

async fn connect_stdio(
    spec: &ServerSpec,
    command: &StdioCommand,
    client: Client,
    session: Arc<Session>,
    diagnostics: &Arc<Diagnostics>,
) -> Result<Connected, Failure> {
    let (process, source, stdin) = Process::spawn(command, spec.max_message, diagnostics)
        .map_err(|error| cannot_spawn(&spec.name, command, &error))?;
    let started = async {
        let service = client
            .serve((source, stdin))
            .await
            .map_err(|error| Start::Handshake(Box::new(error)))?;
        let tools = list_tools(service.peer()).await.map_err(Start::Listing)?;
        Ok::<_, Start>((service, tools))
    };
    let failed = match tokio::time::timeout(spec.start_timeout, started).await {
        Ok(Ok((service, tools))) => return Ok(connected(service, session, Some(process), tools)),
        Ok(Err(start)) => start,
        Err(_elapsed) => Start::Silent,
    };
    // A process that is leaving gets a moment, so that its exit status and last words can be told.
    let grace = if matches!(failed, Start::Silent) {
        Duration::ZERO
    } else {
        Duration::from_millis(500)
    };
    let status = process.end(grace).await;
    Err(start_failure(spec, command, &failed, status, diagnostics))
}

async fn connect_http(
    spec: &ServerSpec,
    endpoint: &HttpEndpoint,
    client: Client,
    session: Arc<Session>,
) -> Result<Connected, Failure> {
    // A second installation finds the first one and says so: that is fine.
    let _already = rustls::crypto::ring::default_provider().install_default();
    let mut headers = HashMap::new();
    for (name, value) in &endpoint.headers {
        let (Ok(name), Ok(value)) = (name.parse(), value.parse()) else {
            let message = format!(
                "server \"{}\": header \"{name}\" is not a valid HTTP header",
                spec.name
            );
            return Err(Failure::new(ErrorKind::Configuration, message).with_hint("correct it in mcp.json"));
        };
        headers.insert(name, value);
    }
    let config = StreamableHttpClientTransportConfig::with_uri(endpoint.url.as_str())
        .custom_headers(headers)
        .max_sse_event_size(spec.max_message);
    let started = async {
        let transport = StreamableHttpClientTransport::from_config(config);
        let service = client
            .serve(transport)
            .await
            .map_err(|error| Start::Handshake(Box::new(error)))?;
        let tools = list_tools(service.peer()).await.map_err(Start::Listing)?;
        Ok::<_, Start>((service, tools))
    };
    match tokio::time::timeout(spec.start_timeout, started).await {
        Ok(Ok((service, tools))) => Ok(connected(service, session, None, tools)),
        Ok(Err(start)) => {
            let message = format!("server \"{}\" at {}: {}", spec.name, endpoint.url, start.reason());
            Err(Failure::new(ErrorKind::Network, message).with_hint("check the url and headers in mcp.json"))
        }
        Err(_elapsed) => {
            let message = format!(
                "server \"{}\" at {} did not answer within {} s",
                spec.name,
                endpoint.url,
                spec.start_timeout.as_secs()
            );
            Err(Failure::new(ErrorKind::Network, message)
                .with_hint("check that it is an MCP endpoint and is up"))
        }
    }
}

fn connected(
    service: RunningService<RoleClient, Client>,
    session: Arc<Session>,
    process: Option<Process>,
    tools: Vec<Tool>,
) -> Connected {
    let connection = Arc::new(Connection {
        peer: service.peer().clone(),
        session,
    });
    Connected {
        connection,
        service,
        process,
        tools,
    }
}

/// Why a start failed.
enum Start {
    Handshake(Box<ClientInitializeError>),
    Listing(ServiceError),
    Silent,
}

impl Start {
    fn reason(&self) -> String {
        match self {
            Self::Handshake(error) => format!("handshake failed: {error}"),
            Self::Listing(error) => format!("listing its tools failed: {error}"),
            Self::Silent => "no answer".to_owned(),
        }
    }
}

fn cannot_spawn(server: &str, command: &StdioCommand, error: &io::Error) -> Failure {
    let program = &command.command;
    let (what, hint) = match (error.kind(), &command.cwd) {
        (_, Some(cwd)) if !cwd.is_dir() => (
            format!(
                "server \"{server}\": working directory {} does not exist",
                cwd.display()
            ),
            "correct \"cwd\" in mcp.json",
        ),
        (io::ErrorKind::NotFound, _) => (
            format!("server \"{server}\": command \"{program}\" not found"),
            "install it, or correct \"command\" in mcp.json",
        ),
        (io::ErrorKind::PermissionDenied, _) => (
            format!("server \"{server}\": command \"{program}\" is not executable"),
            "make it executable",
        ),
        _ => (
            format!("server \"{server}\": command \"{program}\" cannot start: {error}"),
            "run it by hand",
        ),
    };
    Failure::new(ErrorKind::Configuration, what).with_hint(hint)
}

fn start_failure(
    spec: &ServerSpec,
    command: &StdioCommand,
    start: &Start,
    status: Option<std::process::ExitStatus>,
    diagnostics: &Diagnostics,
) -> Failure {
    let said = diagnostics
        .stderr
        .last_words()
        .map(|line| format!("; stderr: {line}"))
        .unwrap_or_default();
    let noise = diagnostics
        .noise
        .last()
        .map(|line| format!("; stdout: {line}"))
        .unwrap_or_default();
    let what = match (start, status) {
        (Start::Silent, _) => {
            format!(
                "did not finish its handshake within {} s",
                spec.start_timeout.as_secs_f32()
            )
        }
        (_, Some(status)) => format!("ended at start ({status})"),
        (other, None) => other.reason(),
    };
    let by_hand = std::iter::once(command.command.as_str()).chain(command.args.iter().map(String::as_str));
    Failure::new(
        ErrorKind::ServiceUnavailable,
        format!("server \"{}\" {what}{said}{noise}", spec.name),
    )
    .with_hint(format!(
        "run it by hand: {}",
        by_hand.collect::<Vec<_>>().join(" ")
    ))
}
