//! The terminal: whether there is one, its size and colours, themes and keys, and the way to the clipboard.

use std::io::{IsTerminal, stdin, stdout};
use std::process::Command;

use super::super::Context;
use super::Finding;
use crate::tui::keymap::{Keymap, SHIPPED};
use crate::tui::terminal::{Capability, ColorDepth, CopyRoute, copy_sequence};
use crate::tui::theme::ThemeSet;

/// The smallest screen on which panes stand side by side.
const COMFORTABLE: (u16, u16) = (100, 26);

pub(super) fn check(context: &Context) -> Vec<Finding> {
    let capability = Capability::detect();
    let mut found = vec![
        screen(&capability),
        colors(&capability, context),
        clipboard(&capability),
    ];
    found.extend(looks(context));
    found
}

fn screen(capability: &Capability) -> Finding {
    const CHECK: &str = "terminal";
    if !stdin().is_terminal() || !stdout().is_terminal() {
        let next = "the full screen needs one; `noctui ask` works without";
        return Finding::warn(CHECK, "none here: input or output is a file or a pipe", next);
    }
    if matches!(capability.term.as_str(), "dumb" | "") {
        let seen = format!("TERM is \"{}\"", capability.term);
        return Finding::fail(
            CHECK,
            seen,
            "set TERM to what your terminal is, e.g. xterm-256color",
        );
    }
    match crossterm::terminal::size() {
        Ok((w, h)) if w < 40 || h < 10 => Finding::fail(
            CHECK,
            format!("{}, {w}x{h}", capability.term),
            "make the window at least 40x10",
        ),
        Ok((w, h)) if w < COMFORTABLE.0 || h < COMFORTABLE.1 => Finding::warn(
            CHECK,
            format!("{}, {w}x{h}: one pane at a time", capability.term),
            "from 100x26 on panes stand side by side",
        ),
        Ok((w, h)) => Finding::ok(CHECK, format!("{}, {w}x{h}", capability.term)),
        Err(error) => Finding::fail(CHECK, error.to_string(), "try another terminal"),
    }
}

fn colors(capability: &Capability, context: &Context) -> Finding {
    const CHECK: &str = "colours";
    if context.globals.no_color {
        return Finding::ok(CHECK, "none, as --no-color asks; words and marks tell the same");
    }
    match capability.depth {
        ColorDepth::True => Finding::ok(CHECK, "24 bit"),
        ColorDepth::Indexed => Finding::ok(CHECK, "256; COLORTERM=truecolor where the terminal has more"),
        ColorDepth::Ansi => Finding::warn(
            CHECK,
            format!("16, as TERM={} says", capability.term),
            "set TERM to a -256color name if the terminal has more",
        ),
        ColorDepth::None => Finding::ok(
            CHECK,
            "none (NO_COLOR or a dumb terminal); words and marks tell the same",
        ),
    }
}

fn clipboard(capability: &Capability) -> Finding {
    const CHECK: &str = "clipboard";
    let (_, route) = copy_sequence("x", capability);
    let way = if capability.remote { ", over SSH" } else { "" };
    match route {
        CopyRoute::Terminal => Finding::ok(CHECK, format!("OSC 52 to the terminal{way}")),
        CopyRoute::Multiplexer => match tmux_option() {
            Some(value) if value == "off" => Finding::warn(
                CHECK,
                "tmux drops copies: set-clipboard is off",
                "`tmux set -s set-clipboard on`, or press m and select with the mouse",
            ),
            Some(value) => Finding::ok(CHECK, format!("OSC 52 through tmux, set-clipboard {value}{way}")),
            None => Finding::warn(
                CHECK,
                format!("OSC 52 through tmux or screen{way}, which may drop it"),
                "if nothing pastes: m and the mouse, or export to a file",
            ),
        },
        CopyRoute::TooLong(_) | CopyRoute::Unsupported => Finding::warn(
            CHECK,
            format!("TERM={} has none", capability.term),
            "export to a file instead (E)",
        ),
    }
}

/// What tmux does with copies, when it can be asked.
fn tmux_option() -> Option<String> {
    std::env::var_os("TMUX")?;
    let asked = Command::new("tmux")
        .args(["show-options", "-s", "-v", "set-clipboard"])
        .output()
        .ok()?;
    let text = String::from_utf8(asked.stdout).ok()?;
    asked.status.success().then(|| text.trim().to_owned())
}

/// The user's themes and keys, and the theme that is chosen.
fn looks(context: &Context) -> Vec<Finding> {
    let Ok(folders) = context.folders() else {
        return Vec::new();
    };
    let split = |check, text: String| {
        let (seen, next) = text
            .rsplit_once(" - ")
            .unwrap_or((text.as_str(), "correct that file"));
        Finding::fail(check, seen, next)
    };
    let theme = || -> Result<String, String> {
        let mut themes = ThemeSet::built_in().map_err(|e| e.to_string())?;
        if let Some(problem) = themes
            .add_folder(&folders.config.join("themes"))
            .into_iter()
            .next()
        {
            return Err(problem.to_string());
        }
        let name = context
            .settings()
            .map_or("dark".to_owned(), |s| s.ui.theme.clone());
        themes.get(&name).map_err(|e| e.to_string())?;
        Ok(format!("{name}; there are {}", themes.names().join(", ")))
    };
    let file = folders.config.join("keymap.toml");
    let keys = || -> Result<String, String> {
        let Ok(own) = std::fs::read_to_string(&file) else {
            return Ok("as shipped".to_owned());
        };
        let name = file.display().to_string();
        Keymap::layered(&[("config/keymap.toml", SHIPPED), (name.as_str(), own.as_str())])
            .map(|_| format!("as shipped, changed by {name}"))
            .map_err(|e| e.to_string())
    };
    vec![
        theme().map_or_else(|e| split("theme", e), |seen| Finding::ok("theme", seen)),
        keys().map_or_else(|e| split("keys", e), |seen| Finding::ok("keys", seen)),
    ]
}
