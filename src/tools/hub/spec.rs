//! What the hub needs to know about one MCP server: how to reach it, how many processes, which deadlines.
//!
//! Plain data; parsing `mcp.json` is the settings' work. Debug output hides values of `env` and `headers`.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// One MCP server.
#[derive(Debug, Clone)]
pub struct ServerSpec {
    /// Name, unique in the hub and without a dot: it is the first half of a capability id.
    pub name: String,
    /// How to reach it.
    pub link: Link,
    /// How many processes, and how many calls each takes at once.
    pub pool: Pool,
    /// Longest time from spawn to a listed set of tools.
    pub start_timeout: Duration,
    /// Longest silence of a call; progress and open questions extend it.
    pub call_timeout: Duration,
    /// Largest single message accepted, bytes; a larger answer fails its call.
    pub max_message: usize,
}

impl ServerSpec {
    /// A server that is a child process speaking over stdio, with default deadlines.
    pub fn stdio(name: impl Into<String>, command: impl Into<String>, args: Vec<String>) -> Self {
        let command = StdioCommand {
            command: command.into(),
            args,
            env: BTreeMap::new(),
            cwd: None,
        };
        Self::with_link(name, Link::Stdio(command))
    }

    /// A server reached over streamable HTTP, with default deadlines.
    pub fn http(name: impl Into<String>, url: impl Into<String>, headers: BTreeMap<String, String>) -> Self {
        Self::with_link(
            name,
            Link::Http(HttpEndpoint {
                url: url.into(),
                headers,
            }),
        )
    }

    fn with_link(name: impl Into<String>, link: Link) -> Self {
        Self {
            name: name.into(),
            link,
            pool: Pool::default(),
            start_timeout: Duration::from_secs(30),
            call_timeout: Duration::from_secs(30),
            max_message: 16 * 1024 * 1024,
        }
    }

    /// Sets an environment variable of a stdio server; no effect on an HTTP one.
    #[must_use]
    pub fn env(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        if let Link::Stdio(command) = &mut self.link {
            command.env.insert(key.into(), value.into());
        }
        self
    }

    /// Sets the number of processes, each taking one call at a time: for servers that run calls serially.
    #[must_use]
    pub fn serial_processes(mut self, processes: usize) -> Self {
        self.pool = Pool {
            processes: processes.max(1),
            concurrency: 1,
        };
        self
    }
}

/// How to reach a server.
#[derive(Debug, Clone)]
pub enum Link {
    /// A child process, JSON-RPC over its stdin and stdout.
    Stdio(StdioCommand),
    /// Streamable HTTP.
    Http(HttpEndpoint),
}

/// A child process to start.
#[derive(Clone)]
pub struct StdioCommand {
    /// Program, looked up in `PATH` unless it has a slash.
    pub command: String,
    /// Arguments.
    pub args: Vec<String>,
    /// Variables added to the inherited ones; inherited variables whose names mark secrets are not passed on.
    pub env: BTreeMap<String, String>,
    /// Working directory; the current one by default.
    pub cwd: Option<PathBuf>,
}

impl fmt::Debug for StdioCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StdioCommand")
            .field("command", &self.command)
            .field("args", &crate::redaction::redact_text(&self.args.join(" ")))
            .field("env", &self.env.keys().collect::<Vec<_>>())
            .field("cwd", &self.cwd)
            .finish()
    }
}

/// A streamable HTTP endpoint.
#[derive(Clone)]
pub struct HttpEndpoint {
    /// Full URL of the endpoint.
    pub url: String,
    /// Headers sent with every request.
    pub headers: BTreeMap<String, String>,
}

impl fmt::Debug for HttpEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpEndpoint")
            .field("url", &crate::redaction::redact_text(&self.url))
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .finish()
    }
}

/// Parallelism of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pool {
    /// Processes at most; the first starts at once, the others when calls wait.
    pub processes: usize,
    /// Calls in flight per process; 1 for a server that runs calls one after the other.
    pub concurrency: usize,
}

impl Default for Pool {
    fn default() -> Self {
        Self {
            processes: 1,
            concurrency: 8,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_output_hides_values() {
        let spec = ServerSpec::stdio("x", "cmd", vec!["--password=SEKRIT".into()]).env("API_KEY", "SEKRIT");
        let http = ServerSpec::http(
            "y",
            "https://u:SEKRIT@h/mcp",
            BTreeMap::from([("authorization".into(), "Bearer SEKRIT".into())]),
        );
        let shown = format!("{spec:?} {http:?}");
        assert!(!shown.contains("SEKRIT"), "{shown}");
        assert!(shown.contains("API_KEY") && shown.contains("authorization"));
    }
}
