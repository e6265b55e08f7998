//! What the terminal can do, read from the environment once at start.

/// How many colours the terminal shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ColorDepth {
    /// No colour at all: `NO_COLOR` is set or the terminal is dumb.
    None,
    /// The 16 named colours.
    Ansi,
    /// The 256-colour palette.
    Indexed,
    /// 24-bit colour.
    True,
}

/// The terminal's abilities.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capability {
    /// How many colours are shown.
    pub depth: ColorDepth,
    /// Whether we run inside tmux or screen, which stand between us and the clipboard.
    pub multiplexer: bool,
    /// Whether we came over SSH.
    pub remote: bool,
    /// The value of `TERM`.
    pub term: String,
}

impl Capability {
    /// Reads the process environment.
    pub fn detect() -> Self {
        Self::from_env(|name| std::env::var(name).ok())
    }

    /// The same from any lookup. `NO_COLOR` counts when set to anything but the empty string
    /// (no-color.org).
    pub fn from_env(get: impl Fn(&str) -> Option<String>) -> Self {
        let term = get("TERM").unwrap_or_default();
        let no_color = get("NO_COLOR").is_some_and(|v| !v.is_empty());
        let true_color = get("COLORTERM").is_some_and(|v| v == "truecolor" || v == "24bit")
            || term.contains("direct")
            || ["kitty", "ghostty", "alacritty", "wezterm", "foot"]
                .iter()
                .any(|t| term.contains(t));
        let depth = if no_color || term == "dumb" {
            ColorDepth::None
        } else if true_color {
            ColorDepth::True
        } else if term.contains("256color") {
            ColorDepth::Indexed
        } else {
            ColorDepth::Ansi
        };
        Self {
            depth,
            multiplexer: get("TMUX").is_some() || get("STY").is_some(),
            remote: get("SSH_CONNECTION").is_some() || get("SSH_TTY").is_some(),
            term,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depth(vars: &[(&str, &str)]) -> ColorDepth {
        Capability::from_env(|name| {
            vars.iter()
                .find(|(n, _)| *n == name)
                .map(|(_, v)| (*v).to_owned())
        })
        .depth
    }

    #[test]
    fn colours_follow_the_environment() {
        assert_eq!(
            depth(&[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")]),
            ColorDepth::True
        );
        assert_eq!(depth(&[("TERM", "tmux-256color")]), ColorDepth::Indexed);
        assert_eq!(depth(&[("TERM", "xterm")]), ColorDepth::Ansi);
        assert_eq!(
            depth(&[("TERM", "xterm-kitty"), ("NO_COLOR", "1")]),
            ColorDepth::None
        );
        assert_eq!(
            depth(&[("TERM", "xterm-256color"), ("NO_COLOR", "")]),
            ColorDepth::Indexed
        );
        assert_eq!(depth(&[("TERM", "dumb")]), ColorDepth::None);
    }
}
