//! Where a screen's events come from and where the human's words go.
//!
//! A live session, a recorded one and a remote one are the same to the screen: something that yields
//! [`Feed`]s and takes [`Say`]s. [`Desk`] is the counter one level up: it opens sessions and keeps the old
//! ones. The rooms that know runtimes and journals implement both; this module only names them.

use std::sync::Arc;

use async_trait::async_trait;
use tokio::sync::watch;

use crate::agent::event::Recorded;
use crate::agent::model::{Answer, Query, QuestionId, SessionId, Steering, Timestamp};

/// One piece of news about a session.
#[derive(Debug, Clone, PartialEq)]
pub enum Feed {
    /// An event; in order, without gaps, never dropped.
    Event(Arc<Recorded>),
    /// Text as a role writes it; may be dropped.
    Delta {
        /// Planner, critic, executor, …
        role: String,
        /// The next words.
        text: String,
    },
    /// Progress of something long; may be dropped.
    Progress {
        /// Fraction 0..1, where known.
        fraction: Option<f64>,
        /// A few words.
        text: String,
    },
    /// The state of the MCP servers, whenever it changes.
    Servers(Vec<ServerRow>),
    /// The session cannot go on: why, and what to do.
    Broken(String),
    /// Nothing more will come.
    Closed,
}

/// What the human says to a session.
#[derive(Debug, Clone, PartialEq)]
pub enum Say {
    /// An answer to a question.
    Answer(QuestionId, Answer),
    /// A word without being asked.
    Steer(Steering),
}

/// A running session.
#[async_trait]
pub trait Source: Send + Sync {
    /// The next news. Safe to drop and call again: nothing is lost.
    async fn next(&mut self) -> Feed;
    /// The mouth of the session, usable while [`Source::next`] waits.
    fn voice(&self) -> Arc<dyn Voice>;
}

/// Takes the human's words.
#[async_trait]
pub trait Voice: Send + Sync {
    /// Hands the words over.
    ///
    /// # Errors
    /// One line: why they could not be taken.
    async fn say(&self, say: Say) -> Result<(), String>;
}

/// How an MCP server is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerHealth {
    /// Not ready yet.
    Starting,
    /// Answers.
    Ready,
    /// Gone or failed.
    Failed,
    /// Switched off in the configuration.
    Disabled,
}

/// One MCP server as the screen shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerRow {
    /// Its name in the configuration.
    pub name: String,
    /// Its health.
    pub health: ServerHealth,
    /// How many tools it offers.
    pub tools: usize,
    /// What it said last on its standard error, or why it failed.
    pub last_line: Option<String>,
}

/// One session in the browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRow {
    /// Its id.
    pub id: SessionId,
    /// The name somebody gave it.
    pub name: Option<String>,
    /// What was asked.
    pub query: String,
    /// When it was opened.
    pub opened: Timestamp,
    /// What it found, in a line.
    pub found: String,
    /// How it ended, or that it can go on.
    pub ended: String,
    /// Whether it can be resumed.
    pub open: bool,
}

/// A session just opened.
pub struct Opened {
    /// Its id in the journal.
    pub id: SessionId,
    /// Its news.
    pub source: Box<dyn Source>,
    /// The state of the MCP servers, where somebody watches it.
    pub servers: Option<watch::Receiver<Vec<ServerRow>>>,
}

/// What an export looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    /// Markdown.
    Markdown,
    /// One self-contained HTML page.
    Html,
    /// The report and evidence as JSON.
    Json,
}

impl ExportFormat {
    /// The file ending.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Html => "html",
            Self::Json => "json",
        }
    }
}

/// What the set-up asks for. An empty text leaves what is in force.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answers {
    /// Path of the inventory of devices.
    pub inventory: String,
    /// Who reasons.
    pub thinker: Thinker,
    /// Name of a theme.
    pub theme: String,
}

/// Who reasons, as the set-up asks for it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Thinker {
    /// The built-in rules: no model, no key, no network.
    #[default]
    Rules,
    /// A language model.
    Model {
        /// Where its API begins.
        base_url: String,
        /// Its name there.
        name: String,
        /// The environment variable that holds the key; empty when none is needed.
        key_env: String,
    },
}

/// Opens sessions and keeps the old ones. Every error is one line for the screen.
#[async_trait]
pub trait Desk: Send + Sync {
    /// Opens a session.
    async fn open(&self, query: Query) -> Result<Opened, String>;
    /// The sessions there are, newest first.
    async fn sessions(&self) -> Result<Vec<SessionRow>, String>;
    /// Goes on with a session that has not ended.
    async fn resume(&self, id: &SessionId) -> Result<Opened, String>;
    /// Everything that happened in a session.
    async fn recording(&self, id: &SessionId) -> Result<Vec<Recorded>, String>;
    /// Gives a session a name.
    async fn rename(&self, id: &SessionId, name: &str) -> Result<(), String>;
    /// Deletes a session.
    async fn delete(&self, id: &SessionId) -> Result<(), String>;
    /// Writes the session out, secrets redacted.
    async fn export(&self, id: &SessionId, format: ExportFormat) -> Result<String, String>;
    /// Writes the answers of the set-up into the user's settings; returns what to tell about it.
    async fn configure(&self, answers: Answers) -> Result<String, String>;
}
