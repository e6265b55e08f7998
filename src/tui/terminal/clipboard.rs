//! Copying over SSH and tmux: OSC 52, and honest words about where it may get lost.

use base64::Engine;

use super::Capability;

/// Many terminals drop an OSC 52 sequence above 100,000 bytes (xterm's documented limit is near that).
const MAX_ENCODED_BYTES: usize = 100_000;

/// How a copy leaves the program and what to tell the user about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CopyRoute {
    /// The terminal got it; it does not say whether it obeyed.
    Terminal,
    /// tmux or screen got it and decides.
    Multiplexer,
    /// Too long for OSC 52, nothing was sent: its encoded size in bytes.
    TooLong(usize),
    /// This terminal has no clipboard.
    Unsupported,
}

impl CopyRoute {
    /// One line for the screen.
    pub fn note(&self, what: &str) -> String {
        match self {
            Self::Terminal => format!("copied {what} (sent to the terminal's clipboard)"),
            Self::Multiplexer => {
                format!(
                    "sent {what} to tmux; if it does not paste: `set -s set-clipboard on`, or m and the mouse"
                )
            }
            Self::TooLong(bytes) => {
                format!("{what} is too long for the terminal's clipboard ({bytes} bytes): export it")
            }
            Self::Unsupported => format!("this terminal has no clipboard: export {what} to a file"),
        }
    }
}

/// The bytes that copy `text`, and the route they take. No bytes where the route is closed.
pub fn copy_sequence(text: &str, terminal: &Capability) -> (Vec<u8>, CopyRoute) {
    if terminal.term == "linux" || terminal.term == "dumb" {
        return (Vec::new(), CopyRoute::Unsupported);
    }
    let encoded = base64::engine::general_purpose::STANDARD.encode(text);
    if encoded.len() > MAX_ENCODED_BYTES {
        return (Vec::new(), CopyRoute::TooLong(encoded.len()));
    }
    let sequence = format!("\x1b]52;c;{encoded}\x07").into_bytes();
    let route = if terminal.multiplexer {
        CopyRoute::Multiplexer
    } else {
        CopyRoute::Terminal
    };
    (sequence, route)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terminal(term: &str, multiplexer: bool) -> Capability {
        Capability {
            depth: super::super::ColorDepth::True,
            multiplexer,
            remote: true,
            term: term.to_owned(),
        }
    }

    #[test]
    fn the_sequence_is_osc_52_and_the_note_is_honest() {
        let (bytes, route) = copy_sequence("hi", &terminal("xterm", false));
        assert_eq!(bytes, b"\x1b]52;c;aGk=\x07");
        assert_eq!(route, CopyRoute::Terminal);
        let (_, route) = copy_sequence("hi", &terminal("tmux-256color", true));
        assert!(route.note("the row").contains("set-clipboard"));
    }

    #[test]
    fn what_cannot_be_copied_is_not_sent() {
        let (bytes, route) = copy_sequence(&"x".repeat(90_000), &terminal("xterm", false));
        assert!(bytes.is_empty() && matches!(route, CopyRoute::TooLong(_)));
        let (bytes, route) = copy_sequence("x", &terminal("linux", false));
        assert!(bytes.is_empty() && route == CopyRoute::Unsupported);
    }
}
