//! The event loop: the one owner of the terminal, and the place where effects are done.
//!
//! It waits for keys, news, signals and frames; everything else is decided in [`super::app`] and drawn in
//! [`super::view`].

mod background;
mod editor;
mod files;

use std::path::PathBuf;
use std::sync::Arc;

use crossterm::event::{Event as Input, EventStream, KeyEventKind};
use futures::StreamExt;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::app::{App, Clock, Effect, Ending, Msg, Occasion, Player, Setting, TabId, seek, update};
use super::dialogs::{Confirm, Dialog, Setup};
use super::frame::{FrameRequester, Frames, MIN_INTERVAL};
use super::keymap::Key;
use super::source::{Desk, SessionRow};
use super::terminal::{Capability, Modes, Screen, Signal, Signals, copy_sequence, stop_process_group};
use super::{text, view};
use crate::agent::event::Recorded;
use crate::agent::model::{Query, SessionId, Timestamp};
use background::Background;
use files::Files;

/// Messages waiting for the screen. News beyond it waits at its source.
const QUEUE: usize = 1_024;

/// The most messages that are taken in before a frame may be drawn.
const BATCH: usize = 512;

/// How the screen begins.
#[derive(Debug, Clone, Default)]
pub enum Start {
    /// With an empty line.
    #[default]
    Empty,
    /// With a query in the line that waits for Enter.
    Suggest(String),
    /// With this query running.
    Ask(Query),
    /// With a session resumed.
    Resume(SessionId),
    /// With an empty line and the offer to go on with a session that was cut short.
    Offer(SessionRow),
    /// With the set-up before the program proper: the demo is offered first, or the questions come at once.
    Setup {
        /// Whether the demo is offered.
        offer: bool,
    },
    /// With a recording.
    Replay {
        /// What happened.
        events: Arc<[Recorded]>,
        /// The session it is, when it is in the journal.
        session: Option<SessionId>,
        /// How fast; 1.0 is as it was.
        speed: f64,
    },
}

/// What the screen is opened with.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// What stays the same.
    pub setting: Setting,
    /// The theme's name; `dark` when absent.
    pub theme: Option<String>,
    /// The user's configuration folder: `themes/*.toml` and `keymap.toml` in it are read.
    pub config: Option<PathBuf>,
    /// The file of earlier queries, one a line.
    pub history: Option<PathBuf>,
    /// Whether spinners stand still.
    pub reduced_motion: bool,
    /// Whether the mouse is left to the terminal.
    pub without_mouse: bool,
    /// Whether colours are left out whatever the environment says.
    pub without_color: bool,
    /// What does not ring.
    pub silent: Vec<Occasion>,
    /// How it begins.
    pub start: Start,
}

/// How the screen ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// The user left it.
    Left(Ending),
    /// A signal ended it: the exit code a shell expects.
    Signal(u8),
}

/// Why the screen could not be opened or went away.
#[derive(Debug, thiserror::Error)]
pub enum TuiError {
    /// The terminal failed.
    #[error("the terminal failed: {0} - noctui's screen needs a terminal; `noctui ask` works without one")]
    Terminal(#[from] std::io::Error),
    /// A theme is not usable.
    #[error(transparent)]
    Theme(#[from] super::theme::ThemeError),
    /// The keymap is not usable.
    #[error(transparent)]
    Keymap(#[from] super::keymap::KeymapError),
}

/// Opens the screen and runs it until the user quits or a signal ends it.
///
/// Call it on the thread that owns the terminal, inside a runtime whose workers run the agent.
///
/// # Errors
/// See [`TuiError`]. The terminal is restored whatever happens.
pub async fn run(desk: Arc<dyn Desk>, options: Options) -> Result<Exit, TuiError> {
    let mut capability = Capability::detect();
    if options.without_color {
        capability.depth = super::terminal::ColorDepth::None;
    }
    let mut files = Files::new(&options);
    let looks = files.looks(capability.depth, !options.reduced_motion)?;
    let clock = clock(Instant::now());
    let mut app = App::new(looks, options.setting.clone(), files.history(), clock);
    app.mouse = !options.without_mouse;
    let screen = Screen::enter(Modes { mouse: app.mouse })?;
    super::terminal::install_panic_hook();
    let (tx, rx) = mpsc::channel(QUEUE);
    let (frames, requester) = Frames::new(MIN_INTERVAL);
    let background = Background::new(desk, tx);
    let mut looped = Loop {
        app,
        screen,
        capability,
        files,
        background,
        requester,
        rx,
        frames,
        title: String::new(),
        silent: options.silent,
    };
    let first = looped.begin(options.start);
    looped.turn(first).await
}

/// The loop's own things.
struct Loop {
    app: App,
    screen: Screen,
    capability: Capability,
    files: Files,
    background: Background,
    requester: FrameRequester,
    rx: mpsc::Receiver<Msg>,
    frames: Frames,
    title: String,
    silent: Vec<Occasion>,
}

/// What the outside brought.
enum Woken {
    Frame,
    Input(Option<std::io::Result<Input>>),
    News(Msg),
    Signal(Signal),
}

impl Loop {
    /// The effects with which the screen begins.
    fn begin(&mut self, start: Start) -> Vec<Effect> {
        let now = Instant::now();
        let tab = self.app.tab_mut();
        let id = tab.id;
        match start {
            Start::Empty => Vec::new(),
            Start::Suggest(text) => {
                self.app.query.edit.set(&text);
                Vec::new()
            }
            Start::Ask(query) => {
                tab.opening = true;
                self.app.query.focused = false;
                vec![Effect::Open(id, query)]
            }
            Start::Resume(session) => {
                tab.opening = true;
                self.app.query.focused = false;
                vec![Effect::Resume(id, session)]
            }
            Start::Offer(row) => {
                let age = self.app.clock.wall.since_ms(row.opened);
                let ago = text::duration(u64::try_from(age).unwrap_or(0));
                let offer = Dialog::Confirm(Confirm::resume(&row, &ago));
                self.app.layers.interrupt(offer, now);
                Vec::new()
            }
            Start::Setup { offer } => {
                let known = self.app.setting.known.clone();
                let setup = match offer {
                    true => Setup::offered(&self.app, &known),
                    false => Setup::alone(&self.app, &known),
                };
                self.app.query.focused = false;
                self.app.layers.open(Dialog::Setup(Box::new(setup)));
                Vec::new()
            }
            Start::Replay {
                events,
                session,
                speed,
            } => {
                tab.player = Some(Player::new(events, speed, now));
                tab.recorded = session;
                seek(tab, 0, now);
                self.app.query.focused = false;
                Vec::new()
            }
        }
    }

    async fn turn(mut self, first: Vec<Effect>) -> Result<Exit, TuiError> {
        let mut signals = Signals::listen()?;
        let mut inputs = EventStream::new();
        if let Some(exit) = self.act(first, &mut inputs).await? {
            return Ok(exit);
        }
        self.requester.request();
        loop {
            let woken = tokio::select! {
                () = self.frames.next() => Woken::Frame,
                input = inputs.next() => Woken::Input(input),
                Some(msg) = self.rx.recv() => Woken::News(msg),
                signal = signals.next() => Woken::Signal(signal),
            };
            self.app.clock = Clock {
                start: self.app.clock.start,
                ..clock(Instant::now())
            };
            let effects = match woken {
                Woken::Frame => {
                    let effects = update(&mut self.app, Msg::Wake);
                    self.draw()?;
                    effects
                }
                Woken::Input(Some(Ok(input))) => self.input(input),
                Woken::Input(Some(Err(error))) => return Err(error.into()),
                // The terminal went away without a signal.
                Woken::Input(None) => return Ok(Exit::Signal(Signal::HangUp.exit_code())),
                Woken::News(msg) => self.news(msg),
                Woken::Signal(Signal::Suspend) => vec![Effect::Suspend],
                Woken::Signal(signal) => return Ok(Exit::Signal(signal.exit_code())),
            };
            if let Some(exit) = self.act(effects, &mut inputs).await? {
                return Ok(exit);
            }
        }
    }

    fn draw(&mut self) -> std::io::Result<()> {
        let app = &mut self.app;
        self.screen.draw(|frame| view::draw(app, frame))?;
        let title = format!("noctui - {}", self.app.tab().story.activity());
        if title != self.title {
            self.screen.set_title(&title)?;
            self.title = title;
        }
        if let Some(at) = self.app.next_wake() {
            self.requester
                .request_in(at.saturating_duration_since(Instant::now()));
        }
        Ok(())
    }

    fn input(&mut self, input: Input) -> Vec<Effect> {
        let msg = match input {
            Input::Key(key) if key.kind == KeyEventKind::Release => return Vec::new(),
            Input::Key(key) => Msg::Key(Key::from(key)),
            Input::Paste(text) => Msg::Paste(text),
            Input::Mouse(event) => Msg::Mouse(event),
            Input::Resize(columns, rows) => Msg::Resize(columns, rows),
            Input::FocusGained => Msg::WindowFocus(true),
            Input::FocusLost => Msg::WindowFocus(false),
        };
        self.requester.request();
        update(&mut self.app, msg)
    }

    /// Takes in what waits, up to a batch, so that a burst costs one frame.
    fn news(&mut self, first: Msg) -> Vec<Effect> {
        let mut effects = update(&mut self.app, first);
        for _ in 0..BATCH {
            let Ok(msg) = self.rx.try_recv() else { break };
            effects.extend(update(&mut self.app, msg));
        }
        self.requester.request();
        effects
    }

    /// Does the effects. Those that take time go to the background and come back as messages.
    async fn act(
        &mut self,
        effects: Vec<Effect>,
        inputs: &mut EventStream,
    ) -> Result<Option<Exit>, TuiError> {
        for effect in effects {
            match effect {
                Effect::End(ending) => return Ok(Some(Exit::Left(ending))),
                Effect::Copy(text, what) => self.copy(&text, what)?,
                Effect::Alert(occasion, words) => self.alert(occasion, &words)?,
                Effect::Mouse(on) => self.screen.capture_mouse(on)?,
                Effect::Repaint => self.screen.repaint()?,
                Effect::Remember(line) => self.files.remember(&line),
                Effect::Reload { if_changed } => self.reload(if_changed),
                Effect::Suspend => self.suspend()?,
                Effect::Edit(text) => {
                    self.screen.pause()?;
                    let edited = editor::edit(&text).await;
                    self.screen.resume()?;
                    *inputs = EventStream::new();
                    update(&mut self.app, Msg::Edited(edited));
                    self.requester.request();
                }
                slow => self.background.start(slow),
            }
        }
        Ok(None)
    }

    fn copy(&mut self, text: &str, what: String) -> std::io::Result<()> {
        let (bytes, route) = copy_sequence(text, &self.capability);
        self.screen.send(&bytes)?;
        update(&mut self.app, Msg::Copied(what, route));
        self.requester.request();
        Ok(())
    }

    /// Rings only when nobody looks and for what was not silenced: BEL for every terminal, OSC 9 for those that show notifications.
    fn alert(&mut self, occasion: Occasion, words: &str) -> std::io::Result<()> {
        if self.app.window_focus || self.silent.contains(&occasion) {
            return Ok(());
        }
        let line = text::fit(&text::one_line(words), 120);
        self.screen
            .send(format!("\x07\x1b]9;noctui: {line}\x07").as_bytes())
    }

    fn reload(&mut self, if_changed: bool) {
        if if_changed && !self.files.changed() {
            return;
        }
        let theme = self.app.looks.theme.name().to_owned();
        let (looks, problems) = self.files.reload(&self.app.looks, &theme);
        update(&mut self.app, Msg::Reloaded(Box::new(looks), problems));
        self.requester.request();
    }

    fn suspend(&mut self) -> std::io::Result<()> {
        self.screen.pause()?;
        let stopped = stop_process_group();
        self.screen.resume()?;
        if let Err(reason) = stopped {
            self.app.complain(reason);
        }
        self.requester.request();
        Ok(())
    }
}

fn clock(now: Instant) -> Clock {
    let since = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default();
    Clock {
        now,
        wall: Timestamp(i64::try_from(since.as_millis()).unwrap_or(0)),
        start: now,
    }
}

/// The news of one tab, forwarded until it ends.
async fn forward(id: TabId, mut source: Box<dyn super::source::Source>, tx: mpsc::Sender<Msg>) {
    loop {
        let feed = source.next().await;
        let last = feed == super::source::Feed::Closed;
        if tx.send(Msg::Feed(id, feed)).await.is_err() || last {
            return;
        }
    }
}
