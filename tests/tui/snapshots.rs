//! Pictures of every pane and dialog. Colours are tested apart: the text must not depend on them.

use noctui::tui::terminal::ColorDepth;
use ratatui::style::{Color, Modifier};

use super::harness::{Harness, ansi, looks};
use super::session;

/// Compares with the stored picture; with `NOCTUI_PICTURES=folder` also writes it in colour.
fn picture(name: &str, h: &mut Harness) {
    if let Ok(folder) = std::env::var("NOCTUI_PICTURES") {
        std::fs::write(format!("{folder}/{name}.ansi"), ansi(h.draw())).unwrap();
    }
    insta::assert_snapshot!(name, h.screen());
}

fn finished(columns: u16, rows: u16) -> Harness {
    Harness::on(columns, rows, &session::finished().events)
}

#[test]
fn the_overview_through_a_session() {
    picture("welcome", &mut Harness::new(120, 40));
    picture("planned", &mut Harness::on(120, 40, &session::planned().events));
    picture(
        "executing",
        &mut Harness::on(120, 40, &session::executing().events),
    );
    picture("asking", &mut Harness::on(120, 40, &session::asking().events));
    picture("finished", &mut finished(120, 40));
}

#[test]
fn every_pane_alone() {
    let mut h = finished(120, 40);
    for (key, name) in [
        ("2", "plan"),
        ("d", "plan-diff"),
        ("3", "steps"),
        ("4", "devices"),
        ("v", "devices-grid"),
        ("5", "evidence"),
        ("6", "map"),
        ("7", "timeline"),
        ("8", "verdict"),
        ("9", "report"),
        ("0", "loops"),
        ("T", "tools"),
        ("L", "log"),
    ] {
        h.press(key);
        picture(name, &mut h);
    }
}

#[test]
fn every_dialog() {
    let mut h = finished(120, 40);
    h.press("?");
    picture("help", &mut h);
    h.press("esc :").typed("evid");
    picture("palette", &mut h);
    h.press("esc E");
    picture("export", &mut h);
    let mut h = Harness::on(120, 40, &session::asking().events);
    h.press("enter");
    picture("question-details", &mut h);
    h.press("esc e");
    picture("edit-arguments", &mut h);
    h.press("esc q");
    picture("quit", &mut h);
}

#[test]
fn every_kind_of_question() {
    for kind in ["clarification", "approval", "step_failure", "plan_approval"] {
        picture(
            &format!("question-{kind}"),
            &mut Harness::on(120, 40, &session::question(kind).events),
        );
    }
}

#[test]
fn other_sizes() {
    for (columns, rows) in [(80, 24), (200, 60), (40, 10)] {
        let size = format!("{columns}x{rows}");
        picture(
            &format!("executing-{size}"),
            &mut Harness::on(columns, rows, &session::executing().events),
        );
        picture(
            &format!("asking-{size}"),
            &mut Harness::on(columns, rows, &session::asking().events),
        );
        picture(&format!("finished-{size}"), &mut finished(columns, rows));
    }
    finished(39, 10).sees("noctui needs 40x10");
}

#[test]
fn nothing_is_told_by_colour_alone() {
    let dark = finished(120, 40).screen();
    for theme in ["light", "high-contrast", "deuteranopia", "ansi"] {
        let mut h = Harness::with(120, 40, looks(theme, ColorDepth::True));
        h.session(&session::finished().events);
        assert_eq!(h.screen(), dark, "{theme}");
    }
    let mut plain = Harness::with(120, 40, looks("dark", ColorDepth::None));
    plain.session(&session::finished().events);
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

#[test]
fn production_is_said_in_words() {
    let mut s = session::Session::opened("Check BGP on pe7", "network");
    s.add("phase_entered", serde_json::json!({"phase": "planning"}));
    Harness::on(120, 40, &s.events).sees("PRODUCTION network");
}
