//! One entry of an inventory: fields, defaults and checks.
//!
//! Fields are gNMIBuddy's, and three of ours (`username_env`, `password_env`, `password_command`). An
//! unknown field is refused, with the nearest known one, because a misspelt `skip_verfy` is a surprise
//! at three in the morning.

use super::{Credentials, Device, Fallback, Nos, Password, Tls};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

/// Place, what is wrong, what would be right.
pub(super) type Problem = (String, String, String);

const FIELDS: [&str; 18] = [
    "name",
    "ip_address",
    "port",
    "nos",
    "username",
    "password",
    "path_cert",
    "path_key",
    "path_root",
    "override",
    "skip_verify",
    "gnmi_timeout",
    "grpc_options",
    "show_diff",
    "insecure",
    "username_env",
    "password_env",
    "password_command",
];
/// gNMIBuddy's default, the NETCONF port; real gNMI listens elsewhere, so write it down.
const DEFAULT_PORT: u64 = 830;
const DEFAULT_TIMEOUT_S: u64 = 5;

pub(super) fn read_list(json: &Value, fallback: &Fallback) -> Result<Vec<Device>, Problem> {
    let whole = |what: &str, next: &str| ("the list".to_owned(), what.to_owned(), next.to_owned());
    let Some(list) = json.as_array() else {
        return Err(whole(
            &format!("{} where a list is expected", kind(json)),
            "write [ {\"name\": …, \"ip_address\": …}, … ]",
        ));
    };
    if list.is_empty() {
        return Err(whole("there is no device in it", "add at least one device"));
    }
    let mut devices = Vec::with_capacity(list.len());
    let mut seen: HashMap<String, usize> = HashMap::new();
    for (index, item) in list.iter().enumerate() {
        let device = read_entry(index, item, fallback)?;
        if let Some(first) = seen.insert(device.name.clone(), index) {
            return Err(place(index, Some(&device.name), "name")(
                format!("the name is taken by device {}", first + 1),
                "give each device its own name",
            ));
        }
        devices.push(device);
    }
    Ok(devices)
}

/// Builds a problem of one field; `index` counts from 0 and is shown from 1.
fn place(index: usize, name: Option<&str>, field: &str) -> impl Fn(String, &str) -> Problem {
    let who = name.map(|n| format!(" (\"{n}\")")).unwrap_or_default();
    let place = format!("device {}{who}, field \"{field}\"", index + 1);
    move |what, next| (place.clone(), what, next.to_owned())
}

struct Entry<'a> {
    index: usize,
    name: Option<&'a str>,
    fields: &'a Map<String, Value>,
}

impl<'a> Entry<'a> {
    fn problem(&self, field: &str, what: impl Into<String>, next: &str) -> Problem {
        place(self.index, self.name, field)(what.into(), next)
    }

    fn get(&self, field: &str) -> Option<&'a Value> {
        self.fields.get(field).filter(|v| !v.is_null())
    }

    fn text(&self, field: &str) -> Result<Option<&'a str>, Problem> {
        match self.get(field) {
            None => Ok(None),
            Some(Value::String(s)) if !s.trim().is_empty() => Ok(Some(s)),
            Some(Value::String(_)) => {
                Err(self.problem(field, "it is empty", "write a value or leave it out"))
            }
            Some(other) => Err(self.problem(
                field,
                format!("{} where text is expected", kind(other)),
                "write it in double quotes",
            )),
        }
    }

    fn flag(&self, field: &str) -> Result<Option<bool>, Problem> {
        match self.get(field) {
            None => Ok(None),
            Some(Value::Bool(b)) => Ok(Some(*b)),
            Some(other) => Err(self.problem(
                field,
                format!("{} where true or false is expected", kind(other)),
                "write true or false without quotes",
            )),
        }
    }

    fn number(&self, field: &str, low: u64, high: u64, default: u64) -> Result<u64, Problem> {
        let Some(value) = self.get(field) else {
            return Ok(default);
        };
        value
            .as_u64()
            .filter(|n| (low..=high).contains(n))
            .ok_or_else(|| {
                self.problem(
                    field,
                    format!("{value} is no whole number from {low} to {high}"),
                    "write a number without quotes",
                )
            })
    }
}

fn read_entry(index: usize, item: &Value, fallback: &Fallback) -> Result<Device, Problem> {
    let Some(fields) = item.as_object() else {
        return Err((
            format!("device {}", index + 1),
            format!("{} where an object is expected", kind(item)),
            "write {\"name\": …, \"ip_address\": …}".into(),
        ));
    };
    let name = fields.get("name").and_then(Value::as_str);
    let entry = Entry { index, name, fields };
    check_fields(&entry)?;
    let name = entry
        .text("name")?
        .ok_or_else(|| entry.problem("name", "it is missing", "name the device"))?;
    let host = read_address(&entry)?;
    let port = entry.number("port", 1, 65535, DEFAULT_PORT)?;
    let nos = read_nos(&entry)?;
    let timeout = entry.number("gnmi_timeout", 1, 600, DEFAULT_TIMEOUT_S)?;
    let tls = read_tls(&entry)?;
    let has_identity = entry.text("path_cert")?.is_some();
    let credentials = read_credentials(&entry, fallback, has_identity)?;
    let listing = listing(&entry, &credentials, tls.is_none(), port, timeout);
    Ok(Device {
        name: name.to_owned(),
        host,
        port: u16::try_from(port).unwrap_or(u16::MAX),
        nos,
        credentials,
        tls,
        timeout: Duration::from_secs(timeout),
        listing,
    })
}

fn check_fields(entry: &Entry<'_>) -> Result<(), Problem> {
    let Some(field) = entry.fields.keys().find(|f| !FIELDS.contains(&f.as_str())) else {
        return Ok(());
    };
    let likeness = |known: &str| strsim::jaro_winkler(field, known);
    let nearest = FIELDS.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    let next = match nearest {
        Some(near) if likeness(near) > 0.8 => format!("did you mean \"{near}\"?"),
        _ => format!("known fields: {}", FIELDS.join(", ")),
    };
    Err(entry.problem(field, "there is no such field", &next))
}

fn read_address(entry: &Entry<'_>) -> Result<String, Problem> {
    let Some(text) = entry.text("ip_address")? else {
        return Err(entry.problem("ip_address", "it is missing", "write the management address"));
    };
    match text.parse::<IpAddr>() {
        Ok(address) => Ok(address.to_string()),
        Err(_) => Err(entry.problem(
            "ip_address",
            format!("\"{text}\" is no IPv4 or IPv6 address"),
            "write a literal address such as 192.0.2.11, without port",
        )),
    }
}

fn read_nos(entry: &Entry<'_>) -> Result<Nos, Problem> {
    match entry.text("nos")? {
        None | Some("iosxr") => Ok(Nos::Iosxr),
        Some("unknown") => Ok(Nos::Unknown),
        Some(other) => Err(entry.problem(
            "nos",
            format!("\"{other}\" is not known"),
            "write \"iosxr\", or \"unknown\" for another system with OpenConfig models",
        )),
    }
}

fn read_tls(entry: &Entry<'_>) -> Result<Option<Tls>, Problem> {
    let path = |field| entry.text(field).map(|t| t.map(PathBuf::from));
    let identity = match (path("path_cert")?, path("path_key")?) {
        (Some(cert), Some(key)) => Some((cert, key)),
        (None, None) => None,
        (Some(_), None) => {
            return Err(entry.problem(
                "path_key",
                "it is missing beside path_cert",
                "name the key's file",
            ));
        }
        (None, Some(_)) => {
            return Err(entry.problem(
                "path_cert",
                "it is missing beside path_key",
                "name the certificate's file",
            ));
        }
    };
    let tls = Tls {
        ca: path("path_root")?,
        identity,
        server_name: entry.text("override")?.map(str::to_owned),
        skip_verify: entry.flag("skip_verify")?.unwrap_or(false),
    };
    // Clear text is the default, but not behind the back of who names a certificate.
    let clear = entry.flag("insecure")?.unwrap_or(tls == Tls::default());
    Ok(if clear { None } else { Some(tls) })
}

fn read_credentials(
    entry: &Entry<'_>,
    fallback: &Fallback,
    has_identity: bool,
) -> Result<Credentials, Problem> {
    let username = match (entry.text("username")?, entry.text("username_env")?) {
        (Some(name), _) => Some(name.to_owned()),
        (None, Some(variable)) => Some(std::env::var(variable).map_err(|_| {
            entry.problem(
                "username_env",
                format!("{variable} is not set"),
                "export it before you start",
            )
        })?),
        (None, None) => fallback.username.clone(),
    };
    let password = if let Some(text) = entry.text("password")? {
        Some(Password::Literal(text.into()))
    } else if let Some(variable) = entry.text("password_env")? {
        Some(Password::Environment(variable.to_owned()))
    } else if let Some(command) = entry.text("password_command")? {
        Some(Password::Command(command.to_owned()))
    } else {
        fallback.password.clone()
    };
    let next = "give username and password (or password_env, password_command), or path_cert and path_key";
    match (username.is_some(), password.is_some()) {
        (true, true) => {}
        (false, false) if has_identity => {}
        (false, _) => return Err(entry.problem("username", "there is no way to log in", next)),
        (true, false) => return Err(entry.problem("password", "it is missing beside username", next)),
    }
    Ok(Credentials { username, password })
}

fn listing(entry: &Entry<'_>, credentials: &Credentials, clear: bool, port: u64, timeout: u64) -> Value {
    let raw = |field: &str| entry.get(field).cloned().unwrap_or(Value::Null);
    json!({
        "name": raw("name"),
        "ip_address": raw("ip_address"),
        "port": port,
        "nos": entry.get("nos").cloned().unwrap_or_else(|| json!("iosxr")),
        "username": credentials.username,
        "password": credentials.password.as_ref().map(|_| "***"),
        "path_cert": raw("path_cert"),
        "path_key": raw("path_key"),
        "path_root": raw("path_root"),
        "override": raw("override"),
        "skip_verify": entry.get("skip_verify").cloned().unwrap_or(json!(false)),
        "gnmi_timeout": timeout,
        "grpc_options": raw("grpc_options"),
        "show_diff": raw("show_diff"),
        "insecure": clear,
    })
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
