//! The whole screen in process: keys in, news in, effects out, the picture as text.

use std::sync::Arc;
use std::time::Duration;

use crossterm::event::{KeyEvent, MouseEvent};
use noctui::agent::event::Recorded;
use noctui::agent::model::{SessionId, Timestamp};
use noctui::tui::app::{App, Clock, Effect, Looks, Msg, Setting, TabId, update};
use noctui::tui::keymap::{Key, Keymap};
use noctui::tui::source::Feed;
use noctui::tui::terminal::ColorDepth;
use noctui::tui::theme::ThemeSet;
use noctui::tui::view;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use tokio::time::Instant;

use super::session::START;

pub struct Harness {
    pub app: App,
    pub terminal: Terminal<TestBackend>,
    pub effects: Vec<Effect>,
    zero: Instant,
    passed: Duration,
}

pub fn looks(theme: &str, depth: ColorDepth) -> Looks {
    let themes = ThemeSet::built_in().unwrap();
    let theme = themes.get(theme).unwrap().at_depth(depth);
    Looks {
        theme,
        themes,
        depth,
        keymap: Keymap::shipped().unwrap(),
        motion: false,
    }
}

pub fn setting() -> Setting {
    Setting {
        context: "lab S".to_owned(),
        reasoner: "rules".to_owned(),
        profile: "READ-ONLY".to_owned(),
        words: vec!["check_bgp_neighbors".to_owned(), "review_pe_device".to_owned()],
        examples: vec![
            "Check BGP neighbours on xrd-1".to_owned(),
            "How are my PE routers doing?".to_owned(),
        ],
        welcome: "This is a simulated network with a fault in it. Press Enter to look for it.".to_owned(),
        ..Setting::default()
    }
}

impl Harness {
    pub fn new(columns: u16, rows: u16) -> Self {
        Self::with(columns, rows, looks("dark", ColorDepth::True))
    }

    pub fn with(columns: u16, rows: u16, looks: Looks) -> Self {
        let zero = Instant::now();
        let clock = Clock {
            now: zero,
            wall: Timestamp(START),
            start: zero,
        };
        let app = App::new(looks, setting(), Vec::new(), clock);
        let terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
        Self {
            app,
            terminal,
            effects: Vec::new(),
            zero,
            passed: Duration::ZERO,
        }
    }

    /// A screen on which this session has happened, live.
    pub fn on(columns: u16, rows: u16, events: &[Recorded]) -> Self {
        let mut h = Self::new(columns, rows);
        h.session(events);
        h
    }

    pub fn session(&mut self, events: &[Recorded]) -> &mut Self {
        self.app.query.focused = false;
        self.send(Msg::Opened(TabId(0), Ok(SessionId("S1".to_owned()))));
        self.feed(events);
        let last = events.last().map_or(START, |e| e.at.0);
        self.pass(Duration::from_millis(u64::try_from(last - START).unwrap_or(0)));
        self.pass(Duration::from_secs(2));
        self
    }

    pub fn feed(&mut self, events: &[Recorded]) -> &mut Self {
        let id = self.app.tab().id;
        for event in events {
            self.send(Msg::Feed(id, Feed::Event(Arc::new(event.clone()))));
        }
        self
    }

    pub fn send(&mut self, msg: Msg) -> &mut Self {
        let effects = update(&mut self.app, msg);
        self.effects.extend(effects);
        self
    }

    pub fn pass(&mut self, time: Duration) -> &mut Self {
        self.passed += time;
        let ms = i64::try_from(self.passed.as_millis()).unwrap();
        self.app.clock = Clock {
            now: self.zero + self.passed,
            wall: Timestamp(START + ms),
            start: self.zero,
        };
        self.send(Msg::Wake)
    }

    /// Presses keys, written as in a keymap, separated by blanks.
    pub fn press(&mut self, keys: &str) -> &mut Self {
        for key in keys.split_whitespace() {
            let key: Key = key.parse().unwrap();
            self.send(Msg::Key(key));
        }
        self
    }

    pub fn typed(&mut self, text: &str) -> &mut Self {
        for c in text.chars() {
            let event = KeyEvent::new(
                crossterm::event::KeyCode::Char(c),
                crossterm::event::KeyModifiers::NONE,
            );
            self.send(Msg::Key(Key::from(event)));
        }
        self
    }

    pub fn mouse(&mut self, event: MouseEvent) -> &mut Self {
        self.send(Msg::Mouse(event))
    }

    pub fn resize(&mut self, columns: u16, rows: u16) -> &mut Self {
        self.terminal.backend_mut().resize(columns, rows);
        self.send(Msg::Resize(columns, rows))
    }

    pub fn draw(&mut self) -> &Buffer {
        let app = &mut self.app;
        self.terminal.draw(|frame| view::draw(app, frame)).unwrap();
        self.terminal.backend().buffer()
    }

    /// The picture as text, blanks at line ends cut.
    pub fn screen(&mut self) -> String {
        let buffer = self.draw();
        let width = usize::from(buffer.area.width);
        let mut lines = Vec::new();
        for row in buffer.content().chunks(width.max(1)) {
            let mut line = String::new();
            let mut skip = 0;
            for cell in row {
                if skip > 0 {
                    skip -= 1;
                    continue;
                }
                line.push_str(cell.symbol());
                skip = noctui::tui::text::width(cell.symbol()).saturating_sub(1);
            }
            lines.push(line.trim_end().to_owned());
        }
        lines.join("\n")
    }

    /// Lets time pass until `seen` holds of the picture, at most a minute; on failure shows the last picture.
    pub fn wait_until(&mut self, what: &str, seen: impl Fn(&str) -> bool) -> &mut Self {
        for _ in 0..600 {
            if seen(&self.screen()) {
                return self;
            }
            self.pass(Duration::from_millis(100));
        }
        panic!("never seen: {what}\n{}", self.screen());
    }

    pub fn sees(&mut self, text: &str) -> &mut Self {
        let screen = self.screen();
        assert!(
            screen.contains(text),
            "\"{text}\" is not on the screen:\n{screen}"
        );
        self
    }

    pub fn misses(&mut self, text: &str) -> &mut Self {
        let screen = self.screen();
        assert!(!screen.contains(text), "\"{text}\" is on the screen:\n{screen}");
        self
    }
}

/// The picture with its colours, as a terminal would get it.
pub fn ansi(buffer: &Buffer) -> String {
    use ratatui::style::{Color, Modifier};
    let color = |c: Color, base: u8| match c {
        Color::Rgb(r, g, b) => format!("{};2;{r};{g};{b}", base + 8),
        Color::Indexed(i) => format!("{};5;{i}", base + 8),
        Color::Reset => format!("{}", base + 9),
        named => {
            let names = [
                Color::Black,
                Color::Red,
                Color::Green,
                Color::Yellow,
                Color::Blue,
                Color::Magenta,
                Color::Cyan,
                Color::Gray,
            ];
            let bright = [
                Color::DarkGray,
                Color::LightRed,
                Color::LightGreen,
                Color::LightYellow,
                Color::LightBlue,
                Color::LightMagenta,
                Color::LightCyan,
                Color::White,
            ];
            names.iter().position(|n| *n == named).map_or_else(
                || {
                    format!(
                        "{}",
                        base as usize + 60 + bright.iter().position(|n| *n == named).unwrap_or(7)
                    )
                },
                |i| format!("{}", base as usize + i),
            )
        }
    };
    let mut out = String::new();
    for row in buffer.content().chunks(usize::from(buffer.area.width)) {
        let mut skip = 0;
        for cell in row {
            if skip > 0 {
                skip -= 1;
                continue;
            }
            let mut codes = vec!["0".to_owned(), color(cell.fg, 30), color(cell.bg, 40)];
            for (flag, code) in [
                (Modifier::BOLD, "1"),
                (Modifier::ITALIC, "3"),
                (Modifier::UNDERLINED, "4"),
                (Modifier::REVERSED, "7"),
            ] {
                if cell.modifier.contains(flag) {
                    codes.push(code.to_owned());
                }
            }
            out.push_str(&format!("\x1b[{}m{}", codes.join(";"), cell.symbol()));
            skip = noctui::tui::text::width(cell.symbol()).saturating_sub(1);
        }
        out.push_str("\x1b[0m\n");
    }
    out
}
