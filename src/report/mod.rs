//! The session as a document: text, Markdown, JSON, HTML. Pure: a state in, a string out.
//!
//! Everything is drawn from the typed verdict and the state, so no two formats can disagree.

mod html;
mod json;
mod markdown;
mod text;

use crate::agent::model::SessionId;
use crate::agent::state::State;

/// The formats.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Format {
    /// For a terminal: plain lines, at most 100 columns.
    #[default]
    Text,
    /// Markdown.
    Markdown,
    /// JSON, for programs.
    Json,
    /// One self-contained HTML page.
    Html,
}

/// Writes the report of a session.
pub fn write(format: Format, session: &SessionId, state: &State) -> String {
    match format {
        Format::Text => text::write(session, state),
        Format::Markdown => markdown::write(session, state),
        Format::Json => json::write(session, state),
        Format::Html => html::write(session, state),
    }
}

/// A time as people write it: `2026-11-22 03:00:07 UTC`.
pub fn clock(at: crate::agent::model::Timestamp) -> String {
    let time = jiff::Timestamp::from_millisecond(at.0).unwrap_or_default();
    time.strftime("%Y-%m-%d %H:%M:%S UTC").to_string()
}

/// A length of time in words: `38 ms`, `4.2 s`, `3 min 20 s`.
pub fn duration(ms: i64) -> String {
    match ms.max(0) {
        ms @ 0..1000 => format!("{ms} ms"),
        ms @ 1000..60_000 => format!("{}.{} s", ms / 1000, ms % 1000 / 100),
        ms => format!("{} min {} s", ms / 60_000, ms % 60_000 / 1000),
    }
}

/// The verdict in one line.
pub fn headline(state: &State) -> String {
    if let Some(prose) = &state.ending.prose {
        return prose.headline.clone();
    }
    match &state.ending.outcome {
        Some(
            crate::agent::model::Outcome::Failed { reason }
            | crate::agent::model::Outcome::Refused { reason },
        ) => reason.clone(),
        _ => format!("No report yet: {}", state.phase.name()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_well() {
        let written: Vec<String> = [-5, 0, 38, 999, 1000, 4250, 59_999, 200_000]
            .map(duration)
            .to_vec();
        assert_eq!(
            written,
            [
                "0 ms",
                "0 ms",
                "38 ms",
                "999 ms",
                "1.0 s",
                "4.2 s",
                "59.9 s",
                "3 min 20 s"
            ]
        );
    }
}
