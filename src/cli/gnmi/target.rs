//! The flags that say which devices to ask and how to connect, with gnmic's names and defaults.

use crate::cli::{Context, Failure, FailureKind};
use crate::gnmi::client::{Client, Limits, Session};
use crate::gnmi::inventory::{Credentials, Device, Fallback, Inventory, Nos, Password, Tls};
use crate::proto::gnmi::{Encoding, Path};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Port when an address has none; IANA's for gNMI.
const DEFAULT_PORT: u16 = 9339;

/// Which devices, and how to reach them.
#[derive(Debug, Clone, clap::Args)]
pub struct Target {
    /// Address of a target, `host:port`; may be repeated or a comma-separated list
    #[arg(short, long, value_name = "ADDR", value_delimiter = ',')]
    address: Vec<String>,
    /// Device of the inventory; may be repeated or a comma-separated list
    #[arg(short, long, value_name = "NAME", value_delimiter = ',')]
    device: Vec<String>,
    /// Inventory file for --device
    #[arg(long, value_name = "FILE", env = "NOCTUI_INVENTORY")]
    inventory: Option<PathBuf>,
    /// User name
    #[arg(short, long)]
    username: Option<String>,
    /// Password; better kept in NOCTUI_GNMI_PASSWORD, other users see a command line
    #[arg(short, long, hide_env_values = true)]
    password: Option<String>,
    /// Connect in clear text
    #[arg(long)]
    insecure: bool,
    /// Accept any server certificate
    #[arg(long)]
    skip_verify: bool,
    /// Certificate authority of the target (PEM)
    #[arg(long, value_name = "FILE")]
    tls_ca: Option<PathBuf>,
    /// Client certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// Client key (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Name expected in the target's certificate
    #[arg(long, value_name = "NAME")]
    tls_server_name: Option<String>,
    /// Deadline of one request
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = duration)]
    timeout: Duration,
    /// No [target] prefix before lines when several targets are asked
    #[arg(long)]
    no_prefix: bool,
}

/// A name for output, and the session.
pub(super) struct Opened {
    pub(super) name: String,
    pub(super) session: Arc<Session>,
}

impl Target {
    /// Opens a session with every device that is named.
    pub(super) fn open(&self, context: &Context) -> Result<Vec<Opened>, Failure> {
        let client = Client::new(Limits::default());
        let mut devices: Vec<Arc<Device>> = Vec::new();
        if !self.device.is_empty() {
            let inventory = load(context, self.inventory.as_deref())?;
            for name in &self.device {
                devices.push(find(&inventory, name)?);
            }
        }
        for address in self.address.iter().filter(|a| !a.trim().is_empty()) {
            devices.push(Arc::new(self.adhoc(address.trim())?));
        }
        if devices.is_empty() {
            return Err(Failure::usage(
                "no target is named",
                "give -a host:port, or -d NAME with --inventory FILE",
            ));
        }
        Ok(devices
            .iter()
            .map(|d| Opened {
                name: d.name.clone(),
                session: client.session(d),
            })
            .collect())
    }

    /// Whether output lines begin with `[target]`.
    pub(super) fn prefixed(&self) -> bool {
        !self.no_prefix && self.address.len() + self.device.len() > 1
    }

    fn adhoc(&self, address: &str) -> Result<Device, Failure> {
        let (host, port) = split(address).ok_or_else(|| {
            Failure::usage(
                format!("\"{address}\" is no address"),
                "write host:port or [v6]:port",
            )
        })?;
        let fallback = Fallback::from_environment(|name| std::env::var(name).ok());
        let password = self
            .password
            .as_deref()
            .map(|p| Password::Literal(p.into()))
            .or(fallback.password);
        let tls = Tls {
            ca: self.tls_ca.clone(),
            identity: self.tls_cert.clone().zip(self.tls_key.clone()),
            server_name: self.tls_server_name.clone(),
            skip_verify: self.skip_verify,
        };
        Ok(Device {
            name: address.to_owned(),
            host,
            port,
            nos: Nos::Unknown,
            credentials: Credentials {
                username: self.username.clone().or(fallback.username),
                password,
            },
            tls: (!self.insecure).then_some(tls),
            timeout: self.timeout,
            listing: serde_json::Value::Null,
        })
    }
}

/// Reads the inventory of `--inventory` (or `NOCTUI_INVENTORY`), of the settings, of gNMIBuddy's
/// `NETWORK_INVENTORY`, or inventory.json in the config folder.
pub(in crate::cli) fn load(context: &Context, path: Option<&std::path::Path>) -> Result<Inventory, Failure> {
    let path = match path {
        Some(path) => path.to_path_buf(),
        None => usual_inventory(context)?,
    };
    let fallback = Fallback::from_environment(|name| std::env::var(name).ok());
    Inventory::load(&path, &fallback).map_err(|error| {
        let text = error.to_string();
        let (what, next) = text.split_once("\n  - ").unwrap_or((&text, ""));
        Failure::config(what, next)
    })
}

/// The inventory file that investigations of your network read: `NOCTUI_INVENTORY`, else the settings' and
/// the usual places.
///
/// # Errors
/// When none is named and none is there.
pub(in crate::cli) fn inventory_in_force(context: &Context) -> Result<PathBuf, Failure> {
    match std::env::var_os("NOCTUI_INVENTORY").filter(|path| !path.is_empty()) {
        Some(path) => Ok(PathBuf::from(path)),
        None => usual_inventory(context),
    }
}

fn usual_inventory(context: &Context) -> Result<PathBuf, Failure> {
    let set = &context.settings()?.gnmi.inventory;
    if !set.is_empty() {
        return Ok(PathBuf::from(set));
    }
    if let Some(path) = std::env::var_os("NETWORK_INVENTORY") {
        return Ok(PathBuf::from(path));
    }
    let path = context.folders()?.config.join("inventory.json");
    if path.exists() {
        return Ok(path);
    }
    Err(Failure::usage(
        format!("no inventory is named, and there is no {}", path.display()),
        "`noctui setup` asks for it; or give --inventory FILE, or set gnmi.inventory or NOCTUI_INVENTORY",
    ))
}

fn find(inventory: &Inventory, name: &str) -> Result<Arc<Device>, Failure> {
    inventory.find(name).cloned().ok_or_else(|| {
        let near = inventory.nearest(name);
        let next = if near.is_empty() {
            "`noctui gnmi serve` and its tool get_devices list them".to_owned()
        } else {
            format!("did you mean {}?", near.join(", "))
        };
        Failure::new(
            FailureKind::UnknownDevice,
            format!("\"{name}\" is not in the inventory"),
            next,
        )
    })
}

/// `host`, `host:port`, `[v6]:port`, or a bare IPv6 address.
fn split(address: &str) -> Option<(String, u16)> {
    if let Some(rest) = address.strip_prefix('[') {
        let (host, port) = rest.split_once(']')?;
        let port = if port.is_empty() {
            DEFAULT_PORT
        } else {
            port.strip_prefix(':')?.parse().ok()?
        };
        return Some((host.to_owned(), port));
    }
    match address.rsplit_once(':') {
        Some((host, _)) if host.contains(':') => Some((address.to_owned(), DEFAULT_PORT)),
        Some((host, port)) if !host.is_empty() => Some((host.to_owned(), port.parse().ok()?)),
        Some(_) => None,
        None => Some((address.to_owned(), DEFAULT_PORT)),
    }
}

/// `10s`, `500ms`, `2m`, or a number of seconds.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = &text[digits.len()..];
    let number: u64 = digits.parse().map_err(|_| "write 10s, 500ms or 2m".to_owned())?;
    match unit {
        "ms" => Ok(Duration::from_millis(number)),
        "" | "s" => Ok(Duration::from_secs(number)),
        "m" => Ok(Duration::from_secs(number.saturating_mul(60))),
        _ => Err("write 10s, 500ms or 2m".into()),
    }
    .and_then(|d| {
        if d.is_zero() {
            Err("it must not be zero".into())
        } else {
            Ok(d)
        }
    })
}

/// gNMI paths as typed.
pub(super) fn paths(texts: &[String]) -> Result<Vec<Path>, Failure> {
    texts
        .iter()
        .map(|text| {
            crate::proto::path::parse(text).map_err(|error| {
                let message = error.to_string();
                Failure::usage(
                    message.lines().next().unwrap_or_default(),
                    "e.g. --path /interfaces/interface[name=*]/state",
                )
            })
        })
        .collect()
}

/// Encodings by gnmic's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum EncodingName {
    /// JSON as RFC 7951 has it
    #[value(name = "json_ietf", alias = "json-ietf")]
    JsonIetf,
    /// Plain JSON
    Json,
    /// Scalars as protobuf
    Proto,
    /// Text, as a command line prints it
    Ascii,
    /// Bytes
    Bytes,
}

impl From<EncodingName> for Encoding {
    fn from(name: EncodingName) -> Self {
        match name {
            EncodingName::JsonIetf => Self::JsonIetf,
            EncodingName::Json => Self::Json,
            EncodingName::Proto => Self::Proto,
            EncodingName::Ascii => Self::Ascii,
            EncodingName::Bytes => Self::Bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_times_as_people_write_them() {
        let host = |h: &str, p| Some((h.to_owned(), p));
        assert_eq!(split("r1:57400"), host("r1", 57400));
        assert_eq!(split("r1"), host("r1", DEFAULT_PORT));
        assert_eq!(split("[2001:db8::1]:57400"), host("2001:db8::1", 57400));
        assert_eq!(split("2001:db8::1"), host("2001:db8::1", DEFAULT_PORT));
        assert_eq!(split("r1:http"), None);
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("2m"), Ok(Duration::from_secs(120)));
        assert_eq!(duration("7"), Ok(Duration::from_secs(7)));
        assert!(duration("0s").is_err() && duration("soon").is_err());
    }
}
