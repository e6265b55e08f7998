//! Reads keymap files and remembers the line of every binding.

use toml::Spanned;

use super::Key;
use crate::tui::action::{Action, Context, Spec};

/// Why a keymap could not be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeymapError {
    /// A file is not what it should be; the text names file and line.
    #[error("{0}")]
    File(String),
    /// Two actions of one context share a key.
    #[error("key \"{key}\" means two things in [{context}]: {first} and {second} - change one")]
    Conflict {
        /// The key.
        key: String,
        /// The context's section.
        context: &'static str,
        /// File, line and action of the first binding.
        first: String,
        /// File, line and action of the second.
        second: String,
    },
}

/// A key and where it was written.
#[derive(Debug, Clone)]
pub(super) struct Binding {
    pub key: Key,
    pub place: String,
}

#[derive(serde::Deserialize)]
#[serde(untagged)]
enum Keys {
    One(String),
    Many(Vec<String>),
}

type File = std::collections::BTreeMap<Spanned<String>, std::collections::BTreeMap<Spanned<String>, Keys>>;

/// The bindings of one file, in its order.
pub(super) fn read(file: &str, text: &str) -> Result<Vec<(Action, Vec<Binding>)>, KeymapError> {
    let parsed: File = toml::from_str(text)
        .map_err(|e| KeymapError::File(format!("{file}: {}", e.to_string().trim_end())))?;
    let mut rows = Vec::new();
    for (section, entries) in parsed {
        let place = |at: usize| format!("{file}:{}", text[..at.min(text.len())].matches('\n').count() + 1);
        let context = Context::named(section.get_ref()).ok_or_else(|| {
            let known: Vec<&str> = Context::ALL.iter().map(|c| c.name()).collect();
            let at = place(section.span().start);
            KeymapError::File(format!(
                "{at}: no section [{}] - there are: {}",
                section.get_ref(),
                known.join(", ")
            ))
        })?;
        for (id, keys) in entries {
            let at = place(id.span().start);
            let spec = lookup(id.get_ref(), context).map_err(|e| KeymapError::File(format!("{at}: {e}")))?;
            let keys = match keys {
                Keys::One(key) => vec![key],
                Keys::Many(keys) => keys,
            };
            let bound = keys
                .iter()
                .map(|k| {
                    k.parse().map(|key| Binding {
                        key,
                        place: at.clone(),
                    })
                })
                .collect::<Result<Vec<_>, String>>()
                .map_err(|e| KeymapError::File(format!("{at}: {e}")))?;
            rows.push((spec.action, bound));
        }
    }
    Ok(rows)
}

fn lookup(id: &str, context: Context) -> Result<&'static Spec, String> {
    let spec = Spec::named(id).ok_or_else(|| {
        let near = Action::TABLE
            .iter()
            .map(|s| s.id)
            .min_by_key(|known| strsim::damerau_levenshtein(known, id));
        format!(
            "no action \"{id}\" - did you mean \"{}\"?",
            near.unwrap_or("app.help")
        )
    })?;
    if spec.context == context {
        Ok(spec)
    } else {
        Err(format!(
            "\"{id}\" belongs to [{}], not to [{}]",
            spec.context.name(),
            context.name()
        ))
    }
}
