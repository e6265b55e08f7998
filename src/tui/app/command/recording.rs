//! The scrubber of a recording.

use tokio::time::Instant;

use super::super::msg::Effect;
use super::super::{App, Tab};
use crate::tui::action::Replay;
use crate::tui::story::Story;

/// Does an action of this group.
pub(super) fn perform(app: &mut App, action: Replay) -> Vec<Effect> {
    let now = app.clock.now;
    let tab = app.tab_mut();
    let Some(player) = tab.player.as_mut() else {
        return Vec::new();
    };
    let (position, _) = player.position();
    let target = match action {
        Replay::Toggle => player.toggle(now).then_some(0),
        Replay::Faster | Replay::Slower => {
            player.change_speed(action == Replay::Faster);
            None
        }
        Replay::Back => Some(position.saturating_sub(10)),
        Replay::Forward => Some(position + 10),
        Replay::Start => Some(0),
        Replay::End => Some(usize::MAX),
    };
    if let Some(target) = target {
        seek(tab, target, now);
    }
    Vec::new()
}

/// Moves a recording. Forward it only adds; backward it folds from the beginning.
pub fn seek(tab: &mut Tab, target: usize, now: Instant) {
    let Some(player) = tab.player.as_mut() else { return };
    let (before, _) = player.position();
    let events = player.seek(target, now);
    if events.len() >= before {
        for event in &events[before..] {
            tab.story.apply(event);
        }
    } else {
        tab.story = Story::of(events);
    }
    tab.settle_questions(now, true);
}
