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
