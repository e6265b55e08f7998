//! The model of the screen and its update. No I/O and no clock: messages and the time come in, effects go
//! out, and [`super::view`] draws what stands here.

mod answer;
mod availability;
mod command;
mod keys;
mod line;
mod mouse;
mod msg;
mod player;
mod query;
mod tab;
mod update;

use std::time::Duration;

use tokio::time::Instant;

pub use availability::why_not;
pub use command::{find, overview_panes, perform, resume, seek, with_pane};
pub use keys::contexts;
pub use line::LineEdit;
pub use msg::{EditFor, Effect, Ending, ExportTo, Msg, Occasion, TabId};
pub use player::Player;
pub use query::QueryLine;
pub use tab::{Page, Panes, Tab};
pub use update::update;

use super::dialogs::Dialog;
use super::keymap::Keymap;
use super::layers::Layers;
use super::panes::{Armed, Cx, PaneId, Sessions};
use super::source::Answers;
use super::terminal::ColorDepth;
use super::theme::{Theme, ThemeSet};
use crate::agent::model::Timestamp;

/// How long a remark at the bottom stays.
const TOAST: Duration = Duration::from_secs(6);

/// How long one spinner glyph stands.
const SPIN: Duration = Duration::from_millis(120);

/// The spinner, one cell wide.
const SPINNER: [&str; 8] = ["⣾", "⣽", "⣻", "⢿", "⡿", "⣟", "⣯", "⣷"];

/// What the user may change while the program runs.
#[derive(Debug, Clone)]
pub struct Looks {
    /// The theme as this terminal shows it.
    pub theme: Theme,
    /// All themes.
    pub themes: ThemeSet,
    /// How many colours the terminal has.
    pub depth: ColorDepth,
    /// Keys.
    pub keymap: Keymap,
    /// Whether spinners turn.
    pub motion: bool,
}

/// What stays the same.
#[derive(Debug, Clone, Default)]
pub struct Setting {
    /// What the tools reach, before a session says it: `lab S`, `network`.
    pub context: String,
    /// The reasoner, before a session says it.
    pub reasoner: String,
    /// The profile in force, in capitals: `READ-ONLY`.
    pub profile: String,
    /// Words that the query line completes besides devices and roles: runbooks, VRFs.
    pub words: Vec<String>,
    /// Queries to try, shown while nothing was asked yet.
    pub examples: Vec<String>,
    /// What to say above them; the demo explains itself here.
    pub welcome: String,
    /// Whether a line under the strip says at each turn what is happening and what to press.
    pub guided: bool,
    /// What the set-up would find in force.
    pub known: Answers,
}

/// A remark at the bottom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toast {
    /// The words.
    pub text: String,
    /// Whether it tells of a failure.
    pub bad: bool,
    /// When it goes.
    pub until: Instant,
}

/// The time as it was handed in.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    /// For waits.
    pub now: Instant,
    /// For running clocks on the screen.
    pub wall: Timestamp,
    /// When the program started.
    pub start: Instant,
}

/// The screen's model.
pub struct App {
    /// Investigations, never empty.
    pub tabs: Vec<Tab>,
    /// The one on show.
    pub active: usize,
    /// The query line.
    pub query: QueryLine,
    /// Dialogs over the screen.
    pub layers: Layers<Dialog>,
    /// Theme and keys.
    pub looks: Looks,
    /// What stays the same.
    pub setting: Setting,
    /// The sessions browser.
    pub sessions: Sessions,
    /// The remark at the bottom.
    pub toast: Option<Toast>,
    /// The time.
    pub clock: Clock,
    /// Columns and rows.
    pub size: (u16, u16),
    /// Whether the terminal window has the focus.
    pub window_focus: bool,
    /// Whether the mouse is ours.
    pub mouse: bool,
    /// When Ctrl+C was pressed last; a second press within a few seconds offers to quit.
    pub cancelled: Option<Instant>,
    next_tab: u32,
}

impl App {
    /// A screen with one empty tab and the cursor in the query line.
    pub fn new(looks: Looks, setting: Setting, history: Vec<String>, clock: Clock) -> Self {
        let mut query = QueryLine::new(history);
        query.focused = true;
        Self {
            tabs: vec![Tab::new(TabId(0))],
            active: 0,
            query,
            layers: Layers::default(),
            looks,
            setting,
            sessions: Sessions::default(),
            toast: None,
            clock,
            size: (0, 0),
            window_focus: true,
            mouse: true,
            cancelled: None,
            next_tab: 1,
        }
    }

    /// The investigation on show.
    pub fn tab(&self) -> &Tab {
        &self.tabs[self.active.min(self.tabs.len() - 1)]
    }

    /// The investigation on show, to change.
    pub fn tab_mut(&mut self) -> &mut Tab {
        let index = self.active.min(self.tabs.len() - 1);
        &mut self.tabs[index]
    }

    /// A tab by its name.
    pub fn find(&mut self, id: TabId) -> Option<&mut Tab> {
        self.tabs.iter_mut().find(|t| t.id == id)
    }

    /// Adds an empty tab and shows it.
    pub fn add_tab(&mut self) -> TabId {
        let id = TabId(self.next_tab);
        self.next_tab += 1;
        self.tabs.push(Tab::new(id));
        self.active = self.tabs.len() - 1;
        id
    }

    /// Says something at the bottom for a while.
    pub fn tell(&mut self, text: impl Into<String>) {
        self.toast = Some(Toast {
            text: text.into(),
            bad: false,
            until: self.clock.now + TOAST,
        });
    }

    /// Says that something failed.
    pub fn complain(&mut self, text: impl Into<String>) {
        self.toast = Some(Toast {
            text: text.into(),
            bad: true,
            until: self.clock.now + TOAST,
        });
    }

    /// Whether text is being typed, so that plain keys are not commands.
    pub fn is_typing(&self) -> bool {
        self.query.focused || self.layers.front().is_some_and(|l| l.content.takes_text())
    }

    /// The pane that takes the keys when no dialog and no field does.
    pub fn focus(&self) -> PaneId {
        self.tab().focus
    }

    /// The spinner's present glyph.
    pub fn spinner(&self) -> &'static str {
        let busy = self.tab().opening || self.tab().story.is_busy();
        if !self.looks.motion || !busy || self.tab().player.as_ref().is_some_and(|p| !p.is_playing()) {
            return "◐";
        }
        let turns = self
            .clock
            .now
            .saturating_duration_since(self.clock.start)
            .as_millis()
            / SPIN.as_millis();
        SPINNER[usize::try_from(turns).unwrap_or(0) % SPINNER.len()]
    }

    /// The time that running clocks show.
    pub fn shown_time(&self) -> Timestamp {
        self.tab()
            .player
            .as_ref()
            .map_or(self.clock.wall, |p| p.clock(self.clock.now))
    }

    /// Runs something on the panes of the tab on show, with what they are drawn with.
    pub fn with_cx<T>(&mut self, act: impl FnOnce(&Cx, &mut Panes) -> T) -> T {
        let (spinner, now, at) = (self.spinner(), self.shown_time(), self.clock.now);
        let index = self.active.min(self.tabs.len() - 1);
        let tab = &mut self.tabs[index];
        let armed = match tab.arming {
            Some((_, arming)) if !arming.is_armed(at) => Armed::Waiting {
                swallowed: arming.swallowed(),
            },
            _ => Armed::Yes,
        };
        let (theme, keymap) = (&self.looks.theme, &self.looks.keymap);
        let cx = Cx {
            story: &tab.story,
            theme,
            keymap,
            now,
            spinner,
            focused: false,
            armed,
        };
        act(&cx, &mut tab.panes)
    }

    /// When the screen changes by itself next, if it does: the next frame to ask for.
    pub fn next_wake(&self) -> Option<Instant> {
        let now = self.clock.now;
        let mut wakes: Vec<Instant> = Vec::new();
        wakes.extend(self.toast.as_ref().map(|t| t.until));
        wakes.extend(self.tabs.iter().filter_map(|t| t.player.as_ref()?.due()));
        wakes.extend(self.tab().arming.map(|(_, a)| a.arms_at()).filter(|at| *at > now));
        wakes.extend(
            self.layers
                .front()
                .and_then(|l| l.arming)
                .map(|a| a.arms_at())
                .filter(|at| *at > now),
        );
        let live = self.tab().opening || self.tab().story.is_busy();
        let paused = self.tab().player.as_ref().is_some_and(|p| !p.is_playing());
        if live && !paused {
            wakes.push(
                now + if self.looks.motion {
                    SPIN
                } else {
                    Duration::from_secs(1)
                },
            );
        }
        wakes.into_iter().min()
    }
}
