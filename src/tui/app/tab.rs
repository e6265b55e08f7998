//! One investigation on the screen: its story, its panes, where the eye is.

use ratatui::layout::Rect;
use tokio::time::Instant;

use super::msg::TabId;
use super::player::Player;
use crate::agent::model::{QuestionId, SessionId};
use crate::tui::layers::Arming;
use crate::tui::panes::{
    Devices, EvidencePane, Log, Loops, MapPane, Needs, Pane, PaneId, Plan, Report, Steps, Timeline, Tools,
    VerdictPane,
};
use crate::tui::story::Story;

/// What fills the body of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Page {
    /// Several panes at a glance.
    Overview,
    /// One pane alone.
    Alone(PaneId),
}

/// The panes of a tab.
#[derive(Default)]
pub struct Panes {
    /// Plan.
    pub plan: Plan,
    /// Loops.
    pub loops: Loops,
    /// Steps.
    pub steps: Steps,
    /// Devices.
    pub devices: Devices,
    /// Evidence.
    pub evidence: EvidencePane,
    /// Map.
    pub map: MapPane,
    /// Timeline.
    pub timeline: Timeline,
    /// Verdict.
    pub verdict: VerdictPane,
    /// Report.
    pub report: Report,
    /// Tools.
    pub tools: Tools,
    /// Log.
    pub log: Log,
    /// Questions.
    pub needs: Needs,
}

impl Panes {
    /// A pane by its name; `None` for the sessions browser, which belongs to no tab.
    pub fn get_mut(&mut self, id: PaneId) -> Option<&mut dyn Pane> {
        Some(match id {
            PaneId::Plan => &mut self.plan,
            PaneId::Loops => &mut self.loops,
            PaneId::Steps => &mut self.steps,
            PaneId::Devices => &mut self.devices,
            PaneId::Evidence => &mut self.evidence,
            PaneId::Map => &mut self.map,
            PaneId::Timeline => &mut self.timeline,
            PaneId::Verdict => &mut self.verdict,
            PaneId::Report => &mut self.report,
            PaneId::Tools => &mut self.tools,
            PaneId::Log => &mut self.log,
            PaneId::Needs => &mut self.needs,
            PaneId::Sessions => return None,
        })
    }
}

/// One investigation.
pub struct Tab {
    /// Its name for the event loop.
    pub id: TabId,
    /// Its session in the journal, once opened.
    pub session: Option<SessionId>,
    /// The session a recording was made of, when it is in the journal.
    pub recorded: Option<SessionId>,
    /// Whether a session is being opened.
    pub opening: bool,
    /// What it knows.
    pub story: Story,
    /// The recording, when it replays one.
    pub player: Option<Player>,
    /// The panes.
    pub panes: Panes,
    /// What fills the body.
    pub page: Page,
    /// The pane that takes the keys.
    pub focus: PaneId,
    /// Where the focus goes back to after a question.
    pub before_question: Option<PaneId>,
    /// The question on show and whether it takes answers.
    pub arming: Option<(QuestionId, Arming)>,
    /// Answers on their way: they are not asked for again.
    pub answered: Vec<QuestionId>,
    /// Where the panes were drawn last, for the mouse.
    pub drawn: Vec<(PaneId, Rect)>,
}

impl Tab {
    /// An empty tab.
    pub fn new(id: TabId) -> Self {
        Self {
            id,
            session: None,
            recorded: None,
            opening: false,
            story: Story::default(),
            player: None,
            panes: Panes::default(),
            page: Page::Overview,
            focus: PaneId::Steps,
            before_question: None,
            arming: None,
            answered: Vec::new(),
            drawn: Vec::new(),
        }
    }

    /// Whether a live session runs here.
    pub fn is_running(&self) -> bool {
        self.player.is_none()
            && (self.opening
                || (self.session.is_some() && !self.story.state.is_ended() && !self.story.closed))
    }

    /// Whether nothing was ever asked here.
    pub fn is_fresh(&self) -> bool {
        self.session.is_none() && self.player.is_none() && !self.opening
    }

    /// Questions that wait and have no answer on its way.
    pub fn waiting(&self) -> usize {
        self.story
            .waiting()
            .iter()
            .filter(|q| !self.answered.contains(&q.id))
            .count()
    }

    /// The question that keys would answer now.
    pub fn question(&self) -> Option<&crate::agent::model::Question> {
        self.panes
            .needs
            .question(&self.story)
            .filter(|q| !self.answered.contains(&q.id))
    }

    /// Takes note of a change of questions: a new one starts disarmed, and the focus goes to it unless
    /// `busy` says that the user is in the middle of something. Returns whether a new question appeared.
    pub fn settle_questions(&mut self, now: Instant, busy: bool) -> bool {
        let shown = self.question().map(|q| q.id);
        match (shown, self.arming.map(|(id, _)| id)) {
            (Some(id), old) if old != Some(id) => {
                self.arming = Some((id, Arming::new(now)));
                if !busy && self.focus != PaneId::Needs {
                    self.before_question = Some(self.focus);
                    self.focus = PaneId::Needs;
                }
                true
            }
            (None, Some(_)) => {
                self.arming = None;
                if self.focus == PaneId::Needs {
                    self.focus = self.before_question.take().unwrap_or(PaneId::Steps);
                }
                false
            }
            _ => false,
        }
    }

    /// A short name for the strip of tabs.
    pub fn title(&self) -> String {
        let query = self.story.query();
        let name = if query.is_empty() { "new" } else { query };
        if self.player.is_some() {
            format!("⏵ {name}")
        } else {
            name.to_owned()
        }
    }
}
