//! The MCP servers of `mcp.json`, in the `mcpServers` shape that the ecosystem shares.
//!
//! `{"mcpServers": {"name": {"command", "args", "env", "cwd"} | {"url", "headers"}}}`. A user's server
//! replaces a built-in one of the same name; `"disabled": true` switches one off. `${NAME}` is taken from the
//! environment. It starts nothing and looks for no program.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use secrecy::SecretString;
use serde_json::{Map, Value};

use super::{DEFAULT_SERVERS, Folders, SettingsError, expand, schema};

/// An MCP server to start or to connect to.
#[derive(Clone, Debug)]
pub struct Server {
    /// Its name.
    pub name: String,
    /// How it is reached.
    pub transport: Transport,
    /// Processes that share its calls, each taking one at a time: for a server that runs calls serially.
    pub processes: Option<usize>,
    /// Where it was configured.
    pub origin: ServerOrigin,
}

/// Where a server was configured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerOrigin {
    /// The embedded file.
    BuiltIn,
    /// A file.
    File(PathBuf),
}

/// How a server is reached. Values that may be secrets don't show in `Debug`.
#[derive(Clone, Debug)]
pub enum Transport {
    /// A child process that speaks over stdin and stdout.
    Stdio {
        /// The program; `noctui` means this very program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Variables added to its environment.
        env: BTreeMap<String, SecretString>,
        /// Its working folder.
        cwd: Option<PathBuf>,
    },
    /// Streamable HTTP.
    Http {
        /// The endpoint.
        url: String,
        /// Headers added to every request.
        headers: BTreeMap<String, SecretString>,
    },
}

/// Fields of a server that are understood; the second line is accepted and left to others.
const FIELDS: [&str; 9] = [
    "command",
    "args",
    "env",
    "cwd",
    "url",
    "headers",
    "transport",
    "disabled",
    "processes",
];
const OTHERS: [&str; 6] = [
    "type",
    "description",
    "timeout",
    "autoApprove",
    "alwaysAllow",
    "name",
];

/// The built-in servers and, over them, the user's.
///
/// # Errors
/// Names file, server and field.
pub fn load_servers(
    folders: &Folders,
    lookup: &dyn Fn(&str) -> Option<String>,
) -> Result<Vec<Server>, SettingsError> {
    let built_in = Path::new("config/mcp.json");
    let mut servers = parse(DEFAULT_SERVERS, built_in, &ServerOrigin::BuiltIn, lookup)?;
    let file = folders.servers_file();
    match fs::read_to_string(&file) {
        Ok(text) => servers.extend(parse_servers(&text, &file, lookup)?),
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(SettingsError::Read { file, error }),
    }
    Ok(servers.into_values().flatten().collect())
}

/// The servers of one file, by name; none for a server that is switched off.
///
/// # Errors
/// Names file, server and field.
pub fn parse_servers(
    text: &str,
    file: &Path,
    lookup: &dyn Fn(&str) -> Option<String>,
) -> Result<BTreeMap<String, Option<Server>>, SettingsError> {
    parse(text, file, &ServerOrigin::File(file.to_owned()), lookup)
}

fn parse(
    text: &str,
    file: &Path,
    origin: &ServerOrigin,
    lookup: &dyn Fn(&str) -> Option<String>,
) -> Result<BTreeMap<String, Option<Server>>, SettingsError> {
    let whole: Value = serde_json::from_str(text).map_err(|error| SettingsError::Syntax {
        file: file.to_owned(),
        line: error.line(),
        message: error.to_string(),
    })?;
    let problem = |problem: &str| SettingsError::Servers {
        file: file.to_owned(),
        problem: problem.to_owned(),
    };
    let servers = whole
        .get("mcpServers")
        .ok_or_else(|| problem("\"mcpServers\" is missing"))?
        .as_object()
        .ok_or_else(|| problem("\"mcpServers\" is not an object"))?;
    let mut found = BTreeMap::new();
    for (name, body) in servers {
        let entry = Entry {
            file,
            name,
            body: body.as_object(),
            lookup,
        };
        found.insert(name.clone(), entry.server(origin)?);
    }
    Ok(found)
}

/// One server of a file while it is read.
struct Entry<'a> {
    file: &'a Path,
    name: &'a str,
    body: Option<&'a Map<String, Value>>,
    lookup: &'a dyn Fn(&str) -> Option<String>,
}

impl Entry<'_> {
    fn error(&self, field: &str, problem: impl Into<String>) -> SettingsError {
        SettingsError::Server {
            file: self.file.to_owned(),
            server: self.name.to_owned(),
            field: field.to_owned(),
            problem: problem.into(),
        }
    }

    fn server(&self, origin: &ServerOrigin) -> Result<Option<Server>, SettingsError> {
        let body = self.body.ok_or_else(|| self.error("value", "is not an object"))?;
        if self.name.is_empty() || self.name.chars().any(|c| c.is_control() || c.is_whitespace()) {
            return Err(self.error("name", "must be one word"));
        }
        for field in body.keys() {
            if !FIELDS.contains(&field.as_str()) && !OTHERS.contains(&field.as_str()) {
                let hint = schema::nearest(field, FIELDS).map(|near| format!(" (did you mean \"{near}\"?)"));
                return Err(self.error(field, format!("unknown field{}", hint.unwrap_or_default())));
            }
        }
        match body.get("disabled") {
            None | Some(Value::Bool(false)) => {}
            Some(Value::Bool(true)) => return Ok(None),
            Some(_) => return Err(self.error("disabled", "is not true or false")),
        }
        let transport = match (self.text(body, "command")?, self.text(body, "url")?) {
            (Some(command), None) => self.stdio(body, command)?,
            (None, Some(url)) => self.http(body, url)?,
            (Some(_), Some(_)) => return Err(self.error("url", "stands beside \"command\": choose one")),
            (None, None) => return Err(self.error("command", "is missing (and there is no \"url\")")),
        };
        self.check_transport(body, &transport)?;
        Ok(Some(Server {
            name: self.name.to_owned(),
            transport,
            processes: self.processes(body)?,
            origin: origin.clone(),
        }))
    }

    fn processes(&self, body: &Map<String, Value>) -> Result<Option<usize>, SettingsError> {
        match body.get("processes").map(Value::as_u64) {
            None => Ok(None),
            Some(Some(count @ 1..=16)) => Ok(usize::try_from(count).ok()),
            Some(_) => Err(self.error("processes", "is not a number from 1 to 16")),
        }
    }

    fn stdio(&self, body: &Map<String, Value>, command: String) -> Result<Transport, SettingsError> {
        let args = match body.get("args") {
            None => Vec::new(),
            Some(Value::Array(args)) => args
                .iter()
                .enumerate()
                .map(|(i, arg)| self.value(&format!("args[{i}]"), arg))
                .collect::<Result<_, _>>()?,
            Some(_) => return Err(self.error("args", "is not a list")),
        };
        let cwd = self.text(body, "cwd")?.map(PathBuf::from);
        self.refuse(body, "headers", "belongs to a server with \"url\"")?;
        Ok(Transport::Stdio {
            command,
            args,
            env: self.secrets(body, "env")?,
            cwd,
        })
    }

    fn http(&self, body: &Map<String, Value>, url: String) -> Result<Transport, SettingsError> {
        if !url.starts_with("http://") && !url.starts_with("https://") {
            return Err(self.error("url", "does not begin with http:// or https://"));
        }
        for field in ["args", "env", "cwd"] {
            self.refuse(body, field, "belongs to a server with \"command\"")?;
        }
        Ok(Transport::Http {
            url,
            headers: self.secrets(body, "headers")?,
        })
    }

    fn refuse(&self, body: &Map<String, Value>, field: &str, why: &str) -> Result<(), SettingsError> {
        if body.contains_key(field) {
            Err(self.error(field, why))
        } else {
            Ok(())
        }
    }

    fn check_transport(&self, body: &Map<String, Value>, found: &Transport) -> Result<(), SettingsError> {
        let Some(named) = self.text(body, "transport")? else {
            return Ok(());
        };
        let fits = match found {
            Transport::Stdio { .. } => named == "stdio",
            Transport::Http { .. } => {
                ["http", "streamable-http", "streamable_http"].contains(&named.as_str())
            }
        };
        let problem = format!("\"{named}\" does not fit: use \"stdio\" with a command, \"http\" with a url");
        if fits {
            Ok(())
        } else {
            Err(self.error("transport", problem))
        }
    }

    fn text(&self, body: &Map<String, Value>, field: &str) -> Result<Option<String>, SettingsError> {
        let Some(value) = body.get(field) else {
            return Ok(None);
        };
        let text = self.value(field, value)?;
        if text.trim().is_empty() {
            return Err(self.error(field, "is empty"));
        }
        Ok(Some(text))
    }

    fn value(&self, field: &str, value: &Value) -> Result<String, SettingsError> {
        let text = value
            .as_str()
            .ok_or_else(|| self.error(field, "is not a string"))?;
        expand(text, self.lookup)
            .map_err(|name| self.error(field, format!("the environment has no variable \"{name}\"")))
    }

    fn secrets(
        &self,
        body: &Map<String, Value>,
        field: &str,
    ) -> Result<BTreeMap<String, SecretString>, SettingsError> {
        match body.get(field) {
            None => Ok(BTreeMap::new()),
            Some(Value::Object(entries)) => entries
                .iter()
                .map(|(key, value)| {
                    let value = self.value(&format!("{field}.{key}"), value)?;
                    Ok((key.clone(), SecretString::from(value)))
                })
                .collect(),
            Some(_) => Err(self.error(field, "is not an object")),
        }
    }
}
