//! Pictures of every scene at four sizes in three looks. The text must be the same in all looks; how it is
//! coloured is kept apart, as the styles of each picture and how many cells wear them.

use std::collections::BTreeMap;

use noctui::tui::app::Looks;
use noctui::tui::terminal::ColorDepth;
use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier};

use super::harness::{Harness, ansi, looks};
use super::scenes::SCENES;
use super::session;

const SIZES: [(u16, u16); 4] = [(120, 40), (80, 24), (200, 60), (40, 10)];

fn three_looks() -> [(&'static str, Looks); 3] {
    [
        ("dark", looks("dark", ColorDepth::True)),
        ("light", looks("light", ColorDepth::True)),
        ("no-color", looks("dark", ColorDepth::None)),
    ]
}

/// The styles of a picture, the most worn first: `fg/bg+bold 312`.
fn styles(buffer: &Buffer) -> String {
    let mut worn: BTreeMap<String, usize> = BTreeMap::new();
    for cell in buffer.content() {
        let color = |c: Color| match c {
            Color::Rgb(r, g, b) => format!("{r:02x}{g:02x}{b:02x}"),
            other => format!("{other:?}").to_lowercase(),
        };
        let style = format!("{}/{}", color(cell.fg), color(cell.bg));
        let style = if cell.modifier.is_empty() {
            style
        } else {
            format!("{style}+{:?}", cell.modifier).to_lowercase()
        };
        *worn.entry(style).or_default() += 1;
    }
    let mut list: Vec<(String, usize)> = worn.into_iter().collect();
    list.sort_by_key(|(style, n)| (std::cmp::Reverse(*n), style.clone()));
    let words: Vec<String> = list.iter().map(|(style, n)| format!("{style} {n}")).collect();
    words.join("  ")
}

/// With `NOCTUI_PICTURES=folder` also writes every picture in colour.
#[test]
fn every_pane_and_dialog_at_every_size_in_every_look() {
    let folder = std::env::var("NOCTUI_PICTURES").ok();
    let mut worn = three_looks().map(|(name, _)| (name, String::new()));
    for (scene, prepare) in SCENES {
        let mut pages = String::new();
        for (columns, rows) in SIZES {
            let mut first: Option<String> = None;
            for ((look, looks), (_, worn)) in three_looks().into_iter().zip(&mut worn) {
                let mut h = Harness::with(columns, rows, looks);
                h.resize(columns, rows);
                prepare(&mut h);
                let text = h.screen();
                worn.push_str(&format!("{scene} {columns}x{rows}: {}\n", styles(h.draw())));
                if let Some(folder) = &folder {
                    let name = format!("{folder}/{scene}-{columns}x{rows}-{look}.ansi");
                    std::fs::write(name, ansi(h.draw())).unwrap();
                }
                match &first {
                    None => first = Some(text),
                    // The theme chooser names the theme that is on.
                    Some(_) if *scene == "setup-theme" => {}
                    Some(first) => assert_eq!(text, *first, "{scene} at {columns}x{rows} in {look}"),
                }
            }
            pages.push_str(&format!("=== {columns}x{rows}\n{}\n", first.unwrap_or_default()));
        }
        insta::assert_snapshot!(*scene, pages);
    }
    for (look, styles) in worn {
        insta::assert_snapshot!(format!("styles-{look}"), styles);
    }
}

#[test]
fn nothing_is_told_by_colour_alone() {
    let dark = picture("dark", ColorDepth::True).screen();
    for theme in ["light", "high-contrast", "deuteranopia", "ansi"] {
        assert_eq!(picture(theme, ColorDepth::True).screen(), dark, "{theme}");
    }
    let mut plain = picture("dark", ColorDepth::None);
    assert_eq!(plain.screen(), dark, "NO_COLOR");
    let buffer = plain.draw().clone();
    assert!(
        buffer
            .content()
            .iter()
            .all(|c| c.fg == Color::Reset && c.bg == Color::Reset),
        "NO_COLOR means none"
    );
    assert!(
        buffer
            .content()
            .iter()
            .any(|c| c.modifier.contains(Modifier::REVERSED)),
        "the selection is still seen"
    );
}

fn picture(theme: &str, depth: ColorDepth) -> Harness {
    let mut h = Harness::with(120, 40, looks(theme, depth));
    h.session(&session::finished().events);
    h
}

/// On the smallest screen the status and the keys of the question are there.
#[test]
fn the_smallest_screen_shows_status_question_and_its_keys() {
    for (kind, key) in [
        ("clarification", "[a]"),
        ("approval", "[d]"),
        ("step_failure", "[x]"),
        ("plan_approval", "[y]"),
        ("elicitation", "[a]"),
        ("known_answer", "[y]"),
    ] {
        let mut h = Harness::on(40, 10, &session::question(kind).events);
        h.sees("waiting for you").sees("Q1").sees(key);
    }
    let mut h = Harness::on(40, 10, &session::asking().events);
    h.sees("[r]").sees("[s]").sees("xrd-1");
    Harness::on(39, 10, &session::asking().events).sees("noctui needs 40x10");
}

#[test]
fn production_is_said_in_words() {
    let mut s = session::Session::opened("Check BGP on pe7", "network");
    s.add("phase_entered", serde_json::json!({"phase": "planning"}));
    Harness::on(120, 40, &s.events).sees("PRODUCTION network");
}
