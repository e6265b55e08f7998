//! The collector: a gNMI client, and the MCP server that offers what it reads to agents.
//!
//! `inventory` says which devices there are and how to log in, `client` talks gNMI to them, `collector`
//! turns tool calls into answers, `server` puts the collector on stdio or HTTP. Nothing here writes to a
//! device: there is no Set.

pub mod client;
pub mod collector;
pub mod inventory;
pub mod server;
