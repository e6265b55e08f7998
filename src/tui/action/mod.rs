//! Everything the user can do, one row each: id, context, danger, words.
//!
//! Keys are not here: the shipped `config/keymap.toml` binds every row, the user's file rebinds. Parser,
//! conflict check, footer, help, palette and `docs/keys.md` are all made from this table.

mod table;

pub use table::{Action, Answering, App, Go, List, Look, Map, Replay, Sessions, Typing};

/// Where a key means something. Keys are looked up from the innermost context outwards; an inner context
/// may reuse a key of an outer one, but no context may use a key twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Context {
    /// Everywhere.
    Global,
    /// In every pane with rows.
    List,
    /// In the query line and other one-line fields: only these and keys with Ctrl or Alt count, the rest is text.
    Line,
    /// In the plan.
    Plan,
    /// In the evidence inspector.
    Evidence,
    /// On the topology map.
    Map,
    /// In the device list.
    Devices,
    /// On a question.
    Question,
    /// In the sessions browser.
    Sessions,
    /// While a recording is on the screen.
    Replay,
    /// In a text editor over the screen.
    Editor,
}

impl Context {
    /// Every context, in the order of the help.
    pub const ALL: [Context; 11] = [
        Context::Global,
        Context::List,
        Context::Line,
        Context::Question,
        Context::Plan,
        Context::Evidence,
        Context::Map,
        Context::Devices,
        Context::Sessions,
        Context::Replay,
        Context::Editor,
    ];

    /// The section name in `keymap.toml`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::List => "list",
            Self::Line => "line",
            Self::Plan => "plan",
            Self::Evidence => "evidence",
            Self::Map => "map",
            Self::Devices => "devices",
            Self::Question => "question",
            Self::Sessions => "sessions",
            Self::Replay => "replay",
            Self::Editor => "editor",
        }
    }

    /// The heading in the help.
    pub fn title(self) -> &'static str {
        match self {
            Self::Global => "Everywhere",
            Self::List => "In lists",
            Self::Line => "In the query line",
            Self::Plan => "Plan",
            Self::Evidence => "Evidence",
            Self::Map => "Map",
            Self::Devices => "Devices",
            Self::Question => "On a question",
            Self::Sessions => "Sessions",
            Self::Replay => "While replaying",
            Self::Editor => "In an editor",
        }
    }

    /// The context with this section name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|c| c.name() == name)
    }
}

/// What an action can cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Danger {
    /// Nothing is lost.
    Safe,
    /// Stops work or lowers confidence; a prompt must be armed before it takes the key.
    Weighty,
    /// Cannot be undone; asks first.
    Final,
}

/// One row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Spec {
    /// The action.
    pub action: Action,
    /// The stable name used in `keymap.toml` and shown in the palette.
    pub id: &'static str,
    /// Where it applies.
    pub context: Context,
    /// What it can cost.
    pub danger: Danger,
    /// One or two words for the footer.
    pub label: &'static str,
    /// One line for help, palette and `docs/keys.md`.
    pub doc: &'static str,
}

impl Spec {
    /// The row of an action.
    pub fn of(action: Action) -> &'static Spec {
        // Every variant is declared together with its row, so the search always succeeds.
        Action::TABLE
            .iter()
            .find(|s| s.action == action)
            .unwrap_or(&Action::TABLE[0])
    }

    /// The action with this stable name.
    pub fn named(id: &str) -> Option<&'static Spec> {
        Action::TABLE.iter().find(|s| s.id == id)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_unique_and_words_are_there() {
        let ids: BTreeSet<&str> = Action::TABLE.iter().map(|s| s.id).collect();
        assert_eq!(ids.len(), Action::TABLE.len());
        for spec in Action::TABLE {
            assert!(
                !spec.doc.is_empty() && !spec.doc.ends_with('.') && spec.label.len() <= 14,
                "{}",
                spec.id
            );
            assert_eq!(Spec::of(spec.action).id, spec.id);
            assert_eq!(Spec::named(spec.id).map(|s| s.action), Some(spec.action));
        }
    }
}
