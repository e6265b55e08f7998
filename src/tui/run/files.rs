//! The user's files that the screen reads: themes, keymap, history. Live reload without a watcher: they are
//! looked at when the window gets the focus back.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::time::SystemTime;

use super::Options;
use crate::tui::app::Looks;
use crate::tui::keymap::{self, Keymap, KeymapError};
use crate::tui::terminal::ColorDepth;
use crate::tui::theme::ThemeSet;

/// The most lines of history that are read.
const MAX_LINES: usize = 500;

pub(super) struct Files {
    config: Option<PathBuf>,
    history: Option<PathBuf>,
    theme: Option<String>,
    examples: Vec<String>,
    seen: Vec<(PathBuf, SystemTime)>,
}

impl Files {
    pub(super) fn new(options: &Options) -> Self {
        let mut files = Self {
            config: options.config.clone(),
            history: options.history.clone(),
            theme: options.theme.clone(),
            examples: options.setting.examples.clone(),
            seen: Vec::new(),
        };
        files.seen = files.stamps();
        files
    }

    /// Theme and keys at the start. Here a broken file is an error with its place, not a silent default.
    pub(super) fn looks(&mut self, depth: ColorDepth, motion: bool) -> Result<Looks, super::TuiError> {
        let mut themes = ThemeSet::built_in()?;
        if let Some(problem) = self
            .config
            .iter()
            .flat_map(|c| themes.add_folder(&c.join("themes")))
            .next()
        {
            return Err(problem.into());
        }
        let name = match &self.theme {
            Some(name) if name != "dark" => name.as_str(),
            // The default theme needs more colours than such a terminal has.
            _ if depth == ColorDepth::Ansi => "ansi",
            _ => "dark",
        };
        let theme = themes.get(name)?.at_depth(depth);
        Ok(Looks {
            theme,
            themes,
            depth,
            keymap: self.keymap()?,
            motion,
        })
    }

    fn keymap(&self) -> Result<Keymap, KeymapError> {
        let path = self.config.as_ref().map(|c| c.join("keymap.toml"));
        let own = path
            .as_ref()
            .and_then(|p| Some((p.display().to_string(), fs::read_to_string(p).ok()?)));
        match &own {
            Some((file, text)) => Keymap::layered(&[("config/keymap.toml", keymap::SHIPPED), (file, text)]),
            None => Keymap::shipped(),
        }
    }

    /// Reads themes and keys again; what is broken stays as it was and is reported.
    pub(super) fn reload(&mut self, now: &Looks, theme: &str) -> (Looks, Vec<String>) {
        self.seen = self.stamps();
        let mut looks = now.clone();
        let mut problems = Vec::new();
        match self.keymap() {
            Ok(keymap) => looks.keymap = keymap,
            Err(problem) => problems.push(problem.to_string()),
        }
        if let Ok(mut themes) = ThemeSet::built_in() {
            problems.extend(
                self.config
                    .iter()
                    .flat_map(|c| themes.add_folder(&c.join("themes")))
                    .map(|p| p.to_string()),
            );
            match themes.get(theme) {
                Ok(theme) => looks.theme = theme.at_depth(now.depth),
                Err(problem) => problems.push(problem.to_string()),
            }
            looks.themes = themes;
        }
        (looks, problems)
    }

    /// Whether one of the files changed since it was read.
    pub(super) fn changed(&self) -> bool {
        self.stamps() != self.seen
    }

    fn stamps(&self) -> Vec<(PathBuf, SystemTime)> {
        let Some(config) = &self.config else {
            return Vec::new();
        };
        let mut paths = vec![config.join("keymap.toml")];
        paths.extend(
            fs::read_dir(config.join("themes"))
                .into_iter()
                .flatten()
                .flatten()
                .map(|e| e.path()),
        );
        paths.sort();
        paths
            .into_iter()
            .filter_map(|p| Some((p.clone(), fs::metadata(&p).ok()?.modified().ok()?)))
            .collect()
    }

    /// Earlier queries, oldest first; the examples when there are none.
    pub(super) fn history(&self) -> Vec<String> {
        let text = self
            .history
            .as_ref()
            .and_then(|p| fs::read_to_string(p).ok())
            .unwrap_or_default();
        let lines: Vec<String> = text
            .lines()
            .filter(|l| !l.trim().is_empty())
            .map(str::to_owned)
            .collect();
        if lines.is_empty() {
            return self.examples.iter().rev().cloned().collect();
        }
        lines[lines.len().saturating_sub(MAX_LINES)..].to_vec()
    }

    /// Adds a query to the history. A history that cannot be written is no reason to stop.
    pub(super) fn remember(&self, line: &str) {
        let Some(path) = &self.history else { return };
        if let Some(folder) = path.parent() {
            let _ = fs::create_dir_all(folder);
        }
        let written = fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .and_then(|mut f| writeln!(f, "{}", line.replace('\n', " ")));
        if let Err(error) = written {
            tracing::warn!(path = %path.display(), %error, "the query history could not be written");
        }
    }
}
