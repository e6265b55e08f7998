//! From a key to an action: which contexts count where the user is, arming, text fields.

use crossterm::event::KeyCode;

use super::msg::Effect;
use super::{App, answer, command};
use crate::tui::action::{Action, Answering, App as Program, Context, Danger, Spec};
use crate::tui::dialogs;
use crate::tui::keymap::Key;
use crate::tui::panes::PaneId;

/// The contexts that apply now, innermost first.
pub fn contexts(app: &App) -> Vec<Context> {
    if let Some(layer) = app.layers.front() {
        return layer.content.contexts();
    }
    if app.query.focused {
        return vec![Context::Line, Context::Global];
    }
    let tab = app.tab();
    let mut list = Vec::with_capacity(4);
    match tab.focus {
        PaneId::Plan => list.push(Context::Plan),
        PaneId::Evidence => list.push(Context::Evidence),
        PaneId::Map => list.push(Context::Map),
        PaneId::Devices => list.push(Context::Devices),
        PaneId::Needs => list.push(Context::Question),
        PaneId::Sessions => list.push(Context::Sessions),
        _ => {}
    }
    if tab.player.is_some() {
        list.push(Context::Replay);
    }
    list.extend([Context::List, Context::Global]);
    list
}

/// Takes in a key.
pub fn press(app: &mut App, key: Key) -> Vec<Effect> {
    let contexts = contexts(app);
    let action = app.looks.keymap.action(key, &contexts);
    if let Some(action) = action.filter(|a| counts(app, key, *a)) {
        if !armed(app, action) {
            return Vec::new();
        }
        return command::perform(app, action);
    }
    quieten(app);
    if !app.layers.is_empty() {
        let now = app.clock.now;
        let arming = app.layers.front_mut().and_then(|l| l.arming.as_mut());
        // A dialog nobody asked for takes no key before the keyboard was quiet.
        return match arming.is_none_or(|a| a.offer(now)) {
            true => dialogs::key(app, key),
            false => Vec::new(),
        };
    }
    if app.query.focused {
        type_into_query(app, key);
    }
    Vec::new()
}

/// In a text field plain keys are text, and over the screen they are the dialog's: only keys with Ctrl or Alt
/// and the field's or question's own keys are commands there.
fn counts(app: &App, key: Key, action: Action) -> bool {
    if !app.is_typing() && app.layers.is_empty() {
        return true;
    }
    let own = matches!(
        Spec::of(action).context,
        Context::Line | Context::Editor | Context::Question
    );
    own || key.is_command()
        || action == Action::App(Program::Back)
        || (key.code() == KeyCode::BackTab && app.query.focused)
}

/// Whether the question in front takes this action yet; a swallowed key starts the quiet time anew.
fn armed(app: &mut App, action: Action) -> bool {
    let now = app.clock.now;
    if let Some(arming) = app.layers.front_mut().and_then(|l| l.arming.as_mut()) {
        let commits =
            Spec::of(action).context == Context::Question || Spec::of(action).danger != Danger::Safe;
        return !commits || arming.offer(now);
    }
    let answers = matches!(action, Action::Answering(a) if !matches!(a, Answering::Next | Answering::Prev));
    let tab = app.tab_mut();
    if tab.player.is_some() {
        // Nothing can be answered in a recording, and the key says so.
        return true;
    }
    match tab.arming.as_mut() {
        Some((_, arming)) if answers => arming.offer(now),
        Some((_, arming)) => {
            arming.noise(now);
            true
        }
        None => true,
    }
}

/// A key that means nothing here still keeps the keyboard from being quiet.
fn quieten(app: &mut App) {
    let now = app.clock.now;
    if let Some((_, arming)) = app.tab_mut().arming.as_mut() {
        arming.noise(now);
    }
}

fn type_into_query(app: &mut App, key: Key) {
    if key.code() == KeyCode::Right && app.query.accept_ghost() {
        return;
    }
    let before = app.query.edit.text().len();
    app.query.edit.key(key);
    if app.query.edit.text().len() != before {
        app.query.close_suggestions();
    }
}

/// Takes in pasted text: into the field that takes text, else nowhere.
pub fn paste(app: &mut App, text: &str) -> Vec<Effect> {
    quieten(app);
    if !app.layers.is_empty() {
        dialogs::paste(app, text);
    } else if app.query.focused {
        if !app.query.edit.insert(text) {
            app.complain("the paste was too long for the line and was cut");
        }
    } else if app.focus() == PaneId::Needs && answer::can_paste(app) {
        answer::open_editor_with(app, text);
    }
    Vec::new()
}
