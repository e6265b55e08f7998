//! Our side of an MCP session: routes progress to its call, questions to the human, and list changes to the
//! supervisor. Sampling is refused: no server gets to use our model.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::handler::client::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction, ErrorData,
    Implementation, ProgressNotificationParam, ProgressToken,
};
use rmcp::service::{NotificationContext, RequestContext, RoleClient};
use serde_json::{Value, json};
use tokio::sync::{Notify, mpsc, oneshot};

use super::events::Ask;
use crate::agent::ports::Elicitation;
use crate::redaction::{Limits, clean_json, clean_text};

/// Longest question of a server, characters.
const QUESTION: Limits = Limits {
    line: 2000,
    text: 4000,
};

/// Where what a server says in the middle of a call goes.
#[derive(Debug, Default)]
pub(super) struct Routes(Mutex<Vec<Running>>);

/// A call in flight.
#[derive(Debug)]
struct Running {
    token: ProgressToken,
    progress: mpsc::Sender<ProgressNotificationParam>,
    asks: Option<mpsc::Sender<Ask>>,
}

impl Routes {
    /// Registers a call until the returned guard is dropped.
    pub(super) fn register(
        self: &Arc<Self>,
        token: ProgressToken,
        asks: Option<mpsc::Sender<Ask>>,
    ) -> (Route, mpsc::Receiver<ProgressNotificationParam>) {
        let (progress, receiver) = mpsc::channel(16);
        self.running().push(Running {
            token: token.clone(),
            progress,
            asks,
        });
        (
            Route {
                routes: Arc::clone(self),
                token,
            },
            receiver,
        )
    }

    fn running(&self) -> MutexGuard<'_, Vec<Running>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn progress_of(&self, token: &ProgressToken) -> Option<mpsc::Sender<ProgressNotificationParam>> {
        self.running()
            .iter()
            .find(|call| call.token == *token)
            .map(|call| call.progress.clone())
    }

    /// MCP over stdio does not say which call a question belongs to: the latest one that can ask gets it.
    fn asks(&self) -> Option<mpsc::Sender<Ask>> {
        self.running().iter().rev().find_map(|call| call.asks.clone())
    }
}

/// A registered call.
pub(super) struct Route {
    routes: Arc<Routes>,
    token: ProgressToken,
}

impl Drop for Route {
    fn drop(&mut self) {
        self.routes.running().retain(|call| call.token != self.token);
    }
}

/// What a session shares with its supervisor and its calls.
#[derive(Debug, Default)]
pub(super) struct Session {
    pub(super) routes: Arc<Routes>,
    /// Questions open at this moment: deadlines stand still while there are any.
    pub(super) asking: AtomicUsize,
    pub(super) tools_changed: Notify,
}

/// The handler that rmcp calls.
pub(super) struct Client {
    pub(super) server: String,
    pub(super) session: Arc<Session>,
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let capabilities = ClientCapabilities::builder().enable_elicitation().build();
        ClientConfig::new(
            capabilities,
            Implementation::new("noctui", env!("CARGO_PKG_VERSION")),
        )
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let (elicitation, wants_content) = elicitation(&self.server, request);
        let _open = Asking::open(&self.session);
        let answer = match self.session.routes.asks() {
            Some(asks) => ask(&asks, elicitation).await,
            None => None,
        };
        Ok(match answer {
            Some(content) if wants_content => {
                ElicitResult::new(ElicitationAction::Accept).with_content(content)
            }
            Some(_) => ElicitResult::new(ElicitationAction::Accept),
            None => ElicitResult::new(ElicitationAction::Decline),
        })
    }

    async fn on_progress(
        &self,
        progress: ProgressNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        let sender = self.session.routes.progress_of(&progress.progress_token);
        // A full queue means the call hears plenty already; the newest may be dropped.
        if let Some(sender) = sender
            && sender.try_send(progress).is_err()
        {
            tracing::trace!(server = %self.server, "progress dropped");
        }
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.session.tools_changed.notify_one();
    }
}

/// Hands a question over and waits for the answer; declined when nobody listens any more.
async fn ask(asks: &mpsc::Sender<Ask>, elicitation: Elicitation) -> Option<Value> {
    let (reply, answer) = oneshot::channel();
    asks.send((elicitation, reply)).await.ok()?;
    answer.await.ok().flatten()
}

/// The question in the agent's words, and whether its answer has content (a page to open has none).
fn elicitation(server: &str, request: ElicitRequestParams) -> (Elicitation, bool) {
    let page = json!({"type": "object", "properties": {}});
    let (message, mut schema, wants_content) = match request {
        ElicitRequestParams::FormElicitationParams {
            message,
            requested_schema,
            ..
        } => (
            message,
            serde_json::to_value(requested_schema).unwrap_or(page),
            true,
        ),
        ElicitRequestParams::UrlElicitationParams { message, url, .. } => (
            format!("{message}\nOpen {url} and confirm when done."),
            page,
            false,
        ),
        _ => (
            "the server asks in a way this version does not know".to_owned(),
            page,
            false,
        ),
    };
    clean_json(&mut schema, &QUESTION);
    let message = clean_text(&message, &QUESTION).into_owned();
    (
        Elicitation {
            server: server.to_owned(),
            message,
            schema,
        },
        wants_content,
    )
}

/// Counts an open question for as long as it lives.
struct Asking<'a>(&'a Session);

impl<'a> Asking<'a> {
    fn open(session: &'a Session) -> Self {
        session.asking.fetch_add(1, Ordering::SeqCst);
        Self(session)
    }
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.0.asking.fetch_sub(1, Ordering::SeqCst);
    }
}
