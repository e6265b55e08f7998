//! Where everything lies, for any size. Pure.

use ratatui::layout::{Constraint, Layout, Rect, Spacing};

use crate::tui::app::{App, Page};
use crate::tui::panes::PaneId;

/// From this width on panes stand side by side.
pub const WIDE: u16 = 100;

/// From this height on the overview has its three rows.
const TALL: u16 = 26;

/// How much of the screen there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Everything side by side.
    Full,
    /// One pane at a time.
    Tabs,
    /// Status and the question, or what matters most.
    Tiny,
    /// Not even that.
    TooSmall,
}

/// Places of everything on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrangement {
    /// How much there is.
    pub mode: Mode,
    /// The status bar.
    pub status: Rect,
    /// The query line.
    pub query: Rect,
    /// The strip of pages; empty when there is no room.
    pub strip: Rect,
    /// The guide's lines; empty when nobody is guided or there is no room.
    pub guide: Rect,
    /// The panes, frames included; neighbours share a line.
    pub panes: Vec<(PaneId, Rect)>,
    /// The welcome, instead of panes, while nothing was asked.
    pub welcome: Option<Rect>,
    /// The footer.
    pub footer: Rect,
}

/// Arranges the screen. `needs` is the height the question wants without its frame (0: none waits), `hero`
/// that of the verdict.
pub fn arrange(screen: Rect, app: &App, needs: u16, hero: u16) -> Arrangement {
    let mode = mode(screen);
    let fixed = if mode == Mode::Tiny {
        [1, 1, 0, 0, 1]
    } else {
        [1, 1, 1, super::guide::height(app, screen.width), 1]
    };
    let [status, query, strip, guide, body, footer] = Layout::vertical([
        Constraint::Length(fixed[0]),
        Constraint::Length(fixed[1]),
        Constraint::Length(fixed[2]),
        Constraint::Length(fixed[3]),
        Constraint::Min(0),
        Constraint::Length(fixed[4]),
    ])
    .areas(screen);
    let mut plan = Arrangement {
        mode,
        status,
        query,
        strip,
        guide,
        panes: Vec::new(),
        welcome: None,
        footer,
    };
    let tab = app.tab();
    if mode == Mode::TooSmall {
        return plan;
    }
    if tab.is_fresh() && tab.page == Page::Overview {
        plan.welcome = Some(body);
        return plan;
    }
    let (body, question) = match mode {
        _ if needs == 0 => (body, None),
        Mode::Tiny => (Rect { height: 0, ..body }, Some(body)),
        _ => {
            let height = (needs + 2).min(body.height * 3 / 5).max(4).min(body.height);
            let split: [Rect; 2] = Layout::vertical([Constraint::Min(0), Constraint::Length(height)])
                .spacing(Spacing::Overlap(1))
                .areas(body);
            (split[0], Some(split[1]))
        }
    };
    if body.height > 2 {
        plan.panes = match (mode, tab.page) {
            (_, Page::Alone(PaneId::Needs)) => Vec::new(),
            (_, Page::Alone(pane)) => vec![(pane, body)],
            (Mode::Full, Page::Overview) if hero > 0 => with_verdict(body, hero),
            (Mode::Full, Page::Overview) => at_work(body),
            (_, Page::Overview) => vec![(alone(tab.focus, hero), body)],
        };
    }
    plan.panes.extend(question.map(|area| (PaneId::Needs, area)));
    plan
}

fn mode(screen: Rect) -> Mode {
    match (screen.width, screen.height) {
        (w, h) if w < 40 || h < 10 => Mode::TooSmall,
        (w, h) if w < 60 || h < 16 => Mode::Tiny,
        (w, h) if w < WIDE || h < TALL => Mode::Tabs,
        _ => Mode::Full,
    }
}

/// On a narrow overview one pane stands for all: the focused one, or the verdict once it stands.
fn alone(focus: PaneId, hero: u16) -> PaneId {
    match focus {
        PaneId::Needs if hero > 0 => PaneId::Verdict,
        PaneId::Needs => PaneId::Steps,
        pane => pane,
    }
}

/// Plan, loops and devices above, steps below.
fn at_work(body: Rect) -> Vec<(PaneId, Rect)> {
    let top = (body.height * 2 / 5).clamp(8, 16);
    let [above, below] = split(
        Layout::vertical([Constraint::Length(top), Constraint::Min(4)]),
        body,
    );
    let widths = [Constraint::Fill(31), Constraint::Fill(39), Constraint::Fill(30)];
    let [plan, loops, devices]: [Rect; 3] = Layout::horizontal(widths)
        .spacing(Spacing::Overlap(1))
        .areas(above);
    vec![
        (PaneId::Plan, plan),
        (PaneId::Loops, loops),
        (PaneId::Devices, devices),
        (PaneId::Steps, below),
    ]
}

/// The verdict with the map beside it above, steps and devices below.
fn with_verdict(body: Rect, hero: u16) -> Vec<(PaneId, Rect)> {
    let most = (body.height * 3 / 5).max(8);
    let top = (hero + 2)
        .clamp(10, most.max(10))
        .min(body.height.saturating_sub(5));
    let [above, below] = split(
        Layout::vertical([Constraint::Length(top), Constraint::Min(4)]),
        body,
    );
    let [verdict, map] = split(
        Layout::horizontal([Constraint::Fill(60), Constraint::Fill(40)]),
        above,
    );
    let [steps, devices] = split(
        Layout::horizontal([Constraint::Fill(60), Constraint::Fill(40)]),
        below,
    );
    vec![
        (PaneId::Verdict, verdict),
        (PaneId::Map, map),
        (PaneId::Steps, steps),
        (PaneId::Devices, devices),
    ]
}

fn split(layout: Layout, area: Rect) -> [Rect; 2] {
    layout.spacing(Spacing::Overlap(1)).areas(area)
}
