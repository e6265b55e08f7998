//! Where noctui keeps its files, by the habits of the operating system.
//!
//! `NOCTUI_HOME` moves all of them under one folder (and ignores the system's file). Creates nothing.

use std::path::{Path, PathBuf};

use directories::ProjectDirs;

use super::SettingsError;

/// The folders of one user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folders {
    /// Settings, servers, plans, notes, themes.
    pub config: PathBuf,
    /// The session database.
    pub data: PathBuf,
    /// Log files.
    pub state: PathBuf,
    /// What may be deleted at any time.
    pub cache: PathBuf,
    /// The system's settings file, where there can be one.
    pub system: Option<PathBuf>,
}

impl Folders {
    /// The folders of this user: under `home` (the value of `NOCTUI_HOME`) when given.
    ///
    /// # Errors
    /// When there is no home folder at all.
    pub fn find(home: Option<&Path>) -> Result<Self, SettingsError> {
        if let Some(home) = home {
            return Ok(Self {
                config: home.join("config"),
                data: home.join("data"),
                state: home.join("state"),
                cache: home.join("cache"),
                system: None,
            });
        }
        let dirs = ProjectDirs::from("", "", "noctui").ok_or(SettingsError::NoHome)?;
        Ok(Self {
            config: dirs.config_dir().to_owned(),
            data: dirs.data_dir().to_owned(),
            state: dirs
                .state_dir()
                .unwrap_or_else(|| dirs.data_local_dir())
                .to_owned(),
            cache: dirs.cache_dir().to_owned(),
            system: cfg!(unix).then(|| PathBuf::from("/etc/noctui/config.toml")),
        })
    }

    /// The user's settings file.
    pub fn settings_file(&self) -> PathBuf {
        self.config.join("config.toml")
    }

    /// The user's MCP servers.
    pub fn servers_file(&self) -> PathBuf {
        self.config.join("mcp.json")
    }

    /// The user's runbooks.
    pub fn plans(&self) -> PathBuf {
        self.config.join("plans")
    }

    /// The user's notes.
    pub fn notes(&self) -> PathBuf {
        self.config.join("notes")
    }
}
