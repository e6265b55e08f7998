//! Does what an action says. One file a group of actions; what an action cannot do it says instead.

mod browse;
mod go;
mod list;
mod look;
mod program;
mod recording;
mod typing;

use super::availability::why_not;
use super::msg::Effect;
use super::{App, answer};
use crate::tui::action::Action;

pub use browse::resume;
pub use go::overview_panes;
pub use list::{find, open, with_pane};
pub use recording::seek;

/// Performs an action, or says why not.
pub fn perform(app: &mut App, action: Action) -> Vec<Effect> {
    if let Some(reason) = why_not(app, action) {
        app.complain(reason);
        return Vec::new();
    }
    match action {
        Action::App(a) => program::perform(app, a),
        Action::Go(a) => go::perform(app, a),
        Action::List(a) => list::perform(app, a),
        Action::Typing(a) => typing::perform(app, a),
        Action::Answering(a) => answer::perform(app, a),
        Action::Look(a) => look::perform(app, a),
        Action::Map(a) => look::map(app, a),
        Action::Replay(a) => recording::perform(app, a),
        Action::Sessions(a) => browse::perform(app, a),
    }
}
