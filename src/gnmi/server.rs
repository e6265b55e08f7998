//! The collector as an MCP server, on stdio or streamable HTTP.
//!
//! Answers go out twice, as structured content and as text, because clients read one or the other. A
//! tool that panics answers with an error instead of silence. On stdio nothing but MCP is written to
//! stdout; logging goes through `tracing`, which the command line sends to stderr or a file.

use super::collector::{Collector, Outcome, Progress, Spec, TOOLS};
use futures::FutureExt as _;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, Implementation,
    ListToolsResult, PaginatedRequestParams, ProgressNotificationParam, ProgressToken, ServerCapabilities,
    ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{Peer, RoleServer, ServerHandler, ServiceExt};
use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

const INSTRUCTIONS: &str = "Read-only access to the routers of an inventory over gNMI. get_devices lists them. A device's \
    failure is told in `status` and `error_response` of a normal answer. Ask several devices with the *_many tools, not \
    in a loop.";

/// Why the server stopped or could not start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The client and we did not agree at the start.
    #[error(
        "MCP handshake failed: {0}\n  - start `noctui gnmi serve` from an MCP client, or use --http ADDR"
    )]
    Handshake(String),
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}\n  - choose another address with --http")]
    Listen {
        /// What was asked for.
        address: SocketAddr,
        /// Why not.
        source: std::io::Error,
    },
    /// The HTTP server broke.
    #[error("the HTTP server stopped: {0}\n  - start it again")]
    Http(std::io::Error),
}

/// The collector behind MCP.
#[derive(Debug, Clone)]
pub struct Server {
    collector: Arc<Collector>,
    tools: Arc<Vec<Tool>>,
}

impl Server {
    /// Offers `collector`.
    pub fn new(collector: Arc<Collector>) -> Self {
        Self {
            collector,
            tools: Arc::new(TOOLS.iter().map(describe).collect()),
        }
    }

    /// Serves one client on stdin and stdout until it closes or `cancel` fires.
    ///
    /// # Errors
    /// [`ServeError::Handshake`] when the client does not speak MCP.
    pub async fn serve_stdio(self, cancel: CancellationToken) -> Result<(), ServeError> {
        self.serve(rmcp::transport::stdio(), cancel).await
    }

    /// Serves one client on any byte stream (a pipe in a test, a socket).
    ///
    /// # Errors
    /// [`ServeError::Handshake`] when the client does not speak MCP.
    pub async fn serve<T, E, A>(self, transport: T, cancel: CancellationToken) -> Result<(), ServeError>
    where
        T: rmcp::transport::IntoTransport<RoleServer, E, A>,
        E: std::error::Error + Send + Sync + 'static,
    {
        let running = match ServiceExt::serve_with_ct(self, transport, cancel).await {
            Ok(running) => running,
            Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => return Err(ServeError::Handshake(error.to_string())),
        };
        // However the session ended, the client is gone and there is nobody to tell.
        let _ = running.waiting().await;
        Ok(())
    }

    /// Serves streamable HTTP at `http://ADDRESS/mcp` until `cancel` fires. `listening` hears the bound
    /// address (port 0 picks one).
    ///
    /// # Errors
    /// [`ServeError::Listen`], [`ServeError::Http`].
    pub async fn serve_http(
        self,
        address: SocketAddr,
        cancel: CancellationToken,
        listening: impl FnOnce(SocketAddr),
    ) -> Result<(), ServeError> {
        let listener = tokio::net::TcpListener::bind(address)
            .await
            .map_err(|source| ServeError::Listen { address, source })?;
        let bound = listener
            .local_addr()
            .map_err(|source| ServeError::Listen { address, source })?;
        listening(bound);
        let mut config = StreamableHttpServerConfig::default();
        config.cancellation_token = cancel.child_token();
        if !bound.ip().is_loopback() {
            config.allowed_hosts.push(bound.to_string());
            config.allowed_hosts.push(bound.ip().to_string());
        }
        let service: StreamableHttpService<Self, LocalSessionManager> =
            StreamableHttpService::new(move || Ok(self.clone()), Arc::default(), config);
        let router = axum::Router::new().nest_service("/mcp", service);
        axum::serve(listener, router)
            .with_graceful_shutdown(async move { cancel.cancelled().await })
            .await
            .map_err(ServeError::Http)
    }
}

fn describe(spec: &Spec) -> Tool {
    let hints = ToolAnnotations::new()
        .read_only(true)
        .destructive(false)
        .idempotent(true)
        .open_world(false);
    Tool::new(spec.name, spec.description, spec.input_schema())
        .with_raw_output_schema(Arc::new(spec.output_schema()))
        .with_annotations(hints)
}

/// Sends progress notifications to the client that asked for them.
struct Notifier {
    peer: Peer<RoleServer>,
    token: Option<ProgressToken>,
}

impl Progress for Notifier {
    fn report(&self, done: usize, total: usize, message: &str) {
        let Some(token) = self.token.clone() else { return };
        let peer = self.peer.clone();
        let note = ProgressNotificationParam::new(token, done as f64)
            .with_total(total as f64)
            .with_message(message);
        // A client that does not listen must not slow the tool down.
        tokio::spawn(async move { peer.notify_progress(note).await });
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("noctui-gnmi", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.to_vec()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools.iter().find(|t| t.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let notifier = Notifier {
            peer: context.peer.clone(),
            token: context.meta.get_progress_token(),
        };
        let arguments = request.arguments.unwrap_or_default();
        let call = self.collector.call(&request.name, &arguments, &notifier);
        tokio::select! {
            result = guard(&request.name, call) => Ok(result.into()),
            () = context.ct.cancelled() => Err(ErrorData::internal_error("the call was cancelled", None)),
        }
    }
}

/// Runs a call to its result; a panic becomes a result too, because a client waits for one.
async fn guard(tool: &str, call: impl Future<Output = Outcome>) -> CallToolResult {
    match AssertUnwindSafe(call).catch_unwind().await {
        Ok(Outcome::Answer(answer)) => CallToolResult::structured(answer),
        Ok(Outcome::Refused(why)) => CallToolResult::error(vec![ContentBlock::text(why)]),
        Err(_) => {
            tracing::error!(tool, "tool panicked");
            let text = format!("{tool}: internal error in the collector; other tools still work");
            CallToolResult::error(vec![ContentBlock::text(text)])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_is_an_answer() {
        let result = guard("gnmi_get", async { panic!("a defect in a parser") }).await;
        assert_eq!(result.is_error, Some(true));
        let text = &result.content[0].as_text().unwrap().text;
        assert!(
            text.starts_with("gnmi_get: internal error") && !text.contains("parser"),
            "{text}"
        );
    }
}
