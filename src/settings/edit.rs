//! Puts single values into the text of a settings file and leaves every other line, comments included, as it is.
//!
//! It knows lines, not the whole of TOML: what came out is parsed and checked before anybody keeps it.

use std::path::Path;

use toml::{Table, Value};

use super::{SettingsError, layers};

/// A value to put: section, key, text.
pub type Entry<'a> = (&'a str, &'a str, &'a str);

/// The text with the values in it, checked as a settings file. `file` is named in errors.
///
/// # Errors
/// When the text was no settings file before, or is written so that a value can't be put by lines.
pub fn put(text: &str, entries: &[Entry<'_>], file: &Path) -> Result<String, SettingsError> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for (section, key, value) in entries {
        put_one(
            &mut lines,
            section,
            key,
            &Value::String((*value).to_owned()).to_string(),
        );
    }
    let text = lines.join("\n") + "\n";
    let table = layers::check_text(&text, file)?;
    match entries.iter().find(|entry| !holds(&table, entry)) {
        None => Ok(text),
        Some((section, key, _)) => Err(SettingsError::ByHand {
            file: file.to_owned(),
            key: format!("{section}.{key}"),
        }),
    }
}

fn holds(table: &Table, (section, key, value): &Entry<'_>) -> bool {
    let found = table.get(*section).and_then(|s| s.get(*key));
    found.and_then(Value::as_str) == Some(*value)
}

/// The key of an assignment, also of one that is commented out: `#max_loops = 3`.
fn assigned(line: &str) -> Option<(&str, bool)> {
    let line = line.trim_start();
    let (line, active) = match line.strip_prefix('#') {
        Some(rest) => (rest.trim_start(), false),
        None => (line, true),
    };
    let (key, _) = line.split_once('=')?;
    Some((key.trim(), active))
}

fn put_one(lines: &mut Vec<String>, section: &str, key: &str, value: &str) {
    let line = format!("{key} = {value}");
    let header = format!("[{section}]");
    let Some(start) = lines.iter().position(|l| l.trim() == header) else {
        lines.extend([String::new(), header, line]);
        return;
    };
    let length = lines[start + 1..]
        .iter()
        .position(|l| l.trim_start().starts_with('['))
        .unwrap_or(lines.len() - start - 1);
    let inside = &lines[start + 1..start + 1 + length];
    let find = |active| inside.iter().position(|l| assigned(l) == Some((key, active)));
    match find(true).or_else(|| find(false)) {
        Some(at) => lines[start + 1 + at] = line,
        None => lines.insert(start + 1, line),
    }
}

#[cfg(test)]
mod tests {
    use super::super::commented;
    use super::*;

    fn put_theme(text: &str) -> Result<String, SettingsError> {
        put(text, &[("ui", "theme", "light")], Path::new("config.toml"))
    }

    #[test]
    fn a_commented_line_comes_alive_where_it_stands() {
        let text = put_theme(&commented()).unwrap();
        let table: Table = text.parse().unwrap();
        assert_eq!(table["ui"]["theme"].as_str(), Some("light"));
        assert_eq!(table["ui"].as_table().unwrap().len(), 1, "and nothing else does");
        assert_eq!(text.lines().count(), commented().lines().count());
    }

    #[test]
    fn what_the_user_wrote_stays() {
        let own = "# mine\n[agent]\nmax_loops = 2 # tired\n[ui]\n  theme = \"dark\"\nmouse = false";
        let text = put_theme(own).unwrap();
        assert_eq!(
            text,
            "# mine\n[agent]\nmax_loops = 2 # tired\n[ui]\ntheme = \"light\"\nmouse = false\n"
        );
        assert_eq!(put_theme(&text).unwrap(), text, "twice is once");
        assert_eq!(
            put_theme("[agent]\n").unwrap(),
            "[agent]\n\n[ui]\ntheme = \"light\"\n"
        );
        assert_eq!(
            put_theme("[ui]\n[lab]\n").unwrap(),
            "[ui]\ntheme = \"light\"\n[lab]\n"
        );
    }

    #[test]
    fn a_file_that_is_broken_or_odd_is_refused() {
        assert!(matches!(put_theme("[ui\n"), Err(SettingsError::Syntax { .. })));
        assert!(put_theme("ui = { mouse = false }\n").is_err());
        assert!(matches!(
            put_theme("[ui]\nthem = \"x\"\n"),
            Err(SettingsError::UnknownKey { .. })
        ));
        let quoted = put("", &[("gnmi", "inventory", "/a \"b\"\\c")], Path::new("c")).unwrap();
        let table: Table = quoted.parse().unwrap();
        assert_eq!(table["gnmi"]["inventory"].as_str(), Some("/a \"b\"\\c"));
    }
}
