//! The `Toolbox` port: MCP hub, capability registry, guard and sanitiser.
//!
//! `hub` keeps the servers alive and speaks MCP; `outcome` reads what a result really says; `registry` knows
//! every tool as a capability; `guard` decides whether and how a call may run; `sanitize` cleans what comes
//! back; `performance` counts; `toolbox` walks them in order. Nothing here plans, diagnoses or draws.

mod capability;
mod failure;
pub mod guard;
pub mod hub;
pub mod outcome;
pub mod performance;
mod purpose;
mod registry;
mod risk;
mod sanitize;
mod toolbox;
mod turn;

pub use capability::{Budget, Capability};
pub use failure::Failure;
pub use guard::{Guard, GuardOptions};
pub use hub::{Hub, ServerSpec};
pub use registry::{Entry, Found, Registry, Search};
pub use risk::{Judgement, Permission, RiskSource, Trust};
pub use sanitize::sanitize;
pub use toolbox::{McpToolbox, ToolboxOptions};
