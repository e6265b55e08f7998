//! Holds the house to its drawing: who may import whom, how large a file or an enum may grow, how files begin.
//!
//! It reads the source as text (comments and strings taken out) and follows every `crate::`, `super::` and
//! external crate path, in test modules too: a test that needs a room above its own belongs under `tests/`.
//! `source` reads and cuts text, `rules` holds the tables. Their own tests show that each check can fail.

#![allow(clippy::unwrap_used, reason = "a test may: the panic is the message")]

#[path = "architecture/rules.rs"]
mod rules;
#[path = "architecture/source.rs"]
mod source;

use std::fmt::Write as _;
use std::sync::LazyLock;

use source::{File, files};

/// Fails with all complaints at once.
fn check(what: &str, complaints: &[String]) {
    let mut text = String::new();
    for complaint in complaints {
        let _ = writeln!(text, "  {complaint}");
    }
    assert!(complaints.is_empty(), "{what}:\n{text}");
}

/// Every file, read and cut once for all tests.
static FILES: LazyLock<Vec<File>> = LazyLock::new(|| {
    ["src", "tests", "benches"]
        .iter()
        .flat_map(|folder| files(folder))
        .collect()
});

fn over(folders: &[&str], rule: impl Fn(&File) -> Vec<String>) -> Vec<String> {
    let within = |file: &&File| {
        folders
            .iter()
            .any(|folder| file.name.starts_with(&format!("{folder}/")))
    };
    let found: Vec<&File> = FILES.iter().filter(within).collect();
    assert!(found.len() > 10, "no source was found in {folders:?}");
    found.into_iter().flat_map(rule).collect()
}

#[test]
fn arrows_run_down() {
    check(
        "forbidden imports (docs/architecture.md draws the house)",
        &over(&["src"], rules::arrows),
    );
}

#[test]
fn every_room_is_in_the_table() {
    check("rooms without a rule", &rules::unknown_rooms(&FILES));
}

#[test]
fn pure_rooms_know_no_outer_world() {
    check("forbidden crates", &over(&["src"], rules::strangers));
}

#[test]
fn files_stay_small() {
    let long = over(&["src", "tests", "benches"], |file| {
        rules::size(file, rules::WARN_LINES)
    });
    for complaint in &long {
        println!("warning: {complaint}");
    }
    let too_long = over(&["src", "tests", "benches"], |file| {
        rules::size(file, rules::FAIL_LINES)
    });
    check("files that are too long", &too_long);
}

#[test]
fn enums_stay_small() {
    check("enums with too many variants", &over(&["src"], rules::enums));
}

#[test]
fn files_are_named_after_one_thing_and_say_what_they_are_for() {
    check("names", &over(&["src", "tests"], rules::names));
    check("headers", &over(&["src", "tests"], rules::header));
}

#[test]
fn nothing_is_ignored_or_allowed_without_a_reason() {
    check(
        "ignored tests, allows without a reason",
        &over(&["src", "tests"], rules::excuses),
    );
}

#[test]
fn every_setting_is_read() {
    let composed: Vec<&File> = FILES
        .iter()
        .filter(|file| file.name.starts_with("src/") && file.room() != "settings")
        .collect();
    let unread = |key: &String| {
        let name = key.rsplit('.').next().unwrap_or(key);
        !composed.iter().any(|file| rules::reads(file, name))
    };
    let default: toml::Table = include_str!("../config/default.toml").parse().unwrap();
    let mut keys = Vec::new();
    for (section, values) in &default {
        for name in values.as_table().unwrap().keys() {
            keys.push(format!("{section}.{name}"));
        }
    }
    let unread: Vec<String> = keys.into_iter().filter(unread).collect();
    check("settings that nothing reads", &unread);
}
