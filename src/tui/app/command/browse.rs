//! The sessions browser: resume, rename, delete, compare.

use super::super::App;
use super::super::msg::{Effect, TabId};
use super::typing::start;
use crate::agent::model::SessionId;
use crate::tui::action::Sessions;
use crate::tui::dialogs::{Confirm, Dialog, Prompt, PromptFor};

/// Does an action of this group.
pub(super) fn perform(app: &mut App, action: Sessions) -> Vec<Effect> {
    let selected = app.sessions.selected().cloned();
    match (action, selected) {
        (Sessions::Refresh, _) => return vec![Effect::ListSessions],
        (Sessions::Resume, Some(row)) => {
            if row.open {
                return resume(app, row.id);
            }
            let id = fresh_tab(app);
            if let Some(tab) = app.find(id) {
                tab.recorded = Some(row.id.clone());
            }
            return vec![Effect::Load(id, row.id)];
        }
        (Sessions::Rename, Some(row)) => {
            let name = row.name.unwrap_or_default();
            app.layers.open(Dialog::Prompt(Prompt::new(
                "Name",
                PromptFor::Rename(row.id),
                &name,
            )));
        }
        (Sessions::Delete, Some(row)) => app.layers.open(Dialog::Confirm(Confirm::delete(&row))),
        (Sessions::Compare, Some(_)) => match app.sessions.mark() {
            Some((a, b)) => {
                app.tell("reading both");
                return vec![Effect::Compare(a, b)];
            }
            None => app.tell("marked; mark another one to compare"),
        },
        (_, None) => {}
    }
    Vec::new()
}

/// Goes on with a session in a tab of its own.
pub fn resume(app: &mut App, session: SessionId) -> Vec<Effect> {
    let id = fresh_tab(app);
    app.query.focused = false;
    vec![Effect::Resume(id, session)]
}

/// A tab where nothing was asked yet, waiting for a session.
fn fresh_tab(app: &mut App) -> TabId {
    let id = if app.tab().is_fresh() {
        app.tab().id
    } else {
        app.add_tab()
    };
    start(app, id);
    id
}
