//! What can be wrong with a settings file, a variable, a flag or a server, and what to do about it.

use std::path::PathBuf;

/// A settings error: its text says where and what, [`SettingsError::next`] says what to do.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// There is no home folder.
    #[error("no home folder is known for this user")]
    NoHome,
    /// A file cannot be read.
    #[error("{}: cannot be read: {error}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// A file is not TOML or JSON.
    #[error("{}: line {line}: {message}", file.display())]
    Syntax {
        /// The file.
        file: PathBuf,
        /// Line, from 1.
        line: usize,
        /// What the parser says.
        message: String,
    },
    /// A key that does not exist.
    #[error("{place}: unknown key \"{key}\"")]
    UnknownKey {
        /// File, variable or flag.
        place: String,
        /// The key, dotted.
        key: String,
        /// The nearest key that exists.
        nearest: Option<String>,
    },
    /// A value of the wrong type or out of range.
    #[error("{place}: {key}: expected {expected}, found {found}")]
    Value {
        /// File, variable or flag.
        place: String,
        /// The key, dotted.
        key: String,
        /// What would be right.
        expected: String,
        /// What is there.
        found: String,
    },
    /// A key that a project file may not set.
    #[error("{}: \"{key}\" may not be set by a project file", file.display())]
    NotForProjects {
        /// The project's file.
        file: PathBuf,
        /// The key, dotted.
        key: String,
    },
    /// `--set` without `=`.
    #[error("--set {text}: not KEY=VALUE")]
    Flag {
        /// What was given.
        text: String,
    },
    /// A server of `mcp.json` is wrong.
    #[error("{}: server \"{server}\": {field}: {problem}", file.display())]
    Server {
        /// The file.
        file: PathBuf,
        /// The server's name.
        server: String,
        /// The field, e.g. `command` or `env.TOKEN`.
        field: String,
        /// What is wrong.
        problem: String,
    },
    /// A file of servers that is not one.
    #[error("{}: {problem}", file.display())]
    Servers {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// A file that is written so that a program can't put a value into it.
    #[error("{}: {key} can't be put into this file by a program", file.display())]
    ByHand {
        /// The file.
        file: PathBuf,
        /// The key, dotted.
        key: String,
    },
    /// The embedded file does not fit the types: a defect of this build.
    #[error("the built-in settings do not fit this build: {0}")]
    BuiltIn(String),
}

impl SettingsError {
    /// What the reader can do about it, in one line.
    pub fn next(&self) -> String {
        match self {
            Self::NoHome => "set NOCTUI_HOME to a folder of your own".to_owned(),
            Self::Read { .. } => "check the name and the permissions of the file".to_owned(),
            Self::Syntax { .. } => "correct that line".to_owned(),
            Self::UnknownKey {
                nearest: Some(nearest),
                ..
            } => {
                format!("did you mean \"{nearest}\"? `noctui config show` lists all keys")
            }
            Self::UnknownKey { nearest: None, .. } => "`noctui config show` lists all keys".to_owned(),
            Self::Value { key, .. } => format!("`noctui config show {key}` shows the value in force"),
            Self::NotForProjects { .. } => {
                "move it to your own file (`noctui config path`), or pass it with --config or --set"
                    .to_owned()
            }
            Self::Flag { .. } => "write it as --set agent.max_loops=2".to_owned(),
            Self::Server { .. } | Self::Servers { .. } => {
                "a server is {\"command\": …, \"args\": […], \"env\": {…}} or {\"url\": …, \"headers\": {…}}"
                    .to_owned()
            }
            Self::ByHand { .. } => "write it there by hand".to_owned(),
            Self::BuiltIn(_) => "this is a defect: please report it".to_owned(),
        }
    }
}
