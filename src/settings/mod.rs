//! Layered configuration: what is set, where it was set, and what is wrong with it.
//!
//! Embedded file < system < user < project < `--config` < environment < `--set`, merged key by key, each
//! value's origin kept. Every layer is checked against the JSON schema of [`Settings`] before it is merged,
//! so that an error names the place, the key and the nearest name. Also the MCP servers (`mcp.json`) and
//! the folders. Ground floor: plain types, knows no other room, creates no file.

mod edit;
mod error;
mod expand;
mod folders;
mod layers;
mod model;
mod origin;
mod schema;
mod sections;
mod servers;
mod show;

pub use edit::{Entry, put};
pub use error::SettingsError;
pub use expand::expand;
pub use folders::Folders;
pub use layers::{Loaded, Sources, built_in, load};
pub use model::{Budget, Model, ModelTimeouts, Provider, Roles};
pub use origin::Origin;
pub use schema::{nearest, schema};
pub use sections::*;
pub use servers::{Server, ServerOrigin, Transport, load_servers, parse_servers};
pub use show::{Line, commented, lines};

/// The embedded settings file: every key with its default and a comment.
pub const DEFAULT: &str = include_str!("../../config/default.toml");

/// The embedded MCP servers.
pub const DEFAULT_SERVERS: &str = include_str!("../../config/mcp.json");

#[cfg(test)]
mod tests;
