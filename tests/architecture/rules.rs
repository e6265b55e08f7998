//! The tables: what each room may import, what it must never know, and the limits of size.

use super::source::{File, enums as enums_of, reaches};

/// A file longer than this is too long in the making, and too long.
pub const WARN_LINES: usize = 500;
pub const FAIL_LINES: usize = 800;
/// An enum with more variants lacks a concept.
const MAX_VARIANTS: usize = 30;

/// What each room may import besides itself and the ground that everybody stands on. `room::module` allows
/// only that module.
const ROOMS: &[(&str, &[&str])] = &[
    ("agent", &["ensemble", "diagnosis"]),
    ("diagnosis", &["agent::model"]),
    ("ensemble", &[]),
    ("runtime", &["agent"]),
    ("reason", &["agent", "diagnosis", "llm", "ensemble"]),
    ("llm", &[]),
    ("tools", &["agent::ports", "agent::model"]),
    ("knowledge", &["agent::ports", "agent::model"]),
    ("memory", &["agent", "diagnosis::ontology"]),
    ("report", &["agent"]),
    ("gnmi", &["proto"]),
    ("lab", &["proto"]),
    ("forge", &["llm", "tools", "ensemble"]),
    ("eval", &["runtime", "lab", "agent", "diagnosis"]),
    ("service", &["runtime", "proto"]),
    ("tui", &["runtime", "agent", "report", "diagnosis::ontology"]),
    ("settings", &[]),
    ("proto", &[]),
    ("redaction", &[]),
    ("main", &["cli"]),
];

/// Pure functions that every room may use: they know nothing.
const GROUND: [&str; 1] = ["redaction"];

/// Composers: they may import every room.
const COMPOSERS: [&str; 2] = ["cli", "lib"];

/// What a room must never know: external crates and parts of the standard library.
const STRANGERS: [(&[&str], &[&str]); 4] = [
    (
        &["agent", "diagnosis", "ensemble", "report"],
        &[
            "tokio",
            "rmcp",
            "ratatui",
            "crossterm",
            "reqwest",
            "tonic",
            "rusqlite",
            "axum",
            "std::fs",
            "std::time",
            "TcpStream",
            "TcpListener",
            "UdpSocket",
            "ToSocketAddrs",
            "std::env",
            "std::process",
            "std::thread",
            "jiff::Zoned::now",
            "jiff::Timestamp::now",
        ],
    ),
    (&["tui"], &["rmcp", "reqwest", "tonic", "rusqlite"]),
    (&["llm"], &["rmcp", "ratatui", "crossterm", "tonic", "rusqlite"]),
    (
        &[
            "reason",
            "tools",
            "knowledge",
            "memory",
            "runtime",
            "lab",
            "gnmi",
            "settings",
        ],
        &["ratatui", "crossterm"],
    ),
];

/// Names that say nothing.
const EMPTY_NAMES: [&str; 8] = [
    "util", "utils", "common", "helper", "helpers", "manager", "managers", "misc",
];

/// Imports that run up or sideways.
pub fn arrows(file: &File) -> Vec<String> {
    let room = file.room();
    if COMPOSERS.contains(&room) {
        return Vec::new();
    }
    let allowed = ROOMS
        .iter()
        .find(|(name, _)| *name == room)
        .map_or(&[][..], |(_, allowed)| allowed);
    let known = |name: &str| name == "cli" || ROOMS.iter().any(|(room, _)| *room == name);
    let mut complaints = Vec::new();
    for reach in reaches(file) {
        let Some(target) = reach.path.first().filter(|name| known(name)) else {
            continue;
        };
        if target == room || GROUND.contains(&target.as_str()) || may(allowed, &reach.path) {
            continue;
        }
        let path = reach.path.join("::");
        complaints.push(format!(
            "{}:{}: {room} may not import {path}",
            file.name, reach.line
        ));
    }
    if room == "main" {
        for (at, _) in file.code.match_indices("noctui::") {
            let target = &file.code[at + "noctui::".len()..];
            if !target.starts_with("cli") {
                complaints.push(format!("{}: main may only call cli", file.name));
            }
        }
    }
    complaints
}

fn may(allowed: &[&str], path: &[String]) -> bool {
    allowed.iter().any(|rule| match rule.split_once("::") {
        None => path.first().is_some_and(|room| room == rule),
        Some((room, module)) => {
            path.first().is_some_and(|r| r == room) && path.get(1).is_some_and(|m| m == module)
        }
    })
}

/// Rooms of `src/` that the table does not know.
pub fn unknown_rooms(files: &[File]) -> Vec<String> {
    let source = files.iter().filter(|file| file.name.starts_with("src/"));
    let mut rooms: Vec<&str> = source.map(File::room).collect();
    rooms.sort_unstable();
    rooms.dedup();
    let known = |room: &&str| COMPOSERS.contains(room) || ROOMS.iter().any(|(name, _)| name == room);
    rooms
        .into_iter()
        .filter(|room| !known(room))
        .map(|room| format!("src/{room}: draw it first"))
        .collect()
}

/// External paths that a room must not know. Test modules are looked at too.
pub fn strangers(file: &File) -> Vec<String> {
    let tables = STRANGERS.iter().filter(|(rooms, _)| rooms.contains(&file.room()));
    let mut complaints = Vec::new();
    for stranger in tables.flat_map(|(_, strangers)| strangers.iter()) {
        for (at, _) in file.code.match_indices(stranger) {
            let before = file.code[..at].chars().next_back();
            let after = &file.code[at + stranger.len()..];
            // A crate or module is followed by a path or ends a `use`; a type or function is a word of its own.
            let name = stranger.rsplit("::").next().unwrap_or(stranger);
            let module = !stranger.contains("::now") && name.starts_with(char::is_lowercase);
            let word = !before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':' && module);
            let whole = match module {
                true => word && (after.starts_with("::") || after.starts_with(';')),
                false => word && !after.starts_with(|c: char| c.is_alphanumeric() || c == '_'),
            };
            if whole {
                complaints.push(format!("{}: {} must not know {stranger}", file.name, file.room()));
            }
        }
    }
    complaints.dedup();
    complaints
}

/// Files longer than `limit` lines.
pub fn size(file: &File, limit: usize) -> Vec<String> {
    let lines = file.text.lines().count();
    if lines > limit {
        vec![format!("{}: {lines} lines (limit {limit})", file.name)]
    } else {
        Vec::new()
    }
}

/// Enums with too many variants.
pub fn enums(file: &File) -> Vec<String> {
    let large = enums_of(file)
        .into_iter()
        .filter(|(_, count)| *count > MAX_VARIANTS);
    large
        .map(|(name, count)| {
            format!(
                "{}: {name} has {count} variants (limit {MAX_VARIANTS})",
                file.name
            )
        })
        .collect()
}

/// File and folder names that say nothing.
pub fn names(file: &File) -> Vec<String> {
    let parts = file.name.trim_end_matches(".rs").split('/');
    let empty = parts.filter(|part| part.split('_').any(|word| EMPTY_NAMES.contains(&word)));
    empty
        .map(|part| format!("{}: \"{part}\" says nothing about what is inside", file.name))
        .collect()
}

/// Files that do not begin with a header.
pub fn header(file: &File) -> Vec<String> {
    if file.text.starts_with("//! ") {
        Vec::new()
    } else {
        vec![format!("{}: begins without `//!`", file.name)]
    }
}

/// Whether a file reads a field of this name.
pub fn reads(file: &File, name: &str) -> bool {
    file.code.match_indices(name).any(|(at, _)| {
        let after = file.code[at + name.len()..].chars().next();
        file.code[..at].ends_with('.') && !after.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '(')
    })
}

/// Tests that never run, and `allow` without a reason.
pub fn excuses(file: &File) -> Vec<String> {
    let mut complaints = Vec::new();
    for (at, _) in file.code.match_indices("#[ignore") {
        complaints.push(format!("{}:{}: an ignored test", file.name, line(&file.code, at)));
    }
    for start in ["#[allow(", "#![allow(", "#[expect(", "#![expect("] {
        for (at, _) in file.code.match_indices(start) {
            let end = file.code[at..].find(']').map_or(file.code.len(), |end| at + end);
            if !file.code[at..end].contains("reason =") {
                complaints.push(format!(
                    "{}:{}: {start}…) without a reason",
                    file.name,
                    line(&file.code, at)
                ));
            }
        }
    }
    complaints
}

fn line(code: &str, at: usize) -> usize {
    code[..at].matches('\n').count() + 1
}

mod tests {
    use super::*;

    fn arrows_of(name: &str, text: &str) -> usize {
        arrows(&File::new(name, text)).len()
    }

    #[test]
    fn a_forbidden_arrow_is_found() {
        assert_eq!(arrows_of("src/agent/state.rs", "use crate::runtime::Driver;"), 1);
        assert_eq!(
            arrows_of("src/diagnosis/x.rs", "use crate::agent::model::Finding;"),
            0
        );
        assert_eq!(
            arrows_of("src/diagnosis/x.rs", "use crate::agent::state::State;"),
            1
        );
        assert_eq!(
            arrows_of(
                "src/diagnosis/x.rs",
                "use crate::agent::{model::Finding, state::State};"
            ),
            1
        );
        assert_eq!(arrows_of("src/tui/app.rs", "fn f(x: crate::llm::Chat) {}"), 1);
        assert_eq!(arrows_of("src/tools/mod.rs", "use super::tui::App;"), 1);
        assert_eq!(
            arrows_of("src/settings/x.rs", "use crate::redaction::redact_text;"),
            0
        );
        assert_eq!(arrows_of("src/cli/ask.rs", "use crate::{tui, llm};"), 0);
        assert_eq!(arrows_of("src/lab/x.rs", "use crate::cli::Exit;"), 1);
        assert_eq!(arrows_of("src/main.rs", "fn main() { noctui::tui::run() }"), 1);
        assert_eq!(arrows_of("src/main.rs", "fn main() { noctui::cli::run() }"), 0);
        assert_eq!(
            arrows_of(
                "src/lab/x.rs",
                "#[cfg(test)] mod tests { use crate::gnmi::Client; }"
            ),
            1
        );
    }

    #[test]
    fn a_new_room_must_be_drawn() {
        assert_eq!(
            unknown_rooms(&[
                File::new("src/cellar/mod.rs", ""),
                File::new("src/agent/mod.rs", "")
            ])
            .len(),
            1
        );
    }

    #[test]
    fn a_stranger_is_found() {
        let of = |name: &str, text: &str| strangers(&File::new(name, text)).len();
        assert_eq!(of("src/agent/x.rs", "use std::time::Instant;"), 1);
        assert_eq!(of("src/agent/x.rs", "async fn f() { tokio::spawn(g()); }"), 1);
        assert_eq!(
            of("src/agent/x.rs", "use async_trait::async_trait; let my_tokio::x;"),
            0
        );
        assert_eq!(of("src/diagnosis/x.rs", "use std::net::{IpAddr, TcpStream};"), 1);
        assert_eq!(
            of(
                "src/diagnosis/x.rs",
                "use std::net::IpAddr; let t = jiff::Timestamp::now();"
            ),
            1
        );
        assert_eq!(of("src/runtime/x.rs", "use tokio::sync::mpsc;"), 0);
        assert_eq!(of("src/tui/x.rs", "use rmcp::model::Tool;"), 1);
    }

    #[test]
    fn limits_and_manners_are_checked() {
        let long = "//! x\n".repeat(FAIL_LINES + 1);
        assert_eq!(size(&File::new("src/x.rs", &long), FAIL_LINES).len(), 1);
        assert_eq!(size(&File::new("src/x.rs", &long[6..]), FAIL_LINES).len(), 0);
        let variants: String = (0..31).map(|i| format!("V{i},")).collect();
        assert_eq!(
            enums(&File::new("src/x.rs", &format!("enum E {{ {variants} }}"))).len(),
            1
        );
        assert_eq!(names(&File::new("src/tools/session_manager.rs", "")).len(), 1);
        assert_eq!(names(&File::new("src/utils/mod.rs", "")).len(), 1);
        assert_eq!(names(&File::new("src/tools/hub.rs", "")).len(), 0);
        assert_eq!(header(&File::new("src/x.rs", "use a;")).len(), 1);
        assert!(reads(
            &File::new("src/x.rs", "let a = s.agent.max_loops;"),
            "max_loops"
        ));
        assert!(!reads(
            &File::new("src/x.rs", "let max_loops = s.max_loops_now; // s.max_loops"),
            "max_loops"
        ));
        assert_eq!(excuses(&File::new("src/x.rs", "#[ignore] fn f() {}")).len(), 1);
        assert_eq!(
            excuses(&File::new("src/x.rs", "#[allow(dead_code)] fn f() {}")).len(),
            1
        );
        assert_eq!(
            excuses(&File::new("src/x.rs", "#[allow(x, reason = \"y\")] fn f() {}")).len(),
            0
        );
    }
}
