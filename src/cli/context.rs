//! What every subcommand is handed: the global flags and the background runtime.
//!
//! Both are made on first use, so that `noctui completions` neither reads files nor starts threads.

use std::future::Future;
use std::io::{IsTerminal, stderr, stdin, stdout};
use std::sync::OnceLock;
use std::time::Duration;

use tokio::runtime::{Builder, Handle, Runtime};

use super::{Failure, Globals};

/// How long tasks may take to end when a command is done.
const SHUTDOWN: Duration = Duration::from_secs(2);

/// Global flags and what is shared by all commands of one process.
#[derive(Debug)]
pub struct Context {
    /// The global flags as given.
    pub globals: Globals,
    runtime: OnceLock<Runtime>,
}

impl Context {
    /// A context for the given flags; nothing is read or started yet.
    pub fn new(globals: Globals) -> Self {
        Self {
            globals,
            runtime: OnceLock::new(),
        }
    }

    /// The background runtime; the calling thread stays free (the terminal needs it).
    ///
    /// # Errors
    /// When the operating system refuses to start threads.
    pub fn runtime(&self) -> Result<Handle, Failure> {
        if self.runtime.get().is_none() {
            let workers = std::thread::available_parallelism().map_or(2, |n| n.get().max(2));
            let runtime = Builder::new_multi_thread()
                .worker_threads(workers)
                .thread_name("noctui")
                .enable_all()
                .build()
                .map_err(|error| {
                    let next = "raise the limit on threads (ulimit -u)";
                    Failure::failed(format!("cannot start the background runtime: {error}"), next)
                })?;
            let _ = self.runtime.set(runtime);
        }
        self.runtime
            .get()
            .map(|runtime| runtime.handle().clone())
            .ok_or_else(|| Failure::failed("the background runtime is gone", ""))
    }

    /// Runs a future to its end on the background runtime.
    ///
    /// # Errors
    /// When the runtime cannot start, or what the future returns.
    pub fn block_on<T>(&self, work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
        self.runtime()?.block_on(work)
    }

    /// Whether stdout takes colours: a terminal, and neither `--no-color` nor NO_COLOR nor TERM=dumb.
    pub fn color(&self) -> bool {
        let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
            || std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        !self.globals.no_color && !refused && stdout().is_terminal()
    }

    /// Whether a person can be asked: stdin and stderr are terminals.
    pub fn interactive(&self) -> bool {
        stdin().is_terminal() && stderr().is_terminal()
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(SHUTDOWN);
        }
    }
}
