//! Network files: the short TOML description of a network, and the ones that ship with the binary.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::{Network, build};

/// Role of a device in the design.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Provider edge: VRFs and customers.
    Pe,
    /// Core.
    P,
    /// Route reflector.
    Rr,
}

impl Role {
    /// `PE`, `P` or `RR`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pe => "PE",
            Self::P => "P",
            Self::Rr => "RR",
        }
    }
}

/// A network file that can't be used.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    #[error("network file {file}: {reason}\n  see config/lab/sp-s.toml for every key")]
    Parse { file: String, reason: String },
    #[error(
        "network {network}: {what}: no device \"{name}\"\n  add it under [[device]], or correct the name"
    )]
    UnknownDevice {
        network: String,
        what: String,
        name: String,
    },
    #[error("network {network}: {what}\n  {hint}")]
    Invalid {
        network: String,
        what: String,
        hint: String,
    },
    #[error("no built-in network \"{name}\"\n  there are: {known}; or give the path of a network file")]
    UnknownNetwork { name: String, known: String },
}

/// One device.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceSpec {
    pub name: String,
    pub role: Role,
    /// Route reflectors this PE is a client of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reflectors: Vec<String>,
}

/// One point-to-point link; ports are given out in the order of the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkSpec {
    pub a: String,
    pub b: String,
    /// IS-IS metric of both directions.
    #[serde(default = "default_metric", skip_serializing_if = "is_default_metric")]
    pub metric: u32,
    /// Set: the link is a bundle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bundle: Option<BundleSpec>,
}

/// A link aggregation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BundleSpec {
    /// Bundle-Ether number, the same on both ends.
    pub id: u32,
    pub members: u32,
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub min_links: u32,
}

/// A customer VPN.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VrfSpec {
    pub name: String,
    /// n of route target `asn:n` and of every route distinguisher.
    pub index: u32,
    /// PEs with a customer router in it.
    pub sites: Vec<String>,
}

/// A transit peer (eBGP in the default VRF).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TransitSpec {
    pub name: String,
    pub pe: String,
    pub asn: u32,
}

/// How link subnets are numbered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum LinkPlan {
    /// `100.<100+a>.<100+b>.0/24`, hosts `.<100+n>` (up to 99 devices).
    #[serde(rename = "/24")]
    Wide,
    /// /31 out of 10.0.0.0/9, in file order.
    #[serde(rename = "/31")]
    Narrow,
}

/// The file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkFile {
    pub name: String,
    pub size: String,
    pub asn: u32,
    /// Segment-routing global block, inclusive.
    pub srgb: (u32, u32),
    pub link_plan: LinkPlan,
    pub ntp: Vec<String>,
    #[serde(rename = "device")]
    pub devices: Vec<DeviceSpec>,
    #[serde(rename = "link")]
    pub links: Vec<LinkSpec>,
    #[serde(rename = "vrf")]
    pub vrfs: Vec<VrfSpec>,
    #[serde(rename = "transit", default)]
    pub transits: Vec<TransitSpec>,
}

fn default_metric() -> u32 {
    10
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde's skip_serializing_if hands out a reference"
)]
fn is_default_metric(metric: &u32) -> bool {
    *metric == default_metric()
}

fn one() -> u32 {
    1
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde's skip_serializing_if hands out a reference"
)]
fn is_one(n: &u32) -> bool {
    *n == 1
}

impl NetworkFile {
    /// Parses a network file; `origin` names it in errors.
    ///
    /// # Errors
    /// [`NetworkError::Parse`] with the line and key.
    pub fn parse(text: &str, origin: &str) -> Result<Self, NetworkError> {
        toml::from_str(text).map_err(|e| NetworkError::Parse {
            file: origin.to_string(),
            reason: e.to_string().trim().replace('\n', "; "),
        })
    }
}

const BUILTIN: [(&str, &str); 3] = [
    ("sp-s", include_str!("../../../config/lab/sp-s.toml")),
    ("sp-m", include_str!("../../../config/lab/sp-m.toml")),
    ("sp-l", include_str!("../../../config/lab/sp-l.toml")),
];

/// Names of the networks that ship with the binary.
pub fn builtin_names() -> impl Iterator<Item = &'static str> {
    BUILTIN.iter().map(|(name, _)| *name)
}

/// A network that ships with the binary: `sp-s`, `sp-m`, `sp-l`, or by size `S`, `M`, `L`. Built once, then copied.
///
/// # Errors
/// [`NetworkError::UnknownNetwork`] naming those that exist.
pub fn builtin(name: &str) -> Result<Network, NetworkError> {
    static BUILT: [OnceLock<Network>; BUILTIN.len()] = [const { OnceLock::new() }; BUILTIN.len()];
    let wanted = name.to_ascii_lowercase();
    let named = |n: &str| n == wanted || n.strip_prefix("sp-") == Some(wanted.as_str());
    let Some(at) = BUILTIN.iter().position(|(n, _)| named(n)) else {
        return Err(NetworkError::UnknownNetwork {
            name: name.to_string(),
            known: builtin_names().collect::<Vec<_>>().join(", "),
        });
    };
    if let Some(network) = BUILT[at].get() {
        return Ok(network.clone());
    }
    let (file, text) = BUILTIN[at];
    let network = build(&NetworkFile::parse(text, &format!("config/lab/{file}.toml"))?)?;
    Ok(BUILT[at].get_or_init(|| network).clone())
}
