//! One live MCP session, used for calls with deadlines, cancellation and progress.
//!
//! It knows neither pool nor restart; when it breaks it says so and is thrown away. `handshake` makes it.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, CancelledNotification,
    CancelledNotificationParam, ClientRequest, ContentBlock, JsonObject, PaginatedRequestParams, PingRequest,
    ProgressNotificationParam, RequestId, ServerResult, Tool,
};
use rmcp::service::{Peer, PeerRequestOptions, RequestHandle, RoleClient, ServiceError};
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::client::Session;
use super::events::{Ask, Progress};
use super::process::OVERSIZED;
use crate::agent::model::ErrorKind;
use crate::tools::failure::{Failure, one_line};

/// Most pages and tools taken from a server: more is a server gone wrong.
const MOST_PAGES: usize = 50;
const MOST_TOOLS: usize = 1000;

/// How long a courtesy message to the server may take.
const COURTESY: Duration = Duration::from_millis(200);

/// One call as the hub sees it. Dropping the call's future takes it back.
#[derive(Debug)]
pub struct HubCall {
    /// Server by name.
    pub server: String,
    /// Tool by its name on that server.
    pub tool: String,
    /// Arguments.
    pub arguments: JsonObject,
    /// Longest silence; the server's default when `None`. The whole may take ten times as long.
    pub timeout: Option<Duration>,
    /// Where progress goes; the newest may be dropped.
    pub progress: Option<mpsc::Sender<Progress>>,
    /// Where questions of the server go; without it they are declined.
    pub asks: Option<mpsc::Sender<Ask>>,
}

/// The part of a session that calls use.
pub(super) struct Connection {
    pub(super) peer: Peer<RoleClient>,
    pub(super) session: Arc<Session>,
}

/// All tools of a server, up to a sane number.
pub(super) async fn list_tools(peer: &Peer<RoleClient>) -> Result<Vec<Tool>, ServiceError> {
    let mut tools = Vec::new();
    let mut cursor = None;
    for _ in 0..MOST_PAGES {
        let page = peer
            .list_tools(Some(PaginatedRequestParams::default().with_cursor(cursor)))
            .await?;
        tools.extend(page.tools);
        cursor = page.next_cursor;
        if cursor.is_none() || tools.len() >= MOST_TOOLS {
            break;
        }
    }
    tools.truncate(MOST_TOOLS);
    Ok(tools)
}

impl Connection {
    /// Whether the server still answers a ping within the limit.
    pub(super) async fn answers(&self, within: Duration) -> bool {
        let ping = self
            .peer
            .send_request(ClientRequest::PingRequest(PingRequest::default()));
        match tokio::time::timeout(within, ping).await {
            // A server without ping that says so is alive all the same.
            Ok(Ok(_) | Err(ServiceError::McpError(_))) => true,
            Ok(Err(_)) | Err(_) => false,
        }
    }

    /// The tools as they are now.
    pub(super) async fn tools(&self) -> Result<Vec<Tool>, ServiceError> {
        list_tools(&self.peer).await
    }

    /// Runs one call. Progress of the server and open questions to the human extend the deadline.
    pub(super) async fn call(&self, call: &HubCall, timeout: Duration) -> Result<CallToolResult, Failure> {
        let params = CallToolRequestParams::new(call.tool.clone()).with_arguments(call.arguments.clone());
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let sent = self
            .peer
            .send_request_with_option(request, PeerRequestOptions::no_options());
        let handle = match tokio::time::timeout(timeout, sent).await {
            Ok(sent) => sent.map_err(|error| service_failure(call, &error))?,
            Err(_elapsed) => return Err(timed_out(call, timeout)),
        };
        let (_route, reports) = self
            .session
            .routes
            .register(handle.progress_token.clone(), call.asks.clone());
        let mut pending = Pending { handle: Some(handle) };
        let answer = self.wait(&mut pending, call, timeout, reports).await;
        match answer {
            Wait::Answered(answer) => {
                pending.handle = None;
                unwrap_answer(call, *answer)
            }
            Wait::TimedOut => {
                pending.take_back("deadline passed").await;
                Err(timed_out(call, timeout))
            }
        }
    }

    async fn wait(
        &self,
        pending: &mut Pending,
        call: &HubCall,
        timeout: Duration,
        mut reports: mpsc::Receiver<ProgressNotificationParam>,
    ) -> Wait {
        let Some(handle) = pending.handle.as_mut() else {
            return Wait::TimedOut;
        };
        let mut silent = Instant::now() + timeout;
        let mut whole = Instant::now() + timeout * 10;
        loop {
            tokio::select! {
                biased;
                answer = &mut handle.rx => {
                    return Wait::Answered(Box::new(answer.unwrap_or(Err(ServiceError::TransportClosed))));
                }
                Some(report) = reports.recv() => {
                    silent = Instant::now() + timeout;
                    pass_on(call, report);
                }
                () = tokio::time::sleep_until(silent.min(whole)) => {
                    if self.session.asking.load(Ordering::SeqCst) == 0 {
                        return Wait::TimedOut;
                    }
                    silent = Instant::now() + timeout;
                    whole = Instant::now() + timeout * 10;
                }
            }
        }
    }
}

/// Gives a progress report to the caller, if it wants any.
fn pass_on(call: &HubCall, report: ProgressNotificationParam) {
    let progress = Progress {
        done: report.progress,
        total: report.total,
        message: report.message.as_deref().map(one_line),
    };
    // A full queue means that the caller hears plenty already.
    if let Some(sender) = &call.progress
        && sender.try_send(progress).is_err()
    {
        tracing::trace!(server = %call.server, "progress dropped");
    }
}

type Answer = Result<ServerResult, ServiceError>;

/// How the waiting for an answer ended.
enum Wait {
    Answered(Box<Answer>),
    TimedOut,
}

/// A request in flight; dropped unanswered, it tells the server to stop.
struct Pending {
    handle: Option<RequestHandle<RoleClient>>,
}

impl Pending {
    async fn take_back(&mut self, reason: &str) {
        if let Some(handle) = self.handle.take() {
            // A server that reads nothing any more must not hold up the caller.
            let cancel = handle.cancel(Some(reason.to_owned()));
            if tokio::time::timeout(COURTESY, cancel).await.is_err() {
                tracing::debug!("the server takes no cancellation");
            }
        }
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if let Some(handle) = self.handle.take()
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            let (peer, id) = (handle.peer.clone(), handle.id.clone());
            runtime.spawn(async move {
                let told = peer.send_notification(cancelled(id).into());
                if tokio::time::timeout(COURTESY, told).await.is_err() {
                    tracing::debug!("the server takes no cancellation");
                }
            });
        }
    }
}

fn cancelled(id: RequestId) -> CancelledNotification {
    CancelledNotification::new(CancelledNotificationParam::new(
        Some(id),
        Some("the caller is gone".to_owned()),
    ))
}

fn unwrap_answer(call: &HubCall, answer: Answer) -> Result<CallToolResult, Failure> {
    match answer {
        Ok(ServerResult::CallToolResult(result)) => Ok(result),
        Ok(ServerResult::EmptyResult(_)) => Ok(CallToolResult::success(Vec::<ContentBlock>::new())),
        Ok(_) => Err(Failure::new(
            ErrorKind::ExecutionFailed,
            format!(
                "server \"{}\" answered {} with something else than a tool result",
                call.server, call.tool
            ),
        )),
        Err(error) => Err(service_failure(call, &error)),
    }
}

fn timed_out(call: &HubCall, timeout: Duration) -> Failure {
    let message = format!(
        "{} on server \"{}\" did not answer within {:.1} s",
        call.tool,
        call.server,
        timeout.as_secs_f32()
    );
    Failure::new(ErrorKind::Timeout, message).with_hint("retry, or raise its timeout in mcp.json")
}

/// What an error of the protocol means.
fn service_failure(call: &HubCall, error: &ServiceError) -> Failure {
    match error {
        ServiceError::McpError(error) => {
            let said = one_line(&error.message);
            let lower = said.to_lowercase();
            let kind = match error.code.0 {
                OVERSIZED => ErrorKind::ResourceExhausted,
                -32_601 => ErrorKind::ToolNotFound,
                -32_602 if lower.contains("unknown tool") || lower.contains("not found") => {
                    ErrorKind::ToolNotFound
                }
                -32_602 => ErrorKind::InvalidParameter,
                _ => ErrorKind::ExecutionFailed,
            };
            Failure::new(
                kind,
                format!("{} on server \"{}\": {said}", call.tool, call.server),
            )
        }
        ServiceError::TransportClosed | ServiceError::TransportSend(_) => Failure::new(
            ErrorKind::ServiceUnavailable,
            format!("server \"{}\" went away during {}", call.server, call.tool),
        )
        .lost()
        .with_hint("it is being restarted: retry in a moment"),
        other => Failure::new(
            ErrorKind::ExecutionFailed,
            format!("{} on server \"{}\": {other}", call.tool, call.server),
        ),
    }
}
