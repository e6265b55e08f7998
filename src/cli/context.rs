//! What every subcommand is handed: the global flags, the settings and the background runtime.
//!
//! All are made on first use, so that `noctui completions` neither reads files nor starts threads. Reading
//! the settings starts the log.

use std::future::Future;
use std::io::{IsTerminal, stderr, stdin, stdout};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

use tokio::runtime::{Builder, Handle, Runtime};

use super::log::{self, LogGuard};
use super::{Failure, Globals};
use crate::settings::{self, Folders, Loaded, Server, Settings, SettingsError, Sources};

/// How long tasks may take to end when a command is done.
const SHUTDOWN: Duration = Duration::from_secs(2);

/// Global flags and what is shared by all commands of one process.
#[derive(Debug)]
pub struct Context {
    /// The global flags as given.
    pub globals: Globals,
    folders: OnceLock<Folders>,
    loaded: OnceLock<Loaded>,
    log: OnceLock<Option<LogGuard>>,
    runtime: OnceLock<Runtime>,
}

impl From<SettingsError> for Failure {
    fn from(error: SettingsError) -> Self {
        Failure::config(error.to_string(), error.next())
    }
}

/// A value of this process's environment.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

impl Context {
    /// A context for the given flags; nothing is read or started yet.
    pub fn new(globals: Globals) -> Self {
        Self {
            globals,
            folders: OnceLock::new(),
            loaded: OnceLock::new(),
            log: OnceLock::new(),
            runtime: OnceLock::new(),
        }
    }

    /// The folders of this user.
    ///
    /// # Errors
    /// When there is no home folder.
    pub fn folders(&self) -> Result<&Folders, Failure> {
        let home = variable("NOCTUI_HOME")
            .filter(|home| !home.is_empty())
            .map(PathBuf::from);
        once(&self.folders, || Ok(Folders::find(home.as_deref())?))
    }

    /// The settings in force. The first call reads them and starts the log.
    ///
    /// # Errors
    /// The first thing that is wrong in a file, a variable or a flag.
    pub fn settings(&self) -> Result<&Settings, Failure> {
        Ok(&self.loaded()?.settings)
    }

    /// The settings in force with the origin of each value.
    ///
    /// # Errors
    /// As [`Context::settings`].
    pub fn loaded(&self) -> Result<&Loaded, Failure> {
        let folders = self.folders()?;
        let loaded = once(&self.loaded, || {
            let sources = Sources {
                folders: folders.clone(),
                directory: std::env::current_dir().unwrap_or_default(),
                file: self.globals.config.clone(),
                environment: std::env::vars_os()
                    .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
                    .collect(),
                set: self.globals.set.clone(),
            };
            Ok(settings::load(&sources)?)
        })?;
        self.log
            .get_or_init(|| log::start(&loaded.settings.log, folders, &self.globals));
        Ok(loaded)
    }

    /// The MCP servers: the built-in ones and the user's.
    ///
    /// # Errors
    /// Names the file, the server and the field that is wrong.
    pub fn servers(&self) -> Result<Vec<Server>, Failure> {
        Ok(settings::load_servers(self.folders()?, &variable)?)
    }

    /// The background runtime; the calling thread stays free (the terminal needs it).
    ///
    /// # Errors
    /// When the operating system refuses to start threads.
    pub fn runtime(&self) -> Result<Handle, Failure> {
        let runtime = once(&self.runtime, || {
            let workers = std::thread::available_parallelism().map_or(2, |n| n.get().max(2));
            Builder::new_multi_thread()
                .worker_threads(workers)
                .thread_name("noctui")
                .enable_all()
                .build()
                .map_err(|error| {
                    let next = "raise the limit on threads (ulimit -u)";
                    Failure::failed(format!("cannot start the background runtime: {error}"), next)
                })
        })?;
        Ok(runtime.handle().clone())
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

/// Fills a cell on first use; an error is not kept.
fn once<T>(cell: &OnceLock<T>, make: impl FnOnce() -> Result<T, Failure>) -> Result<&T, Failure> {
    if let Some(value) = cell.get() {
        return Ok(value);
    }
    let value = make()?;
    Ok(cell.get_or_init(|| value))
}

impl Drop for Context {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(SHUTDOWN);
        }
    }
}
