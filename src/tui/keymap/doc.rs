//! `docs/keys.md`, made from the table and the shipped keymap.

use super::Keymap;
use crate::tui::action::{Action, Context, Spec};

/// The keys as a Markdown page.
pub fn markdown(map: &Keymap) -> String {
    let mut page = String::from(
        "# Keys\n\nMade from the action table and `config/keymap.toml`. To change a key, write a `keymap.toml` \
         with the same sections\nin the configuration folder and name only what you change; `[]` takes a key \
         away. `?` shows the keys that work\nwhere you are, `:` finds every action by name.\n",
    );
    for context in Context::ALL {
        page.push_str(&format!(
            "\n## {}\n\n`[{}]`\n\n| keys | does | action |\n|---|---|---|\n",
            context.title(),
            context.name()
        ));
        for spec in Action::TABLE.iter().filter(|s| s.context == context) {
            page.push_str(&format!(
                "| {} | {} | `{}` |\n",
                keys(map, spec),
                spec.doc,
                spec.id
            ));
        }
    }
    page
}

fn keys(map: &Keymap, spec: &Spec) -> String {
    let keys: Vec<String> = map
        .keys(spec.action)
        .iter()
        .map(|k| format!("`{k}`").replace("`|`", "`\\|`"))
        .collect();
    if keys.is_empty() {
        "palette".to_owned()
    } else {
        keys.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `NOCTUI_UPDATE_DOCS=1 cargo test --lib docs_keys` writes the page anew.
    #[test]
    fn docs_keys_md_is_current() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/keys.md");
        let page = markdown(&Keymap::shipped().unwrap());
        if std::env::var_os("NOCTUI_UPDATE_DOCS").is_some() {
            std::fs::create_dir_all(concat!(env!("CARGO_MANIFEST_DIR"), "/docs")).unwrap();
            std::fs::write(path, &page).unwrap();
        }
        let written = std::fs::read_to_string(path).unwrap_or_default();
        assert!(
            written == page,
            "docs/keys.md is out of date: NOCTUI_UPDATE_DOCS=1 cargo test --lib docs_keys"
        );
    }
}
