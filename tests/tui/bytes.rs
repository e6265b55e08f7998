//! The very bytes a terminal gets, read back by a VT100 emulator.

use std::io::{self, Write};
use std::num::NonZeroU16;
use std::sync::{Arc, Mutex};

use noctui::tui::terminal::{Modes, enter_modes, leave_modes};
use noctui::tui::view;
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use ratatui::{Terminal, TerminalOptions, Viewport};

use super::harness::Harness;
use super::session;

/// A writer that the emulator reads.
#[derive(Clone)]
struct Wire(Arc<Mutex<vt100::Parser>>);

impl Wire {
    fn new(columns: u16, rows: u16) -> Self {
        Self(Arc::new(Mutex::new(vt100::Parser::new(
            some(rows),
            some(columns),
            0,
        ))))
    }

    fn text(&self) -> String {
        let parser = self.0.lock().unwrap();
        let screen = parser.screen();
        let (_, columns) = screen.size();
        screen
            .rows(0, columns.get())
            .map(|r| r.trim_end().to_owned())
            .collect::<Vec<_>>()
            .join("\n")
    }
}

impl Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().process(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn some(n: u16) -> NonZeroU16 {
    NonZeroU16::new(n).unwrap()
}

fn terminal(wire: &Wire, columns: u16, rows: u16) -> Terminal<CrosstermBackend<Wire>> {
    let viewport = Viewport::Fixed(Rect::new(0, 0, columns, rows));
    Terminal::with_options(CrosstermBackend::new(wire.clone()), TerminalOptions { viewport }).unwrap()
}

#[test]
fn entering_and_leaving_restores_what_was_there() {
    let mut wire = Wire::new(40, 5);
    wire.write_all(b"$ noctui demo\r\n").unwrap();
    let before = wire.text();
    enter_modes(&mut wire, Modes { mouse: true }).unwrap();
    {
        let parser = wire.0.lock().unwrap();
        let screen = parser.screen();
        assert!(screen.alternate_screen() && screen.bracketed_paste());
        assert_ne!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None);
    }
    wire.write_all(b"\x1b[2J\x1b[?25lpainted").unwrap();
    leave_modes(&mut wire).unwrap();
    let text = wire.text();
    let parser = wire.0.lock().unwrap();
    let screen = parser.screen();
    assert!(!screen.alternate_screen() && !screen.bracketed_paste() && !screen.hide_cursor());
    assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None);
    assert_eq!(text, before);
}

/// What the terminal shows after a few frames is what the last frame holds, wide characters included.
#[test]
fn differences_between_frames_add_up() {
    let (columns, rows) = (110, 34);
    let wire = Wire::new(columns, rows);
    let mut real = terminal(&wire, columns, rows);
    let mut h = Harness::new(columns, rows);
    h.typed("光モジュール e\u{301}tat");
    let events = session::finished().events;
    for n in 0..events.len() {
        if n == 1 {
            h.app.query.focused = false;
        }
        h.feed(&events[n..=n]);
        if n % 6 == 0 || n + 1 == events.len() {
            let app = &mut h.app;
            real.draw(|frame| view::draw(app, frame)).unwrap();
        }
    }
    assert_eq!(wire.text(), h.screen());
}

#[test]
fn a_resize_leaves_nothing_behind() {
    let wire = Wire::new(120, 40);
    let mut h = Harness::on(120, 40, &session::asking().events);
    let mut real = terminal(&wire, 120, 40);
    let app = &mut h.app;
    real.draw(|frame| view::draw(app, frame)).unwrap();
    wire.0.lock().unwrap().screen_mut().set_size(some(24), some(80));
    h.resize(80, 24);
    real.resize(Rect::new(0, 0, 80, 24)).unwrap();
    let app = &mut h.app;
    real.draw(|frame| view::draw(app, frame)).unwrap();
    assert_eq!(wire.text(), h.screen());
}

/// Everything written, as it is.
#[derive(Clone, Default)]
struct Raw(Arc<Mutex<Vec<u8>>>);

impl Write for Raw {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Even if a hostile result got past the sanitiser (an old journal, a defect), no byte of it drives the terminal:
/// of all that is written only the cursor moves and colours of the program itself are control sequences.
#[test]
fn nothing_a_tool_says_reaches_the_terminal_raw() {
    let attacks = [
        "\u{1b}[31;5mRED".to_owned(),
        "\u{1b}]8;;http://evil\u{7}click\u{1b}]8;;\u{7}".to_owned(),
        "\u{1b}]52;c;ZXZpbA==\u{7}".to_owned(),
        "\u{1b}P$q\"p\u{1b}\\".to_owned(),
        "\u{9b}31m\u{9d}0;title\u{9c}\u{90}q".to_owned(),
        "abc\u{202e}fed\u{2066}x\u{200b}y\u{feff}".to_owned(),
        "over\rwritten\u{8}\u{8}\u{7f}\u{0}".to_owned(),
        "L".repeat(1_000_000),
    ];
    let mut s = session::executing();
    s.answered(
        4,
        5,
        serde_json::json!({"\u{1b}[2Jkey": attacks, "lines": attacks.join("\n")}),
    );
    s.add(
        "findings_added",
        serde_json::json!({"call": 4, "findings": [{"id": 3, "detector": attacks[0], "resource": "node/xrd-1",
            "severity": "critical", "statement": attacks[..7].join(" "), "at": session::START,
            "citations": [{"evidence": 4, "pointer": "/lines", "claim": {"is": "present"}}]}]}),
    );
    s.add(
        "question_asked",
        serde_json::json!({"question": {"id": 1, "kind": "clarification", "round": 1, "text": attacks[..7].join(" "),
            "suggestions": attacks[..7], "lane": 1, "step": 2, "at": session::START}}),
    );
    s.add(
        "report_written",
        serde_json::json!({"prose": {"headline": attacks[1], "body": attacks.join("\n\n")}}),
    );
    let raw = Raw::default();
    let viewport = Viewport::Fixed(Rect::new(0, 0, 120, 40));
    let mut real =
        Terminal::with_options(CrosstermBackend::new(raw.clone()), TerminalOptions { viewport }).unwrap();
    let mut h = Harness::on(120, 40, &s.events);
    for page in [
        "tab", "1", "3", "5", "U", "G", "7", "9", "L", "0", "4", "! enter", "esc",
    ] {
        h.press(page);
        let app = &mut h.app;
        real.draw(|frame| view::draw(app, frame)).unwrap();
    }
    let written = raw.0.lock().unwrap().clone();
    assert!(written.len() > 10_000, "something was drawn");
    let text = String::from_utf8(written).expect("only whole characters are written");
    assert!(
        text.contains("RED") && text.contains("evil"),
        "the attack is on the screen, inert"
    );
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\u{1b}' {
            assert_eq!(chars.next(), Some('['), "only CSI sequences of our own");
            let body: String = chars.by_ref().take_while(|c| !c.is_ascii_alphabetic()).collect();
            assert!(
                body.chars().all(|c| c.is_ascii_digit() || ";?".contains(c)),
                "{body:?}"
            );
            continue;
        }
        let control = c.is_control() && c != '\n' && c != '\r';
        let hidden = matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
        assert!(!control && !hidden, "{c:?} reached the terminal");
    }
    // The one sequence of the attack that looks like ours is not among ours.
    assert!(!text.contains("\u{1b}[31;5m"));
}
