//! Reads theme files: palette, roles, inheritance. Says file and key in every error.

use std::collections::BTreeMap;
use std::path::Path;
use std::str::FromStr;

use ratatui::style::{Color, Modifier, Style};
use serde::Deserialize;

use super::{Role, Theme};

/// The themes that come with the program: name and text.
const BUILT_IN: [(&str, &str); 5] = [
    ("dark", include_str!("../../../themes/dark.toml")),
    ("light", include_str!("../../../themes/light.toml")),
    (
        "high-contrast",
        include_str!("../../../themes/high-contrast.toml"),
    ),
    ("deuteranopia", include_str!("../../../themes/deuteranopia.toml")),
    ("ansi", include_str!("../../../themes/ansi.toml")),
];

/// How deep `inherits` may go before it is taken for a circle.
const MAX_DEPTH: usize = 8;

/// Why a theme could not be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ThemeError {
    /// No theme of that name.
    #[error("no theme \"{name}\" - there are: {known}")]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// The file is no theme.
    #[error("{file}: {problem}")]
    File {
        /// The file, as the user knows it.
        file: String,
        /// What is wrong in it and where.
        problem: String,
    },
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct File {
    #[serde(default)]
    inherits: Option<String>,
    #[serde(default)]
    palette: BTreeMap<String, String>,
    #[serde(default)]
    roles: BTreeMap<String, Look>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum Look {
    Foreground(String),
    Full(Full),
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Full {
    fg: Option<String>,
    bg: Option<String>,
    #[serde(default)]
    bold: bool,
    #[serde(default)]
    italic: bool,
    #[serde(default)]
    underline: bool,
    #[serde(default)]
    reversed: bool,
}

/// All themes by name, built in and the user's.
#[derive(Debug, Clone)]
pub struct ThemeSet {
    files: BTreeMap<String, (String, File)>,
}

impl ThemeSet {
    /// The built-in themes.
    ///
    /// # Errors
    /// A built-in file is broken, which a test rules out.
    pub fn built_in() -> Result<Self, ThemeError> {
        let mut set = Self {
            files: BTreeMap::new(),
        };
        for (name, text) in BUILT_IN {
            set.add(name, &format!("themes/{name}.toml"), text)?;
        }
        Ok(set)
    }

    /// Adds or replaces the theme `name` from the text of `file`.
    ///
    /// # Errors
    /// The text is no theme file.
    pub fn add(&mut self, name: &str, file: &str, text: &str) -> Result<(), ThemeError> {
        let parsed: File = toml::from_str(text).map_err(|e| ThemeError::File {
            file: file.to_owned(),
            problem: e.to_string().trim_end().to_owned(),
        })?;
        self.files.insert(name.to_owned(), (file.to_owned(), parsed));
        Ok(())
    }

    /// Adds every `*.toml` in `folder`; a missing folder is no error. Broken files are returned, the others
    /// still count.
    pub fn add_folder(&mut self, folder: &Path) -> Vec<ThemeError> {
        let Ok(entries) = std::fs::read_dir(folder) else {
            return Vec::new();
        };
        let mut problems = Vec::new();
        for path in entries
            .flatten()
            .map(|e| e.path())
            .filter(|p| p.extension().is_some_and(|e| e == "toml"))
        {
            let name = path
                .file_stem()
                .map(|s| s.to_string_lossy().into_owned())
                .unwrap_or_default();
            let file = path.display().to_string();
            let added = std::fs::read_to_string(&path)
                .map_err(|e| ThemeError::File {
                    file: file.clone(),
                    problem: e.to_string(),
                })
                .and_then(|text| self.add(&name, &file, &text));
            problems.extend(added.and_then(|()| self.get(&name).map(|_| ())).err());
        }
        problems
    }

    /// The names, sorted.
    pub fn names(&self) -> Vec<String> {
        self.files.keys().cloned().collect()
    }

    /// The theme `name`, with what it inherits.
    ///
    /// # Errors
    /// There is no such theme, or its chain of files is broken.
    pub fn get(&self, name: &str) -> Result<Theme, ThemeError> {
        let mut chain = Vec::new();
        let mut next = Some(name.to_owned());
        while let Some(current) = next {
            let (file, parsed) = self.files.get(&current).ok_or_else(|| self.unknown(&current))?;
            if chain.len() == MAX_DEPTH {
                return Err(ThemeError::File {
                    file: file.clone(),
                    problem: "inherits runs in a circle".to_owned(),
                });
            }
            next = parsed.inherits.clone();
            chain.push((file, parsed));
        }
        let mut palette = BTreeMap::new();
        for (_, parsed) in chain.iter().rev() {
            palette.extend(parsed.palette.clone());
        }
        let mut styles: Vec<Option<Style>> = vec![None; Role::COUNT];
        for (file, parsed) in chain.iter().rev() {
            apply(file, parsed, &palette, &mut styles)?;
        }
        let file = chain.first().map_or_else(String::new, |(f, _)| (*f).clone());
        finish(name, &file, &styles)
    }

    fn unknown(&self, name: &str) -> ThemeError {
        ThemeError::Unknown {
            name: name.to_owned(),
            known: self.names().join(", "),
        }
    }
}

fn apply(
    file: &str,
    parsed: &File,
    palette: &BTreeMap<String, String>,
    styles: &mut [Option<Style>],
) -> Result<(), ThemeError> {
    for (name, look) in &parsed.roles {
        let problem = |problem: String| ThemeError::File {
            file: file.to_owned(),
            problem,
        };
        let role = Role::named(name).ok_or_else(|| {
            let known: Vec<&str> = Role::ALL.iter().map(|r| r.name()).collect();
            let near = known
                .iter()
                .min_by_key(|k| strsim::levenshtein(k, name))
                .unwrap_or(&"text");
            problem(format!("roles.{name}: no such role - did you mean \"{near}\"?"))
        })?;
        let full = match look {
            Look::Foreground(fg) => Full {
                fg: Some(fg.clone()),
                ..Full::default()
            },
            Look::Full(full) => full.clone(),
        };
        let color = |key: &str, value: &Option<String>| match value {
            None => Ok(None),
            Some(value) => {
                let text = palette.get(value).unwrap_or(value);
                let known = "use a palette name, #rrggbb or an ANSI colour";
                Color::from_str(text)
                    .map(Some)
                    .map_err(|_| problem(format!("roles.{name}.{key}: \"{value}\" is no colour - {known}")))
            }
        };
        let mut style = Style {
            fg: color("fg", &full.fg)?,
            bg: color("bg", &full.bg)?,
            ..Style::default()
        };
        for (on, modifier) in [
            (full.bold, Modifier::BOLD),
            (full.italic, Modifier::ITALIC),
            (full.underline, Modifier::UNDERLINED),
            (full.reversed, Modifier::REVERSED),
        ] {
            if on {
                style = style.add_modifier(modifier);
            }
        }
        styles[role as usize] = Some(style);
    }
    Ok(())
}

fn finish(name: &str, file: &str, styles: &[Option<Style>]) -> Result<Theme, ThemeError> {
    let mut done = [Style::default(); Role::COUNT];
    for role in Role::ALL {
        let problem = |problem: String| ThemeError::File {
            file: file.to_owned(),
            problem,
        };
        let style = styles[*role as usize].ok_or_else(|| {
            problem(format!(
                "role \"{}\" is not set - set it or inherit a theme",
                role.name()
            ))
        })?;
        if role.owns_background() && style.bg.is_none() {
            return Err(problem(format!("roles.{}: needs a background (bg)", role.name())));
        }
        done[*role as usize] = style;
    }
    Ok(Theme::new(name, done))
}
