//! Which key does what: parsed from data, checked for conflicts, looked up by context.
//!
//! The shipped `config/keymap.toml` binds every action; a file of the same shape in the user's
//! configuration replaces the keys of the actions it names.

mod doc;
mod key;
mod parse;

use std::collections::HashMap;

use super::action::{Action, Context, Spec};

pub use doc::markdown;
pub use key::Key;
pub use parse::KeymapError;

/// The text of the shipped keymap.
pub const SHIPPED: &str = include_str!("../../../config/keymap.toml");

/// A checked keymap.
#[derive(Debug, Clone)]
pub struct Keymap {
    by_key: HashMap<(Context, Key), Action>,
    by_action: HashMap<Action, Vec<Key>>,
}

impl Keymap {
    /// The shipped keymap.
    ///
    /// # Errors
    /// The shipped file is broken, which a test rules out.
    pub fn shipped() -> Result<Self, KeymapError> {
        Self::layered(&[("config/keymap.toml", SHIPPED)])
    }

    /// The keymap made of several files, later ones replacing the keys of the actions they name. Each
    /// layer is the file's name and its text.
    ///
    /// # Errors
    /// A file is no keymap, names an unknown action or key, or two actions of one context share a key.
    pub fn layered(layers: &[(&str, &str)]) -> Result<Self, KeymapError> {
        let mut bindings: HashMap<Action, Vec<parse::Binding>> = HashMap::new();
        for (file, text) in layers {
            for (action, keys) in parse::read(file, text)? {
                bindings.insert(action, keys);
            }
        }
        let mut by_key: HashMap<(Context, Key), (Action, String)> = HashMap::new();
        let mut by_action = HashMap::new();
        for spec in Action::TABLE {
            let keys = bindings.remove(&spec.action).unwrap_or_default();
            for binding in &keys {
                let taken = by_key.insert((spec.context, binding.key), (spec.action, binding.place.clone()));
                if let Some((other, place)) = taken {
                    return Err(KeymapError::Conflict {
                        key: binding.key.to_string(),
                        context: spec.context.name(),
                        first: format!("{place}: {}", Spec::of(other).id),
                        second: format!("{}: {}", binding.place, spec.id),
                    });
                }
            }
            by_action.insert(spec.action, keys.into_iter().map(|b| b.key).collect());
        }
        Ok(Self {
            by_key: by_key.into_iter().map(|(k, (action, _))| (k, action)).collect(),
            by_action,
        })
    }

    /// What `key` does, looking from the innermost context outwards.
    pub fn action(&self, key: Key, contexts: &[Context]) -> Option<Action> {
        contexts.iter().find_map(|c| self.by_key.get(&(*c, key)).copied())
    }

    /// The keys of an action, the preferred one first; empty when it is unbound.
    pub fn keys(&self, action: Action) -> &[Key] {
        self.by_action.get(&action).map_or(&[], Vec::as_slice)
    }

    /// The preferred key of an action as text, or `:` and its name when it has none.
    pub fn label(&self, action: Action) -> String {
        self.keys(action)
            .first()
            .map_or_else(|| format!(":{}", Spec::of(action).id), ToString::to_string)
    }
}

#[cfg(test)]
mod tests {
    use super::super::action::{App, List};
    use super::*;

    #[test]
    fn the_shipped_keymap_is_whole_and_free_of_conflicts() {
        let map = Keymap::shipped().unwrap();
        for spec in Action::TABLE {
            assert!(
                SHIPPED.contains(&format!("\"{}\"", spec.id)),
                "{} is missing in config/keymap.toml",
                spec.id
            );
        }
        let q: Key = "?".parse().unwrap();
        assert_eq!(
            map.action(q, &[Context::List, Context::Global]),
            Some(Action::App(App::Help))
        );
        assert_eq!(map.action("g".parse().unwrap(), &[Context::Global]), None);
        assert_eq!(
            map.action("G".parse().unwrap(), &[Context::List]),
            Some(Action::List(List::Bottom))
        );
    }

    #[test]
    fn a_user_file_replaces_keys() {
        let user = "[global]\n\"app.help\" = \"ctrl-h\"\n\"app.mouse\" = []\n";
        let map = Keymap::layered(&[("config/keymap.toml", SHIPPED), ("keymap.toml", user)]).unwrap();
        assert_eq!(map.label(Action::App(App::Help)), "Ctrl+h");
        assert_eq!(map.action("?".parse().unwrap(), &[Context::Global]), None);
        assert!(map.keys(Action::App(App::Mouse)).is_empty());
    }

    #[test]
    fn a_conflict_names_both_places() {
        let user = "# mine\n[global]\n\"app.help\" = \"x\"\n\"app.theme\" = [\"t\", \"x\"]\n";
        let error = Keymap::layered(&[("config/keymap.toml", SHIPPED), ("keymap.toml", user)]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "key \"x\" means two things in [global]: keymap.toml:3: app.help and keymap.toml:4: app.theme - change one"
        );
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        let read = |text: &str| Keymap::layered(&[("keymap.toml", text)]).unwrap_err().to_string();
        assert_eq!(
            read("[global]\n\n\"app.hlep\" = \"h\""),
            "keymap.toml:3: no action \"app.hlep\" - did you mean \"app.help\"?"
        );
        assert_eq!(
            read("[list]\n\"app.help\" = \"h\""),
            "keymap.toml:2: \"app.help\" belongs to [global], not to [list]"
        );
        assert!(
            read("[global]\n\"app.help\" = \"hyper-h\"").starts_with("keymap.toml:2: \"hyper-h\" is no key")
        );
        assert!(read("[globe]\n").contains("no section [globe]"));
        assert!(read("[global").starts_with("keymap.toml: "));
    }
}
