//! Reads the layers in their order, checks each against the schema, merges them and keeps the origins.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use jsonschema::Validator;
use jsonschema::error::ValidationErrorKind;
use serde::Deserialize;
use serde_json::Value;
use toml::Table;

use super::sections::Settings;
use super::{DEFAULT, Folders, Origin, SettingsError, schema};

/// Everything the settings are read from; tests fill it by hand.
#[derive(Clone, Debug)]
pub struct Sources {
    /// The user's folders.
    pub folders: Folders,
    /// The folder whose project files are read.
    pub directory: PathBuf,
    /// The file of `--config`.
    pub file: Option<PathBuf>,
    /// Environment variables; only those that begin with `NOCTUI_` are looked at.
    pub environment: Vec<(String, String)>,
    /// The `KEY=VALUE` of `--set`.
    pub set: Vec<String>,
}

/// The settings in force and where each value was set.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The settings.
    pub settings: Settings,
    /// Origin by dotted key.
    pub origins: BTreeMap<String, Origin>,
    /// The merged table.
    pub table: Table,
}

/// Variables that are no settings.
const RESERVED: [&str; 4] = ["NOCTUI_HOME", "NOCTUI_CONFIG", "NOCTUI_LOG", "NOCTUI_SHARED"];

/// What a project file may not set: keys that run commands, decide where a key is sent, or loosen safety.
/// A folder that was just cloned or unpacked is not the user.
const PRIVATE: [&str; 14] = [
    "model.key_env",
    "model.key_file",
    "model.key_command",
    "model.base_url",
    "model.headers",
    "model.ca_file",
    "model.proxy",
    "tools.profile",
    "tools.approval",
    "tools.rules",
    "human.unattended",
    "memory.database",
    "log.dir",
    "gnmi.inventory",
];

/// The embedded settings alone.
///
/// # Errors
/// Only when the embedded file does not fit the types, which a test excludes.
pub fn built_in() -> Result<Settings, SettingsError> {
    let table: Table = DEFAULT
        .parse()
        .map_err(|e: toml::de::Error| SettingsError::BuiltIn(e.to_string()))?;
    Settings::deserialize(table).map_err(|error| SettingsError::BuiltIn(error.to_string()))
}

/// Reads, checks and merges all layers.
///
/// # Errors
/// The first thing that is wrong, with its place.
pub fn load(sources: &Sources) -> Result<Loaded, SettingsError> {
    let check = Check::new()?;
    let default: Table = DEFAULT
        .parse()
        .map_err(|e: toml::de::Error| SettingsError::BuiltIn(e.to_string()))?;
    let mut layers = vec![(Origin::Default, default)];
    layers.extend(files(sources)?);
    for (name, value) in &sources.environment {
        if let Some(table) = check.variable(name, value)? {
            layers.push((Origin::Environment(name.clone()), table));
        }
    }
    for text in &sources.set {
        let (key, value) = text
            .split_once('=')
            .ok_or_else(|| SettingsError::Flag { text: text.clone() })?;
        let key: Vec<String> = key.trim().split('.').map(str::to_owned).collect();
        layers.push((Origin::Flag, check.single(&key, value.trim())));
    }
    let mut merged = Table::new();
    let mut origins = BTreeMap::new();
    for (origin, table) in layers {
        check.layer(&origin, &table)?;
        merge(&mut merged, table, "", &origin, &mut origins);
    }
    let settings =
        Settings::deserialize(merged.clone()).map_err(|error| SettingsError::BuiltIn(error.to_string()))?;
    Ok(Loaded {
        settings,
        origins,
        table: merged,
    })
}

fn files(sources: &Sources) -> Result<Vec<(Origin, Table)>, SettingsError> {
    let user = sources.folders.settings_file();
    let project = [
        sources.directory.join("noctui.toml"),
        sources.directory.join(".noctui/config.toml"),
    ];
    let mut layers = Vec::new();
    if let Some(file) = &sources.folders.system {
        layers.extend(read(file)?.map(|table| (Origin::System(file.clone()), table)));
    }
    layers.extend(read(&user)?.map(|table| (Origin::User(user), table)));
    for file in project {
        layers.extend(read(&file)?.map(|table| (Origin::Project(file), table)));
    }
    if let Some(file) = &sources.file {
        let table = read(file)?.ok_or_else(|| SettingsError::Read {
            file: file.clone(),
            error: std::io::Error::new(ErrorKind::NotFound, "no such file"),
        })?;
        layers.push((Origin::File(file.clone()), table));
    }
    Ok(layers)
}

fn read(file: &Path) -> Result<Option<Table>, SettingsError> {
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => {
            return Err(SettingsError::Read {
                file: file.to_owned(),
                error,
            });
        }
    };
    parse(&text, file).map(Some)
}

fn parse(text: &str, file: &Path) -> Result<Table, SettingsError> {
    text.parse::<Table>().map_err(|error| {
        let start = error.span().map_or(0, |span| span.start.min(text.len()));
        let line = text.as_bytes()[..start]
            .iter()
            .filter(|byte| **byte == b'\n')
            .count()
            + 1;
        SettingsError::Syntax {
            file: file.to_owned(),
            line,
            message: error.message().to_owned(),
        }
    })
}

/// Parses and checks the text of a user's file that is yet to be written.
pub(super) fn check_text(text: &str, file: &Path) -> Result<Table, SettingsError> {
    let table = parse(text, file)?;
    Check::new()?.layer(&Origin::User(file.to_owned()), &table)?;
    Ok(table)
}

fn merge(
    into: &mut Table,
    from: Table,
    prefix: &str,
    origin: &Origin,
    origins: &mut BTreeMap<String, Origin>,
) {
    for (name, value) in from {
        let key = if prefix.is_empty() {
            name.clone()
        } else {
            format!("{prefix}.{name}")
        };
        match value {
            toml::Value::Table(inner) => {
                let slot = into
                    .entry(name)
                    .or_insert_with(|| toml::Value::Table(Table::new()));
                if let toml::Value::Table(slot) = slot {
                    merge(slot, inner, &key, origin, origins);
                }
            }
            value => {
                into.insert(name, value);
                origins.insert(key, origin.clone());
            }
        }
    }
}

/// The schema, ready to check layers.
struct Check {
    schema: Value,
    validator: Validator,
}

impl Check {
    fn new() -> Result<Self, SettingsError> {
        let schema = schema::schema();
        let validator = jsonschema::validator_for(&schema)
            .map_err(|error| SettingsError::BuiltIn(format!("schema: {error}")))?;
        Ok(Self { schema, validator })
    }

    /// Refuses unknown keys, wrong values, and private keys in a project file.
    fn layer(&self, origin: &Origin, table: &Table) -> Result<(), SettingsError> {
        let json = serde_json::to_value(table).map_err(|error| SettingsError::BuiltIn(error.to_string()))?;
        if let Some(error) = self.validator.iter_errors(&json).next() {
            let path = pointer(error.instance_path().as_str());
            return Err(match error.kind() {
                ValidationErrorKind::AdditionalProperties { unexpected } => {
                    self.unknown(origin, path, unexpected.first().cloned().unwrap_or_default())
                }
                _ => self.wrong(origin, &path, &json, &error.to_string()),
            });
        }
        if let Origin::Project(file) = origin {
            let set = |key: &&&str| json.pointer(&format!("/{}", key.replace('.', "/"))).is_some();
            if let Some(key) = PRIVATE.iter().find(set) {
                return Err(SettingsError::NotForProjects {
                    file: file.clone(),
                    key: (*key).to_owned(),
                });
            }
        }
        Ok(())
    }

    fn unknown(&self, origin: &Origin, mut path: Vec<String>, name: String) -> SettingsError {
        let siblings = schema::node(&self.schema, &path)
            .map(schema::names)
            .unwrap_or_default();
        let prefix = dotted(&path);
        let join = |name: &str| {
            if prefix.is_empty() {
                name.to_owned()
            } else {
                format!("{prefix}.{name}")
            }
        };
        let keys = schema::keys(&self.schema);
        // First among the names of the same table, then the same last name anywhere, then any likeness.
        let nearest = schema::nearest(&name, siblings).map(join).or_else(|| {
            let last = |key: &&String| key.rsplit('.').next() == Some(name.as_str());
            let same = keys.iter().find(last).cloned();
            same.or_else(|| schema::nearest(&name, keys.iter().map(String::as_str)).map(str::to_owned))
        });
        path.push(name);
        SettingsError::UnknownKey {
            place: origin.to_string(),
            key: dotted(&path),
            nearest,
        }
    }

    fn wrong(&self, origin: &Origin, path: &[String], json: &Value, message: &str) -> SettingsError {
        let key = dotted(path);
        let pointer: String = path.iter().map(|part| format!("/{part}")).collect();
        let found = json
            .pointer(&pointer)
            .map_or_else(|| "nothing".to_owned(), |value| shorten(&key, value));
        let node = schema::node(&self.schema, path);
        let missing = message.contains("required property").then(|| message.to_owned());
        let expected = missing
            .or_else(|| node.map(schema::expectation))
            .unwrap_or_else(|| message.to_owned());
        SettingsError::Value {
            place: origin.to_string(),
            key,
            expected,
            found,
        }
    }

    /// The table that one environment variable stands for; none when it is no setting.
    fn variable(&self, name: &str, value: &str) -> Result<Option<Table>, SettingsError> {
        let Some(rest) = name.strip_prefix("NOCTUI_").filter(|_| !RESERVED.contains(&name)) else {
            return Ok(None);
        };
        let lower = rest.to_lowercase();
        let sections = schema::names(&self.schema);
        let Some((section, key)) = lower.split_once('_') else {
            return Ok(None);
        };
        if !sections.contains(&section) {
            // A slip of the finger is an error; anything else belongs to somebody else.
            let meant = sections
                .into_iter()
                .find(|known| strsim::damerau_levenshtein(known, section) == 1);
            return match meant {
                None => Ok(None),
                Some(known) => Err(SettingsError::UnknownKey {
                    place: format!("environment {name}"),
                    key: format!("{section}.{key}"),
                    nearest: Some(format!("{known}.{key}")),
                }),
            };
        }
        let key: Vec<String> = std::iter::once(section)
            .chain(key.split("__"))
            .map(str::to_owned)
            .collect();
        Ok(Some(self.single(&key, value)))
    }

    /// A table with one value, read as the type that the schema asks for.
    fn single(&self, key: &[String], text: &str) -> Table {
        let as_text = schema::node(&self.schema, key).is_none_or(schema::is_text);
        let parsed = (!as_text)
            .then(|| format!("v = {text}").parse::<Table>().ok())
            .flatten();
        let value = parsed
            .and_then(|mut table| table.remove("v"))
            .unwrap_or_else(|| toml::Value::String(text.to_owned()));
        let mut parts = key.iter().rev();
        let mut table = Table::new();
        if let Some(last) = parts.next() {
            table.insert(last.clone(), value);
        }
        parts.fold(table, |inner, part| {
            let mut outer = Table::new();
            outer.insert(part.clone(), toml::Value::Table(inner));
            outer
        })
    }
}

fn pointer(text: &str) -> Vec<String> {
    text.split('/')
        .skip(1)
        .map(|part| part.replace("~1", "/").replace("~0", "~"))
        .collect()
}

fn dotted(path: &[String]) -> String {
    let mut text = String::new();
    for part in path {
        if part.parse::<usize>().is_ok() {
            text.push_str(&format!("[{part}]"));
        } else {
            if !text.is_empty() {
                text.push('.');
            }
            text.push_str(part);
        }
    }
    text
}

/// A wrong value as it is shown: short, and hidden where secrets may stand.
fn shorten(key: &str, value: &Value) -> String {
    if key.starts_with("model.headers") {
        return "a hidden value".to_owned();
    }
    let text = value.to_string();
    match text.char_indices().nth(40) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text,
    }
}
